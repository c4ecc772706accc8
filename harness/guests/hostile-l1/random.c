// SPDX-License-Identifier: BSD-2-Clause
// L2 executes rubbish, in a control block with rubbish. On the command line: seed=N, rounds=N.
#include "l2.h"

static uint32_t rounds(void)
{
    return option("rounds", 2000);
}

static void rubbish(void) // fields at random
{
    for (uint32_t i = 0; i < rounds(); i++) {
        l2_caged(l2_call);
        patience = SHORT;
        for (uint64_t n = random() % 4 + 1; n > 0; n--)
            spoil(&block[0], random());
        l2_go();
    }
}

// Code at random, with intercepts at random; what must be intercepted so that L2 cannot end the run stays so.
static void random_code(void)
{
    static const uint16_t segments[] = {SEG_CODE64, SEG_CODE64, SEG_CODE32, SEG_CODE16};
    for (uint32_t i = 0; i < rounds(); i++) {
        l2_caged(l2_call);
        patience = SHORT / 4;
        for (uint32_t k = 0; k < PAGE / 8; k++)
            ((uint64_t *)(void *)window)[k] = random();
        struct pv_vmcb *v = &block[0];
        v->cs.attrib = segments[random() & 3];
        v->rip = (uintptr_t)window + (random() & 0x7FF);
        v->rflags |= (random() & 1) != 0 ? FLAG_IF : 0;
        v->exception_intercepts = (uint32_t)random() & (uint32_t)random();
        v->cr_intercepts = (uint32_t)random() & (uint32_t)random();
        v->intercepts3 |= (uint32_t)random() & (uint32_t)random();
        v->intercepts4 |= (uint32_t)random() & (uint32_t)random();
        l2_go();
    }
}

const struct attack attacks_random[] = {
    ATTACK(rubbish, NOTHING),
    ATTACK(random_code, NOTHING),
    {0, 0, 0},
};
