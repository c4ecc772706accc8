// SPDX-License-Identifier: BSD-2-Clause
// A hypervisor as guest: each step runs an L2 and looks at how it ended. The same image runs on a processor with SVM and on QEMU alone
// (qemu-system-x86_64 -cpu max,la57=off -device isa-debug-exit,iobase=0xf4,iosize=4 -serial stdio -display none -kernel nested.elf).
#include "nested/l1.h"

void guest_ap(uint32_t vp)
{
    others_start(vp);
}

void guest_main(void)
{
    if ((cpuid(0x80000001, 0).ecx & 1u << 2) == 0) {
        put("FAIL: no SVM here; run with --nested\n");
        failure(1);
    }
    l1_on();
    l1_apic_on();
    put("nested: %s\n", on_proviso ? "on Proviso" : "on another machine with SVM");
    attempt("exits", steps_exits);
    attempt("memory", steps_memory);
    steps_tables();
    steps_events();
    steps_virtual();
    steps_interrupts();
    steps_order();
    steps_priority();
    steps_invalid();
    steps_modes();
    steps_instructions();
    steps_intercepts();
    steps_maps();
    steps_flushes();
    steps_state();
    steps_below();
    steps_raised();
    steps_others();
    steps_narrow();
    steps_direct();
    put("nested: %u checks, %u skipped\n", checks, skipped);
    put("nested: %u failures\n", failures);
    if (failures != 0)
        failure(2);
    success();
}
