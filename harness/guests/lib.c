// SPDX-License-Identifier: BSD-2-Clause
#include "lib.h"
#include <stdarg.h>

enum { COM1 = 0x3F8, TEST_PORT = 0xF4, X2_EOI = 0x80B, X2_SVR = 0x80F, X2_ICR = 0x830, X2_ID = 0x802 };

uint32_t failures, checks;
uint64_t caught_error;
uint64_t operands[512] __attribute__((aligned(4096)));
static uint8_t hypercall_code[4096] __attribute__((aligned(4096)));
static struct lock console;

extern const char *guest_command_line;
extern const char guest_stubs[];
void guest_start(void);
void idt_load(void);
void guest_interrupt(struct frame *f);

// ---- console ----------------------------------------------------------------------------------------------------

static void put_char(char c)
{
    out8(COM1, (uint8_t)c);
}

static void put_number(uint64_t v, unsigned base)
{
    char digits[20];
    unsigned n = 0;
    do {
        digits[n++] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v != 0);
    while (n > 0)
        put_char(digits[--n]);
}

void put(const char *f, ...)
{
    va_list args;
    va_start(args, f);
    lock(&console);
    for (; *f != 0; f++) {
        if (*f != '%') {
            put_char(*f);
            continue;
        }
        f++;
        bool is_long = *f == 'l';
        if (is_long)
            f++;
        if (*f == 's')
            for (const char *s = va_arg(args, const char *); *s != 0; s++)
                put_char(*s);
        else
            put_number(is_long ? va_arg(args, unsigned long) : va_arg(args, unsigned), *f == 'u' ? 10 : 16);
    }
    unlock(&console);
    va_end(args);
}

_Noreturn static void leave(uint32_t code)
{
    out32(TEST_PORT, code);
    for (;;)
        __asm__ volatile("cli; hlt");
}

_Noreturn void success(void)
{
    leave(0);
}

_Noreturn void failure(uint32_t code)
{
    leave(code);
}

void check(bool good, const char *what)
{
    put("%s: %s\n", good ? "ok" : "FAIL", what);
    checks++;
    if (!good)
        failures++;
}

uint32_t counted(uint16_t port)
{
    return in32(port);
}

uint32_t option(const char *name, uint32_t otherwise)
{
    for (const char *o = guest_command_line; *o != 0; o++) {
        uint32_t i = 0;
        while (name[i] != 0 && o[i] == name[i])
            i++;
        if (name[i] == 0 && o[i] == '=') {
            uint32_t v = 0;
            for (o += i + 1; *o >= '0' && *o <= '9'; o++)
                v = v * 10 + (uint32_t)(*o - '0');
            return v;
        }
    }
    return otherwise;
}

// ---- interrupts -------------------------------------------------------------------------------------------------

struct gate {
    uint16_t low, selector, attributes, mid;
    uint32_t high, reserved;
};
static struct gate idt[256];
static uint32_t tss[26];
static struct catcher {
    bool armed;
    uint64_t rip, rsp, rbp;
    int vector;
    void (*body)(void);
} catcher;

void idt_load(void)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) p = {sizeof idt - 1, (uintptr_t)idt};
    __asm__ volatile("lidt %0" : : "m"(p));
}

void (*on_breakpoint)(struct frame *);
void (*on_interrupt)(uint32_t vector);

void guest_interrupt(struct frame *f)
{
    if (f->vector < 32) {
        if (f->vector == EXC_BP && on_breakpoint != 0) {
            on_breakpoint(f);
            return;
        }
        if (catcher.armed && f->vector != EXC_NMI) {
            catcher.armed = false;
            catcher.vector = (int)f->vector;
            caught_error = f->error;
            f->rip = catcher.rip;
            f->rsp = catcher.rsp;
            f->rbp = catcher.rbp;
            f->cs = 0x08;
            f->ss = 0x10;
            f->rflags = 2;
            return;
        }
        if (f->vector != EXC_NMI) {
            put("unexpected exception %lu (error %lx) at %lx\n", f->vector, f->error, f->rip);
            failure(99);
        }
    }
    if (f->vector >= 32 && on_interrupt != 0)
        on_interrupt((uint32_t)f->vector);
    interrupts[me()][f->vector]++;
    if (f->vector >= 32)
        eoi();
}

// Callee-saved registers are clobbered as far as the compiler is concerned: a fault may come at any place.
__attribute__((noinline)) int catch_fault(void (*body)(void))
{
    volatile struct catcher outer = catcher; // of the body that we are part of, if any
    catcher.body = body;
    __asm__ volatile("lea 1f(%%rip), %%rax\n\t"
                     "mov %%rax, %0\n\t"
                     "mov %%rsp, %1\n\t"
                     "mov %%rbp, %2\n\t"
                     "movl $-1, %3\n\t"
                     "movb $1, %4\n\t"
                     "call *%5\n"
                     "1:"
                     : "=m"(catcher.rip), "=m"(catcher.rsp), "=m"(catcher.rbp), "=m"(catcher.vector),
                       "=m"(catcher.armed)
                     : "m"(catcher.body)
                     : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
                       "r14", "r15", "memory", "cc");
    int vector = catcher.vector;
    catcher = outer;
    return vector;
}

