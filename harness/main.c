// SPDX-License-Identifier: BSD-2-Clause
// The way up: log, memory, clocks, processors, SVM, the partition, its guest; then every pCPU goes into the run loop.
#include "base/end.h"
#include "base/idt.h"
#include "base/lapic.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/pcpu.h"
#include "base/string.h"
#include "base/trace.h"
#include "base/x86.h"
#include "dev/console.h"
#include "dev/ioapic.h"
#include "dev/legacy.h"
#include "dev/vapic_timer.h"
#include "load/load.h"
#include "svm/svm.h"
#include "vm/exits.h"
#include "vm/hyperv.h"
#include "vm/kvm.h"
#include "vm/nested.h"
#include "vm/sched.h"
#include "vm/timer.h"
#include "vm/topology.h"
#include "vm/vp.h"

_Noreturn void harness_main(uint32_t magic, uint32_t information);
void end_print_state(bool expected);

bool persona_hyperv, persona_kvm;
static const char *persona_name;
static uint64_t checksum;
static bool running;

static uint32_t number(const char *name, uint32_t otherwise, uint32_t least, uint32_t most)
{
    uint64_t v = option_number(boot_options, name, otherwise);
    if (v < least || v > most)
        end_run(END_BAD_OPTION, "option %s is %lu; it must be %u..%u", name, v, least, most);
    return (uint32_t)v;
}

static void read_persona(void)
{
    static const struct {
        const char *name;
        bool hyperv, kvm;
    } personas[] = {
        {"hyperv", true, false}, {"kvm", false, true}, {"both", true, true}, {"none", false, false}};
    for (uint32_t i = 0; i < sizeof personas / sizeof *personas; i++)
        if (option_is(boot_options, "persona", personas[i].name) ||
            (i == 0 && option_text(boot_options, "persona") == 0)) {
            persona_name = personas[i].name;
            persona_hyperv = personas[i].hyperv;
            persona_kvm = personas[i].kvm;
            return;
        }
    end_run(END_BAD_OPTION, "option persona must be hyperv, kvm, both or none");
}

static void make_partition(uint32_t vps_wanted, uint32_t memory_mib)
{
    const uint64_t tables_and_traces = 16 * MIB, each_vp = 16 * 1024,
                   each_nested = sizeof(struct nested) + (NESTED_POOL_PAGES + 4) * PAGE;
    memory_make_guest(memory_mib * MIB,
                      tables_and_traces + vps_wanted * (each_vp + (nested_offered ? each_nested : 0)));
    svm_make_bitmaps();
    npt_make();
    topology_init(vps_wanted);
    struct pv_config config = hyperv_config(topology.indexes, cpuid(0x80000008, 0).eax & 0xFF);
    uint64_t left = memory_left();
    vp_make(vps_wanted, &config);
    timer_init();
    say("memory of the harness for each VP: %lu bytes", (left - memory_left()) / vps_wanted);
    hyperv_init();
    if (persona_kvm)
        kvm_init();
    ioapic_init();
    load_guest(&vps[0]);
}

// Shows what a fault of the harness itself looks like, and an end of the machine that it cannot tell about.
static void test_faults(void)
{
    if (option_is(boot_options, "test", "fault"))
        *(volatile char *)(uintptr_t)harness_main = 0;
    if (option_is(boot_options, "test", "triple-fault")) {
        static const uint16_t no_idt[5];
        __asm__ volatile("lidt %0; int3" : : "m"(no_idt));
    }
}

