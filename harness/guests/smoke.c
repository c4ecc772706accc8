// SPDX-License-Identifier: BSD-2-Clause
// Every hypercall in every form, from several VPs, with the result that design and interface demand; and the shape
// errors, each once. The conformance vectors (tests/) go through all of it; this shows that the way through a real
// VMMCALL, with registers, XMM and memory, is right.
#include "lib.h"

enum { VECTOR = 0x51, VPS = 3 };
#define REPS(n) ((uint64_t)(n) << 32)

struct trial {
    const char *name;
    uint64_t input, rdx, r8; // rdx 0: the operand block
    uint64_t operand[6];
    uint64_t result;
    uint32_t ipis; // by VP: bit i, VP i gets VECTOR
};

static const struct trial trials[] = {
    {"flush space, all VPs", 0x2, 0, 0, {0, 3, 0}, 0, 0},
    {"flush space, mask", 0x2, 0, 0, {0x1000, 0, 7}, 0, 0},
    {"flush space, mask 0 is everybody", 0x2, 0, 0, {0, 2, 0}, 0, 0},
    {"flush space, absent VP", 0x2, 0, 0, {0, 2, 1ull << 63}, 0, 0},
    {"flush space, non-global", 0x2, 0, 0, {0, 7, 0}, 0, 0},
    {"flush list, 2 entries", 0x3 | REPS(2), 0, 0, {0, 3, 0, 0x200000, 0x201001}, REPS(2), 0},
    {"flush list from element 1",
     0x3 | REPS(3) | 1ull << 48,
     0,
     0,
     {0, 3, 0, 0x200000, 0x201000, 0x202000},
     REPS(3),
     0},
    {"long spin wait", 0x10008, 0x1234, 0, {0}, 0, 0},
    {"cluster IPI, fast", 0x1000B, VECTOR, 6, {0}, 0, 6},
    {"cluster IPI, memory", 0xB, 0, 0, {VECTOR, 5}, 0, 5},
    {"flush space ex, sparse", 0x20013, 0, 0, {0, 2, 0, 1, 7}, 0, 0},
    {"flush space ex, all", 0x13, 0, 0, {0, 2, 1, 0}, 0, 0},
    {"flush list ex", 0x20014 | REPS(1), 0, 0, {0, 2, 0, 1, 7, 0x200000}, REPS(1), 0},
    {"cluster IPI ex, sparse", 0x20015, 0, 0, {VECTOR, 0, 1, 3}, 0, 3},
    {"cluster IPI ex, all", 0x15, 0, 0, {VECTOR, 1, 0}, 0, 7},
    {"reserved bit 27", 0x2 | 1u << 27, 0, 0, {0, 3, 0}, 3, 0},
    {"reserved bit 63", 0x2 | 1ull << 63, 0, 0, {0, 3, 0}, 3, 0},
    {"unknown call", 0x7FFF, 0, 0, {0}, 2, 0},
    {"rep count on a simple call", 0x2 | REPS(1), 0, 0, {0, 3, 0}, 3, 0},
    {"rep count 0", 0x3, 0, 0, {0, 3, 0}, 3, 0},
    {"start beyond count", 0x3 | REPS(1) | 1ull << 48, 0, 0, {0, 3, 0}, 3, 0},
    {"variable header on a fixed call", 0x20002, 0, 0, {0, 3, 0}, 3, 0},
    {"bank count", 0x40013, 0, 0, {0, 2, 0, 1, 7}, 3, 0},
    {"misaligned operands", 0x2, 0x200001, 0, {0}, 4, 0},
    {"operands over a page's end", 0x2, 0x200FF0, 0, {0}, 4, 0},
    {"operands outside memory", 0x2, 1ull << 39, 0, {0}, 4, 0},
    {"unknown flag", 0x2, 0, 0, {0, 3 | 16, 0}, 5, 0},
    {"non-global on a list", 0x3 | REPS(1), 0, 0, {0, 7, 0, 0x200000}, 5, 0},
    {"set format 2", 0x20013, 0, 0, {0, 2, 2, 1, 7}, 5, 0},
    {"vector below 16", 0x1000B, 0xF, 1, {0}, 5, 0},
    {"vector above 255", 0x1000B, 0x100, 1, {0}, 5, 0},
    {"target VTL", 0x1000B, VECTOR | 1ull << 32, 1, {0}, 5, 0},
};
enum { TRIALS = sizeof trials / sizeof trials[0] };

static uint32_t turn, finished;

static uint32_t seen(uint32_t vp)
{
    return __atomic_load_n(&interrupts[vp][VECTOR], __ATOMIC_SEQ_CST);
}

static void one(uint32_t caller, const struct trial *t)
{
    uint32_t before[VPS];
    for (uint32_t i = 0; i < VPS; i++)
        before[i] = seen(i);
    for (uint32_t i = 0; i < 6; i++)
        operands[i] = t->operand[i];
    uint64_t result = hypercall(t->input, t->rdx != 0 ? t->rdx : (uintptr_t)operands, t->r8);
    bool good = result == t->result;
    for (uint32_t i = 0; i < VPS; i++) {
        // Who was named gets the interrupt in the end; who was not must not have got one.
        for (uint64_t end = rdtsc() + 2000000000;
             (t->ipis >> i & 1) != 0 && seen(i) == before[i] && rdtsc() < end;)
            pause();
        good &= seen(i) == before[i] + (t->ipis >> i & 1);
    }
    if (!good)
        put("VP %u, %s: result %lx, expected %lx\n", caller, t->name, result, t->result);
    check(good, t->name);
}

static void all(uint32_t caller)
{
    interrupts_on();
    while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != caller)
        pause();
    for (uint32_t i = 0; i < TRIALS; i++)
        one(caller, &trials[i]);
    __atomic_fetch_add(&finished, 1u, __ATOMIC_RELEASE);
    __atomic_fetch_add(&turn, 1u, __ATOMIC_RELEASE);
}

void guest_main(void)
{
    hyperv_on();
    start_others(VPS);
    all(0);
    while (__atomic_load_n(&finished, __ATOMIC_ACQUIRE) != VPS)
        pause();
    put("%u calls from each of %u VPs\n", (uint32_t)TRIALS, (uint32_t)VPS);
}

void guest_ap(uint32_t vp)
{
    all(vp);
}
