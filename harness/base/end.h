// SPDX-License-Identifier: BSD-2-Clause
// How a run ends. The code goes to QEMU's isa-debug-exit device, which makes it the process's exit status as
// 2 * code + 1; harness/run turns it back (docs/harness.md has the table).
#ifndef HARNESS_END_H
#define HARNESS_END_H

#include <stdint.h>

enum end_code {
    END_SHUTDOWN = 0x10,     // the guest switched itself off
    END_RESET = 0x11,        // the guest asked for a reset
    END_TRIPLE_FAULT = 0x12, // a VP shut down
    END_TIME_LIMIT = 0x13,   // the time limit of the command line was reached
    END_PANIC = 0x14,        // the guest printed the panic marker
    END_GUEST_FAIL = 0x15,   // a bare-metal guest reported a failure
    END_NO_SVM = 0x20,       // the processor has no usable SVM
    END_NO_NPT = 0x21,       // SVM without nested paging
    END_NO_MEMORY = 0x22,    // too little memory for the guest
    END_BAD_MODULE = 0x23,   // no guest, or not one that we can load
    END_BAD_OPTION = 0x24,   // command line not understood
    END_NO_PCPU = 0x25,      // a processor that was asked for did not come up
    END_UNEXPECTED = 0x30,   // an exit of the guest that the harness does not know
    END_HARNESS_FAULT = 0x31 // the harness itself failed: always a bug
};

// Stays here for good when another pCPU is ending the run. The run loop and the idle loop ask after an interrupt.
void end_park(void);

// Prints the line, the counters where a guest has run, and leaves. The first pCPU to come here wins; the others are
// called out of their guests and stop.
_Noreturn void end_run(enum end_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