_Noreturn void harness_main(uint32_t magic, uint32_t information)
{
    pcpu_init_boot();
    log_init();
    say("harness on %s", "pCPU 0");
    idt_build();
    idt_load();
    memory_init(magic, information);
    memory_protect();
    test_faults();
    svm_check();
    read_persona();
    uint32_t vps_wanted = number("vps", 1, 1, PV_MAX_VPS);
    bool spare = number("spare", 0, 0, 1) != 0; // the first processor runs no VPs: sched_keep_house
    uint32_t pcpus_wanted = number("pcpus", 1, 1, spare ? MAX_PCPUS - 1 : MAX_PCPUS);
    uint32_t memory_mib = number("memory", 256, 16, 3072);
    nested_offered = number("nested", 0, 0, 1) != 0;
    uint32_t seconds = number("timeout", 0, 0, 1000000);

    lapic_init();
    clock_calibrate();
    vapic_timer_init();
    legacy_init();
    svm_enable();
    if (!pcpu_start_others(pcpus_wanted + spare))
        end_run(END_NO_PCPU, "pCPU %u does not come up", pcpu_count);
    cpuid_init();
    tsc_offset = 0 - rdtsc();
    make_partition(vps_wanted, memory_mib);
    say("%u VPs on %u pCPUs%s, %u MiB, persona %s", vp_count, pcpus_wanted, spare ? " and a spare one" : "",
        memory_mib, persona_name);

    if (persona_hyperv)
        hyperv_print_config();
    if (option_is(boot_options, "trace", "1"))
        trace_init(pcpu_count);
    checksum = svm_checksum();
    running = true;
    console_init(seconds);
    vps[0].state = VP_READY;
    sched_give_way(&vps[0]);
    pcpu_release_others();
    if (spare)
        sched_keep_house();
    svm_run_forever();
}

static void print_vp(struct vp *vp)
{
    const struct pv_vmcb *v = vp->vmcb;
    print("  vp%u state %u activity %u on pCPU %u, exit %lx info %lx %lx event %lx\n", vp->index, vp->state,
          (unsigned)vp->activity, vp->pcpu, v->exit_code, v->exit_info1, v->exit_info2, v->exit_int_info);
    print("    rip %04x:%016lx rsp %016lx rflags %lx cr0 %lx cr2 %lx cr3 %lx cr4 %lx efer %lx\n",
          v->cs.selector, v->rip, v->rsp, v->rflags, v->cr0, v->cr2, v->cr3, v->cr4, v->efer);
    print("    rax %016lx rbx %016lx rcx %016lx rdx %016lx rsi %016lx rdi %016lx rbp %016lx\n", v->rax,
          vp->gpr[3], vp->gpr[1], vp->gpr[2], vp->gpr[6], vp->gpr[7], vp->gpr[5]);
    for (uint32_t i = 0; i < 4; i++)
        if ((vp->apic.irr[i] | vp->apic.isr[i]) != 0)
            print("    irr[%u] %lx isr[%u] %lx tpr %x\n", i, vp->apic.irr[i], i, vp->apic.isr[i],
                  vp->apic.tpr);
}

// A line for each VP: where it was left.
static void print_vps(void)
{
    static const char *const states[] = {
        [VP_RUNNING] = "running", [VP_READY] = "ready", [VP_ASLEEP] = "asleep"};
    uint64_t now = rdtsc();
    say("virtual processors");
    for (uint32_t i = 0; i < vp_count; i++) {
        const struct vp *vp = &vps[i];
        const struct pv_vmcb *v = vp->vmcb;
        print("  vp%u %s on pCPU %u, %s, rip %04x:%lx rsp %lx, interrupts %s, requested %d, in service %d, "
              "messages %u, ",
              i, states[vp->state], vp->pcpu,
              vp->activity == VP_ACTIVE   ? "active"
              : vp->activity == VP_HALTED ? "halted"
                                          : "not started",
              v->cs.selector, v->rip, v->rsp, (v->rflags & FLAG_IF) != 0 ? "on" : "off",
              vapic_highest(vp->apic.irr), vapic_highest(vp->apic.isr),
              vp_has_mail(vp) || vapic_highest(vp->core->vector) >= 0);
        if (vp->timer_at != ~0ull)
            print("timer in %lu us, ", vp->timer_at > now ? tsc_to_us(vp->timer_at - now) : 0);
        print("exit %lx\n", v->exit_code);
    }
}

void end_print_state(bool expected)
{
    if (!running)
        return;
    console_flush();
    if (option_is(boot_options, "dump", "1"))
        for (uint32_t i = 0; i < vp_count; i++)
            print_vp(&vps[i]);
    else if (!expected)
        print_vps();
    count_print();
    trace_print();
    bool intact = svm_checksum() == checksum && npt_is_legal();
    for (uint32_t i = 0; i < vp_count; i++)
        intact = intact && nested_is_legal(&vps[i]);
    say("harness memory %s", intact ? "unchanged, nested tables legal" : "DAMAGED");
}
