// SPDX-License-Identifier: BSD-2-Clause
// The smallest embedder: a partition with four VPs, of which one makes a hypercall while another is in its guest.
// Everything a hypervisor must bring along stands in the first half; docs/embedding.md explains it.
//   cc -Isrc tests/embedder/main.c build/libproviso.a && ./a.out
#include "proviso.h"
#include "unnested.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// ---- what the embedder provides ----------------------------------------------------------------------------------

enum { GUEST_BYTES = 64 * 1024 };
static _Alignas(4096) unsigned char guest_memory[GUEST_BYTES]; // guest physical addresses 0 .. 0xFFFF

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    (void)p;
    if (gpa >= GUEST_BYTES || qwords * UINT64_C(8) > GUEST_BYTES - gpa) {
        return false;
    }
    memcpy(to, guest_memory + gpa, qwords * sizeof *to);
    return true;
}

// A real one sends an inter-processor interrupt to the physical CPU that runs this VP.
void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    printf("  kick VP %" PRIu32 "\n", vp->vp_index);
}

// A real one spins until vp->run is even or has changed. Here the VP's exit is played by us.
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    printf("  wait for VP %" PRIu32 ", which leaves its guest\n", vp->vp_index);
    pv_vp_stop(vp);
}

// A real one puts the VP on its scheduler's run queue.
void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p;
    printf("  wake VP %" PRIu32 "\n", vp->vp_index);
}

void pv_platform_yield(const struct pv_partition *p)
{
    (void)p, printf("  yield\n");
}
// Only the calls of the KVM persona ask for these, and nobody makes one here.
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

// ---- entering a VP's guest ---------------------------------------------------------------------------------------

static void enter_guest(struct pv_vp *vp)
{
    struct pv_work work;
    pv_vp_run(vp);
    while (pv_vp_take(vp, PV_CONTEXT_L1, &work)) {
        printf("VP %" PRIu32 ", before it enters:", vp->vp_index);
        if (work.flush & PV_FLUSH_FULL) {
            printf(" flush everything");
        } else {
            if (work.flush & PV_FLUSH_NONGLOBAL) {
                printf(" flush what is not global");
            }
            for (uint32_t i = 0; (work.flush & PV_FLUSH_RANGES) && i < work.ranges.count; i++) {
                printf(" flush %" PRIu32 " pages at 0x%" PRIx64, work.ranges.pages[i],
                       work.ranges.first[i] << 12);
            }
        }
        for (unsigned vector = 0; vector < 256; vector++) {
            if (work.vector[vector / 64] >> vector % 64 & 1) {
                printf(" inject vector 0x%x", vector);
            }
        }
        printf("\n");
    }
}

// The guest has executed the hypercall instruction.
static void hypercall(struct pv_partition *p, const char *what, struct pv_call *call)
{
    static struct pv_scratch scratch; // one for each physical CPU
    printf("%s\n", what);
    switch (pv_hypercall(p, PV_CONTEXT_L1, call, &scratch)) {
    case PV_DONE:
        printf("  result 0x%" PRIx64 "; RIP moves on\n", call->rax);
        break;
    case PV_CONTINUE:
        printf("  to be continued; RIP stays\n");
        break;
    case PV_FAULT_UD:
        printf("  #UD\n");
        break;
    }
}

int main(void)
{
    static struct pv_vp vps[4] __attribute__((aligned(64)));
    static struct pv_partition partition;
    const struct pv_config config = {.offers = PV_OFFER_ALL,
                                     .gva_bits = 48,
                                     .rep_budget = 64,
                                     .max_vps = 4,
                                     .gpa_bits = 40,
                                     .hints = 1 << 2 | 1 << 10};

    if (!pv_config_valid(&config)) {
        printf("this configuration can't be served\n");
        return 1;
    }
    pv_partition_init(&partition, &config, vps, 4);
    for (uint32_t i = 0; i < 4; i++) {
        pv_partition_add_vp(&partition, i, 2 * i);
    }
    pv_msr_write(&partition, 0x40000000, 0x8100000601000000); // the guest says who it is

    enter_guest(&vps[2]);

    // HvCallFlushVirtualAddressList for VPs 1 and 2, one entry: two pages at 0x7000. Operands at GPA 0x1000.
    const uint64_t operands[] = {0, 0, 6, 0x7000 | 1};
    memcpy(guest_memory + 0x1000, operands, sizeof operands);
    struct pv_call call = {.rcx = UINT64_C(0x100000003), .rdx = 0x1000, .protected_mode = 1, .long_mode = 1};
    hypercall(&partition, "VP 0 flushes two pages of VPs 1 and 2", &call);

    // HvCallSendSyntheticClusterIpi, operands in registers: vector 0x40 to VPs 1 and 3.
    call = (struct pv_call){.rcx = 0x1000B, .rdx = 0x40, .r8 = 0xA, .protected_mode = 1, .long_mode = 1};
    hypercall(&partition, "VP 0 sends vector 0x40 to VPs 1 and 3", &call);

    for (unsigned i = 1; i < 4; i++) {
        enter_guest(&vps[i]);
    }
    return 0;
}
