// SPDX-License-Identifier: BSD-2-Clause
// The core as a program that answers requests: one JSON object a line in, one out, as docs/model.md describes for the
// oracle. Every request is a partition of its own. What a call means does not depend on the caller's translation
// context, so the oracle knows of none: every fourth call is made in PV_CONTEXT_L2, by its id. What is pending in the
// other context is filled, and an answer says so if the call has changed it. Calls about nested tables are L1's; what is
// pending for L2 is then in the request, and in the answer.
#include "json.h"
#include "proviso.h"
#include "unnested.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VPS = 64 };

static struct pv_partition partition;
static struct pv_vp vps[MOST_VPS] __attribute__((aligned(64))), before[MOST_VPS];
static struct pv_scratch scratch;
static uint64_t memory[PV_OPERAND_QWORDS];
static uint64_t memory_gpa;
static uint32_t memory_qwords;
static uint32_t context;
static bool about_l2; // a call about nested tables
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
// A word: a text of hexadecimal digits, or a number.
static uint64_t hex(const struct json *value)
{
    return value->text != NULL ? strtoull(value->text, NULL, 16) : value->number;
}
static uint64_t word(const struct json *object, const char *key)
{
    const struct json *m = object->kind == JSON_OBJECT ? json_member(object, key) : NULL;
    if (m == NULL || (m->kind != JSON_TEXT && m->kind != JSON_NUMBER)) {
        refuse("missing or of the wrong kind", key);
    }
    return hex(m);
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
        if (count == most) {
            refuse("too long", key);
        }
        to[count++] = hex(w);
    }
    return count;
}

static void read_vp(struct pv_vp *vp, const struct json *from)
{
    struct pv_ranges *queue = &vp->queue[context], *other = &vp->queue[1 - context];
    if (about_l2) {
        const struct json *l2 = json_member(from, "other");
        vp->mark[1 - context] = l2 != NULL ? small(l2, "mark") & 15 : 0;
    } else {
        vp->mark[1 - context] = PV_FLUSH_RANGES;
        other->first[0] = 0x123;
        other->pages[0] = 1;
        other->count = 1;
    }
    vp->run = small(from, "run") != 0;
    vp->apic_enabled = small(from, "apic");
    vp->mark[context] = small(from, "mark") & 15;
    queue->overflow = small(from, "overflow") != 0;
    for (const struct json *r = get(from, "queue", JSON_LIST)->first; r != NULL; r = r->next) {
        if (r->kind != JSON_LIST || r->items != 2 || queue->count == PV_QUEUE_RANGES ||
            r->first->next->number > UINT32_MAX) {
            refuse("not a queue of at most 16 [first, pages]", "queue");
        }
        queue->first[queue->count] = hex(r->first);
        queue->pages[queue->count++] = (uint32_t)r->first->next->number;
    }
}

static void read_config(const struct json *request, struct pv_config *config)
{
    static const struct {
        const char *name;
        size_t at;
    } fields[] = {{"offers", offsetof(struct pv_config, offers)},
                  {"gva_bits", offsetof(struct pv_config, gva_bits)},
                  {"rep_budget", offsetof(struct pv_config, rep_budget)},
                  {"max_vps", offsetof(struct pv_config, max_vps)},
                  {"gpa_bits", offsetof(struct pv_config, gpa_bits)},
                  {"privileges", offsetof(struct pv_config, privileges)},
                  {"features", offsetof(struct pv_config, features)},
                  {"hints", offsetof(struct pv_config, hints)},
                  {"spin_count", offsetof(struct pv_config, spin_count)}};
    const struct json *given = get(request, "config", JSON_OBJECT);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        if (json_member(given, fields[i].name) != NULL) {
            const uint32_t value = small(given, fields[i].name);
            memcpy((char *)config + fields[i].at, &value, sizeof value);
        }
    }
    if (!pv_config_valid(config)) {
        refuse("a configuration that the core does not serve", "config");
    }
}

