// SPDX-License-Identifier: BSD-2-Clause
// Port accesses. A port that nothing answers reads as ones, and ignores what is written.
#include "../base/x86.h"
#include "exits.h"
#include "vp.h"
#include "../base/count.h"
#include "../base/end.h"
#include "../base/span.h"
#include "../dev/legacy.h"
#include "../dev/uart.h"

enum { TEST_PORT = 0xF4 }; // bare-metal guests: 0 is success, anything else a failure

static uint32_t port_read(uint16_t port, uint32_t size)
{
    uint32_t v = 0xFFFFFFFF;
    if (port >= UART_PORT && port < UART_PORT + 8)
        return uart_read(port - UART_PORT);
    if (!legacy_read(port, size, &v))
        count_read(port, &v);
    return v;
}

static void port_write(struct vp *vp, uint16_t port, uint32_t size, uint32_t value)
{
    if (port >= UART_PORT && port < UART_PORT + 8) {
        uart_write(port - UART_PORT, (uint8_t)value, vp->index);
        return;
    }
    if (port == SPAN_PORT) {
        span_mark(value & 0xFF);
        return;
    }
    if (port == TEST_PORT) {
        if (value == 0)
            end_run(END_SHUTDOWN, "the guest reports success");
        end_run(END_GUEST_FAIL, "the guest reports failure %u", value);
    }
    legacy_write(port, size, value);
}

void exit_io(struct vp *vp)
{
    // EXITINFO1: 0 IN, 2 string, 6:4 size, 31:16 port (APM vol. 2, 15.10.2)
    uint64_t info = vp->vmcb->exit_info1;
    uint16_t port = (uint16_t)(info >> 16);
    uint32_t size = (uint32_t)(info >> 4 & 7);
    if ((info & 4) != 0) { // INS, OUTS: no guest of ours has a use for them
        vp_inject_gp(vp);
        return;
    }
    uint64_t mask = size == 4 ? 0xFFFFFFFF : size == 2 ? 0xFFFF : 0xFF;
    if ((info & 1) != 0) {
        uint64_t v = port_read(port, size) & mask;
        vp->vmcb->rax = size == 4 ? v : (vp->vmcb->rax & ~mask) | v;
    } else {
        port_write(vp, port, size, (uint32_t)(vp->vmcb->rax & mask));
    }
    vp->vmcb->rip = vp->vmcb->exit_info2;
    vp->vmcb->interrupt_state = 0;
}
