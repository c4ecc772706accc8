// SPDX-License-Identifier: BSD-2-Clause
#include "end.h"
#include "log.h"
#include "pcpu.h"
#include "x86.h"

enum { DEBUG_EXIT_PORT = 0xF4 };

extern void end_print_state(void); // vm/: what the guest was doing, if there is one

static uint32_t ending;

_Noreturn void end_run(enum end_code code, const char *format, ...)
{
    if (__atomic_exchange_n(&ending, 1u, __ATOMIC_SEQ_CST) != 0)
        for (;;)
            __asm__ volatile("cli; hlt");
    log_seize();
    va_list args;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
    end_print_state();
    say("end %x", (unsigned)code);
    out32(DEBUG_EXIT_PORT, (uint32_t)code);
    for (;;) // a machine without the debug-exit device stays here, quietly
        __asm__ volatile("cli; hlt");
}
