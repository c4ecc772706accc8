// SPDX-License-Identifier: BSD-2-Clause
// How to use the vectors, in C: reads files of tests/vectors/v1 and asks libproviso.a the hypercalls of the default
// configuration. A file has one vector a line, so no line is longer than a call.
#include "quiet.h"
#include <stdio.h>
#include <string.h>

static struct pv_partition partition;
static struct pv_vp vps[64] __attribute__((aligned(64)));
static struct pv_scratch scratch;
static unsigned passed, failed;
// The first of any_of is the outcome that Proviso must give: how the call ends, its status, and who is told to flush.
static void check(const struct json *v)
{
    const struct pv_config config = {0x7FF, 48, 4095, 4096, 40, 0, 0, 0, 0xFFFFFFFF};
    const struct json *mode = json_member(v, "mode"), *want = json_member(v, "any_of")->first;
    static const char *const ends[] = {"done", "continue", "ud"};
    pv_partition_init(&partition, &config, vps, 64);
    for (const struct json *vp = json_member(v, "vps")->first; vp != NULL; vp = vp->next) {
        pv_partition_add_vp(&partition, quiet_vp(vp), 0);
    }
    pv_msr_write(&partition, 0x40000000, mode == NULL || json_member(mode, "identified") == NULL);
    quiet_memory(json_member(v, "mem"));
    struct pv_call call = quiet_call(v);
    const int outcome = pv_hypercall(&partition, PV_CONTEXT_L1, &call, &scratch);
    bool right = strcmp(json_member(want, "ends")->text, ends[outcome]) == 0 &&
                 (outcome != PV_DONE || (call.rax & 0xFFFF) == quiet_word(want, "status"));
    const struct json *flush = json_member(want, "flush");
    for (const struct json *g = flush == NULL ? NULL : flush->first; g != NULL; g = g->next) {
        for (const struct json *i = json_member(g, "vps")->first; i != NULL; i = i->next) {
            right &= vps[partition.position[i->number]].mark[PV_CONTEXT_L1] != 0;
        }
    }
    passed += right, failed += !right;
    right ? 0 : printf("%s: not as the vector says\n", json_member(v, "id")->text);
}
int main(void)
{
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *error;
        if (strncmp(line, "{\"id\":", 6) == 0 &&
            strstr(line, "\"op\":\"hypercall\",\"config\":\"default\"") != NULL) {
            *strrchr(line, '}') == '}' ? strrchr(line, '}')[1] = '\0' : 0;
            check(json_read(line, &error));
        }
    }
    return printf("%u passed, %u failed\n", passed, failed) < 0 || failed != 0 || passed == 0;
}
