// SPDX-License-Identifier: BSD-2-Clause
// Arbitrary configurations, VPs, registers, modes and memory, under the address and undefined-behaviour sanitizers.
// Everything lies in allocations of its exact size, so that a step beside it is seen. The input is a list of bytes
// that is read from the front; what it does not say is zero.
#include "proviso.h"
#include "unnested.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGES = 2, BYTES = PAGES * 4096, STEPS = 24 };

static const uint8_t *input;
static size_t left;
static uint64_t *memory; // guest physical addresses 0 .. BYTES-1
static struct pv_vp *vps;
static uint32_t read_calls;

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "not so: %s\n", what);
        abort();
    }
}

static uint64_t next(unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && left > 0; i++, left--) {
        value |= (uint64_t)*input++ << 8 * i;
    }
    return value;
}

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p;
    must(read_calls++ == 0, "operands are read once (HC-COPY-1)");
    must(gpa % 8 == 0 && qwords >= 1 && qwords <= PV_OPERAND_QWORDS, "a read is aligned and within bounds");
    must(gpa % 4096 + 8 * (uint64_t)qwords <= 4096, "a read stays within its page (HC-PAGE-1)");
    if (gpa >= BYTES) {
        return false;
    }
    memcpy(to, memory + gpa / 8, 8 * (size_t)qwords);
    return true;
}
static void must_be_ours(const struct pv_partition *p, const struct pv_vp *vp)
{
    must(vp >= vps && vp < vps + p->vp_count, "a VP that is told is one of ours");
}
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp)
{
    must_be_ours(p, vp);
}
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp)
{
    must_be_ours(p, vp);
    if (vp->run % 2 == 1) {
        pv_vp_stop(vp);
    }
}
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp)
{
    must_be_ours(p, vp);
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

static void hypercall(struct pv_partition *p, struct pv_scratch *scratch)
{
    static const uint8_t codes[] = {0x02, 0x03, 0x08, 0x0B, 0x13, 0x14, 0x15, 0x77};
    struct pv_call call;
    const uint64_t mode = next(1), shape = next(2);
    call.cpl = mode >> 5 == 7 ? (uint32_t)mode % 4 : 0;
    call.protected_mode = mode >> 5 != 6;
    call.long_mode = mode >> 4 & 1;
    uint64_t word;
    if (shape >> 15) {
        word = next(8); // anything
    } else {            // something that looks like a call
        word = codes[mode % 8] | (shape & 1) << 16 | (shape >> 1 & 0x7F) << 17 |
               (uint64_t)(shape >> 8 & 0x7F) << 32 | next(1) << 48;
    }
    uint64_t in = next(1) & 1 ? next(8) : (next(2) << 3) % (BYTES + 64), out = next(8);
    call.rax = word & 0xFFFFFFFF, call.rbx = in >> 32, call.rcx = in, call.rdx = word >> 32;
    call.rdi = out >> 32, call.rsi = out & 0xFFFFFFFF, call.r8 = out;
    if (call.long_mode) {
        call.rcx = word;
        call.rdx = in;
    }
    for (unsigned i = 0; i < PV_XMM_QWORDS; i++) {
        call.xmm[i] = shape & 1 ? next(4) : 0;
    }
    const struct pv_call before = call;
    read_calls = 0;
    const enum pv_outcome outcome =
        pv_hypercall(p, mode >> 3 & 1 ? PV_CONTEXT_L2 : PV_CONTEXT_L1, &call, scratch);
    const uint64_t result = before.long_mode ? call.rax : call.rdx << 32 | (call.rax & 0xFFFFFFFF);
    switch (outcome) {
    case PV_DONE:
        must((result & 0xFFFF) == 0 || ((result & 0xFFFF) >= 2 && (result & 0xFFFF) <= 6),
             "the status is one of the list");
        must((result & 0xFFFFF000FFFF0000) == 0, "the result's other bits are zero (HC-RES-1)");
        must((result >> 32) == 0 || result >> 32 == (word >> 32 & 0xFFF),
             "reps completed are all or none (HC-REPS-1)");
        break;
    case PV_CONTINUE:
        must(((before.long_mode ? call.rcx : call.rdx << 32 | (call.rax & 0xFFFFFFFF)) &
              0xF000FFFFFFFFFFFF) == (word & 0xF000FFFFFFFFFFFF),
             "a continuation changes the start index only (HC-CONT-2)");
        break;
    case PV_FAULT_UD:
        must(memcmp(&call, &before, sizeof call) == 0, "a fault changes no register");
        break;
    default:
        must(false, "the outcome is one of three");
    }
    must(call.rbx == before.rbx && call.rsi == before.rsi && call.rdi == before.rdi && call.r8 == before.r8 &&
             memcmp(call.xmm, before.xmm, sizeof call.xmm) == 0,
         "all other registers stay (HC-REG-4)");
}

// A call of the KVM persona, with a table that is just as long as it says.
static void kvm_call(struct pv_partition *p, uint32_t caller)
{
    static const uint64_t numbers[] = {1, 5, 10, 10, 10, 10, 11, 12};
    const uint64_t shape = next(1);
    const uint32_t ids = 1 + (uint32_t)next(2) % PV_APIC_IDS;
    uint16_t *place = malloc(ids * sizeof *place);
    struct pv_kvm kvm;
    memset(place, 0, ids * sizeof *place);
    if (pv_kvm_init(&kvm, p, 0x40000000, shape & 1 ? (uint32_t)next(4) : 0x100AAEB, 0, place, ids)) {
        struct pv_call call;
        memset(&call, 0xA5, sizeof call);
        call.cpl = shape >> 5 == 7;
        call.long_mode = shape >> 1 & 1;
        call.rax = shape >> 5 == 6 ? next(8) : numbers[shape >> 2 & 7];
        call.rbx = next(8);
        call.rcx = next(8);
        call.rdx = shape & 16 ? next(8) : next(2);
        call.rsi = next(2);
        const struct pv_call before = call;
        pv_kvm_hypercall(p, &kvm, &vps[caller], &call);
        const int64_t result = call.long_mode ? (int64_t)call.rax : (int32_t)call.rax;
        must((0 <= result && result <= 128) || result == -1 || result == -22 || result == -1000,
             "the result is a count or an error (KV-ABI-2)");
        must(call.long_mode || call.rax >> 32 == 0, "a 32-bit caller's result has no high half (KV-ABI-2)");
        call.rax = before.rax;
        must(memcmp(&call, &before, sizeof call) == 0, "no other register changes (KV-ABI-2)");
        uint32_t mul = 0;
        int8_t shift = 0;
        pv_kvm_clock_scale(1 + before.rbx % ((uint64_t)1 << 40), &mul, &shift);
        must(mul >> 31 == 1 && shift >= -10 && shift <= 30, "a scale has all its bits (KV-CLOCK-2)");
    }
    free(place);
}

static void take(uint32_t place, uint32_t context)
{
    struct pv_work *work = malloc(sizeof *work);
    memset(work, 0xA5, sizeof *work);
    const bool some = pv_vp_take(&vps[place], context, work);
    must(some == (work->flush != 0 ||
                  (work->vector[0] | work->vector[1] | work->vector[2] | work->vector[3]) != 0),
         "work is told exactly when there is some");
    must(work->ranges.count <= PV_QUEUE_RANGES && work->flush < 8, "work is well-formed");
    free(work);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data;
    left = size;
    const uint64_t shape = next(1);
    struct pv_config config = {
        .offers = shape & 1 ? (uint32_t)next(2) : PV_OFFER_ALL,
        .gva_bits = shape & 2 ? 57 : 48,
        .rep_budget = shape & 4 ? (uint32_t)next(1) : 4096,
        .max_vps = shape & 8 ? (uint32_t)next(2) : PV_MAX_VPS,
        .gpa_bits = shape & 16 ? (uint32_t)next(1) : 40,
        .privileges = (uint32_t)next(2),
        .features = (uint32_t)next(2),
        .hints = (uint32_t)next(2),
    };
    if (!pv_config_valid(&config)) {
        return 0;
    }
    const uint32_t capacity = 1 + (uint32_t)next(1) % 80;
    struct pv_partition *p = malloc(sizeof *p);
    struct pv_scratch *scratch = malloc(sizeof *scratch);
    void *array = NULL;
    must(posix_memalign(&array, 64, capacity * sizeof *vps) == 0, "there is memory");
    vps = array;
    memory = malloc(BYTES);
    memset(p, 0xA5, sizeof *p);
    memset(scratch, 0xA5, sizeof *scratch);
    memset(vps, 0xA5, capacity * sizeof *vps);
    memset(memory, 0, BYTES);
    pv_partition_init(p, &config, vps, capacity);
    for (uint32_t i = (uint32_t)next(1) % (capacity + 2); i > 0; i--) {
        pv_partition_add_vp(p, shape & 32 ? (uint32_t)next(2) : i - 1, i * 7);
    }
    if (!(shape & 64)) {
        pv_msr_write(p, 0x40000000, 1);
    }
    for (unsigned step = 0; step < STEPS && left > 0; step++) {
        const uint64_t what = next(1);
        const uint32_t place = p->vp_count > 0 ? (uint32_t)(what >> 3) % p->vp_count : 0;
        switch (what % 8) {
        case 0: // a run of qwords somewhere in memory
            for (uint64_t at = next(2) % PV_OPERAND_QWORDS, n = next(1) % 80; n > 0 && at < BYTES / 8;
                 n--, at++) {
                const uint64_t kind = next(1);
                memory[at] = kind < 128 ? kind % 8 : kind < 192 ? ~(uint64_t)0 >> kind % 64 : next(8);
            }
            break;
        case 1:
            if (p->vp_count > 0 && vps[place].run % 2 == 0) {
                pv_vp_run(&vps[place]);
            }
            break;
        case 2:
            if (p->vp_count > 0) {
                take(place, what >> 7 ? PV_CONTEXT_L2 : PV_CONTEXT_L1);
            }
            break;
        case 3: {
            uint64_t value, gpa;
            pv_msr_write(p, 0x40000000 + (uint32_t)(what >> 3) % 5, next(8));
            if (p->vp_count > 0) {
                pv_msr_read(p, &vps[place], 0x40000000 + (uint32_t)(what >> 3) % 5, &value);
                vps[place].apic_enabled = what >> 7 & 1;
            }
            pv_hypercall_page(p, &gpa);
            struct pv_cpuid leaf;
            pv_cpuid(p, 0x40000000 + (uint32_t)(what >> 3), &leaf);
            break;
        }
        case 7:
            if (p->vp_count > 0) {
                kvm_call(p, place);
            }
            break;
        default:
            hypercall(p, scratch);
        }
    }
    free(memory);
    free(vps);
    free(scratch);
    free(p);
    return 0;
}
