// SPDX-License-Identifier: BSD-2-Clause
// The core as a program that answers requests: one JSON object a line in, one out, as docs/model.md describes for the
// oracle. Every request is a partition of its own.
#include "json.h"
#include "proviso.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VPS = 64 };

static struct pv_partition partition;
static struct pv_vp vps[MOST_VPS] __attribute__((aligned(64)));
static struct pv_scratch scratch;
static uint64_t memory[PV_OPERAND_QWORDS];
static uint64_t memory_gpa;
static uint32_t memory_qwords;
static bool kicked[MOST_VPS], waited[MOST_VPS], woken[MOST_VPS], yielded;

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p;
    if (gpa != memory_gpa || qwords > memory_qwords) {
        return false;
    }
    memcpy(to, memory, qwords * sizeof *to);
    return true;
}
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp)
{
    kicked[vp - p->vps] = true;
}
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp)
{
    waited[vp - p->vps] = true;
}
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp)
{
    woken[vp - p->vps] = true;
}
void pv_platform_yield(const struct pv_partition *p)
{
    (void)p;
    yielded = true;
}

static unsigned long line_number;

static _Noreturn void refuse(const char *what, const char *which)
{
    fprintf(stderr, "core: line %lu: %s%s%s\n", line_number, what, which[0] ? ": " : "", which);
    exit(1);
}

static const struct json *get(const struct json *object, const char *key, enum json_kind kind)
{
    const struct json *m = object->kind == JSON_OBJECT ? json_member(object, key) : NULL;
    if (m == NULL || m->kind != kind) {
        refuse("missing or of the wrong kind", key);
    }
    return m;
}
static uint64_t number(const struct json *object, const char *key)
{
    return get(object, key, JSON_NUMBER)->number;
}
static uint32_t small(const struct json *object, const char *key)
{
    const uint64_t n = number(object, key);
    if (n > UINT32_MAX) {
        refuse("too large", key);
    }
    return (uint32_t)n;
}
static uint32_t words(const struct json *object, const char *key, uint64_t *to, uint32_t most)
{
    const struct json *list = get(object, key, JSON_LIST);
    uint32_t count = 0;
    for (const struct json *w = list->first; w != NULL; w = w->next) {
        if (w->kind != JSON_NUMBER || count == most) {
            refuse("too long, or not words", key);
        }
        to[count++] = w->number;
    }
    return count;
}

static void read_vp(struct pv_vp *vp, const struct json *from)
{
    struct pv_ranges *queue = &vp->queue[PV_CONTEXT_L1];
    vp->run = small(from, "running") != 0;
    vp->apic_enabled = small(from, "apic_on");
    vp->mark[PV_CONTEXT_L1] = small(from, "mark") & 7;
    queue->overflow = small(from, "overflow") != 0;
    for (const struct json *r = get(from, "ranges", JSON_LIST)->first; r != NULL; r = r->next) {
        if (r->kind != JSON_LIST || r->items != 2 || queue->count == PV_QUEUE_RANGES ||
            r->first->next->number > UINT32_MAX) {
            refuse("not a queue of at most 16 [first, pages]", "ranges");
        }
        queue->first[queue->count] = r->first->number;
        queue->pages[queue->count++] = (uint32_t)r->first->next->number;
    }
}

static struct pv_call read_request(const struct json *request)
{
    const struct json *regs = get(request, "regs", JSON_OBJECT),
                      *config = get(request, "config", JSON_OBJECT);
    const struct pv_config settings = {.offers = small(config, "offers"),
                                       .gva_bits = small(config, "gva_bits"),
                                       .rep_budget = small(config, "rep_budget"),
                                       .max_vps = PV_MAX_VPS,
                                       .gpa_bits = 52};
    if (!pv_config_valid(&settings)) {
        refuse("a configuration that the core does not serve", "config");
    }
    memset(vps, 0, sizeof vps);
    pv_partition_init(&partition, &settings, vps, MOST_VPS);
    pv_msr_write(&partition, 0x40000000, number(request, "identified"));
    for (const struct json *v = get(request, "vps", JSON_LIST)->first; v != NULL; v = v->next) {
        if (!pv_partition_add_vp(&partition, small(v, "index"), 0)) {
            refuse("too many VPs, or an index twice or above 4095", "vps");
        }
        read_vp(&vps[partition.vp_count - 1], v);
    }
    struct pv_call call = {.rax = number(regs, "rax"),
                           .rbx = number(regs, "rbx"),
                           .rcx = number(regs, "rcx"),
                           .rdx = number(regs, "rdx"),
                           .rsi = number(regs, "rsi"),
                           .rdi = number(regs, "rdi"),
                           .r8 = number(regs, "r8"),
                           .cpl = small(request, "cpl"),
                           .protected_mode = small(request, "protected_mode"),
                           .long_mode = small(request, "long_mode")};
    words(request, "xmm", call.xmm, PV_XMM_QWORDS);
    memory_qwords = words(request, "memory", memory, PV_OPERAND_QWORDS);
    memory_gpa = call.long_mode ? call.rdx : call.rbx << 32 | (call.rcx & 0xFFFFFFFF);
    return call;
}

static void print_answer(uint64_t id, enum pv_outcome outcome, const struct pv_call *call)
{
    printf("{\"id\":%" PRIu64 ",\"ends\":%d,\"regs\":{\"rax\":\"0x%" PRIx64 "\",\"rbx\":\"0x%" PRIx64
           "\",\"rcx\":\"0x%" PRIx64 "\",\"rdx\":\"0x%" PRIx64 "\",\"rsi\":\"0x%" PRIx64
           "\",\"rdi\":\"0x%" PRIx64 "\",\"r8\":\"0x%" PRIx64 "\"},\"yields\":%d,\"vps\":[",
           id, (int)outcome, call->rax, call->rbx, call->rcx, call->rdx, call->rsi, call->rdi, call->r8,
           yielded);
    for (uint32_t i = 0; i < partition.vp_count; i++) {
        const struct pv_vp *vp = &vps[i];
        const struct pv_ranges *queue = &vp->queue[PV_CONTEXT_L1];
        uint32_t vector = 0;
        for (uint32_t v = 0; v < 256; v++) {
            vector = vp->vector[v / 64] >> v % 64 & 1 ? v : vector;
        }
        printf("%s{\"index\":%u,\"mark\":%u,\"overflow\":%u,\"ranges\":[", i == 0 ? "" : ",", vp->vp_index,
               vp->mark[PV_CONTEXT_L1], queue->overflow);
        for (uint32_t k = 0; k < queue->count; k++) {
            printf("%s[\"0x%" PRIx64 "\",%u]", k == 0 ? "" : ",", queue->first[k], queue->pages[k]);
        }
        printf("],\"vector\":%u,\"kicked\":%d,\"waited\":%d,\"woken\":%d}", vector, kicked[i], waited[i],
               woken[i]);
    }
    printf("]}\n");
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        const char *error;
        line_number++;
        const struct json *request = json_read(line, &error);
        if (request == NULL) {
            refuse(error, "");
        }
        struct pv_call call = read_request(request);
        yielded = false;
        memset(kicked, 0, sizeof kicked);
        memset(waited, 0, sizeof waited);
        memset(woken, 0, sizeof woken);
        const enum pv_outcome outcome = pv_hypercall(&partition, PV_CONTEXT_L1, &call, &scratch);
        print_answer(number(request, "id"), outcome, &call);
    }
    free(line);
    return 0;
}
