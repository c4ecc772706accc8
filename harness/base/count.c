// SPDX-License-Identifier: BSD-2-Clause
#include "log.h"
#include "pcpu.h"
#include "x86.h"

static const char *const event_names[EV_COUNT] = {
    [EV_FLUSH_FULL] = "flush_full",
    [EV_FLUSH_NONGLOBAL] = "flush_nonglobal",
    [EV_FLUSH_RANGES] = "flush_ranges",
    [EV_FLUSH_PAGES] = "flush_pages",
    [EV_FLUSH_DEFERRED] = "flush_deferred",
    [EV_KICK] = "kicks",
    [EV_WAIT] = "waits",
    [EV_CONTINUE] = "continuations",
    [EV_WAKE] = "wakes",
    [EV_HALT] = "halts",
    [EV_SWITCH] = "vp_switches",
    [EV_PREEMPT] = "preemptions",
    [EV_YIELD] = "yields",
    [EV_IPI_HYPERCALL] = "ipi_hypercall_vectors",
    [EV_IPI_X2APIC] = "ipi_x2apic",
    [EV_IPI_XAPIC] = "ipi_xapic",
    [EV_IPI_HV_MSR] = "ipi_hyperv_msr",
    [EV_IPI_SELF] = "ipi_self",
    [EV_TIMER] = "timer_interrupts",
    [EV_INJECT] = "injections",
    [EV_MMIO] = "mmio_accesses",
    [EV_STALE_CODE] = "stale_code",
    [EV_EOI_SPARED] = "eoi_spared",
    [EV_MARKED_PREEMPTED] = "marked_preempted",
    [EV_FLUSH_PREEMPTED] = "flush_preempted",
    [EV_UNHALT] = "unhalts",
    [EV_NESTED_RUN] = "nested_runs",
    [EV_NESTED_INVALID] = "nested_invalid",
    [EV_NESTED_EXIT] = "nested_exits",
    [EV_NESTED_FAULT] = "nested_faults",
    [EV_ROOT_HIT] = "root_hits",
    [EV_ROOT_MISS] = "root_misses",
    [EV_SHADOW_FILL] = "shadow_fills",
    [EV_SHADOW_DROP] = "shadow_drops",
    [EV_DIRECT_FLUSH] = "direct_flushes",
};

static const char *const exit_names[COUNT_EXITS] = {
    [0x14] = "cr4_write",
    [0x18] = "cr8_write",
    [0x40 + EXC_AC] = "exception_ac",
    [0x40 + EXC_MC] = "exception_mc",
    [0x60] = "interrupt",
    [0x61] = "nmi",
    [0x64] = "interrupt_window",
    [0x65] = "cr0_write",
    [0x6F] = "rdpmc",
    [0x72] = "cpuid",
    [0x74] = "iret",
    [0x75] = "software_interrupt",
    [0x76] = "invd",
    [0x77] = "pause",
    [0x78] = "hlt",
    [0x7A] = "invlpga",
    [0x7B] = "io",
    [0x7C] = "msr",
    [0x7F] = "shutdown",
    [0x80] = "vmrun",
    [0x81] = "vmmcall",
    [0x82] = "vmload",
    [0x83] = "vmsave",
    [0x84] = "stgi",
    [0x85] = "clgi",
    [0x86] = "skinit",
    [0x87] = "rdtscp",
    [0x89] = "wbinvd",
    [0x8A] = "monitor",
    [0x8B] = "mwait",
    [0x8D] = "xsetbv",
    [COUNT_EXIT_NPF] = "nested_page_fault",
    [COUNT_EXIT_INVALID] = "invalid_state",
};

static const char *const call_names[COUNT_CALLS] = {
    "flush_space",   "flush_list",     "long_spin_wait",  "cluster_ipi",    "flush_space_ex",
    "flush_list_ex", "cluster_ipi_ex", "flush_gpa_space", "flush_gpa_list", "other",
};
static const char *const kvm_names[KVM_ROWS] = {
    [KVM_ROW_POLL] = "kvm_vapic_poll_irq", [KVM_ROW_KICK] = "kvm_kick_cpu",
    [KVM_ROW_SEND_IPI] = "kvm_send_ipi",   [KVM_ROW_YIELD] = "kvm_sched_yield",
    [KVM_ROW_OTHER] = "kvm_other",
};
static const char *const answer_names[2] = {"answered", "refused"};
static const char *const status_names[COUNT_STATUSES] = {"0", "1", "2", "3", "4", "5", "6", "other", "ud"};