static struct pv_call read_call(const struct json *request)
{
    const struct json *regs = get(request, "regs", JSON_OBJECT), *mode = get(request, "mode", JSON_OBJECT);
    const uint64_t code = word(regs, small(mode, "long") ? "rcx" : "rax") & 0xFFFF;
    about_l2 = code == 0xAF || code == 0xB0;
    context = number(request, "id") % 4 == 3 && !about_l2 ? PV_CONTEXT_L2 : PV_CONTEXT_L1;
    pv_msr_write(&partition, 0x40000000, number(mode, "identified"));
    for (const struct json *v = get(request, "vps", JSON_LIST)->first; v != NULL; v = v->next) {
        if (!pv_partition_add_vp(&partition, small(v, "vp"), 0)) {
            refuse("too many VPs, or an index twice or above 4095", "vps");
        }
        read_vp(&vps[partition.vp_count - 1], v);
        before[partition.vp_count - 1] = vps[partition.vp_count - 1];
    }
    struct pv_call call = {.rax = word(regs, "rax"),
                           .rbx = word(regs, "rbx"),
                           .rcx = word(regs, "rcx"),
                           .rdx = word(regs, "rdx"),
                           .rsi = word(regs, "rsi"),
                           .rdi = word(regs, "rdi"),
                           .r8 = word(regs, "r8"),
                           .cpl = small(mode, "cpl"),
                           .protected_mode = small(mode, "protected"),
                           .long_mode = small(mode, "long")};
    words(request, "xmm", call.xmm, PV_XMM_QWORDS);
    memory_qwords = words(request, "mem", memory, PV_OPERAND_QWORDS);
    memory_gpa = call.long_mode ? call.rdx : call.rbx << 32 | (call.rcx & 0xFFFFFFFF);
    return call;
}

// The registers that have changed.
static void print_regs(const struct pv_call *was, const struct pv_call *is)
{
    const struct {
        const char *name;
        uint64_t was, is;
    } regs[] = {{"rax", was->rax, is->rax}, {"rbx", was->rbx, is->rbx}, {"rcx", was->rcx, is->rcx},
                {"rdx", was->rdx, is->rdx}, {"rsi", was->rsi, is->rsi}, {"rdi", was->rdi, is->rdi},
                {"r8", was->r8, is->r8}};
    const char *comma = "";
    printf("\"regs\":{");
    for (unsigned i = 0; i < sizeof regs / sizeof regs[0]; i++) {
        if (regs[i].was != regs[i].is) {
            printf("%s\"%s\":\"%" PRIx64 "\"", comma, regs[i].name, regs[i].is);
            comma = ",";
        }
    }
    printf("}");
}

// The VPs that were told something.
static void print_told(void)
{
    const char *comma = "";
    printf(",\"told\":[");
    for (uint32_t i = 0; i < partition.vp_count; i++) {
        const struct pv_vp *vp = &vps[i], *was = &before[i];
        const struct pv_ranges *queue = &vp->queue[context], *queued = &was->queue[context];
        uint32_t vector = 0;
        for (uint32_t v = 0; v < 256; v++) {
            vector = vp->vector[v / 64] >> v % 64 & 1 ? v : vector;
        }
        const bool other = about_l2 && vp->mark[PV_CONTEXT_L2] != was->mark[PV_CONTEXT_L2];
        if (!other && !kicked[i] && !waited[i] && !woken[i] && vector == 0 &&
            vp->mark[context] == was->mark[context] && queue->overflow == queued->overflow &&
            queue->count == queued->count &&
            memcmp(queue->first, queued->first, queue->count * sizeof queue->first[0]) == 0 &&
            memcmp(queue->pages, queued->pages, queue->count * sizeof queue->pages[0]) == 0) {
            continue;
        }
        printf("%s{\"vp\":%u,\"mark\":%u,\"queue\":[", comma, vp->vp_index, vp->mark[context]);
        for (uint32_t k = 0; k < queue->count; k++) {
            printf("%s[\"%" PRIx64 "\",%u]", k == 0 ? "" : ",", queue->first[k], queue->pages[k]);
        }
        printf("],\"overflow\":%u,\"vector\":%u,\"kick\":%d,\"wait\":%d,\"wake\":%d", queue->overflow, vector,
               kicked[i], waited[i], woken[i]);
        if (other) {
            printf(",\"other\":{\"mark\":%u,\"queue\":[],\"overflow\":0}", vp->mark[PV_CONTEXT_L2]);
        }
        printf("}");
        comma = ",";
    }
    printf("]");
}

