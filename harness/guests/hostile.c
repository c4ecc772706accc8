// SPDX-License-Identifier: BSD-2-Clause
// A guest that attacks the harness. Each attack must end in a fault or an error for the guest, or in nothing; the
// harness checks its own memory when the guest ends. Attacks after which no guest can go on (triple fault, states
// that no processor runs) are chosen one at a time with fatal=N on the command line.
#include "lib.h"

enum { NOTHING = -1, ANY = -2 }; // expectations beside exception vectors

struct attack {
    const char *name;
    void (*body)(void);
    int expect;
};

static uint8_t *const beyond = (uint8_t *)0xC8000000; // inside the identity map, outside guest memory
static uint8_t page[4096] __attribute__((aligned(4096)));
static uint64_t evil_table[512] __attribute__((aligned(4096)));
static uint32_t others; // VPs beside this one
static uint32_t racing;

// ---- MSRs -------------------------------------------------------------------------------------------------------

static uint32_t msr_number;
static uint64_t msr_value;
static void read_msr(void)
{
    rdmsr(msr_number);
}
static void write_msr(void)
{
    wrmsr(msr_number, msr_value);
}

static const struct {
    uint32_t msr;
    const char *what;
    int on_read, on_write;
} msrs[] = {
    {0x0, "machine check address", EXC_GP, EXC_GP},
    {0x17, "platform id", EXC_GP, EXC_GP},
    {0x3A, "feature control", EXC_GP, EXC_GP},
    {0xFE, "MTRR capabilities", EXC_GP, EXC_GP},
    {0x1D9, "debug control", EXC_GP, EXC_GP},
    {0x200, "MTRR base", EXC_GP, EXC_GP},
    {0x400, "machine check bank", EXC_GP, EXC_GP},
    {0x480, "VMX capability", EXC_GP, EXC_GP},
    {0x804, "x2APIC hole", EXC_GP, EXC_GP},
    {0x80E, "x2APIC DFR", EXC_GP, EXC_GP},
    {0x8FF, "x2APIC end", EXC_GP, EXC_GP},
    {0x40000002, "Hyper-V VP index, write", NOTHING, EXC_GP},
    {0x40000080, "Hyper-V SynIC", EXC_GP, EXC_GP},
    {0x400000B0, "Hyper-V timer", EXC_GP, EXC_GP},
    {0x40001002, "Hyper-V nested VP index", EXC_GP, EXC_GP},
    {0x4FFFFFFF, "Hyper-V end", EXC_GP, EXC_GP},
    {0x4B564D00, "KVM wall clock", EXC_GP, EXC_GP},
    {0xC0000103, "TSC_AUX", EXC_GP, EXC_GP},
    {0xC0010114, "VM_CR", EXC_GP, EXC_GP},
    {0xC0010117, "VM_HSAVE_PA", EXC_GP, EXC_GP},
    {0xC0010130, "GHCB", EXC_GP, EXC_GP},
    {0xFFFFFFFF, "last", EXC_GP, EXC_GP},
};

static bool msr_attacks(uint32_t *count)
{
    bool good = true;
    for (uint32_t i = 0; i < sizeof msrs / sizeof msrs[0]; i++) {
        msr_number = msrs[i].msr;
        msr_value = 0xFFFFFFFFFFFFFFFF;
        int r = catch_fault(read_msr), w = catch_fault(write_msr);
        if (r != msrs[i].on_read || w != msrs[i].on_write) {
            put("MSR %x (%s): read %u, write %u\n", msrs[i].msr, msrs[i].what, (uint32_t)r, (uint32_t)w);
            good = false;
        }
        *count += 2;
    }
    return good;
}

