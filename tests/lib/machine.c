// SPDX-License-Identifier: BSD-2-Clause
#include "machine.h"
#include "check.h"

_Static_assert(sizeof(struct pv_vp) == 512, "the state of a VP takes 512 bytes");

enum { GUARD_QWORDS = 512 };
static const uint64_t guard_pattern = 0x5AFE5AFE5AFE5AFE;

static uint64_t arena[GUARD_QWORDS + MACHINE_BYTES / 8 + GUARD_QWORDS];
static struct pv_vp vps[PV_MAX_VPS] __attribute__((aligned(64)));
struct machine machine;

static void log_event(struct event event)
{
    if (machine.events < MACHINE_EVENTS) {
        machine.event[machine.events] = event;
    }
    machine.events++;
    machine.count[event.kind]++;
}

bool pv_platform_read(const struct pv_partition *p, uint64_t gpa, uint64_t *to, uint32_t qwords)
{
    CHECK(p == &machine.partition);
    CHECK(qwords >= 1 && qwords <= PV_OPERAND_QWORDS && gpa % 8 == 0);
    CHECK(gpa % 4096 + 8 * (uint64_t)qwords <= 4096);
    log_event((struct event){.kind = EVENT_READ, .gpa = gpa, .qwords = qwords});
    if (gpa >= machine.memory_bytes || 8 * (uint64_t)qwords > machine.memory_bytes - gpa) {
        return false;
    }
    memcpy(to, machine.memory + gpa / 8, 8 * (size_t)qwords);
    if (machine.on_read != NULL) {
        machine.on_read();
    }
    return true;
}

void pv_platform_kick(const struct pv_partition *p, struct pv_vp *vp)
{
    CHECK(p == &machine.partition);
    log_event((struct event){.kind = EVENT_KICK, .vp_index = vp->vp_index});
}

// The target leaves the guest while the caller waits for it.
void pv_platform_wait(const struct pv_partition *p, struct pv_vp *vp)
{
    CHECK(p == &machine.partition);
    log_event((struct event){.kind = EVENT_WAIT, .vp_index = vp->vp_index});
    if (vp->run % 2 == 1) {
        pv_vp_stop(vp);
    }
}

void pv_platform_wake(const struct pv_partition *p, struct pv_vp *vp)
{
    CHECK(p == &machine.partition);
    log_event((struct event){.kind = EVENT_WAKE, .vp_index = vp->vp_index});
}

void pv_platform_yield(const struct pv_partition *p)
{
    CHECK(p == &machine.partition);
    log_event((struct event){.kind = EVENT_YIELD});
}

void pv_platform_nmi(const struct pv_partition *p, struct pv_vp *vp)
{
    CHECK(p == &machine.partition);
    log_event((struct event){.kind = EVENT_NMI, .vp_index = vp->vp_index});
}

void pv_platform_unhalt(const struct pv_partition *p, struct pv_vp *vp)
{
    CHECK(p == &machine.partition);
    log_event((struct event){.kind = EVENT_UNHALT, .vp_index = vp->vp_index});
}

void pv_platform_yield_to(const struct pv_partition *p, struct pv_vp *vp)
{
    CHECK(p == &machine.partition);
    log_event((struct event){.kind = EVENT_YIELD_TO, .vp_index = vp->vp_index});
}

static void *entry_at(uint64_t gpa, uint32_t bytes)
{
    CHECK((bytes == 4 || bytes == 8) && gpa % bytes == 0);
    return gpa < machine.memory_bytes ? (char *)machine.memory + gpa : NULL;
}

bool pv_platform_table_read(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t *entry)
{
    CHECK(p == &machine.partition);
    const void *at = entry_at(gpa, bytes);
    *entry = 0;
    if (at != NULL) {
        memcpy(entry, at, bytes);
    }
    return at != NULL;
}

bool pv_platform_table_set(const struct pv_partition *p, uint64_t gpa, uint32_t bytes, uint64_t seen,
                           uint64_t bits)
{
    uint64_t entry;
    if (!pv_platform_table_read(p, gpa, bytes, &entry) || entry != seen) {
        return false;
    }
    entry |= bits;
    memcpy(entry_at(gpa, bytes), &entry, bytes);
    return true;
}

bool pv_platform_vmcb_read(const struct pv_partition *p, uint64_t gpa, struct pv_vmcb *copy)
{
    CHECK(p == &machine.partition && gpa % 4096 == 0);
    if (gpa >= machine.memory_bytes) {
        return false;
    }
    memcpy(copy, (char *)machine.memory + gpa, sizeof *copy);
    machine.event[machine.events++] = (struct event){EVENT_VMCB_READ, 0, gpa, sizeof *copy / 8};
    machine.count[EVENT_VMCB_READ]++;
    return true;
}