// Whether the call left the other context of every VP alone, and every lock open.
static bool others_kept(void)
{
    for (uint32_t i = 0; i < partition.vp_count; i++) {
        const uint32_t other = 1 - context;
        if ((vps[i].mark[other] != before[i].mark[other] && !about_l2) || vps[i].lock[0] != 0 ||
            vps[i].lock[1] != 0 ||
            memcmp(&vps[i].queue[other], &before[i].queue[other], sizeof vps[i].queue[other]) != 0) {
            return false;
        }
    }
    return true;
}

static void step(const struct json *request)
{
    const struct pv_call was = read_call(request);
    struct pv_call call = was;
    yielded = false;
    memset(kicked, 0, sizeof kicked);
    memset(waited, 0, sizeof waited);
    memset(woken, 0, sizeof woken);
    const enum pv_outcome outcome = pv_hypercall(&partition, context, &call, &scratch);
    printf(",\"ends\":\"%s\",", outcome == PV_DONE ? "done" : outcome == PV_CONTINUE ? "continue" : "ud");
    if (outcome == PV_DONE) {
        const uint64_t result = call.long_mode ? call.rax : call.rdx << 32 | (call.rax & 0xFFFFFFFF);
        printf("\"status\":%u,\"reps\":%u,", (unsigned)(result & 0xFFFF), (unsigned)(result >> 32 & 0xFFF));
    }
    print_regs(&was, &call);
    print_told();
    printf(",\"yield\":%d", yielded);
    if (!others_kept()) {
        printf(",\"other_context\":\"changed\"");
    }
}

static void cpuid(const struct json *request)
{
    struct pv_cpuid leaf;
    pv_cpuid(&partition, (uint32_t)word(request, "leaf"), &leaf);
    printf(",\"eax\":\"%x\",\"ebx\":\"%x\",\"ecx\":\"%x\",\"edx\":\"%x\"", leaf.eax, leaf.ebx, leaf.ecx,
           leaf.edx);
}

static void msr(const struct json *request, bool write)
{
    static const char *const results[] = {"done", "gp", "unknown", "page"};
    const uint32_t msr = (uint32_t)word(request, "msr");
    partition.guest_os_id = word(request, "os_id");
    partition.hypercall_msr = word(request, "hypercall");
    if (!write) {
        uint64_t value = 0;
        vps[0].vp_index = (uint32_t)word(request, "vp_index");
        printf(",\"result\":\"%s\"", results[pv_msr_read(&partition, &vps[0], msr, &value)]);
        printf(",\"value\":\"%" PRIx64 "\"", value);
        return;
    }
    printf(",\"result\":\"%s\"", results[pv_msr_write(&partition, msr, word(request, "value"))]);
    printf(",\"os_id\":\"%" PRIx64 "\",\"hypercall\":\"%" PRIx64 "\",\"page\":", partition.guest_os_id,
           partition.hypercall_msr);
    uint64_t gpa;
    if (pv_hypercall_page(&partition, &gpa)) {
        printf("\"%" PRIx64 "\"", gpa);
    } else {
        printf("null");
    }
}

static void answer(const struct json *request)
{
    const struct json *op = get(request, "op", JSON_TEXT);
    struct pv_config config = {
        .offers = 0x5FF, .gva_bits = 48, .rep_budget = 4095, .max_vps = PV_MAX_VPS, .gpa_bits = 52};
    read_config(request, &config);
    memset(vps, 0, sizeof vps);
    pv_partition_init(&partition, &config, vps, MOST_VPS);
    printf("{\"id\":%" PRIu64, number(request, "id"));
    if (strcmp(op->text, "step") == 0) {
        step(request);
    } else if (strcmp(op->text, "cpuid") == 0) {
        cpuid(request);
    } else if (strncmp(op->text, "msr_", 4) == 0) {
        msr(request, strcmp(op->text, "msr_write") == 0);
    } else {
        refuse("not an operation of the core", op->text);
    }
    printf("}\n");
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
        answer(request);
    }
    free(line);
    return 0;
}