static void efer_svme(void)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
}
static void efer_reserved(void)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) | 1ull << 20);
}
static void efer_lme(void)
{
    wrmsr(MSR_EFER, rdmsr(MSR_EFER) & ~EFER_LME);
}
static void pat_reserved(void)
{
    wrmsr(MSR_PAT, 0x0202020202020202);
}
static void apic_base_moved(void)
{
    wrmsr(MSR_APIC_BASE, 0x100000 | 0xC00);
}
static void apic_base_x_from_x2(void)
{
    wrmsr(MSR_APIC_BASE, 0xFEE00800);
}
static void icr_reserved(void)
{
    wrmsr(0x830, 0xFFFFFFFF00FF0000);
}
static void self_ipi_reserved(void)
{
    wrmsr(0x83F, 0x100);
}
static void eoi_value(void)
{
    wrmsr(0x80B, 5);
}
static void lvt_reserved(void)
{
    wrmsr(0x832, 0xFFFFFFFF);
}
static void hypercall_page_outside(void)
{
    wrmsr(0x40000001, 0xFFFFFFFFFFFFF001);
}
static void hypercall_page_beyond_memory(void)
{
    wrmsr(0x40000001, 0xC0000001);
    hyperv_on();
}
static void reference_page_outside(void)
{
    wrmsr(0x40000021, 0x000FFFFFFFFFF001);
    wrmsr(0x40000021, 0);
}
static void assist_page_outside(void)
{
    wrmsr(0x40000073, ~0ull);
}

// ---- processor state --------------------------------------------------------------------------------------------

static void cr4_reserved(void)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(read_cr4() | 1ull << 30));
}
static void cr4_vmxe(void)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(read_cr4() | 1ull << 13));
}
static void cr4_osxsave(void)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(read_cr4() | 1ull << 18));
}
static void cr4_no_pae(void)
{
    __asm__ volatile("mov %0, %%cr4" : : "r"(read_cr4() & ~CR4_PAE));
}
static void xsetbv(void)
{
    __asm__ volatile("xsetbv" : : "a"(7), "d"(0), "c"(0));
}
static void vmrun(void)
{
    __asm__ volatile("vmrun" : : "a"(page));
}
static void vmload(void)
{
    __asm__ volatile("vmload" : : "a"(0x100000));
}
static void vmsave(void)
{
    __asm__ volatile("vmsave" : : "a"(0x100000));
}
static void stgi(void)
{
    __asm__ volatile("stgi");
}
static void clgi(void)
{
    __asm__ volatile("clgi");
}
static void skinit(void)
{
    __asm__ volatile("skinit" : : "a"(0));
}
static void invlpga(void)
{
    __asm__ volatile("invlpga" : : "a"(0), "c"(1));
}
static void monitor(void)
{
    __asm__ volatile("monitor" : : "a"(page), "c"(0), "d"(0));
}
static void mwait(void)
{
    __asm__ volatile("mwait" : : "a"(0), "c"(0));
}
static void rdpmc(void)
{
    __asm__ volatile("rdpmc" : : "c"(0) : "rax", "rdx");
}
// QEMU's TCG does not know this intercept; what can be read is the harness's own TSC_AUX, which is 0.
static void rdtscp(void)
{
    __asm__ volatile("rdtscp" : : : "rax", "rdx", "rcx");
}
static void vmcall(void)
{
    __asm__ volatile("vmcall");
}
static void wbinvd(void)
{
    __asm__ volatile("wbinvd");
}
static void invd(void)
{
    __asm__ volatile("invd");
}
static void cpuid_everything(void)
{
    for (uint32_t i = 0; i < 0x100; i++) {
        cpuid(i, i);
        cpuid(0x40000000 + i, 0);
        cpuid(0x80000000 + i, 0);
        cpuid(i << 24, ~0u);
    }
}

// ---- memory -----------------------------------------------------------------------------------------------------

