// SPDX-License-Identifier: BSD-2-Clause
// The persona "kvm" as a guest meets it: CPUID leaves, each hypercall in its ways to be answered, from 64-bit and 32-bit
// code, steal time with the request to flush, clocks, and the EOI word. Three VPs; VPs 1 and 2 sleep until something comes.
// docs/testing.md names the rules; the rule id stands at each check.
#include "lib.h"

enum { VAPIC_POLL_IRQ = 1, KICK_CPU = 5, CLOCK_PAIRING = 9, SEND_IPI = 10, SCHED_YIELD = 11 };
enum { VECTOR = 0x60, NMI_MODE = 0x400, LEVEL = 0x8000, LOGICAL = 0x800, SHORTHAND = 0x40000 };
enum {
    WALL_CLOCK = 0x4B564D00,
    SYSTEM_TIME = 0x4B564D01,
    ASYNC_PF = 0x4B564D02,
    STEAL_TIME = 0x4B564D03,
    PV_EOI = 0x4B564D04
};
enum { PREEMPTED = 1, FLUSH = 2 };
enum { PATIENCE = 20000000 };
enum { VPS = 3 };
#define REFUSED(error) ((uint64_t) - (int64_t)(error))
enum { EPERM = 1, EINVAL = 22, ENOSYS = 1000 };

static struct {
    uint64_t steal;
    uint32_t version, flags;
    uint8_t preempted, rest[47];
} records[VPS] __attribute__((aligned(64)));
static struct {
    uint32_t version, reserved;
    uint64_t tsc, time;
    uint32_t mul;
    int8_t shift;
    uint8_t flags, reserved2[2];
} clocks[VPS] __attribute__((aligned(64)));
static uint32_t wall[3];
static uint32_t eoi_word[VPS];

static enum { SLEEP, HALT_WITHOUT_INTERRUPTS, RUN, SET_UP } orders[VPS];
static uint32_t halted[VPS], went_on[VPS], ran[VPS];

static uint64_t call(uint64_t number, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct registers r = {.rax = number, .rbx = a0, .rcx = a1, .rdx = a2, .rsi = a3, .rdi = 77, .r8 = 88};
    r.page = (uintptr_t)raw_call;
    call_64(&r);
    if (r.rbx != a0 || r.rcx != a1 || r.rdx != a2 || r.rsi != a3 || r.rdi != 77 || r.r8 != 88)
        check(false, "KV-ABI-2: no register but RAX changes");
    return r.rax;
}

static uint64_t call_from_32(uint64_t number, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3)
{
    struct registers r = {.rax = number, .rbx = a0, .rcx = a1, .rdx = a2, .rsi = a3};
    r.page = (uintptr_t)raw_call;
    call_32(&r);
    return r.rax;
}

static void is(const char *what, uint64_t got, uint64_t want)
{
    if (got != want)
        put("%s: %lx, wanted %lx\n", what, got, want);
    check(got == want, what);
}

static uint32_t seen_before[VPS];

// Each VP must have had `vector` as often as before, and once more if its bit is set in `who`.
static void came(const char *what, uint32_t vector, uint32_t who)
{
    bool good = true;
    for (uint32_t v = 0; v < VPS; v++) {
        uint32_t want = seen_before[v] + (who >> v & 1);
        for (uint32_t i = 0; i < PATIENCE && interrupts[v][vector] != want; i++)
            pause();
        good = good && interrupts[v][vector] == want;
        seen_before[v] = interrupts[v][vector];
    }
    check(good, what);
}

static void count_from_here(uint32_t vector)
{
    for (uint32_t v = 0; v < VPS; v++)
        seen_before[v] = interrupts[v][vector];
}

static void leaves(void)
{
    struct cpuid base = cpuid(0x40000000, 0), features = cpuid(0x40000001, 0), beyond = cpuid(0x40000002, 0);
    check(base.eax == 0x40000001 && base.ebx == 0x4B4D564B && base.ecx == 0x564B4D56 && base.edx == 0x4D,
          "KV-LEAF-1: signature");
    // clock (old, new, stable), no I/O delay, steal time, PV EOI, unhalt, flush, IPIs, yield
    is("KV-LEAF-2: features", features.eax,
       1 << 0 | 1 << 3 | 1 << 24 | 1 << 1 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 9 | 1 << 11 | 1 << 13);
    check(features.ebx == 0 && features.ecx == 0 && features.edx == 0, "KV-LEAF-2: no hints");
    check(beyond.eax == 0 && beyond.ebx == 0 && beyond.ecx == 0 && beyond.edx == 0,
          "KV-LEAF-2: nothing behind them");
}

