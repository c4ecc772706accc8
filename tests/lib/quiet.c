// SPDX-License-Identifier: BSD-2-Clause
#include "quiet.h"
#include "unnested.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t quiet_page[512];
uint64_t quiet_gpa = 1;

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p;
    if ((gpa & ~(uint64_t)4095) != quiet_gpa) {
        return false;
    }
    memcpy(to, quiet_page + gpa % 4096 / 8,
           qwords * sizeof *to); // the core asks for no more than one page holds
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

uint64_t quiet_word(const struct json *object, const char *key)
{
    const struct json *m = object == NULL ? NULL : json_member(object, key);
    return m == NULL ? 0 : m->text != NULL ? strtoull(m->text, NULL, 16) : m->number;
}

void quiet_memory(const struct json *mem)
{
    quiet_gpa = 1;
    memset(quiet_page, 0, sizeof quiet_page);
    for (const struct json *part = mem == NULL ? NULL : mem->first; part != NULL; part = part->next) {
        const uint64_t first = strtoull(part->first->text, NULL, 16);
        uint64_t at = first % 4096 / 8;
        quiet_gpa = first & ~(uint64_t)4095;
        for (const struct json *w = part->first->next->first; w != NULL && at < 512; w = w->next) {
            quiet_page[at++] = strtoull(w->text, NULL, 16);
        }
    }
}

struct pv_config quiet_config(const struct json *config)
{
    return (struct pv_config){.offers = (uint32_t)quiet_word(config, "offers"),
                              .gva_bits = (uint32_t)quiet_word(config, "gva_bits"),
                              .rep_budget = (uint32_t)quiet_word(config, "rep_budget"),
                              .max_vps = (uint32_t)quiet_word(config, "max_vps"),
                              .gpa_bits = (uint32_t)quiet_word(config, "gpa_bits"),
                              .privileges = (uint32_t)quiet_word(config, "privileges"),
                              .features = (uint32_t)quiet_word(config, "features"),
                              .hints = (uint32_t)quiet_word(config, "hints"),
                              .spin_count = (uint32_t)quiet_word(config, "spin_count")};
}

uint32_t quiet_vp(const struct json *vp)
{
    return vp->kind == JSON_NUMBER ? (uint32_t)vp->number : (uint32_t)quiet_word(vp, "vp");
}

struct pv_call quiet_call(const struct json *vector)
{
    const struct json *r = json_member(vector, "regs"), *mode = json_member(vector, "mode"),
                      *xmm = json_member(vector, "xmm");
    struct pv_call call = {.rax = quiet_word(r, "rax"),
                           .rbx = quiet_word(r, "rbx"),
                           .rcx = quiet_word(r, "rcx"),
                           .rdx = quiet_word(r, "rdx"),
                           .rsi = quiet_word(r, "rsi"),
                           .rdi = quiet_word(r, "rdi"),
                           .r8 = quiet_word(r, "r8"),
                           .cpl = (uint32_t)quiet_word(mode, "cpl"),
                           .protected_mode = 1,
                           .long_mode = 1};
    if (mode != NULL && json_member(mode, "protected") != NULL) {
        call.protected_mode = (uint32_t)quiet_word(mode, "protected");
    }
    if (mode != NULL && json_member(mode, "long") != NULL) {
        call.long_mode = (uint32_t)quiet_word(mode, "long");
    }
    const struct json *w = xmm == NULL ? NULL : xmm->first;
    for (int i = 0; w != NULL && i < PV_XMM_QWORDS; w = w->next) {
        call.xmm[i++] = strtoull(w->text, NULL, 16);
    }
    return call;
}

static void put_vp(const struct pv_vp *vp, bool vectors, const char **comma)
{
    uint32_t vector = 0, mark = vp->mark[PV_CONTEXT_L1], nested = vp->mark[PV_CONTEXT_L2] & 8;
    for (uint32_t v = 0; v < 256; v++) {
        vector = vp->vector[v / 64] >> v % 64 & 1 ? v : vector;
    }
    if (vectors ? vector == 0 : mark == 0 && nested == 0) {
        return;
    }
    printf("%s{\"vps\":[%u],\"what\":", *comma, vp->vp_index);
    *comma = ",";
    if (vectors) {
        printf("%u}", vector);
    } else if (nested || mark & 1 || vp->queue[PV_CONTEXT_L1].overflow) {
        printf("[\"%s\"]}", nested ? "nested" : "all");
    } else {
        const char *between = mark & 2 ? "," : "";
        printf(mark & 2 ? "[\"non_global\"" : "[");
        for (uint32_t i = 0; i < vp->queue[PV_CONTEXT_L1].count; i++, between = ",") {
            printf("%s[\"%" PRIx64 "\",%u]", between, vp->queue[PV_CONTEXT_L1].first[i],
                   vp->queue[PV_CONTEXT_L1].pages[i]);
        }
        printf("]}");
    }
}

void quiet_told(const struct pv_partition *p)
{
    for (int vectors = 0; vectors < 2; vectors++) {
        const char *comma = "";
        printf(",\"%s\":[", vectors ? "vectors" : "flush");
        for (uint32_t i = 0; i < p->vp_count; i++) {
            put_vp(&p->vps[i], vectors, &comma);
        }
        printf("]");
    }
}