static void read_beyond(void)
{
    (void)*(volatile uint8_t *)beyond;
}
static void write_beyond(void)
{
    *(volatile uint64_t *)(void *)beyond = ~0ull;
}
static void odd_instruction_beyond(void)
{
    __asm__ volatile("lock incq (%0)" : : "r"(beyond) : "memory");
}
static void string_beyond(void)
{
    void *p = beyond;
    uint64_t n = 64;
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(0) : "memory");
}
static void sse_beyond(void)
{
    __asm__ volatile("movups (%0), %%xmm0" : : "r"(beyond));
}
static void call_beyond(void)
{
    __asm__ volatile("call *%0" : : "r"(beyond) : "memory");
}
static void tables_beyond(void) // a page directory where no memory is
{
    pdpt[3] = 0xC8000000 | 3; // put right again by guest_main
    invlpg(0xC0000000);
    (void)*(volatile uint8_t *)0xC0000000;
}
static void page_far_beyond(void) // above all that nested tables can map
{
    evil_table[0] = 0x000000F000000000 | 3;
    evil_table[1] = 0x0000000100000000 | 3; // 4 GiB
    evil_table[2] = 0x000000FFFFFFF000 | 3;
    pd[2][0] = (uintptr_t)evil_table | 3;
    for (uint64_t i = 0; i < 3; i++)
        *(volatile uint8_t *)(0x80000000 + i * 4096) = 1;
}
static void scan_for_the_harness(void) // every 2 MiB outside our memory: nothing may be there
{
    for (uint64_t at = 0x80000000; at < 0x100000000; at += 0x200000) {
        pd[2][1] = at | 0x83;
        invlpg(0x80200000);
        if (*(volatile uint32_t *)0x80200000 != 0xFFFFFFFF && at >> 20 != 0xFEE && at >> 20 != 0xFEC)
            failures++;
        *(volatile uint32_t *)0x80200000 = 0;
    }
}
static void write_hypercall_page(void)
{
    uint64_t at = rdmsr(0x40000001) & ~0xFFFull;
    *(volatile uint32_t *)at = 0x90909090;
}
static void xapic_while_x2(void)
{
    *(volatile uint32_t *)0xFEE000B0 = ~0u;
}
static void ioapic_everything(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        *(volatile uint32_t *)0xFEC00000 = i;
        *(volatile uint32_t *)0xFEC00010 = 0xFFFFFFFF;
        (void)*(volatile uint32_t *)0xFEC00010;
    }
}

// ---- ports ------------------------------------------------------------------------------------------------------

static bool is_way_out(uint32_t port)
{
    return (port >= 0xF1 && port <= 0xF7) || (port >= 0x61 && port <= 0x64) ||
           (port >= 0xCF6 && port <= 0xCF9) || (port >= 0x601 && port <= 0x605) ||
           (port >= 0x3F5 && port <= 0x3FF);
}
static void ports_all(void)
{
    for (uint32_t p = 0; p < 0x10000; p += p < 0x1000 ? 1 : 251) {
        uint32_t v;
        __asm__ volatile("inl %w1, %0" : "=a"(v) : "d"(p));
        in8((uint16_t)p);
        if (!is_way_out(p)) {
            out8((uint16_t)p, 0xFF);
            out32((uint16_t)p, 0xFFFFFFFF);
        }
    }
}
static void port_string(void)
{
    void *p = page;
    uint64_t n = 16;
    __asm__ volatile("rep insb" : "+D"(p), "+c"(n) : "d"(0x3F8) : "memory");
}
static void port_last(void)
{
    out32(0xFFFF, ~0u);
}

// ---- hypercalls -------------------------------------------------------------------------------------------------

