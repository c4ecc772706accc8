// SPDX-License-Identifier: BSD-2-Clause
// Random calls of the KVM persona, each a line: the oracle's request, a tab, and what the core answers.
//   kvm SEED COUNT
#include "proviso.h"
#include "unnested.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VPS = 40, ALL_FEATURES = 0x100AAEB };

static struct pv_vp vps[MOST_VPS];
static struct pv_partition partition;
static struct pv_kvm kvm;
static uint16_t place[PV_APIC_IDS];
static struct {
    bool kicked, woken, nmi, unhalted, given;
} told[MOST_VPS];

static size_t at(const struct pv_vp *vp)
{
    return (size_t)(vp - vps);
}
bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p, (void)gpa, (void)to, (void)qwords;
    return false;
}
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    told[at(vp)].kicked = true;
}
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
    abort(); // an IPI waits for nobody
}
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    told[at(vp)].woken = true;
}
void pv_platform_yield(const struct pv_partition *p)
{
    (void)p;
    abort();
}
void pv_platform_nmi(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    told[at(vp)].nmi = true;
}
void pv_platform_unhalt(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    told[at(vp)].unhalted = true;
}
void pv_platform_yield_to(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    told[at(vp)].given = true;
}

static uint64_t state;

static uint64_t next(void)
{
    state += 0x9E3779B97F4A7C15;
    uint64_t z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    return z ^ z >> 31;
}
static uint64_t below(uint64_t n)
{
    return next() % n;
}
static bool chance(unsigned percent)
{
    return below(100) < percent;
}

// A word with few, with many, or with all bits.
static uint64_t bits(void)
{
    switch (below(6)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return next();
    case 3:
        return next() & next() & next();
    default:
        return (uint64_t)1 << below(64);
    }
}

// Another register, with what does not count for a 32-bit caller now and then.
static uint64_t high(uint64_t low)
{
    return chance(20) ? low | next() << 32 : low;
}

static uint32_t features(void)
{
    uint32_t f = chance(70) ? ALL_FEATURES : (uint32_t)next() & ALL_FEATURES;
    if ((f & PV_KVM_STEAL_TIME) == 0) {
        f &= ~(uint32_t)PV_KVM_PV_TLB_FLUSH;
    }
    return f;
}

static void name_flag(const char *name, bool set)
{
    if (set) {
        printf(",\"%s\":1", name);
    }
}

// VPs with APIC ids that lie together, far apart, or at the end of the table.
static void partition_with(uint32_t count)
{
    const struct pv_config config = {
        .offers = 0, .gva_bits = 48, .rep_budget = 1, .max_vps = 4096, .gpa_bits = 40};
    const uint32_t first = chance(50) ? 0 : chance(50) ? (uint32_t)below(300) : PV_APIC_IDS - 250;
    const uint32_t stride = chance(60) ? 1 : 1 + (uint32_t)below(6);

    pv_partition_init(&partition, &config, vps, MOST_VPS);
    memset(told, 0, sizeof told);
    for (uint32_t i = 0; i < count; i++) {
        pv_partition_add_vp(&partition, (uint32_t)(i * 97 % 4096), first + (i * 7 % count) * stride);
        vps[i].apic_enabled = chance(90);
        vps[i].run = (uint32_t)below(4);
    }
}

