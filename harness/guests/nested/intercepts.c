// SPDX-License-Identifier: BSD-2-Clause
// Each intercept that QEMU has (APM vol. 2, 15.9 and 15.12): with it L2 stops at the instruction, without it L2 goes on.
#include "l1.h"

// How a row is tried: both ways, or only with the intercept, as L2 would not come to its VMMCALL without.
enum how { BOTH, WITH };
struct row {
    const char *name;
    const uint8_t *code, *at; // L2's start, and the instruction
    uint32_t exit;            // also the intercept's place in the block's words
    enum how how;
};

// X(name, what goes before, the instruction, exit code, how)
#define EXCEPTIONS(X)                                                                                        \
    X(divide, "xor %edx, %edx; xor %ecx, %ecx", "div %ecx", 0x40, WITH)                                      \
    X(single_step, "pushf; orl $0x100, (%rsp); popf; nop", "nop", 0x41, WITH)                                \
    X(ud2, "nop", "ud2", 0x46, WITH)                                                                         \
    X(no_fpu, "mov %cr0, %rax; or $8, %eax; mov %rax, %cr0", "fnop", 0x47, WITH)                             \
    X(bad_selector, "mov $0xFFF8, %eax", "mov %eax, %ds", 0x4D, WITH)                                        \
    X(not_canonical, "mov $1, %eax; shl $63, %rax", "mov (%rax), %eax", 0x4D, WITH)                          \
    X(not_mapped, "mov $1, %eax; shl $46, %rax", "mov (%rax), %eax", 0x4E, WITH)
#define REGISTERS(X)                                                                                         \
    X(cr0_read, "", "mov %cr0, %rax", 0x00, BOTH)                                                            \
    X(cr3_read, "", "mov %cr3, %rax", 0x03, BOTH)                                                            \
    X(cr4_read, "", "mov %cr4, %rax", 0x04, BOTH)                                                            \
    X(cr8_read, "", "mov %cr8, %rax", 0x08, BOTH)                                                            \
    X(smsw, "", "smsw %ax", 0x00, BOTH)                                                                      \
    X(cr0_write, "mov %cr0, %rax", "mov %rax, %cr0", 0x10, BOTH)                                             \
    X(lmsw, "smsw %ax", "lmsw %ax", 0x10, BOTH)                                                              \
    X(clts, "", "clts", 0x10, BOTH)                                                                          \
    X(cr3_write, "mov %cr3, %rax", "mov %rax, %cr3", 0x13, BOTH)                                             \
    X(cr4_write, "mov %cr4, %rax", "mov %rax, %cr4", 0x14, BOTH)                                             \
    X(cr8_write, "mov %cr8, %rax", "mov %rax, %cr8", 0x18, BOTH)                                             \
    X(cr0_selective, "mov %cr0, %rax; btc $16, %rax", "mov %rax, %cr0", 0x65, BOTH)                          \
    X(dr0_read, "", "mov %dr0, %rax", 0x20, BOTH)                                                            \
    X(dr6_read, "", "mov %dr6, %rax", 0x26, BOTH)                                                            \
    X(dr7_read, "", "mov %dr7, %rax", 0x27, BOTH)                                                            \
    X(dr0_write, "mov %dr0, %rax", "mov %rax, %dr0", 0x30, BOTH)                                             \
    X(dr7_write, "mov %dr7, %rax", "mov %rax, %dr7", 0x37, BOTH)                                             \
    X(sidt, "sub $16, %rsp", "sidt (%rsp)", 0x66, BOTH)                                                      \
    X(sgdt, "sub $16, %rsp", "sgdt (%rsp)", 0x67, BOTH)                                                      \
    X(sldt, "", "sldt %ax", 0x68, BOTH)                                                                      \
    X(str, "", "str %ax", 0x69, BOTH)                                                                        \
    X(lidt, "sub $16, %rsp; sidt (%rsp)", "lidt (%rsp)", 0x6A, BOTH)                                         \
    X(lgdt, "sub $16, %rsp; sgdt (%rsp)", "lgdt (%rsp)", 0x6B, BOTH)                                         \
    X(lldt, "xor %eax, %eax", "lldt %ax", 0x6C, BOTH)                                                        \
    X(ltr, "mov $0x30, %eax", "ltr %ax", 0x6D, WITH)
