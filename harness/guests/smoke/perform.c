// SPDX-License-Identifier: BSD-2-Clause
// One call and its report, in the form of the oracle's requests and answers (docs/model.md), in several lines: "@q" what
// was asked, "@m" the operands in memory, "@x" the XMM registers as far as they are not 0, "@a" what came of it. A
// register that is not named holds MARK ("@q") or what it held before ("@a").
#include "calls.h"

enum { FAST = 1 << 16 };
enum { MARK = 0x5A }; // in registers that a call must not change

static uint32_t before[VPS][256];

static void note_interrupts(void)
{
    for (uint32_t i = 0; i < VPS; i++)
        for (uint32_t v = 0; v < 256; v++)
            before[i][v] = __atomic_load_n(&interrupts[i][v], __ATOMIC_SEQ_CST);
}

// An interrupt of low priority to everybody. When all have had it, what was sent before has come too.
static void barrier(void)
{
    for (uint32_t i = 0; i < VPS; i++)
        ipi(i, BARRIER);
    for (uint32_t i = 0; i < VPS; i++)
        while (__atomic_load_n(&interrupts[i][BARRIER], __ATOMIC_SEQ_CST) == before[i][BARRIER])
            pause();
}

static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8"};
enum { NAMED = sizeof names / sizeof names[0] };

// The registers that differ from `known`.
static void put_registers(const struct registers *r, const struct registers *known)
{
    const uint64_t *value = &r->rax, *old = &known->rax;
    const char *comma = "";
    put("\"regs\":{");
    for (uint32_t i = 0; i < NAMED; i++)
        if (value[i] != old[i]) {
            put("%s\"%s\":\"%lx\"", comma, names[i], value[i]);
            comma = ",";
        }
    put("}");
}

static void put_words(char kind, const uint64_t *words, uint32_t count)
{
    while (kind == 'x' && count > 0 && words[count - 1] == 0)
        count--;
    for (uint32_t i = 0; i < count; i += 8) {
        put(kind == 'm' ? "@m " : "@x ");
        for (uint32_t k = i; k < i + 8 && k < count; k++)
            put("\"%lx\" ", words[k]);
        put("\n");
    }
}

static void put_question(uint32_t caller, const struct registers *r, const char *mode)
{
    static const struct registers marked = {MARK, MARK, MARK, MARK, MARK, MARK, MARK, {0}, 0};
    put("@q {\"vp\":%u,\"mode\":{%s},", caller, mode);
    put_registers(r, &marked);
    put("}\n");
}

static void put_answer(const char *ends, const struct registers *r, const struct registers *asked)
{
    put("@a {\"ends\":\"%s\",", ends);
    put_registers(r, asked);
    put(",\"told\":[");
    const char *comma = "";
    for (uint32_t i = 0; i < VPS; i++)
        for (uint32_t v = FIRST_VECTOR; v < 256; v++)
            for (uint32_t n = __atomic_load_n(&interrupts[i][v], __ATOMIC_SEQ_CST) - before[i][v]; n > 0;
                 n--) {
                put("%s{\"vp\":%u,\"vector\":%u}", comma, i, v);
                comma = ",";
            }
    put("]}\n");
}

// How much memory the input value asks for, as far as one page holds it.
static uint32_t memory_asked(uint64_t input, uint64_t address)
{
    uint64_t base = (uintptr_t)operands;
    if (address < base || address >= base + sizeof operands)
        return 0;
    uint32_t asked = 4 + (uint32_t)(input >> 17 & 0x3FF) + (uint32_t)(input >> 32 & 0xFFF);
    uint32_t there = (uint32_t)(base + sizeof operands - address) / 8;
    return asked < there ? asked : there;
}

static struct registers registers_of(const struct trial *t, enum form form, uint64_t address)
{
    bool fast = form == FAST_64 || form == FAST_32;
    uint64_t input = t->input | (fast ? FAST : 0);
    uint64_t first = fast ? t->operand[0] : address, second = fast ? t->operand[1] : MARK;
    struct registers r = {
        .rax = MARK, .rbx = MARK, .rcx = input, .rdx = first, .rsi = MARK, .rdi = MARK, .r8 = second};
    if (form == MEMORY_32 || form == FAST_32)
        r = (struct registers){.rax = (uint32_t)input,
                               .rbx = first >> 32,
                               .rcx = (uint32_t)first,
                               .rdx = input >> 32,
                               .rsi = (uint32_t)second,
                               .rdi = second >> 32,
                               .r8 = MARK};
    for (uint32_t i = 0; i < 12; i++)
        r.xmm[i] = t->operand[2 + i];
    return r;
}

static uint64_t hypercall_page(void)
{
    return rdmsr(0x40000001) & ~0xFFFull;
}

void perform(uint32_t caller, const struct trial *t, enum form form)
{
    bool fast = form == FAST_64 || form == FAST_32, is_32 = form == MEMORY_32 || form == FAST_32;
    uint64_t address = t->address == OPERANDS_AT ? (uintptr_t)operands : t->address;
    const struct registers asked = registers_of(t, form, address);
    struct registers r = asked;
    for (uint32_t i = 0; i < MOST_OPERANDS; i++)
        operands[i] = t->operand[i];
    put_question(caller, &r, is_32 ? "\"long\":0" : "\"long\":1");
    if (fast)
        put_words('x', r.xmm, 12);
    else
        put_words('m', (const uint64_t *)address, memory_asked(t->input, address));
    note_interrupts();
    r.page = hypercall_page();
    if (is_32)
        call_32(&r);
    else
        call_64(&r);
    barrier();
    put_answer("done", &r, &asked);
}

// ---- callers that have no right to: #UD -------------------------------------------------------------------------

static struct registers refused;

static void call_raw(void)
{
    refused.page = (uintptr_t)raw_call;
    call_64(&refused);
}

static void expect_refusal(int (*catch)(void (*)(void)), const char *mode)
{
    static const struct trial flush_all = {0x2, OPERANDS_AT, {0, 3, 0}};
    refused = registers_of(&flush_all, MEMORY_64, (uintptr_t)operands);
    operands[0] = operands[2] = 0;
    operands[1] = 3;
    put_question(0, &refused, mode);
    put_words('m', operands, 4);
    note_interrupts();
    const struct registers asked = refused;
    int vector = catch (call_raw);
    put_answer(vector == EXC_UD ? "ud" : "done", &refused, &asked);
}

void perform_unidentified(void)
{
    expect_refusal(catch_fault, "\"identified\":0");
}

void perform_as_user(void)
{
    expect_refusal(catch_fault_as_user, "\"cpl\":3");
}