static struct registers as_user;
static void call_as_user(void)
{
    call_64(&as_user);
    __asm__ volatile("ud2");
}

static void numbers(void)
{
    is("KV-POLL-1: 1 answers 0", call(VAPIC_POLL_IRQ, 0, 0, 0, 0), 0);
    static const uint32_t unknown[] = {0, 2, 3, 4, 6, 7, 8, CLOCK_PAIRING, 12, 13, 0x7FFFFFFF};
    for (uint32_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        is("KV-NUM-2: unknown number", call(unknown[i], 0, 0, 0, 0), REFUSED(ENOSYS));
    is("KV-NUM-2: a number with high bits is another one", call(1ull << 32 | SCHED_YIELD, 0, 0, 0, 0),
       REFUSED(ENOSYS));
    is("KV-ABI-2: from 32-bit code the result has 32 bits", call_from_32(12, 0, 0, 0, 0),
       (uint32_t)REFUSED(ENOSYS));
    is("KV-ABI-1: from 32-bit code 11 is 11", call_from_32(SCHED_YIELD, 1, 0, 0, 0), 0);
    static const uint32_t refused[] = {VAPIC_POLL_IRQ, SEND_IPI, 99};
    for (uint32_t i = 0; i < 3; i++) {
        as_user = (struct registers){.rax = refused[i], .page = (uintptr_t)raw_call};
        int vector = catch_fault_as_user(call_as_user);
        check(vector == EXC_UD, "the caller comes back from CPL 3");
        is("KV-CPL-1: not from CPL 3", as_user.rax, REFUSED(EPERM));
    }
}

static void send_ipis(void)
{
    count_from_here(VECTOR);
    is("KV-IPI-1: one VP", call(SEND_IPI, 1, 0, 1, VECTOR), 1);
    came("KV-IPI-1: and no other", VECTOR, 2);
    is("KV-IPI-1: both", call(SEND_IPI, 6, 0, 0, VECTOR), 2);
    came("KV-IPI-1: both, each once", VECTOR, 6);
    is("KV-IPI-6: the sender too", call(SEND_IPI, 7, 0, 0, VECTOR), 3);
    interrupts_on();
    came("KV-IPI-1: all three", VECTOR, 7);
    interrupts_off();
    is("KV-IPI-6: absent ids are not seen_before", call(SEND_IPI, ~0ull, ~0ull, 1, VECTOR), 2);
    came("KV-IPI-6: and those that are there have it", VECTOR, 6);
    is("KV-IPI-1: nobody is named", call(SEND_IPI, 0, 0, 0, VECTOR), 0);
    is("KV-IDX-1: far beyond the last id", call(SEND_IPI, ~0ull, ~0ull, 0x10000, VECTOR), 0);
    is("KV-IPI-5: ids do not wrap", call(SEND_IPI, 0, ~0ull, 0xFFFFFFC0, VECTOR), 0);
    is("KV-IPI-5: nor in the first word", call(SEND_IPI, ~0ull, 0, 0xFFFFFFFF, VECTOR), 0);
    is("KV-IPI-1: the lowest id has 32 bits", call(SEND_IPI, 1, 0, 1ull << 32 | 1, VECTOR), 1);
    came("KV-IPI-1: it is VP 1", VECTOR, 2);
    is("KV-IPI-1: 32-bit words", call_from_32(SEND_IPI, 6, 0, 0, VECTOR), 2);
    came("KV-IPI-1: 32-bit words", VECTOR, 6);
    is("KV-IPI-2: logical destinations", call(SEND_IPI, 6, 0, 0, LOGICAL | VECTOR), REFUSED(EINVAL));
    is("KV-IPI-2: shorthands", call(SEND_IPI, 6, 0, 0, SHORTHAND | VECTOR), REFUSED(EINVAL));
    is("KV-IPI-2: shorthands from 32-bit code", call_from_32(SEND_IPI, 6, 0, 0, SHORTHAND | VECTOR),
       (uint32_t)REFUSED(EINVAL));
    is("KV-IPI-3: other modes", call(SEND_IPI, 6, 0, 0, 0x500 | VECTOR), REFUSED(EINVAL));
    is("KV-IPI-2: bits 31:24 do not matter", call(SEND_IPI, 2, 0, 0, 0xFF000000 | VECTOR), 1);
    came("KV-IPI-2: bits 31:24 do not matter", VECTOR, 2);
    is("KV-IPI-4: level, not asserted", call(SEND_IPI, 6, 0, 0, LEVEL | VECTOR), 0);
    came("none of these has come", VECTOR, 0);
    count_from_here(EXC_NMI);
    is("KV-NMI-1: NMIs", call(SEND_IPI, 6, 0, 0, NMI_MODE), 2);
    came("KV-NMI-1: NMIs", EXC_NMI, 6);
    wrmsr(0x80F, 0xFF); // APIC off by software
    is("KV-IPI-7: a disabled APIC accepts nothing", call(SEND_IPI, 1, 0, 0, VECTOR), 0);
    wrmsr(0x80F, 0x1FF);
}

static bool reaches(const uint32_t *what, uint32_t least)
{
    for (uint32_t i = 0; i < PATIENCE; i++) {
        if (__atomic_load_n(what, __ATOMIC_SEQ_CST) >= least)
            return true;
        pause();
    }
    return false;
}

static void order(uint32_t vp, uint32_t what)
{
    __atomic_store_n((uint32_t *)&orders[vp], what, __ATOMIC_SEQ_CST);
    call(SEND_IPI, 1ull << vp, 0, 0, 0x61);
}

static void kicks(void)
{
    for (uint32_t i = 1; i <= 20; i++) {
        order(1, HALT_WITHOUT_INTERRUPTS);
        bool good = reaches(&halted[1], i);                 // it is about to halt
        for (uint32_t wait = 0; wait < i % 4 * 100; wait++) // before its HLT or after
            pause();
        good = good && call(KICK_CPU, ~0ull, 1, 0, 0) == 0 && reaches(&went_on[1], i);
        if (!good) {
            check(false, "KV-KICK-1: a halted VP goes on, and no kick is lost");
            return;
        }
    }
    check(true, "KV-KICK-1: a halted VP goes on, and no kick is lost");
    is("KV-KICK-2: an id that is absent", call(KICK_CPU, 0, 0x7FFF, 0, 0), 0);
    is("KV-KICK-2: an id beyond all", call(KICK_CPU, 0, 0xFFFFFFFF, 0, 0), 0);
    is("KV-YIELD-1", call(SCHED_YIELD, 1, 0, 0, 0), 0);
    is("KV-YIELD-3: to oneself", call(SCHED_YIELD, 0, 0, 0, 0), 0);
    is("KV-YIELD-1: to nobody", call(SCHED_YIELD, 0xFFFFFFFF, 0, 0, 0), 0);
}

static uint32_t bad_msr;
static uint64_t bad_value;
static void write_bad(void)
{
    wrmsr(bad_msr, bad_value);
}
static void refuses(uint32_t msr, uint64_t value, const char *what)
{
    bad_msr = msr;
    bad_value = value;
    check(catch_fault(write_bad) == EXC_GP, what);
}

// A VP that has its pCPU taken away is marked. On one pCPU this VP sees the mark of another that never gives way by itself,
// asks it to flush, and finds the byte 0 when that one has run again.
static void steal_time(void)
{
    for (uint64_t bit = 1; bit < 6; bit++)
        refuses(STEAL_TIME, (uintptr_t)&records[0] | 1 | 1ull << bit,
                "KV-MSR-2: reserved bits of the steal time register");
    refuses(STEAL_TIME, 0xFFFFFFFFFFFC0 | 1, "a steal time record outside memory");
    refuses(ASYNC_PF, 0, "KV-MSR-1: a register that is not offered");
    order(1, SET_UP);
    check(reaches(&ran[1], 1), "VP 1 has set its registers");
    check(rdmsr(STEAL_TIME) == ((uintptr_t)&records[0] | 1), "the steal time register reads as written");
    if (option("steal", 0) == 0)
        return;
    order(1, RUN);
    uint32_t asked = 0, taken = 0;
    for (uint32_t i = 0; i < PATIENCE && taken < 3; i++) {
        uint8_t seen = __atomic_load_n(&records[1].preempted, __ATOMIC_SEQ_CST);
        if (asked > taken && (seen & FLUSH) == 0)
            taken++;
        if (seen == PREEMPTED && __atomic_compare_exchange_n(&records[1].preempted, &seen, PREEMPTED | FLUSH,
                                                             false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            asked++;
    }
    __atomic_store_n((uint32_t *)&orders[1], SLEEP, __ATOMIC_SEQ_CST);
    check(asked >= 3, "KV-STEAL-4: a VP without a pCPU is marked");
    check(taken >= 3, "KV-STEAL-1: and has taken the request when it runs again");
    check(records[1].steal > 0 && records[1].version % 2 == 0 && records[1].flags == 0,
          "the time that it has waited is told");
}

static uint64_t time_now(uint32_t vp)
{
    uint64_t delta = rdtsc() - clocks[vp].tsc;
    delta = clocks[vp].shift < 0 ? delta >> -clocks[vp].shift : delta << clocks[vp].shift;
    return clocks[vp].time + mul_shift(delta, clocks[vp].mul, 32);
}

static void time(void)
{
    wrmsr(SYSTEM_TIME, (uintptr_t)&clocks[0] | 1);
    check(rdmsr(SYSTEM_TIME) == ((uintptr_t)&clocks[0] | 1), "the system time register reads as written");
    check(clocks[0].version % 2 == 0 && clocks[0].mul >> 31 == 1 && clocks[0].flags == 1,
          "KV-CLOCK-1: the clock's record");
    uint64_t last = time_now(0);
    bool forward = true, same = true;
    for (uint32_t i = 0; i < 1000; i++) {
        uint64_t mine = time_now(0), others = time_now(1), again = time_now(0);
        forward = forward && mine >= last && again >= mine;
        same = same && others >= mine && others <= again;
        last = again;
    }
    check(forward, "KV-CLOCK-1: the clock never goes back");
    check(same, "the clocks of two VPs are the same");
    static uint32_t old_style[8];
    wrmsr(0x12, (uintptr_t)old_style | 1);
    check(old_style[6] == clocks[0].mul, "the clock by the old register");
    wrmsr(WALL_CLOCK, (uintptr_t)wall);
    put("wall clock: %u s\n", wall[1]);
    check(wall[0] % 2 == 0 && wall[1] > 1700000000 && wall[2] < 1000000000, "the wall clock");
    wrmsr(SYSTEM_TIME, 0xFFFFFFFFFF000 | 1); // outside memory: nothing is written, nobody is harmed
    wrmsr(WALL_CLOCK, 0xFFFFFFFFFF000);
}

static void eoi_words_too(void)
{
    enum { ROUNDS = 100 };
    refuses(PV_EOI, (uintptr_t)&eoi_word[0] | 2, "KV-MSR-3: reserved bit of the EOI register");
    check(rdmsr(PV_EOI) == 0, "the EOI register is as it was");
    count_from_here(VECTOR);
    uint32_t before = interrupts[1][VECTOR], spared = eois_spared[1];
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        call(SEND_IPI, 2, 0, 0, VECTOR);
        for (uint32_t n = 0; n < PATIENCE && interrupts[1][VECTOR] != before + i; n++)
            pause();
    }
    check(interrupts[1][VECTOR] == before + ROUNDS, "with the EOI word each interrupt comes once");
    put("EOIs spared: %u of %u\n", eois_spared[1] - spared, (uint32_t)ROUNDS);
    check(eois_spared[1] - spared > ROUNDS / 2, "most EOIs are spared");
}

void guest_main(void)
{
    leaves();
    start_others(VPS);
    numbers();
    send_ipis();
    kicks();
    wrmsr(STEAL_TIME, (uintptr_t)&records[0] | 1);
    steal_time();
    time();
    eoi_words_too();
}

void guest_ap(uint32_t vp)
{
    for (;;) {
        interrupts_off();
        switch (__atomic_load_n((uint32_t *)&orders[vp], __ATOMIC_SEQ_CST)) {
        case HALT_WITHOUT_INTERRUPTS:
            orders[vp] = SLEEP;
            __atomic_fetch_add(&halted[vp], 1u, __ATOMIC_SEQ_CST);
            __asm__ volatile("hlt" : : : "memory");
            __atomic_fetch_add(&went_on[vp], 1u, __ATOMIC_SEQ_CST);
            break;
        case SET_UP:
            orders[vp] = SLEEP;
            wrmsr(STEAL_TIME, (uintptr_t)&records[vp] | 1);
            wrmsr(SYSTEM_TIME, (uintptr_t)&clocks[vp] | 1);
            wrmsr(PV_EOI, (uintptr_t)&eoi_word[vp] | 1);
            eoi_words[vp] = &eoi_word[vp];
            ran[vp]++;
            break;
        case RUN: // and never gives way by itself
            interrupts_on();
            while (__atomic_load_n((uint32_t *)&orders[vp], __ATOMIC_SEQ_CST) == RUN)
                ;
            break;
        default:
            __asm__ volatile("sti; hlt" : : : "memory");
        }
    }
}