static void expect_status(uint64_t result, uint32_t a, uint32_t b)
{
    if ((result & 0xFFFF) != a && (result & 0xFFFF) != b) {
        put("status %lx\n", result);
        failures++;
    }
}
static void
operands_in_harness(void) // the harness's image lies at 1 MiB of the machine below, its heap above
{
    for (uint64_t at = 0x10000000; at < 0x200000000000; at = at * 2)
        if (at >= 0x20000000)
            expect_status(hypercall(0x2, at, 0), 4, 4);
}
static void operands_everywhere(void)
{
    for (uint32_t bit = 0; bit < 64; bit++) {
        hypercall(0x2, 1ull << bit, 0);
        hypercall(0x3 | 4095ull << 32, ~0ull << bit, 0);
        hypercall(0x13 | 0x7FE0000, (1ull << bit) - 8, 0);
    }
}
static void input_bits(void)
{
    for (uint32_t bit = 0; bit < 64; bit++)
        for (uint64_t code = 0; code < 0x20; code++)
            hypercall(code | 1ull << bit, (uintptr_t)operands, 0);
}
static void every_code(void)
{
    for (uint64_t code = 0x20; code < 0x10000; code += 7)
        expect_status(hypercall(code, (uintptr_t)operands, 0), 2, 2);
}
static void ipi_to_absent(void)
{
    for (uint32_t i = 0; i < 64; i++)
        hypercall(0x1000B, 0x77, ~(uint64_t)0 << (others + 1));
}
static void ex_sets(void)
{
    operands[0] = 0x77;
    operands[1] = 0;
    operands[2] = ~0ull;
    for (uint32_t i = 3; i < 67; i++)
        operands[i] = i == 3 ? ~0ull << (others + 1) : ~0ull;
    expect_status(hypercall(0x800015, (uintptr_t)operands, 0), 0, 0);
    operands[2] = 0x8000000000000000;
    expect_status(hypercall(0x800015, (uintptr_t)operands, 0), 3, 3);
    operands[1] = ~0ull;
    expect_status(hypercall(0x20015, (uintptr_t)operands, 0), 5, 5);
}
static void endless_list(void) // the longest list, and a start index that goes on for ever
{
    for (uint32_t i = 0; i < 512; i++)
        operands[i] = 0x1234000 | 0xFFF;
    operands[0] = 0;
    operands[1] = 3;
    operands[2] = 0;
    expect_status(hypercall(0x3 | 509ull << 32, (uintptr_t)operands, 0), 0, 0);
    for (uint64_t start = 0; start < 4096; start += 5)
        hypercall(0x3 | 509ull << 32 | start << 48, (uintptr_t)operands, 0);
}
static void racing_operands(void) // another VP rewrites the block all the time (guest_ap)
{
    if (others == 0)
        return;
    __atomic_store_n(&racing, 1u, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < 3000; i++) {
        hypercall(0x3 | 4ull << 32, (uintptr_t)operands, 0);
        hypercall(0x40014 | 2ull << 32, (uintptr_t)operands, 0);
        hypercall(0x40015, (uintptr_t)operands, 0);
    }
    __atomic_store_n(&racing, 0u, __ATOMIC_SEQ_CST);
}
static void prefixed_call(void)
{
    uint64_t result;
    __asm__ volatile(".byte 0x66, 0x2E, 0x48, 0x0F, 0x01, 0xD9"
                     : "=a"(result)
                     : "c"(0x7FFF), "d"(0)
                     : "r8", "memory");
    expect_status(result, 2, 2);
}
static void self_modified_call(void) // VMMCALL on the last bytes of memory that the guest has made itself
{
    static uint8_t code[16] __attribute__((aligned(16)));
    code[0] = 0x0F;
    code[1] = 0x01;
    code[2] = 0xD9;
    code[3] = 0xC3;
    uint64_t result;
    __asm__ volatile("call *%[at]" : "=a"(result) : [at] "r"(code), "c"(0x7FFF), "d"(0) : "r8", "memory");
    expect_status(result, 2, 2);
}
static void call_from_ring3(void)
{
    pml4[0] |= 4;
    pdpt[0] |= 4;
    for (uint32_t i = 0; i < 8; i++)
        pd[0][i] |= 4;
    __asm__ volatile("mov %%cr3, %%rax; mov %%rax, %%cr3" : : : "rax", "memory");
    static uint8_t stack[512] __attribute__((aligned(16)));
    __asm__ volatile("pushq $0x23; pushq %0; pushq $2; pushq $0x2B; lea 1f(%%rip), %%rax; push %%rax; iretq\n"
                     "1: vmmcall"
                     :
                     : "r"(stack + sizeof stack)
                     : "rax", "memory");
}

// ---- interrupts -------------------------------------------------------------------------------------------------

