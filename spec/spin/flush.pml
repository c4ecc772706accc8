/* SPDX-License-Identifier: BSD-2-Clause */
/* The flush protocol for N VPs, explored exhaustively: every order of the accesses to shared words. Each VP enters the
   guest ENTRIES times, in either context, and the first CALLERS of them make one call that flushes one context of every
   VP, the caller included.
   The faults that this must find are switched on by macros (spec/spin/run). */

#ifndef N
#define N 2
#endif
#ifndef ENTRIES
#define ENTRIES 2
#endif
#ifndef CALLERS
#define CALLERS N
#endif
#define AT(v, i) ((v) * N + (i))
#define PEND(v, c) pending[(v) * 2 + (c)]

byte word[N];                /* PR-RUN-1: odd while the VP is in the guest */
bool pending[N * 2];        /* the marks of each VP and context */
bool old[N * N];            /* VP v may hold a translation older than call k */
bool returned[N];           /* call k has returned */
bit  means[N];              /* the context that call k flushes */

inline take_and_flush(again) {
    atomic {
        if
        :: PEND(me, context) -> again = true;
#ifndef FAULT_TAKE_LATE
           PEND(me, context) = false
#endif
        :: else -> again = false
        fi
    }
    if
    :: again ->
        atomic {                                   /* PR-TAKE-1 */
            i = 0;
            do
            :: i < N -> if :: means[i] == context -> old[AT(me, i)] = false :: else fi; i++
            :: else -> break
            od
        }
#ifdef FAULT_TAKE_LATE
        PEND(me, context) = false                  /* cleared after the flush: a mark set in between is lost */
#endif
    :: else
    fi
}

inline execute() {                                 /* PR-SAFE-1 */
    atomic {
        i = 0;
        do
        :: i < N -> assert(!(returned[i] && means[i] == context && old[AT(me, i)])); i++
        :: else -> break
        od
    }
}

inline enter_guest() {
    select(context : 0 .. 1);
#ifdef FAULT_NO_TARGET_BARRIER                     /* the load of the marks may pass the store of the run word */
    if
    :: word[me]++
    :: take_and_flush(again); word[me]++; goto clear
    fi;
#else
    word[me]++;
#endif
    do
    :: take_and_flush(again); if :: again :: else -> break fi      /* PR-ENTER-1 */
    od;
clear:
    execute();
    execute();
    word[me]++
}

inline look(v) {                                   /* PR-LOOK-1 */
    atomic { seen[v] = word[v] }
}

inline make_call() {
    select(context : 0 .. 1);
    atomic {                                       /* the caller changes its page tables, then calls */
        means[me] = context;
        v = 0;
        do :: v < N -> old[AT(v, me)] = true; v++ :: else -> break od
    }
    v = 0;
    do
    :: v < N ->
#ifdef FAULT_NO_SENDER_BARRIER                     /* the load of the run word may pass the store of the mark */
        if
        :: PEND(v, context) = true; look(v)
        :: look(v); PEND(v, context) = true
        fi;
#else
        PEND(v, context) = true;                   /* FL-TELL-1 */
        look(v);
#endif
        v++
    :: else -> break
    od;
    v = 0;                                         /* PR-WAIT-1: all are kicked before any is waited for */
    do
    :: v < N ->
#ifndef FAULT_NO_WAIT
        if                                         /* PR-WAIT-2 */
        :: seen[v] % 2 == 0 || word[v] % 2 == 0 || word[v] != seen[v]
        fi;
#endif
        v++
    :: else -> break
    od;
    returned[me] = true
}

proctype vp(byte me) {
    byte entries = 0, i, v;
    byte seen[N];
    bit context;
    bool called = me >= CALLERS, again;
    do
    :: entries < ENTRIES -> entries++; enter_guest()
    :: !called -> called = true; make_call()
    :: entries == ENTRIES && called -> break
    od
}

init {
    byte p = 0;
    atomic { do :: p < N -> run vp(p); p++ :: else -> break od }
}
