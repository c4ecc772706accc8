// SPDX-License-Identifier: BSD-2-Clause
// One scenario, so many hypercalls: tests/bench/run counts the instructions inside pv_hypercall or pv_kvm_hypercall.
//   bench SCENARIO CALLS
#include "proviso.h"
#include "unnested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t page[PV_OPERAND_QWORDS];
static struct pv_vp vps[PV_MAX_VPS] __attribute__((aligned(64)));
static struct pv_partition partition;
static struct pv_scratch scratch;
static struct pv_call call;

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p;
    const uint64_t *from = page + gpa / 8 % PV_OPERAND_QWORDS;
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(qwords) : : "memory");
    return true;
}
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_yield(const struct pv_partition *p)
{
    (void)p;
}
void pv_platform_nmi(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_unhalt(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_yield_to(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}

static void operands(const uint64_t *words, unsigned count)
{
    memcpy(page, words, count * sizeof *words);
}

// A sparse set behind `fixed` qwords: `banks` banks from `first` on, each with the members of `word`.
static void sparse_set(unsigned fixed, unsigned first, unsigned banks, uint64_t word)
{
    page[fixed] = 0;
    page[fixed + 1] = (banks == 64 ? ~UINT64_C(0) : (UINT64_C(1) << banks) - 1) << first;
    for (unsigned i = 0; i < banks; i++) {
        page[fixed + 2 + i] = word;
    }
}

static uint64_t control(uint64_t code, uint64_t var, uint64_t count)
{
    return code | var << 17 | count << 32;
}

// Calls of the KVM persona; the VP with APIC id 1 is in the guest.
struct kvm_scenario {
    const char *name;
    uint64_t low, high; // the words of SEND_IPI
    uint64_t accepted;
};

static const struct kvm_scenario kvm_scenarios[] = {
    {"kvm-ipi", 2, 0, 1},
    {"kvm-ipi-nobody", 0, 0, 0},
    {"kvm-ipi-64", ~UINT64_C(0), 0, 64},
};

static int kvm_bench(const struct kvm_scenario *s, int calls)
{
    static uint16_t place[PV_APIC_IDS];
    static struct pv_kvm kvm;
    vps[1].run = 1;
    if (!pv_kvm_init(&kvm, &partition, 0x40000000, PV_KVM_PV_SEND_IPI, 0, place, PV_APIC_IDS)) {
        return 1;
    }
    for (int n = calls; n > 0; n--) {
        call = (struct pv_call){
            .rax = 10, .rbx = s->low, .rcx = s->high, .rsi = 0x41, .protected_mode = 1, .long_mode = 1};
        pv_kvm_hypercall(&partition, &kvm, &vps[0], &call);
        if (call.rax != s->accepted) {
            return 1;
        }
    }
    return 0;
}

struct scenario {
    const char *name;
    uint32_t vps;
    uint64_t control;
    unsigned first_bank, banks;
    uint64_t word;
};

static const struct scenario scenarios[] = {
    {"flush-registers", 64, 0x10002, 0, 0, 0},
    {"flush-memory", 64, 0x02, 0, 0, 0},
    {"flush-list-1", 64, UINT64_C(0x100000003), 0, 0, 0},
    {"flush-list-16", 64, UINT64_C(0x1000000003), 0, 0, 0},
    {"flush-ex-2-banks", 4096, 0x13, 0, 2, 1},
    {"flush-ex-bank-0", 4096, 0x13, 0, 1, 1},
    {"flush-ex-bank-1", 4096, 0x13, 1, 1, 1},
    {"flush-ex-bank-63", 4096, 0x13, 63, 1, 1},
    {"flush-ex-bank-0-of-64-vps", 64, 0x13, 0, 1, 1},
    {"flush-ex-64-banks-empty", 4096, 0x13, 0, 64, 0},
    {"flush-ex-64-members", 4096, 0x13, 5, 1, ~UINT64_C(0)},
    {"flush-ex-64-banks-full", 4096, 0x13, 0, 64, ~UINT64_C(0)},
    {"ipi-registers", 64, 0x1000B, 0, 0, 0},
    {"ipi-ex-2-banks", 4096, 0x15, 0, 2, 1},
    {"unknown-call", 64, 0x77, 0, 0, 0},
};

int main(int argc, char **argv)
{
    if (argc != 3) {
        for (unsigned i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
            printf("%s\n", scenarios[i].name);
        }
        return argc == 1 ? 0 : 2;
    }
    const struct scenario *s = NULL;
    for (unsigned i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
        s = strcmp(argv[1], scenarios[i].name) == 0 ? &scenarios[i] : s;
    }
    const struct kvm_scenario *k = NULL;
    for (unsigned i = 0; i < sizeof kvm_scenarios / sizeof kvm_scenarios[0]; i++) {
        k = strcmp(argv[1], kvm_scenarios[i].name) == 0 ? &kvm_scenarios[i] : k;
    }
    if (s == NULL && k == NULL) {
        fprintf(stderr, "bench: no scenario %s\n", argv[1]);
        return 2;
    }
    const struct pv_config config = {
        .offers = PV_OFFER_ALL, .gva_bits = 48, .rep_budget = 4096, .max_vps = PV_MAX_VPS, .gpa_bits = 40};
    pv_partition_init(&partition, &config, vps, PV_MAX_VPS);
    for (uint32_t i = 0; i < (k != NULL ? 64 : s->vps); i++) {
        pv_partition_add_vp(&partition, i, i);
    }
    if (k != NULL) {
        return kvm_bench(k, atoi(argv[2]));
    }
    pv_msr_write(&partition, 0x40000000, 1);

    const bool ipi = (s->control & 0xFF) == 0x0B || (s->control & 0xFF) == 0x15;
    const uint64_t plain[] = {ipi ? 0x40 : 0, ipi ? 2 : 0, 2};
    operands(plain, 3);
    for (unsigned i = 0; i < 16; i++) {
        page[3 + i] = (uint64_t)(100 + 10 * i) << 12;
    }
    if (s->banks > 0) {
        sparse_set(ipi ? 1 : 2, s->first_bank, s->banks, s->word);
    }
    const uint64_t word = s->control | control(0, s->banks, 0);
    for (int n = atoi(argv[2]); n > 0; n--) {
        call = (struct pv_call){.rcx = word,
                                .rdx = word >> 16 & 1 ? plain[0] : 0x1000,
                                .r8 = plain[1],
                                .protected_mode = 1,
                                .long_mode = 1};
        call.xmm[0] = plain[2];
        if (pv_hypercall(&partition, PV_CONTEXT_L1, &call, &scratch) != PV_DONE ||
            (call.rax & 0xFFFF) != (word == 0x77 ? 2 : 0)) {
            fprintf(stderr, "bench: %s: result 0x%llx\n", s->name, (unsigned long long)call.rax);
            return 1;
        }
        for (uint32_t i = 0; (s->control & 0xFF) == 0x03 && i < s->vps; i++) { // a drained queue each time
            vps[i].queue[0].count = 0;
            vps[i].mark[0] = 0;
        }
    }
    return 0;
}
