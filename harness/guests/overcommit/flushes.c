// SPDX-License-Identifier: BSD-2-Clause
#include "overcommit.h"
#include "../../svm/vmcb.h"

enum { ROUNDS = 100, BURST = 4, ROUNDS_BESIDE = 5, TRIES = 50 };

// All others, by each of the four calls: two full flushes, two of a page.
static void flush_others(void)
{
    static const uint64_t calls[BURST] = {0x2, 0x100000003, 0x20013, 0x100020014};
    for (uint32_t i = 0; i < BURST; i++) {
        bool ex = i >= 2;
        operands[0] = 0;
        operands[1] = 2; // in all address spaces
        operands[2] = ex ? 0 : OTHERS;
        operands[3] = ex ? 1 : 0x50000000; // bank 0; or the page
        operands[4] = OTHERS;
        operands[5] = 0x50000000;
        if ((uint16_t)hypercall(calls[i], (uintptr_t)operands, 0) != 0)
            failure(6);
    }
}

static bool nobody_noticed(void)
{
    return since(EV_KICK) == 0 && since(EV_WAIT) == 0 && since(EV_WAKE) == 0 && since(EV_HALT) == 0 &&
           since(EV_FLUSH_FULL) == 0 && since(EV_FLUSH_RANGES) == 0;
}

static bool each_took_one(void)
{
    return since(EV_FLUSH_FULL) == vp_total - 1 && since(EV_FLUSH_RANGES) == vp_total - 1 &&
           since(EV_FLUSH_DEFERRED) == vp_total - 1;
}

void flushes_of_sleeping(void)
{
    wait_until_asleep();
    uint32_t halts = counted(COUNT_PORT_EXITS + EXIT_HLT), msrs = counted(COUNT_PORT_EXITS + EXIT_MSR);
    uint32_t calls = counted(COUNT_PORT_EXITS + EXIT_VMMCALL), switches = event(EV_SWITCH);
    note();
    for (uint32_t i = 0; i < ROUNDS; i++)
        flush_others();
    check(nobody_noticed() && event(EV_SWITCH) == switches,
          "VPs asleep: 400 flushes, no kick, no wait, no wake-up");
    check(counted(COUNT_PORT_EXITS + EXIT_VMMCALL) == calls + ROUNDS * BURST &&
              counted(COUNT_PORT_EXITS + EXIT_HLT) == halts && counted(COUNT_PORT_EXITS + EXIT_MSR) == msrs,
          "no exit but those of the calls");
    start_job(REST);
    while (!all_done())
        pause();
    check(each_took_one(), "each took one flush, at its first entry");
    wait_until_asleep();
}

// Until each of the others has executed instructions since the call.
static void let_all_run(void)
{
    for (uint32_t i = 1; i < vp_total; i++)
        beats[i].seen = beats[i].count;
    for (uint32_t i = 1; i < vp_total; i++)
        while (beats[i].count == beats[i].seen)
            give_way();
}

// One processor: while VP 0 runs, nobody else does. When it was preempted in between, once more.
static bool try_alone(void)
{
    let_all_run();
    uint32_t switches = event(EV_SWITCH);
    note();
    flush_others();
    bool unnoticed = nobody_noticed();
    if (event(EV_SWITCH) != switches)
        return false;
    let_all_run();
    check(unnoticed, "VPs preempted: four flushes, no kick, no wait, no wake-up");
    check(each_took_one(), "each took one flush, at its first entry");
    return true;
}

static void alone(void)
{
    let_all_run();
    uint32_t tries = 0, switches = event(EV_SWITCH);
    give_way();
    check(event(EV_SWITCH) - switches >= vp_total, "who gives way comes again after all others");
    while (!try_alone() && ++tries < TRIES)
        ;
    check(tries < TRIES, "four calls in one slice");
}

// Several processors: some of the others run, but never more than there are processors left. (A processor that takes up
// another VP in the middle of a call can cause a wait more.)
static void beside(uint32_t pcpus)
{
    let_all_run();
    note();
    for (uint32_t i = 0; i < ROUNDS_BESIDE; i++)
        flush_others();
    uint32_t waits = since(EV_WAIT);
    let_all_run();
    uint32_t most = ROUNDS_BESIDE * BURST * (pcpus - 1), taken = since(EV_FLUSH_FULL),
             deferred = since(EV_FLUSH_DEFERRED);
    put("%u VPs named in each of %u flushes: %u waits, %u full flushes taken, %u deferred\n", vp_total - 1,
        (uint32_t)(ROUNDS_BESIDE * BURST), waits, taken, deferred);
    check(waits <= 2 * most && since(EV_WAKE) == 0 && since(EV_HALT) == 0,
          "VPs preempted: waits only for those that run, no wake-up");
    check(deferred >= vp_total - pcpus && taken >= vp_total - 1,
          "the others took theirs at their first entry");
}

void flushes_of_preempted(void)
{
    uint32_t pcpus = option("pcpus", 1);
    start_job(RUN);
    if (pcpus == 1)
        alone();
    else
        beside(pcpus);
    __atomic_store_n(&job, REST, __ATOMIC_SEQ_CST);
    while (!all_done())
        pause();
    wait_until_asleep();
}
