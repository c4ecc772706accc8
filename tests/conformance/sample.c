// SPDX-License-Identifier: BSD-2-Clause
// A back end for tests/conform in C: the protocol of docs/conformance.md around an implementation of hypercalls, here
// libproviso.a. It can't have VPs in the guest or with pending flushes, and says so in its answer to hello.
#include "quiet.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static struct pv_partition partition;
static struct pv_vp vps[64] __attribute__((aligned(64)));
static struct pv_scratch scratch;

static void hypercall(const struct json *r)
{
    const struct pv_config config = quiet_config(json_member(r, "config"));
    pv_partition_init(&partition, &config, vps, 64);
    pv_msr_write(&partition, 0x40000000, 1);
    for (const struct json *vp = json_member(r, "vps")->first; vp != NULL; vp = vp->next) {
        pv_partition_add_vp(&partition, quiet_vp(vp), 0);
    }
    quiet_memory(json_member(r, "mem"));
    struct pv_call call = quiet_call(r);
    const int ends = pv_hypercall(&partition, PV_CONTEXT_L1, &call, &scratch);
    const uint64_t result = call.long_mode ? call.rax : call.rdx << 32 | call.rax;
    printf("\"outcome\":{\"ends\":\"%s\"", ends == PV_DONE       ? "done"
                                           : ends == PV_CONTINUE ? "continue"
                                                                 : "ud");
    if (ends == PV_CONTINUE) {
        printf(",\"regs\":{\"%s\":\"%" PRIx64 "\"}", call.long_mode ? "rcx" : "rdx",
               call.long_mode ? call.rcx : call.rdx);
    } else if (ends == PV_DONE) {
        printf(",\"status\":%u,\"reps\":%u", (unsigned)(result & 0xFFFF), (unsigned)(result >> 32 & 0xFFF));
    }
    quiet_told(&partition);
    printf("}");
}
int main(void)
{
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin) != NULL) {
        const char *error;
        const struct json *r = json_read(line, &error);
        if (strcmp(json_member(r, "op")->text, "hello") == 0) {
            printf("{\"protocol\":1,\"name\":\"sample in "
                   "C\",\"version\":\"1\",\"ops\":[\"hypercall\"],\"can\":[\"mode:cpl\","
                   "\"mode:real\",\"mode:32\",\"config:offers\",\"config:gva_bits\",\"config:rep_budget\","
                   "\"vp:index\"]}\n");
        } else {
            printf("{\"id\":%" PRIu64 ",", quiet_word(r, "id"));
            hypercall(r);
            printf("}\n");
        }
        fflush(stdout);
    }
    return 0;
}