static void call(void)
{
    static const uint64_t numbers[] = {0, 1, 2, 5, 5, 9, 10, 11, 11, 12, 13};
    uint32_t count = 0;
    do {
        count = (uint32_t)below(MOST_VPS) + 1;
    } while (count % 7 == 0); // so that i * 7 % count names each once
    partition_with(count);
    uint32_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        last = vps[i].apic_id > last ? vps[i].apic_id : last;
    }
    const uint32_t ids = chance(50) ? last + 1 : PV_APIC_IDS;
    const uint32_t f = features();
    if (!pv_kvm_init(&kvm, &partition, 0x40000000, f, 0, place, ids)) {
        fprintf(stderr, "kvm: the persona was refused\n");
        exit(1);
    }
    const uint64_t some = vps[below(count)].apic_id;
    const uint32_t caller = (uint32_t)below(count);
    const uint64_t least = chance(60)   ? some - below(some < 128 ? some + 1 : 128)
                           : chance(50) ? some + below(3)
                                        : 0x100000000 - below(200);
    const uint64_t icr = (chance(80) ? 0 : below(8) << 8) | (chance(20) ? 0x400 : 0) |
                         (chance(15) ? below(16) : 16 + below(240)) | (chance(90) ? 0 : next() & 0xFFFFF800);
    struct pv_call c = {
        .rax = high(chance(70) ? 10 : numbers[below(sizeof numbers / sizeof numbers[0])]),
        .rbx = bits(),
        .rcx = bits(),
        .rdx = high(least),
        .rsi = high(icr),
        .cpl = chance(95) ? 0 : (uint32_t)below(4),
        .protected_mode = 1,
        .long_mode = chance(70),
    };
    if ((c.rax & 0xFFFFFFFF) == 5 || (c.rax & 0xFFFFFFFF) == 11) {
        c.rbx = high(chance(80) ? some : least);
        c.rcx = high(chance(80) ? some : least);
    }

    printf("{\"op\":\"kvm_step\",\"cpl\":%u,\"long\":%u,\"features\":%u,\"caller\":%u,\"regs\":{\"rax\":"
           "\"%" PRIx64 "\",\"rbx\":\"%" PRIx64 "\",\"rcx\":\"%" PRIx64 "\",\"rdx\":\"%" PRIx64
           "\",\"rsi\":\"%" PRIx64 "\"},\"vps\":[",
           c.cpl, c.long_mode, f, vps[caller].apic_id, c.rax, c.rbx, c.rcx, c.rdx, c.rsi);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s{\"apic_id\":%u,\"run\":%u,\"apic\":%u}", i > 0 ? "," : "", vps[i].apic_id, vps[i].run % 2,
               vps[i].apic_enabled);
    }
    printf("]}\t");
    const struct pv_call before = c;
    pv_kvm_hypercall(&partition, &kvm, &vps[caller], &c);
    printf("{\"rax\":\"%" PRIx64 "\",\"told\":[", c.rax);
    c.rax = before.rax;
    if (memcmp(&c, &before, sizeof c) != 0) {
        printf("another register changed");
    }
    bool comma = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t vector = 0, vectors = 0;
        for (uint32_t v = 0; v < 256; v++) {
            if ((vps[i].vector[v / 64] >> v % 64 & 1) != 0) {
                vector = v;
                vectors++;
            }
        }
        if (vectors == 0 && !told[i].kicked && !told[i].woken && !told[i].nmi && !told[i].unhalted &&
            !told[i].given) {
            continue;
        }
        printf("%s{\"apic_id\":%u", comma ? "," : "", vps[i].apic_id);
        comma = true;
        if (vectors > 0) {
            printf(",\"vector\":%u", vectors == 1 ? vector : 999);
        }
        name_flag("nmi", told[i].nmi);
        name_flag("kick", told[i].kicked);
        name_flag("wake", told[i].woken);
        name_flag("unhalt", told[i].unhalted);
        name_flag("yield_to", told[i].given);
        printf("}");
    }
    printf("]}\n");
}

static void msr(void)
{
    static const uint32_t msrs[] = {0x10,       0x11,       0x12,       0x13,       0x4B564CFF,
                                    0x4B564D00, 0x4B564D01, 0x4B564D02, 0x4B564D03, 0x4B564D03,
                                    0x4B564D04, 0x4B564D04, 0x4B564D05, 0x40000000};
    static const char *const results[] = {"done", "gp", "unknown"};
    const uint32_t number = msrs[below(sizeof msrs / sizeof msrs[0])];
    const uint64_t value = bits() ^ below(8);
    kvm.features = features();
    printf("{\"op\":\"kvm_msr\",\"features\":\"%x\",\"msr\":\"%x\",\"value\":\"%" PRIx64
           "\"}\t{\"result\":\"%s\"}\n",
           kvm.features, number, value, results[pv_kvm_msr_check(&kvm, number, value)]);
}