static void add(uint64_t *to, const uint64_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

// One pair of a JSON object, which is also readable enough for the table.
static bool separator;
static void pair(const char *name, uint64_t value)
{
    print("%s\"%s\":%lu", separator ? "," : "", name, value);
    separator = true;
}

void count_print_json(const struct counters *sum)
{
    print("\"exits\":{");
    separator = false;
    for (uint32_t i = 0; i < COUNT_EXITS; i++) {
        if (sum->exits[i] == 0)
            continue;
        if (exit_names[i] != 0) {
            pair(exit_names[i], sum->exits[i]);
        } else {
            print("%s\"code_%x\":%lu", separator ? "," : "", i, sum->exits[i]);
            separator = true;
        }
    }
    print("},\"hypercalls\":{");
    bool first = true;
    for (uint32_t c = 0; c < COUNT_CALLS; c++) {
        print("%s\"%s\":{", first ? "" : ",", call_names[c]);
        first = separator = false;
        for (uint32_t s = 0; s < COUNT_STATUSES; s++)
            if (sum->calls[c][s] != 0)
                pair(status_names[s], sum->calls[c][s]);
        print("}");
    }
    for (uint32_t c = 0; c < KVM_ROWS; c++) {
        print(",\"%s\":{", kvm_names[c]);
        separator = false;
        for (uint32_t a = 0; a < 2; a++)
            if (sum->kvm_calls[c][a] != 0)
                pair(answer_names[a], sum->kvm_calls[c][a]);
        print("}");
    }
    print("},\"events\":{");
    separator = false;
    for (uint32_t e = 0; e < EV_COUNT; e++)
        pair(event_names[e], sum->events[e]);
    print("}");
}

void count_sum(struct counters *sum)
{
    *sum = (struct counters){0};
    for (uint32_t i = 0; i < pcpu_count; i++) {
        add(sum->exits, pcpus[i]->count.exits, COUNT_EXITS);
        add(&sum->calls[0][0], &pcpus[i]->count.calls[0][0], COUNT_CALLS * COUNT_STATUSES);
        add(&sum->kvm_calls[0][0], &pcpus[i]->count.kvm_calls[0][0], KVM_ROWS * 2);
        add(sum->events, pcpus[i]->count.events, EV_COUNT);
    }
}

bool count_read(uint16_t port, uint32_t *value)
{
    bool is_event = port >= COUNT_PORT_EVENTS && port < COUNT_PORT_EVENTS + EV_COUNT;
    if (!is_event && (port < COUNT_PORT_EXITS || port >= COUNT_PORT_EXITS + COUNT_EXITS))
        return false;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < pcpu_count; i++)
        add(&sum,
            is_event ? &pcpus[i]->count.events[port - COUNT_PORT_EVENTS]
                     : &pcpus[i]->count.exits[port - COUNT_PORT_EXITS],
            1);
    *value = (uint32_t)sum;
    return true;
}

void count_print(void)
{
    static struct counters sum;
    count_sum(&sum);
    say("exits by reason");
    for (uint32_t i = 0; i < COUNT_EXITS; i++) {
        if (sum.exits[i] == 0)
            continue;
        if (exit_names[i] != 0)
            print("  %-24s %12lu\n", exit_names[i], sum.exits[i]);
        else
            print("  code %3x                %13lu\n", i, sum.exits[i]);
    }
    say("hypercalls by code and status");
    for (uint32_t c = 0; c < COUNT_CALLS; c++)
        for (uint32_t s = 0; s < COUNT_STATUSES; s++)
            if (sum.calls[c][s] != 0)
                print("  %-16s status %-5s %8lu\n", call_names[c], status_names[s], sum.calls[c][s]);
    for (uint32_t c = 0; c < KVM_ROWS; c++)
        for (uint32_t a = 0; a < 2; a++)
            if (sum.kvm_calls[c][a] != 0)
                print("  %-19s %-9s %8lu\n", kvm_names[c], answer_names[a], sum.kvm_calls[c][a]);
    say("events");
    for (uint32_t e = 0; e < EV_COUNT; e++)
        print("  %-24s %12lu\n", event_names[e], sum.events[e]);
    print("@json {");
    count_print_json(&sum);
    print("}\n");
}
