// SPDX-License-Identifier: BSD-2-Clause
// Two VPs that both run all the time: VP 1 reads one address over and over, VP 0 changes what is mapped there and
// flushes by hypercall. Once the call has returned, VP 1 must never see the old page again. VP 1 does not leave the
// guest by itself, so its translation lives until the core's kick makes it leave: without the kick it reads stale.
#include "lib.h"

enum { ROUNDS = 60, FORMS = 6 };
#define WINDOW 0x40000000ull // a 4 KiB mapping of its own, above everything else that the guest uses

static uint64_t table[512] __attribute__((aligned(4096)));
static struct {
    volatile uint64_t value;
    uint64_t rest[511];
} frames[2] __attribute__((aligned(4096)));

static uint64_t promised; // VP 1 must read at least this
static uint64_t looks;    // how often VP 1 has read
static uint64_t stale;    // how often it was too old
static uint32_t running;

static const char *const names[FORMS] = {"flush space",   "flush list",        "flush space ex",
                                         "flush list ex", "flush space, fast", "flush list, fast"};

// One flush that names VP 1 alone, in each of its forms. AddressSpace is not used to narrow a flush.
static uint64_t flush(uint32_t form)
{
    enum { ALL_SPACES = 2, VP1 = 2 };
    switch (form) {
    case 0:
    case 1:
        operands[0] = 0;
        operands[1] = ALL_SPACES;
        operands[2] = VP1;
        operands[3] = WINDOW;
        return hypercall(form == 0 ? 2 : 0x100000003, (uintptr_t)operands, 0);
    case 2:
    case 3:
        operands[0] = 0;
        operands[1] = ALL_SPACES;
        operands[2] = 0; // sparse
        operands[3] = 1; // bank 0
        operands[4] = VP1;
        operands[5] = WINDOW;
        return hypercall(form == 2 ? 0x20013 : 0x100020014, (uintptr_t)operands, 0);
    default: { // XMM0 = {mask, entry}
        static const uint64_t xmm0[2] __attribute__((aligned(16))) = {VP1, WINDOW};
        __asm__ volatile("movdqa %0, %%xmm0" : : "m"(xmm0));
        return hypercall(form == 4 ? 0x10002 : 0x100010003, 0, ALL_SPACES);
    }
    }
}

static void wait_for_looks(uint64_t more)
{
    uint64_t until = __atomic_load_n(&looks, __ATOMIC_RELAXED) + more;
    while (__atomic_load_n(&looks, __ATOMIC_RELAXED) < until)
        pause();
}

void guest_main(void)
{
    hyperv_on();
    pd[1][0] = (uintptr_t)table | 3; // WINDOW
    table[0] = (uintptr_t)&frames[0] | 3;
    start_others(2);
    while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) == 0)
        pause();
    uint64_t generation = 0;
    for (uint32_t form = 0; form < FORMS; form++) {
        uint64_t before = __atomic_load_n(&stale, __ATOMIC_RELAXED);
        for (uint32_t i = 0; i < ROUNDS; i++) {
            generation++;
            frames[generation % 2].value = generation;
            __atomic_store_n(&table[0], (uintptr_t)&frames[generation % 2] | 3, __ATOMIC_SEQ_CST);
            uint64_t result = flush(form);
            if ((result & 0xFFFF) != 0) {
                put("%s: status %lx\n", names[form], result);
                failure(2);
            }
            __atomic_store_n(&promised, generation, __ATOMIC_SEQ_CST);
            wait_for_looks(50);
        }
        uint64_t seen = __atomic_load_n(&stale, __ATOMIC_RELAXED) - before;
        put("%s: %u rounds, %lu stale reads\n", names[form], (uint32_t)ROUNDS, seen);
        check(seen == 0, names[form]);
    }
}

void guest_ap(uint32_t vp)
{
    (void)vp;
    __atomic_store_n(&running, 1u, __ATOMIC_RELEASE);
    for (;;) {
        uint64_t least = __atomic_load_n(&promised, __ATOMIC_SEQ_CST);
        uint64_t seen = *(volatile uint64_t *)WINDOW;
        if (seen < least)
            __atomic_fetch_add(&stale, 1u, __ATOMIC_RELAXED);
        __atomic_fetch_add(&looks, 1u, __ATOMIC_RELAXED);
    }
}