// Guest memory lies at 1 GiB of the machine's.
bool pv_platform_frame(const struct pv_partition *p, uint64_t gpa, struct pv_frame *frame)
{
    CHECK(p == &machine.partition);
    *frame = (struct pv_frame){.hpa = 0x40000000 + gpa - gpa % 4096, .shift = 12, .rights = PV_RIGHT_ALL};
    return gpa < machine.memory_bytes;
}

struct pv_config machine_config(void)
{
    return (struct pv_config){
        .offers = PV_OFFER_ALL,
        .gva_bits = 48,
        .rep_budget = 4096,
        .max_vps = PV_MAX_VPS,
        .gpa_bits = 40,
        .spin_count = 0xFFFFFFFF,
    };
}

void machine_clear_log(void)
{
    machine.events = 0;
    memset(machine.count, 0, sizeof machine.count);
}

void machine_reset(const struct pv_config *config)
{
    for (unsigned i = 0; i < GUARD_QWORDS; i++) {
        arena[i] = guard_pattern;
        arena[GUARD_QWORDS + MACHINE_BYTES / 8 + i] = guard_pattern;
    }
    machine.memory = arena + GUARD_QWORDS;
    machine.memory_bytes = MACHINE_BYTES;
    machine.vps = vps;
    machine.on_read = NULL;
    memset(machine.memory, 0, MACHINE_BYTES);
    memset(vps, 0, sizeof vps);
    memset(&machine.scratch, 0xA5, sizeof machine.scratch); // its content must not matter
    CHECK(pv_config_valid(config));
    pv_partition_init(&machine.partition, config, vps, PV_MAX_VPS);
    CHECK(pv_msr_write(&machine.partition, 0x40000000, 0x8100000601000000) != PV_MSR_FAULT_GP);
    machine_clear_log();
}

void machine_add(uint32_t vp_index, uint32_t apic_id)
{
    CHECK(pv_partition_add_vp(&machine.partition, vp_index, apic_id));
}

void machine_simple(uint32_t vp_count)
{
    const struct pv_config config = machine_config();
    machine_reset(&config);
    for (uint32_t i = vp_count; i-- > 0;) { // backwards: position and index differ
        machine_add(i, 3 * i + 1);
    }
}

struct pv_vp *machine_vp(uint32_t vp_index)
{
    for (uint32_t i = 0; i < machine.partition.vp_count; i++) {
        if (vps[i].vp_index == vp_index) {
            return &vps[i];
        }
    }
    CHECK(!"the VP exists");
    return &vps[0];
}

void machine_put(uint64_t gpa, uint64_t qword)
{
    CHECK(gpa % 8 == 0 && gpa < MACHINE_BYTES);
    machine.memory[gpa / 8] = qword;
}

struct pv_call machine_caller(uint64_t control_word, uint64_t input, uint64_t output)
{
    struct pv_call call = {
        .rax = 0x1111111111111111,
        .rbx = 0x2222222222222222,
        .rcx = control_word,
        .rdx = input,
        .rsi = 0x3333333333333333,
        .rdi = 0x4444444444444444,
        .r8 = output,
        .cpl = 0,
        .protected_mode = 1,
        .long_mode = 1,
    };
    for (unsigned i = 0; i < PV_XMM_QWORDS; i++) {
        call.xmm[i] = 0x7777777777777700 + i;
    }
    return call;
}

uint64_t machine_call(uint64_t control_word, uint64_t input, uint64_t output)
{
    struct pv_call call = machine_caller(control_word, input, output);
    CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_DONE);
    CHECK_EQ(call.rcx, control_word);
    CHECK_EQ(call.rdx, input);
    CHECK_EQ(call.r8, output);
    return call.rax;
}

bool machine_flush_pending(uint32_t vp_index, uint32_t context)
{
    const struct pv_vp *vp = machine_vp(vp_index);
    return vp->mark[context] != 0 || vp->queue[context].count != 0 || vp->queue[context].overflow != 0;
}

bool machine_vector_pending(uint32_t vp_index, uint32_t vector)
{
    return (machine_vp(vp_index)->vector[vector / 64] >> (vector % 64) & 1) != 0;
}

uint32_t machine_flushed(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine.partition.vp_count; i++) {
        count += machine_flush_pending(vps[i].vp_index, PV_CONTEXT_L1);
    }
    return count;
}

uint32_t machine_interrupted(uint32_t vector)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < machine.partition.vp_count; i++) {
        count += machine_vector_pending(vps[i].vp_index, vector);
    }
    return count;
}
