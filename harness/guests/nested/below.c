// SPDX-License-Identifier: BSD-2-Clause
// What is done for L2 below L1, which must not notice: shadows that fill while an event is delivered, devices.
#include "l1.h"

enum { VECTOR = 0x45, IOAPIC = 0xFEC00000, VERSION = 1 };
static volatile uint32_t value;
static volatile uint32_t *device;

static void l2_stop(void)
{
    vmmcall();
}
static void l2_opens(void)
{
    __asm__ volatile("sti; nop");
    vmmcall();
}
static void l2_int(void)
{
    __asm__ volatile("int $0x80");
    vmmcall();
}
static void l2_int3(void)
{
    __asm__ volatile("int3");
    vmmcall();
}
static void l2_ud(void)
{
    __asm__ volatile("ud2");
}
static void l2_device(void)
{
    device[0] = VERSION;
    value = device[4];
    vmmcall();
}
static void l2_insb(void)
{
    uint8_t to[16], *p = to;
    __asm__ volatile("insb" : "+D"(p) : "d"(0x60) : "memory");
    vmmcall();
}

// No translation is known, so each access of the delivery is a nested page fault of the processor's; L1's table has all pages.
static void fills(void (*entry)(void), uint64_t event, uint64_t v_intr, uint32_t vector, uint64_t at,
                  const char *what)
{
    l2_watched(0, entry);
    l2_gates(0);
    block[0].exception_intercepts = 0;
    block[0].event_inject = event;
    block[0].v_intr = v_intr;
    block[0].tlb_control = 1;
    l2_run(0);
    const struct l2_frame *f = l2_frame(0);
    uint64_t slack = v_intr != 0 ? 1 : 0; // an exit behind STI, and QEMU has forgotten its shadow
    bool good = f != 0 && f->vector == vector && f->rip + slack >= (uintptr_t)entry + at &&
                f->rip <= (uintptr_t)entry + at && f->error == (event >> 32) &&
                (block[0].exit_int_info & EVENT_VALID) == 0;
    uint64_t stack = f != 0 ? f->rsp : 0;
    bool once = false;
    if (entry != l2_ud) {
        block[0].rip += 3;
        once = l2_run(0) == EXIT_VMMCALL && l2_frame(0) == 0 && block[0].rsp == stack;
    }
    expect(good && (once || entry == l2_ud), what);
}

static void step_fills(void)
{
    fills(l2_stop, EVENT_VALID | VECTOR, 0, VECTOR, 0,
          "an injected interrupt, with no translation known: once");
    fills(l2_stop, EVENT_VALID | EVENT_TYPE_NMI | EXC_NMI, 0, EXC_NMI, 0, "an injected NMI");
    fills(l2_stop, EVENT_VALID | EVENT_EXCEPTION | EVENT_CODE | EXC_GP | 0x28ull << 32, 0, EXC_GP, 0,
          "an injected exception");
    fills(l2_stop, EVENT_VALID | EVENT_SOFTWARE | 0x80, 0, 0x80, 0, "an injected INT 0x80");
    fills(l2_stop, EVENT_VALID | EVENT_EXCEPTION | EXC_BP, 0, EXC_BP, 0, "an injected #BP");
    fills(l2_opens, 0, V_INTR_MASKING | V_IRQ | V_IGN_TPR | (uint64_t)VECTOR << V_VECTOR_SHIFT, VECTOR, 2,
          "a virtual interrupt");
    fills(l2_int, 0, 0, 0x80, 2, "INT 0x80");
    fills(l2_int3, 0, 0, EXC_BP, 1, "INT3");
    fills(l2_ud, 0, 0, EXC_UD, 0, "an exception of L2's own");
}

static void step_devices(void)
{
    device = (volatile uint32_t *)(uintptr_t)IOAPIC;
    device[0] = VERSION;
    uint32_t version = device[4];
    l2_watched(0, l2_device);
    device[0] = 0;
    value = ~version;
    expect(l2_run(0) == EXIT_VMMCALL && value == version, "a device in memory that L1 hands on");
    uint64_t *e = window_entry(0, 1), whole = *e;
    *e = IOAPIC | 7;
    device = (volatile uint32_t *)(window + PAGE);
    l2_watched(0, l2_device);
    block[0].tlb_control = 1;
    value = ~version;
    expect(l2_run(0) == EXIT_VMMCALL && value == version, "the same, moved to another address");
    *e = whole;
    l2_watched(0, l2_insb);
    block[0].tlb_control = 1;
    block[0].intercepts3 |= I3_IO;
    io_map[0x60 / 8] |= 1;
    expect(l2_run(0) == EXIT_IO && block[0].exit_info1 >> 16 == 0x60 && (block[0].exit_info1 & 0x75) == 0x15,
           "INS that L1 intercepts");
    io_map[0x60 / 8] = 0;
}

void steps_below(void)
{
    attempt("events while shadows fill", step_fills);
    attempt("devices", step_devices);
}
