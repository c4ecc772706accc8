// SPDX-License-Identifier: BSD-2-Clause
// What must be so after every end of L2, whatever the attack was.
#include "l2.h"

enum { STATES = 12 };
static uint64_t noted[STATES];
static const char *const names[STATES] = {"CR0", "CR3", "CR4", "EFER", "PAT",  "DR7",
                                          "CS",  "SS",  "DS",  "ES",   "GDTR", "IDTR"};

struct __attribute__((packed)) table {
    uint16_t limit;
    uint64_t base;
};

bool block_changes;

#define READ(to, instruction) __asm__ volatile(instruction : "=r"(to))
static void read_state(uint64_t *s)
{
    struct table gdtr, idtr;
    READ(s[0], "mov %%cr0, %0");
    READ(s[1], "mov %%cr3, %0");
    READ(s[2], "mov %%cr4, %0");
    s[3] = rdmsr(MSR_EFER);
    s[4] = rdmsr(MSR_PAT);
    READ(s[5], "mov %%dr7, %0");
    READ(s[6], "mov %%cs, %0");
    READ(s[7], "mov %%ss, %0");
    READ(s[8], "mov %%ds, %0");
    READ(s[9], "mov %%es, %0");
    __asm__ volatile("sgdt %0" : "=m"(gdtr));
    __asm__ volatile("sidt %0" : "=m"(idtr));
    s[10] = gdtr.base ^ (uint64_t)gdtr.limit << 48;
    s[11] = idtr.base ^ (uint64_t)idtr.limit << 48;
}

void l1_note(void)
{
    read_state(noted);
}

// #VMEXIT with a code whose bit L1 has not set is none of L1's. (APM vol. 2, 15.9)
static bool was_asked(const struct pv_vmcb *v)
{
    const uint32_t words[] = {v->cr_intercepts, v->dr_intercepts, v->exception_intercepts,
                              v->intercepts3,   v->intercepts4,   v->intercepts5};
    if (v->exit_code == EXIT_NPF)
        return (v->nested_control & 1) != 0;
    return v->exit_code == ~0ull ||
           (v->exit_code < 192 && (words[v->exit_code / 32] >> v->exit_code % 32 & 1) != 0);
}

void l1_look(bool was_interrupted)
{
    uint64_t now[STATES];
    read_state(now);
    for (uint32_t i = 0; i < STATES; i++)
        want(now[i] == noted[i], names[i]);
    if (block_changes || __atomic_load_n(&race, __ATOMIC_RELAXED) == RACE_BLOCK)
        return; // the intercepts may be others now
    want(was_asked(&block[0]), "L1 has asked for this exit");
    want((block[0].event_inject & EVENT_VALID) == 0, "EVENTINJ is used up");
    want(block[0].exit_code != EXIT_INTR || was_interrupted, "the interrupt that ended L2 comes to L1");
}

void want(bool good, const char *what)
{
    if (good)
        return;
    put("   not so: %s: exit %lx, %lx, %lx\n", what, block[0].exit_code, block[0].exit_info1,
        block[0].exit_info2);
    failures++;
}