static void leaf(void)
{
    partition_with(1);
    const uint32_t base = chance(45) ? 0x40000000 : chance(80) ? 0x40000100 : (uint32_t)next();
    const uint32_t f = chance(70) ? features() : (uint32_t)(bits() & 0x3FFFFFF), hints = (uint32_t)below(4);
    const uint32_t ids = chance(80) ? PV_APIC_IDS : (uint32_t)below(2 * PV_APIC_IDS);
    const uint32_t limit = ids < PV_APIC_IDS ? ids : PV_APIC_IDS;
    const bool fits = limit > vps[0].apic_id;
    const bool valid = pv_kvm_init(&kvm, &partition, base, f, hints, place, ids);
    if (fits) {
        printf("{\"op\":\"kvm_set_up\",\"base\":\"%x\",\"features\":\"%x\",\"ids\":\"%x\"}\t{\"valid\":%u}\n",
               base, f, ids, valid);
    }
    if (valid) {
        struct pv_cpuid out;
        const uint32_t number = base + (uint32_t)below(4) - 1;
        pv_kvm_cpuid(&kvm, number, &out);
        printf("{\"op\":\"kvm_cpuid\",\"base\":\"%x\",\"features\":\"%x\",\"hints\":\"%x\",\"leaf\":\"%x\"}\t"
               "{\"eax\":\"%x\",\"ebx\":\"%x\",\"ecx\":\"%x\",\"edx\":\"%x\"}\n",
               base, f, hints, number, out.eax, out.ebx, out.ecx, out.edx);
    }
}

// The oracle says whether a scale is right, and what a guest would read by it.
static void scale(void)
{
    uint64_t hz = next() >> (24 + below(40));
    hz = chance(20) ? 1000000000 + below(5) - 2 : hz == 0 ? 1 : hz;
    uint32_t mul;
    int8_t shift;
    pv_kvm_clock_scale(hz, &mul, &shift);
    const uint64_t ticks = next() >> below(64);
    const unsigned __int128 shifted = shift >= 0 ? (unsigned __int128)ticks << shift : ticks >> -shift;
    const unsigned __int128 read = shifted * mul >> 32;
    printf("{\"op\":\"kvm_clock\",\"hz\":\"%" PRIx64 "\",\"mul\":\"%x\",\"shift\":%d,\"ticks\":\"%" PRIx64
           "\"}\t{\"right\":1,\"reads\":\"",
           hz, mul, shift, ticks);
    char digits[40];
    int n = 0;
    unsigned __int128 rest = read;
    do {
        digits[n++] = (char)('0' + (int)(rest % 10));
        rest /= 10;
    } while (rest != 0);
    while (n > 0) {
        putchar(digits[--n]);
    }
    printf("\"}\n");
}

static void byte(void)
{
    uint8_t preempted = (uint8_t)below(256);
    printf("{\"op\":\"kvm_preempted\",\"byte\":%u}\t", preempted);
    printf("{\"flush\":%u}\n", pv_kvm_steal_enter(&preempted));
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: kvm SEED COUNT\n");
        return 2;
    }
    state = strtoull(argv[1], NULL, 10) * 0x100000001;
    for (unsigned long long n = strtoull(argv[2], NULL, 10); n > 0; n--) {
        switch (below(16)) {
        case 0:
            msr();
            break;
        case 1:
            leaf();
            break;
        case 2:
            scale();
            break;
        case 3:
            byte();
            break;
        default:
            call();
            break;
        }
    }
    return 0;
}