static void ipi_storm(void)
{
    for (uint32_t i = 0; i < 2000; i++) {
        ipi(1000 + i, 0x4000 | 0x77);
        ipi(0xFFFFFFFE, 0x0C00 | 0x77);
    }
}
static void ipi_modes(void)
{
    for (uint32_t mode = 0; mode < 8; mode++)
        ipi(0x7FFFFFFF, 0x4000 | mode << 8 | 0x77);
    ipi(0, 0x4000); // vector 0 to ourselves
}
static void timer_storm(void)
{
    interrupts_on();
    wrmsr(0x83E, 0xB);
    wrmsr(0x832, 0x20000 | 0x78); // periodic, as fast as it goes
    wrmsr(0x838, 1);
    for (uint64_t end = rdtsc() + 20000000; rdtsc() < end;)
        pause();
    wrmsr(0x832, 0x10000);
    wrmsr(0x838, 0);
    interrupts_off();
}
static void deadline_nonsense(void)
{
    wrmsr(0x832, 0x40000 | 0x78);
    wrmsr(0x6E0, ~0ull);
    wrmsr(0x6E0, 1);
    wrmsr(0x6E0, 0x8000000000000000);
    wrmsr(0x6E0, 0);
    wrmsr(0x832, 0x10000);
}
static void nmi_to_self(void)
{
    uint32_t before = interrupts[0][2];
    ipi(0, 0x4400);
    for (uint64_t end = rdtsc() + 200000000; interrupts[0][2] == before && rdtsc() < end;)
        pause();
    if (interrupts[0][2] != before + 1)
        failures++;
}
static void init_to_absent(void)
{
    ipi(77, 0xC500);
    ipi(77, 0x46FF);
}

#define ATTACK(body, expect)                                                                                 \
    {                                                                                                        \
#        body, body, expect                                                                                  \
    }
static const struct attack attacks[] = {
    ATTACK(efer_svme, EXC_GP),
    ATTACK(efer_reserved, EXC_GP),
    ATTACK(efer_lme, EXC_GP),
    ATTACK(pat_reserved, EXC_GP),
    ATTACK(apic_base_moved, EXC_GP),
    ATTACK(apic_base_x_from_x2, EXC_GP),
    ATTACK(icr_reserved, EXC_GP),
    ATTACK(self_ipi_reserved, EXC_GP),
    ATTACK(eoi_value, EXC_GP),
    ATTACK(lvt_reserved, EXC_GP),
    ATTACK(hypercall_page_outside, EXC_GP),
    ATTACK(hypercall_page_beyond_memory, NOTHING),
    ATTACK(reference_page_outside, NOTHING),
    ATTACK(assist_page_outside, ANY),
    ATTACK(cr4_reserved, EXC_GP),
    ATTACK(cr4_vmxe, EXC_GP),
    ATTACK(cr4_osxsave, EXC_GP),
    ATTACK(cr4_no_pae, EXC_GP),
    ATTACK(xsetbv, EXC_UD),
    ATTACK(vmrun, EXC_UD),
    ATTACK(vmload, EXC_UD),
    ATTACK(vmsave, EXC_UD),
    ATTACK(stgi, EXC_UD),
    ATTACK(clgi, EXC_UD),
    ATTACK(skinit, EXC_UD),
    ATTACK(invlpga, EXC_UD),
    ATTACK(monitor, EXC_UD),
    ATTACK(mwait, EXC_UD),
    ATTACK(rdpmc, EXC_GP),
    ATTACK(rdtscp, ANY),
    ATTACK(vmcall, EXC_UD),
    ATTACK(wbinvd, NOTHING),
    ATTACK(invd, NOTHING),
    ATTACK(cpuid_everything, NOTHING),
    ATTACK(read_beyond, NOTHING),
    ATTACK(write_beyond, NOTHING),
    ATTACK(odd_instruction_beyond, EXC_GP),
    ATTACK(string_beyond, EXC_GP),
    ATTACK(sse_beyond, EXC_GP),
    ATTACK(call_beyond, EXC_GP),
    ATTACK(tables_beyond, EXC_GP),
    ATTACK(page_far_beyond, ANY),
    ATTACK(scan_for_the_harness, NOTHING),
    ATTACK(write_hypercall_page, EXC_GP),
    ATTACK(xapic_while_x2, NOTHING),
    ATTACK(ioapic_everything, NOTHING),
    ATTACK(ports_all, NOTHING),
    ATTACK(port_string, EXC_GP),
    ATTACK(port_last, NOTHING),
    ATTACK(operands_in_harness, NOTHING),
    ATTACK(operands_everywhere, NOTHING),
    ATTACK(input_bits, NOTHING),
    ATTACK(every_code, NOTHING),
    ATTACK(ipi_to_absent, NOTHING),
    ATTACK(ex_sets, NOTHING),
    ATTACK(endless_list, NOTHING),
    ATTACK(racing_operands, NOTHING),
    ATTACK(prefixed_call, NOTHING),
    ATTACK(self_modified_call, NOTHING),
    ATTACK(call_from_ring3, EXC_UD),
    ATTACK(ipi_storm, NOTHING),
    ATTACK(ipi_modes, NOTHING),
    ATTACK(timer_storm, NOTHING),
    ATTACK(deadline_nonsense, NOTHING),
    ATTACK(nmi_to_self, NOTHING),
    ATTACK(init_to_absent, NOTHING),
};

