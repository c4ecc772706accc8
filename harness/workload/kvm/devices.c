// SPDX-License-Identifier: BSD-2-Clause
// A serial port that only sends, and the ways to end the machine.
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include "vmm.h"

enum { COM1 = 0x3F8, COM1_IRQ = 4, KEYBOARD = 0x64, TEST_PORT = 0xF4 };
enum {
    DATA = 0,
    IER = 1,
    IIR = 2,
    LCR = 3,
    MCR = 4,
    LSR = 5,
    MSR = 6,
    SCR = 7,
    IER_THR = 2,
    LCR_DLAB = 0x80
};

static struct {
    uint8_t registers[8], divisor[2], fifo;
    bool empty_told; // the guest has been told that it may send
} uart;

static void set_irq(struct vmm *m, int level)
{
    struct kvm_irq_level irq = {.irq = COM1_IRQ, .level = (unsigned)level};
    ioctl(m->vm, KVM_IRQ_LINE, &irq);
}

// The interrupt "you may send" is told once after each character, and when it is switched on.
static void may_send(struct vmm *m)
{
    uart.empty_told = (uart.registers[IER] & IER_THR) == 0;
    set_irq(m, !uart.empty_told);
}

static void send(struct vmm *m, char c)
{
    static char line[256];
    static size_t n;
    if (c == '\r')
        return;
    if (c != '\n' && n < sizeof line - 1) {
        line[n++] = c;
        return;
    }
    line[n] = 0;
    n = 0;
    printf("%s: %s\n", m->name, line);
    fflush(stdout);
}

static uint8_t uart_read(struct vmm *m, unsigned r)
{
    if (r < 2 && (uart.registers[LCR] & LCR_DLAB) != 0)
        return uart.divisor[r];
    switch (r) {
    case DATA:
        return 0;
    case IIR: {
        uint8_t v = (uint8_t)((uart.empty_told ? 1 : 2) | uart.fifo);
        uart.empty_told = true;
        set_irq(m, 0);
        return v;
    }
    case LSR:
        return 0x60;
    case MSR: // with the loop closed: what MCR says
        return (uart.registers[MCR] & 0x10) != 0
                   ? (uint8_t)((uart.registers[MCR] & 1) << 5 | (uart.registers[MCR] & 2) << 3 |
                               (uart.registers[MCR] & 0xC) << 4)
                   : 0xB0;
    default:
        return uart.registers[r];
    }
}

static void uart_write(struct vmm *m, unsigned r, uint8_t v)
{
    if (r < 2 && (uart.registers[LCR] & LCR_DLAB) != 0) {
        uart.divisor[r] = v;
        return;
    }
    if (r == DATA) {
        send(m, (char)v);
        may_send(m);
    } else if (r == IIR) {
        uart.fifo = (v & 1) != 0 ? 0xC0 : 0;
    } else if (r != LSR && r != MSR) {
        uart.registers[r] = r == IER ? v & 0xF : v;
        if (r == IER)
            may_send(m);
    }
}

bool port_access(struct vmm *m, uint16_t port, bool in, unsigned size, void *data)
{
    uint8_t *bytes = data;
    if (in)
        memset(data, 0xFF, size);
    if (port >= COM1 && port < COM1 + 8) {
        if (in)
            bytes[0] = uart_read(m, port - COM1);
        else
            uart_write(m, port - COM1, bytes[0]);
    } else if (port == KEYBOARD) {
        if (in)
            bytes[0] = 0;
        else if (bytes[0] == 0xFE)
            return false; // reset
    }
    return in || port != TEST_PORT;
}
