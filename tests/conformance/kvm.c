// SPDX-License-Identifier: BSD-2-Clause
// The core's KVM persona as a program that answers requests: one JSON object a line in, one out, as docs/model.md
// describes for the oracle; a clock is asked for by its frequency.
#include "json.h"
#include "proviso.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VPS = 64 };

static struct pv_partition partition;
static struct pv_vp vps[MOST_VPS];
static struct pv_kvm kvm;
static uint16_t place[PV_APIC_IDS];
static struct {
    bool kick, wake, nmi, unhalt, yield_to;
} told[MOST_VPS];

static size_t at(const struct pv_partition *p, const struct pv_vp *vp)
{
    return (size_t)(vp - p->vps);
}
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp)
{
    told[at(p, vp)].kick = true;
}
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp)
{
    told[at(p, vp)].wake = true;
}
void pv_platform_nmi(const struct pv_partition *p, struct pv_vp *vp)
{
    told[at(p, vp)].nmi = true;
}
void pv_platform_unhalt(const struct pv_partition *p, struct pv_vp *vp)
{
    told[at(p, vp)].unhalt = true;
}
void pv_platform_yield_to(const struct pv_partition *p, struct pv_vp *vp)
{
    told[at(p, vp)].yield_to = true;
}

// What no call of this persona asks for.
bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p, (void)gpa, (void)to, (void)qwords;
    abort();
}
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
    abort();
}
void pv_platform_yield(const struct pv_partition *p)
{
    (void)p;
    abort();
}
bool pv_platform_vmcb_read(const struct pv_partition *p, uint64_t gpa, struct pv_vmcb *copy)
{
    (void)p, (void)gpa, (void)copy;
    abort();
}
bool pv_platform_table_read(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t *entry)
{
    (void)p, (void)gpa, (void)bytes, (void)entry;
    abort();
}
bool pv_platform_table_set(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t seen,
                           uint64_t bits)
{
    (void)p, (void)gpa, (void)bytes, (void)seen, (void)bits;
    abort();
}
bool pv_platform_frame(const struct pv_partition *p, uint64_t gpa, struct pv_frame *frame)
{
    (void)p, (void)gpa, (void)frame;
    abort();
}

// A member: a number, or hexadecimal digits in a text.
static uint64_t word(const struct json *object, const char *key, uint64_t otherwise)
{
    const struct json *m = json_member(object, key);
    return m == NULL ? otherwise : m->text != NULL ? strtoull(m->text, NULL, 16) : m->number;
}

static void set_up(const struct json *list)
{
    const struct pv_config config = {.gva_bits = 48, .rep_budget = 1, .max_vps = 4096, .gpa_bits = 40};
    memset(vps, 0, sizeof vps);
    memset(told, 0, sizeof told);
    pv_partition_init(&partition, &config, vps, MOST_VPS);
    const struct json *v = list == NULL ? NULL : list->first;
    for (uint32_t i = 0; v != NULL && i < MOST_VPS; v = v->next, i++) {
        const bool plain = v->kind == JSON_NUMBER;
        // Indices that are not the APIC ids.
        pv_partition_add_vp(&partition, i * 97 + 5, (uint32_t)(plain ? v->number : word(v, "apic_id", 0)));
        vps[i].run = plain ? 0 : (uint32_t)word(v, "run", 0);
        vps[i].apic_enabled = plain ? 1 : (uint32_t)word(v, "apic", 1);
    }
}

