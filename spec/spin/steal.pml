/* SPDX-License-Identifier: BSD-2-Clause */
/* The flush by the preempted byte of the steal time record, explored exhaustively: every order of the accesses to the byte
   by the host of one VP, which moves it MOVES times, and by SENDERS other VPs, each of which asks for ROUNDS flushes.
   The faults that this must find are switched on by macros (spec/spin/run). */

#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef MOVES
#define MOVES 5
#endif

byte preempted;             /* bit 0: kept from running; bit 1: to flush */
bool old[SENDERS];          /* the VP may hold a translation older than the sender's request */
bool dropped[SENDERS];      /* the sender has left the flush to the host */

inline execute() {                                  /* KV-STEAL-7 */
    atomic {
        i = 0;
        do
        :: i < SENDERS -> assert(!(dropped[i] && old[i])); i++
        :: else -> break
        od
    }
}

inline flush_all() {
    atomic {
        i = 0;
        do
        :: i < SENDERS -> old[i] = false; i++
        :: else -> break
        od
    }
}

inline mark() {                                     /* KV-STEAL-4 */
#ifdef FAULT_STORE_ON_LEAVE                         /* a plain store: what was asked in between is lost */
    preempted = 1
#else
    atomic { if :: preempted == 0 -> preempted = 1 :: else fi }
#endif
}

active proctype host() {
    byte moves = 0, found, i;
inside:
    execute();
    if
    :: moves == MOVES -> goto over
    :: moves < MOVES -> moves++; goto halfway
    :: moves < MOVES -> moves++; goto between
    fi;
halfway:                                            /* in the middle of an instruction that the host goes on with */
#ifdef FAULT_MARK_HALFWAY
    mark();
#endif
    execute();
    if
    :: goto inside
    :: goto between
    fi;
between:
    if
    :: goto inside
    :: goto aside
    :: goto exchange
    fi;
aside:
    mark();
    if
    :: moves < MOVES -> moves++; goto aside         /* set aside again before it has run */
    :: goto exchange
    fi;
exchange:
#ifdef FAULT_FLUSH_FIRST                            /* what is asked between the flush and the exchange is lost */
    found = preempted;
    if :: found >= 2 -> flush_all() :: else fi;
    preempted = 0;
#else
    atomic { found = preempted; preempted = 0 };    /* KV-STEAL-1 */
#ifndef FAULT_NO_FLUSH
    if :: found >= 2 -> flush_all() :: else fi;     /* KV-STEAL-2, KV-STEAL-3 */
#endif
#endif
    if
    :: goto inside
    :: moves < MOVES -> moves++; goto aside
    fi;
over:
    skip
}

active [SENDERS] proctype sender() {
    byte me = _pid - 1, rounds = 0, seen;
    do
    :: rounds < ROUNDS ->
        rounds++;
        old[me] = true;                             /* it has changed its page tables */
        seen = preempted;                           /* KV-STEAL-5 */
        if
        :: seen % 2 == 1 ->
#ifdef FAULT_BLIND_OR                               /* no compare: the VP may be inside by now */
            atomic { preempted = preempted | 2; dropped[me] = true }
#else
            atomic { if :: preempted == seen -> preempted = seen | 2; dropped[me] = true :: else fi } /* KV-STEAL-6 */
#endif
        :: else
        fi;
        dropped[me] = false
    :: else -> break
    od
}