static void (*user_body)(void);

static void become_user(void)
{
    pml4[0] |= 4;
    pdpt[0] |= 4;
    for (uint32_t i = 0; i < 8; i++)
        pd[0][i] |= 4;
    __asm__ volatile("mov %%cr3, %%rax; mov %%rax, %%cr3" : : : "rax", "memory");
    static uint8_t stack[2048] __attribute__((aligned(16)));
    __asm__ volatile("pushq $0x23; pushq %0; pushq $2; pushq $0x2B; lea 1f(%%rip), %%rax; push %%rax; iretq\n"
                     "1: call *%1"
                     :
                     : "r"(stack + sizeof stack), "r"(user_body)
                     : "rax", "memory");
}

int catch_fault_as_user(void (*body)(void))
{
    user_body = body;
    return catch_fault(become_user);
}

void interrupts_on(void)
{
    __asm__ volatile("sti; nop" : : : "memory");
}

void interrupts_off(void)
{
    __asm__ volatile("cli" : : : "memory");
}

// ---- APIC -------------------------------------------------------------------------------------------------------

void apic_on(void)
{
    wrmsr(MSR_APIC_BASE, rdmsr(MSR_APIC_BASE) | 0xC00);
    wrmsr(X2_SVR, 0x1FF);
}

uint32_t my_id(void)
{
    return (uint32_t)rdmsr(X2_ID);
}

uint32_t *volatile eoi_words[EOI_WORDS];
volatile uint32_t eois_spared[EOI_WORDS];

void eoi(void)
{
    uint32_t number = me(), *word = number < EOI_WORDS ? eoi_words[number] : 0;
    if (word != 0 && (__atomic_fetch_and(word, ~1u, __ATOMIC_SEQ_CST) & 1) != 0)
        eois_spared[number]++;
    else
        wrmsr(X2_EOI, 0);
}

void ipi(uint32_t apic_id, uint32_t low)
{
    wrmsr(X2_ICR, (uint64_t)apic_id << 32 | low);
}

// ---- Hyper-V ----------------------------------------------------------------------------------------------------

void hyperv_on(void)
{
    wrmsr(0x40000000, 0x8100000601000000);
    wrmsr(0x40000001, (uintptr_t)hypercall_code | 1);
}

uint64_t hypercall(uint64_t input, uint64_t rdx, uint64_t r8_value)
{
    uint64_t result;
    register uint64_t r8 __asm__("r8") = r8_value;
    __asm__ volatile("call *%[page]"
                     : "=a"(result), "+c"(input), "+d"(rdx), "+r"(r8)
                     : [page] "r"((uintptr_t)hypercall_code)
                     : "r9", "r10", "r11", "memory", "cc");
    return result;
}

// ---- start ------------------------------------------------------------------------------------------------------

void guest_start(void)
{
    for (uint32_t v = 0; v < 256; v++) {
        uintptr_t stub = (uintptr_t)guest_stubs + v * 16;
        idt[v] = (struct gate){(uint16_t)stub,         0x08, v == 3 ? 0xEE00 : 0x8E00, (uint16_t)(stub >> 16),
                               (uint32_t)(stub >> 32), 0};
    }
    // A task state segment, so that exceptions at CPL 3 find a stack.
    static uint8_t ring0_stack[8192] __attribute__((aligned(16)));
    tss[1] = (uint32_t)(uintptr_t)(ring0_stack + sizeof ring0_stack);
    uint64_t base = (uintptr_t)tss;
    gdt[6] = (sizeof tss - 1) | (base & 0xFFFFFF) << 16 | 0x89ull << 40 | (base >> 24 & 0xFF) << 56;
    gdt[7] = base >> 32;
    __asm__ volatile("ltr %w0" : : "r"(0x30));
    idt_load();
    if ((cpuid(1, 0).ecx & 1u << 21) != 0) { // not on QEMU alone, where one processor will have to do
        vps_find();
        apic_on();
    }
    guest_main();
    if (failures != 0)
        failure(1);
    success();
}

__attribute__((weak)) void guest_ap(uint32_t vp)
{
    (void)vp;
}

void *memcpy(void *to, const void *from, unsigned long n);
void *memcpy(void *to, const void *from, unsigned long n)
{
    void *p = to;
    __asm__ volatile("rep movsb" : "+D"(p), "+S"(from), "+c"(n) : : "memory");
    return to;
}
void *memset(void *to, int c, unsigned long n);
void *memset(void *to, int c, unsigned long n)
{
    void *p = to;
    __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(c) : "memory");
    return to;
}
