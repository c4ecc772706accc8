// SPDX-License-Identifier: BSD-2-Clause
// Control blocks that VMRUN refuses (APM vol. 2, 15.5.1): exit -1, L2 does not run, L1 goes on.
#include "l1.h"
#include <stddef.h>

enum { VECTOR = 0x71 };
enum where { EVERYWHERE, NOT_QEMU }; // QEMU alone runs it: its checks have gaps

static volatile uint32_t ran;

static void l2_ran(void)
{
    ran++;
    vmmcall();
}

// A qword of a good block, in which bits are cleared, then set.
struct change {
    const char *what;
    size_t at;
    uint64_t clear, set;
    enum where where;
};
#define AT(field)     offsetof(struct pv_vmcb, field)
#define ALL           (~0ull)
#define END           0xFFFFFFFFFFull // stands for the end of the physical addresses
#define EVENT(t, v)   (EVENT_VALID | (uint64_t)(t) << 8 | (v))
#define SEGMENT(bits) ((uint64_t)(bits) << 16)

static const struct change illegal[] = {
    {"EFER.SVME clear (NV-CHK-2)", AT(efer), EFER_SVME, 0, EVERYWHERE},
    {"EFER bit 2", AT(efer), 0, 1 << 2, EVERYWHERE},
    {"EFER bit 63", AT(efer), 0, 1ull << 63, EVERYWHERE},
    {"CR0.NW without CR0.CD", AT(cr0), CR0_CD, CR0_NW, EVERYWHERE},
    {"CR0 bit 32", AT(cr0), 0, 1ull << 32, EVERYWHERE},
    {"CR0 bit 63", AT(cr0), 0, 1ull << 63, EVERYWHERE},
    {"CR3 bit 52 in long mode (NV-CHK-3)", AT(cr3), 0, 1ull << 52, EVERYWHERE},
    {"CR3 bit 63 in long mode", AT(cr3), 0, 1ull << 63, EVERYWHERE},
    {"CR4 bit 31", AT(cr4), 0, 1ull << 31, EVERYWHERE},
    {"CR4 bit 32", AT(cr4), 0, 1ull << 32, EVERYWHERE},
    {"DR6 bit 32", AT(dr6), 0, 1ull << 32, EVERYWHERE},
    {"DR6 bit 63", AT(dr6), 0, 1ull << 63, EVERYWHERE},
    {"DR7 bit 32", AT(dr7), 0, 1ull << 32, EVERYWHERE},
    {"DR7 bit 63", AT(dr7), 0, 1ull << 63, EVERYWHERE},
    {"ASID 0 (NV-CHK-6)", AT(asid), ALL, 0, EVERYWHERE},
    {"VMRUN not intercepted", AT(intercepts4), I4_VMRUN, 0, EVERYWHERE},
    {"LME and PG without PAE", AT(cr4), CR4_PAE, 0, EVERYWHERE},
    {"LME and PG without PE", AT(cr0), CR0_PE, 0, EVERYWHERE},
    {"CS.L with CS.D in long mode", AT(cs), 0, SEGMENT(SEG_D), EVERYWHERE},
    {"port map at the end of memory (NV-CHK-5)", AT(iopm_base), ALL, END - 0x2FFF + PAGE, EVERYWHERE},
    {"port map beyond it", AT(iopm_base), ALL, END + 1, EVERYWHERE},
    {"MSR map at the end of memory", AT(msrpm_base), ALL, END - 0x1FFF + PAGE, EVERYWHERE},
    {"MSR map at bit 51", AT(msrpm_base), ALL, 1ull << 51, EVERYWHERE},
    {"nested CR3 beyond memory", AT(nested_cr3), ALL, END + 1, NOT_QEMU},
    {"TLB_CONTROL 2", AT(asid), 0, 2ull << 32, NOT_QEMU},
    {"event of type 1", AT(event_inject), 0, EVENT(1, 0x41), EVERYWHERE},
    {"event of type 5", AT(event_inject), 0, EVENT(5, 0x41), EVERYWHERE},
    {"event of type 7", AT(event_inject), 0, EVENT(7, 0x41), EVERYWHERE},
    {"exception 2", AT(event_inject), 0, EVENT(3, EXC_NMI), EVERYWHERE},
    {"exception 32", AT(event_inject), 0, EVENT(3, 32), EVERYWHERE},
};

// Looks odd, and is legal.
static const struct change legal[] = {
    {"CR0.NW with CR0.CD", AT(cr0), 0, CR0_NW | CR0_CD, EVERYWHERE},
    {"CR0.CD alone", AT(cr0), 0, CR0_CD, EVERYWHERE},
    {"the port map's last place in memory", AT(iopm_base), ALL, END - 0x2FFF, NOT_QEMU},
    {"the MSR map's last place in memory", AT(msrpm_base), ALL, END - 0x1FFF, NOT_QEMU},
    {"low bits of the maps' addresses", AT(iopm_base), 0, 0xFFF, EVERYWHERE},
    {"an event of an illegal type that is not valid", AT(event_inject), 0, 0x541, EVERYWHERE},
    {"EFER.LMA clear: it follows from LME and PG", AT(efer), EFER_LMA, 0, NOT_QEMU},
};

// The address with what END stands for put in its place.
static uint64_t with_end(uint64_t address)
{
    uint64_t end = 1ull << (cpuid(0x80000008, 0).eax & 0xFF);
    return address + PAGE > END - 0x4000 && address <= END + PAGE ? address - (END + 1) + end : address;
}

static bool apply(const struct change *c)
{
    if (c->where == NOT_QEMU && !on_proviso) {
        skip(c->what, "a gap of QEMU's own checks");
        return false;
    }
    l2_watched(0, l2_ran);
    uint64_t *at = (uint64_t *)(void *)((uint8_t *)&block[0] + c->at);
    *at = (*at & ~(c->at == AT(asid) ? c->clear & 0xFFFFFFFF : c->clear)) | with_end(c->set);
    ran = 0;
    return true;
}

static void step_illegal(void)
{
    for (uint32_t i = 0; i < sizeof illegal / sizeof *illegal; i++)
        if (apply(&illegal[i])) {
            l2_run(0);
            expect((uint32_t)block[0].exit_code == EXIT_INVALID && ran == 0, illegal[i].what);
        }
}

static void step_legal(void)
{
    for (uint32_t i = 0; i < sizeof legal / sizeof *legal; i++)
        if (apply(&legal[i]))
            expect(l2_run(0) == EXIT_VMMCALL && ran == 1, legal[i].what);
}

static void step_after(void)
{
    uint32_t before = came(VECTOR);
    apply(&illegal[0]);
    keep_gif = true;
    __asm__ volatile("clgi");
    self_ipi(VECTOR);
    interrupts_on();
    uint64_t cr4 = read_cr4(), efer = rdmsr(MSR_EFER);
    l2_run(0);
    bool held = came(VECTOR) == before;
    __asm__ volatile("stgi; nop");
    interrupts_off();
    check(held && came(VECTOR) == before + 1, "GIF is 0 after it, and an interrupt waits for STGI");
    check(read_cr4() == cr4 && rdmsr(MSR_EFER) == efer, "L1's registers are as they were");
    l2_watched(0, l2_ran);
    expect(l2_run(0) == EXIT_VMMCALL && ran == 1, "a good block runs afterwards");
}

void steps_invalid(void)
{
    attempt("blocks that VMRUN refuses", step_illegal);
    attempt("blocks that it does not refuse", step_legal);
    attempt("L1 after a refusal", step_after);
}