// ---- attacks that no guest survives -----------------------------------------------------------------------------

static void fatal(uint32_t which)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) none = {0, 0};
    switch (which) {
    case 1: // triple fault
        __asm__ volatile("lidt %0; int3" : : "m"(none));
        break;
    case 2: // page tables that are not there
        __asm__ volatile("mov %0, %%cr3" : : "r"(0xC8000000ull) : "memory");
        break;
    case 3: // not write-through without caches off
        __asm__ volatile("mov %%cr0, %%rax; btsq $29, %%rax; btrq $30, %%rax; mov %%rax, %%cr0; cpuid"
                         :
                         :
                         : "rax", "rbx", "rcx", "rdx");
        break;
    case 4: // reserved bits of CR3
        __asm__ volatile("mov %0, %%cr3; cpuid"
                         :
                         : "r"((1ull << 62) | (uintptr_t)pml4)
                         : "rax", "rbx", "rcx", "rdx", "memory");
        break;
    case 5: // asleep for ever: the time limit ends it
        __asm__ volatile("cli; hlt");
        break;
    case 6: // reset by the keyboard controller
        out8(0x64, 0xFE);
        break;
    case 7: // INIT to ourselves
        ipi(0, 0xC500);
        for (;;)
            pause();
    default:
        break;
    }
    put("fatal attack %u was not fatal\n", which);
    failure(50 + which);
}

void guest_main(void)
{
    hyperv_on();
    others = option("vps", 1) - 1;
    start_others(others + 1);
    if (option("fatal", 0) != 0)
        fatal(option("fatal", 0));
    uint32_t count = 0;
    check(msr_attacks(&count), "all classes of MSRs");
    for (uint32_t i = 0; i < sizeof attacks / sizeof attacks[0]; i++) {
        uint32_t before = failures;
        int got = catch_fault(attacks[i].body);
        pdpt[3] = (uintptr_t)pd[3] | 3;
        __asm__ volatile("mov %%cr3, %%rax; mov %%rax, %%cr3" : : : "rax", "memory");
        count++;
        if (got != attacks[i].expect && attacks[i].expect != ANY) {
            put("%s: exception %u, expected %u\n", attacks[i].name, (uint32_t)got,
                (uint32_t)attacks[i].expect);
            failures++;
        }
        put("%s: %s\n", failures == before ? "ok" : "FAIL", attacks[i].name);
    }
    put("%u attacks, %u failures\n", count, failures);
}

void guest_ap(uint32_t vp)
{
    for (uint64_t i = vp;; i = i * 6364136223846793005 + 1442695040888963407)
        if (__atomic_load_n(&racing, __ATOMIC_RELAXED) != 0)
            __atomic_store_n(&operands[i >> 32 & 7], (i & 1) != 0 ? i : i >> 60, __ATOMIC_RELAXED);
        else
            pause();
}