static void call(const struct json *r)
{
    static const struct json none;
    const struct json *regs = json_member(r, "regs");
    regs = regs == NULL ? &none : regs;
    set_up(json_member(r, "vps"));
    const uint32_t features = (uint32_t)word(r, "features", 0x100AAEB);
    struct pv_vp *caller = &vps[0];
    if (!pv_kvm_init(&kvm, &partition, 0x40000000, features, 0, place, PV_APIC_IDS)) {
        printf(",\"error\":\"the persona refuses these features or APIC ids\"");
        return;
    }
    for (uint32_t i = 0; i < partition.vp_count; i++) {
        caller = vps[i].apic_id == word(r, "caller", 0) ? &vps[i] : caller;
    }
    struct pv_call c = {.rax = word(regs, "rax", 0),
                        .rbx = word(regs, "rbx", 0),
                        .rcx = word(regs, "rcx", 0),
                        .rdx = word(regs, "rdx", 0),
                        .rsi = word(regs, "rsi", 0),
                        .cpl = (uint32_t)word(r, "cpl", 0),
                        .protected_mode = 1,
                        .long_mode = (uint32_t)word(r, "long", 1)};
    pv_kvm_hypercall(&partition, &kvm, caller, &c);
    printf(",\"rax\":\"%" PRIx64 "\",\"told\":[", c.rax);
    for (uint32_t i = 0; i < partition.vp_count; i++) {
        uint32_t vector = 0;
        for (uint32_t v = 0; v < 256; v++) {
            vector = vps[i].vector[v / 64] >> v % 64 & 1 ? v : vector;
        }
        printf("%s{\"apic_id\":%u,\"vector\":%u,\"kick\":%d,\"wake\":%d,\"nmi\":%d,\"unhalt\":%d,\"yield_"
               "to\":%d}",
               i > 0 ? "," : "", vps[i].apic_id, vector, told[i].kick, told[i].wake, told[i].nmi,
               told[i].unhalt, told[i].yield_to);
    }
    printf("]");
}

static void answer(const struct json *r)
{
    const char *op = json_member(r, "op")->text;
    set_up(NULL);
    if (strcmp(op, "kvm_step") == 0) {
        call(r);
    } else if (strcmp(op, "kvm_set_up") == 0) {
        const uint32_t ids = (uint32_t)word(r, "ids", 0);
        printf(",\"valid\":%d", pv_kvm_init(&kvm, &partition, (uint32_t)word(r, "base", 0),
                                            (uint32_t)word(r, "features", 0), 0, place, ids));
    } else if (strcmp(op, "kvm_cpuid") == 0) {
        struct pv_cpuid leaf;
        pv_kvm_init(&kvm, &partition, (uint32_t)word(r, "base", 0), (uint32_t)word(r, "features", 0),
                    (uint32_t)word(r, "hints", 0), place, 1);
        pv_kvm_cpuid(&kvm, (uint32_t)word(r, "leaf", 0), &leaf);
        printf(",\"eax\":\"%x\",\"ebx\":\"%x\",\"ecx\":\"%x\",\"edx\":\"%x\"", leaf.eax, leaf.ebx, leaf.ecx,
               leaf.edx);
    } else if (strcmp(op, "kvm_msr") == 0) {
        static const char *const results[] = {"done", "gp", "unknown"};
        kvm.features = (uint32_t)word(r, "features", 0);
        printf(",\"result\":\"%s\"",
               results[pv_kvm_msr_check(&kvm, (uint32_t)word(r, "msr", 0), word(r, "value", 0))]);
    } else if (strcmp(op, "kvm_clock") == 0) {
        uint32_t mul;
        int8_t shift;
        pv_kvm_clock_scale(word(r, "hz", 1), &mul, &shift);
        printf(",\"mul\":\"%x\",\"shift\":\"%d\"", mul, shift);
    } else if (strcmp(op, "kvm_preempted") == 0) {
        uint8_t byte = (uint8_t)word(r, "byte", 0);
        printf(",\"flush\":%d", pv_kvm_steal_enter(&byte));
    } else {
        printf(",\"error\":\"no such operation\"");
    }
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (getline(&line, &size, stdin) > 0) {
        const char *error;
        const struct json *request = json_read(line, &error);
        if (request == NULL || request->kind != JSON_OBJECT || json_member(request, "op") == NULL) {
            fprintf(stderr, "kvm: not a request: %s\n", error != NULL ? error : "no op");
            return 1;
        }
        printf("{\"id\":%" PRIu64, word(request, "id", 0));
        answer(request);
        printf("}\n");
    }
    free(line);
    return 0;
}