#define INSTRUCTIONS(X)                                                                                      \
    X(rdtsc, "", "rdtsc", 0x6E, BOTH)                                                                        \
    X(rdpmc, "xor %ecx, %ecx", "rdpmc", 0x6F, WITH)                                                          \
    X(pushf, "", "pushf", 0x70, BOTH)                                                                        \
    X(popf, "pushf", "popf", 0x71, BOTH)                                                                     \
    X(cpuid, "xor %eax, %eax", "cpuid", 0x72, BOTH)                                                          \
    X(iret, "mov %rsp, %rax; push $0x10; push %rax; pushf; push $8; lea 1f(%rip), %rcx; push %rcx",          \
      "iretq; 1:", 0x74, BOTH)                                                                               \
    X(intn, "", "int $0x80", 0x75, WITH)                                                                     \
    X(pause, "", "pause", 0x77, BOTH)                                                                        \
    X(hlt, "", "hlt", 0x78, WITH)                                                                            \
    X(invlpg, "xor %eax, %eax", "invlpg (%rax)", 0x79, BOTH)                                                 \
    X(invlpga, "xor %eax, %eax; mov $1, %ecx", "invlpga %rax, %ecx", 0x7A, BOTH)                             \
    X(vmload, "lea block(%rip), %rax", "vmload", 0x82, WITH)                                                 \
    X(vmsave, "lea block(%rip), %rax", "vmsave", 0x83, WITH)                                                 \
    X(stgi, "", "stgi", 0x84, BOTH)                                                                          \
    X(clgi, "", "clgi", 0x85, WITH)                                                                          \
    X(skinit, "xor %eax, %eax", "skinit", 0x86, WITH)                                                        \
    X(wbinvd, "", "wbinvd", 0x89, BOTH)                                                                      \
    X(monitor, "lea block(%rip), %rax; xor %ecx, %ecx; xor %edx, %edx", "monitor", 0x8A, WITH)               \
    X(mwait, "xor %eax, %eax; xor %ecx, %ecx", "mwait", 0x8B, WITH)

// L2's code: outside any function, as what goes before may use the stack and any register.
#define CODE(name, before, instruction, code, how)                                                           \
    __asm__(".text\ncode_" #name ": " before "\nat_" #name ": " instruction "\n vmmcall; hlt\n");            \
    extern const uint8_t code_##name[], at_##name[];
#define ONE(name, before, instruction, code, how)                                                            \
    {                                                                                                        \
#        name, code_##name, at_##name, code, how                                                             \
    }
#define ROW(name, before, instruction, code, how) ONE(name, before, instruction, code, how),
#define INVD(X)                                   X(invd, "", "invd", 0x76, BOTH)
INVD(CODE)
EXCEPTIONS(CODE)
REGISTERS(CODE)
INSTRUCTIONS(CODE)
static const struct row invd = INVD(ONE);
static const struct row exceptions[] = {EXCEPTIONS(ROW)}, registers[] = {REGISTERS(ROW)},
                        instructions[] = {INSTRUCTIONS(ROW)};

static void try_one(const struct row *r)
{
    uint32_t *words = &block[0].cr_intercepts; // six words, one after the other
    l2_fresh(0, (void (*)(void))(uintptr_t)r->code);
    l2_gates(0); // what nobody expects ends it as well
    words[r->exit / 32] |= 1u << r->exit % 32;
    l2_run(0);
    expect(block[0].exit_code == r->exit && block[0].rip == (uintptr_t)r->at,
           joined(r->name, "exits where it is intercepted"));
    if (r->how == WITH)
        return;
    l2_watched(0, (void (*)(void))(uintptr_t)r->code);
    expect(l2_run(0) == EXIT_VMMCALL, joined(r->name, "goes on where it is not"));
}

static void step_exceptions(void)
{
    for (uint32_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        try_one(&exceptions[i]);
    skip("int3", "QEMU takes INT3 for INT n, which has another intercept");
}

static void step_registers(void)
{
    for (uint32_t i = 0; i < sizeof registers / sizeof *registers; i++)
        try_one(&registers[i]);
}

static void step_instructions(void)
{
    for (uint32_t i = 0; i < sizeof instructions / sizeof *instructions; i++)
        try_one(&instructions[i]);
    if (on_proviso)
        try_one(&invd);
    else
        skip("invd", "QEMU takes it for WBINVD");
    skip("ICEBP, RDTSCP, RDPRU, INVPCID", "QEMU does not have these intercepts");
    skip("XSETBV", "it faults without CR4.OSXSAVE, which is not offered here, before any intercept");
}

void steps_intercepts(void)
{
    attempt("intercepts: exceptions", step_exceptions);
    attempt("intercepts: registers", step_registers);
    attempt("intercepts: instructions", step_instructions);
}
