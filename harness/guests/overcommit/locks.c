// SPDX-License-Identifier: BSD-2-Clause
// A lock that is taken in turn, the worst for VPs that cannot all run: the next one in turn has to get a processor. Some of
// the holders give way while they hold it, so that all others spin for a lock whose holder does not run.
#include "overcommit.h"

enum spin { BY_PAUSE, BY_NOTIFYING, BY_NOTHING };
enum { ROUNDS = 2, HOLDER_GIVES_WAY = 4 }; // every fourth VP

uint32_t notified;
static enum spin spin;
static struct {
    uint32_t next, serving;
} turn;
static uint32_t held, given; // changed by the holder only

static void spin_once(void)
{
    if (spin == BY_PAUSE)
        pause();
    else if (spin == BY_NOTIFYING)
        give_way();
}

static uint32_t draw_number(void)
{
    return __atomic_fetch_add(&turn.next, 1u, __ATOMIC_RELAXED);
}

static void with_lock(uint32_t number, uint32_t mine)
{
    while (__atomic_load_n(&turn.serving, __ATOMIC_ACQUIRE) != mine)
        spin_once();
    uint32_t was = held;
    if (number == 0) // until all others spin
        while (__atomic_load_n(&turn.next, __ATOMIC_ACQUIRE) - mine < vp_total)
            spin_once();
    if (number % HOLDER_GIVES_WAY == 0) {
        give_way();
        given++;
    }
    held = was + 1;
    __atomic_store_n(&turn.serving, mine + 1, __ATOMIC_RELEASE);
}

void take_lock_often(uint32_t number)
{
    for (uint32_t i = 0; i < ROUNDS; i++)
        with_lock(number, draw_number());
}

static void contend(enum spin how, const char *what)
{
    wait_until_asleep();
    spin = how;
    held = given = 0;
    notified = 0;
    note();
    uint32_t first = draw_number();
    start_job(LOCK);
    with_lock(0, first);
    while (!all_done())
        spin_once();
    uint32_t yields = since(EV_YIELD), preemptions = since(EV_PREEMPT), switches = since(EV_SWITCH);
    put("%s: lock taken %u times, %u times the holder gave way; %u notices, %u yields, %u preemptions\n",
        what, held, given, notified, yields, preemptions);
    check(held == 1 + (vp_total - 1) * ROUNDS, "the lock was handed on to everyone");
    // Of the others, which all spin for the lock of VP 0, as many have left their processors as did not find one; some of
    // them, on a busy machine, at the end of their slice.
    uint32_t left = vp_total - option("pcpus", 1);
    if (how == BY_PAUSE)
        check(yields - notified >= left / 2 && yields - notified + preemptions >= left &&
                  switches >= yields - notified + preemptions,
              "who spins by PAUSE gives way");
    else
        check(yields == notified, "each notice gives way, and nothing else does");
}

void locks(void)
{
    contend(BY_PAUSE, "spinning by PAUSE");
    contend(BY_NOTIFYING, "spinning by NotifyLongSpinWait");
    contend(BY_NOTHING, "spinning without a word");
}
