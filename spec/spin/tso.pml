/* SPDX-License-Identifier: BSD-2-Clause */
/* The protocol on processors with x86-TSO store buffers, explored exhaustively: N VPs, each on a processor of its own,
   of which the first SENDERS make one call each, to all N. A plain store waits in its processor's buffer, first in,
   first out, and drains at any time; a load finds the newest store of its own buffer first; a locked instruction waits
   until the buffer is empty and acts on memory at once. The accesses are those of src/base/shared.h as x86 has them:
   each atomic change a locked instruction, each load a plain one, queue and release of its lock plain stores.
   Without IPI the calls flush, everything or the caller's page by way of the queue; a stale translation fails an
   assertion. With IPI they post interrupts, and VPs halt; a VP ends when it has all of them, so that a lost one is an
   invalid end state.
   The faults that this must find are switched on by macros (spec/spin/run). */

#ifndef N
#define N 2
#endif
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef ENTRIES
#define ENTRIES 2            /* times that a VP enters its guest, beside those at which it waits for interrupts */
#endif
#define DEPTH 6              /* places of a buffer; never all in use, which is an assertion */

/* ---- memory and store buffers ---- */

#define RUN(v)    (v)          /* PR-RUN-1: odd while the VP is in the guest */
#define MARK(v)   (N + v)      /* FULL, RANGES */
#define LOCK(v)   (2 * N + v)  /* of the queue */
#define QUEUE(v)  (3 * N + v)  /* bit k: the page of sender k */
#define POSTED(v) (2 * N + v)  /* bit k: the interrupt of sender k; with IPI there is no queue */
#define SLEEP(v)  (3 * N + v)  /* the embedder's: 1 if the VP sleeps */
#define PAGE(k)   (4 * N + k)  /* the page-table entry of sender k: 1 once it is changed */
#define FULL     1
#define RANGES   2

byte memory[4 * N + SENDERS];
byte where[N * DEPTH], what[N * DEPTH], held[N]; /* the buffers, oldest store first */

#define SLOT(p, i) ((p) * DEPTH + (i))

inline load(to, address) {
    d_step {
        to = memory[address]; i = 0;
        do
        :: i < held[me] -> if :: where[SLOT(me, i)] == address -> to = what[SLOT(me, i)] :: else fi; i++
        :: else -> break
        od;
        i = 0
    }
}

inline store(address, value) {
    d_step {
        assert(held[me] < DEPTH);
        where[SLOT(me, held[me])] = address; what[SLOT(me, held[me])] = value; held[me]++
    }
}

#define DRAINED (held[me] == 0)

proctype buffer(byte me) {
    byte i;
end:
    do
    :: d_step {
           held[me] > 0 -> memory[where[SLOT(me, 0)]] = what[SLOT(me, 0)]; held[me]--; i = 0;
           do
           :: i < held[me] ->
              where[SLOT(me, i)] = where[SLOT(me, i + 1)];
              what[SLOT(me, i)] = what[SLOT(me, i + 1)];
              i++
           :: else -> break
           od;
           where[SLOT(me, i)] = 0; what[SLOT(me, i)] = 0; i = 0
       }
    od
}

/* ---- ghosts ---- */

bool old[N * SENDERS];       /* the TLB of VP v has the page of sender k as it was */
bool returned[SENDERS];      /* the call has */
bool kicked[N];              /* an IPI is pending for the processor */
bool down[N], ready[N];      /* the VP goes to sleep or sleeps; it is in the scheduler's queue again */

#define OLD(v, k) old[(v) * SENDERS + (k)]

/* ---- a VP ---- */

inline run_vp() {
#ifdef FAULT_RUN_PLAIN                             /* no barrier behind the store of the run word */
    load(x, RUN(me)); store(RUN(me), x + 1)
#else
    atomic { DRAINED -> memory[RUN(me)]++ }
#endif
}

inline stop_vp() {
    atomic { DRAINED -> memory[RUN(me)]++; kicked[me] = false }
}

inline execute() {                                 /* PR-SAFE-1; what is not in the TLB comes from memory */
    d_step {
        i = 0;
        do
        :: i < SENDERS ->
            assert(!(returned[i] && OLD(me, i)));
            if :: memory[PAGE(i)] == 0 -> OLD(me, i) = true :: else fi;
            i++
        :: else -> break
        od;
        i = 0
    }
}

inline flush(marks, pages) {                       /* PR-TAKE-1 */
    d_step {
        i = 0;
        do
        :: i < SENDERS ->
            if :: (marks & FULL) || ((marks & RANGES) && (pages >> i & 1)) -> OLD(me, i) = false :: else fi;
            i++
        :: else -> break
        od;
        i = 0
    }
}

inline lock(v) {
#ifndef FAULT_NO_LOCK
    atomic { DRAINED && memory[LOCK(v)] == 0 -> memory[LOCK(v)] = 1 }
#else
    skip
#endif
}

inline take() {                                    /* PR-ENTER-1 */
    do
    :: load(x, MARK(me));
       if :: x == 0 -> break :: else fi;
       lock(me);
       load(pages, QUEUE(me));
#ifdef FAULT_TAKE_LATE                             /* the marks are cleared after the flush */
       load(x, MARK(me));
       flush(x, pages);
       atomic { DRAINED -> memory[MARK(me)] = 0 };
#else
       atomic { DRAINED -> x = memory[MARK(me)]; memory[MARK(me)] = 0 };
#endif
       store(QUEUE(me), 0);
       store(LOCK(me), 0);
#ifdef FAULT_DROP                                  /* the entry is cancelled, and what it had taken forgotten */
       if :: break :: skip fi;
#endif
       flush(x, pages);
       x = 0; pages = 0
    od;
    x = 0; pages = 0
}

inline take_posted() {
    do
    :: load(x, POSTED(me));
       if :: x == 0 -> break :: else fi;
#ifdef FAULT_TAKE_PLAIN                            /* cleared by a plain store */
       store(POSTED(me), 0);
#else
       atomic { DRAINED -> x = memory[POSTED(me)]; memory[POSTED(me)] = 0 };
#endif
       got = got | x
    od
}

inline wake(v) {                                   /* compare and exchange */
    atomic {
        DRAINED ->
        if
#ifdef FAULT_WAKE_BLIND                            /* made ready without a look whether it sleeps */
        :: true ->
#else
        :: memory[SLEEP(v)] == 1 ->
#endif
           memory[SLEEP(v)] = 0; assert(down[v] && !ready[v]); ready[v] = true
        :: else
        fi
    }
}

inline sleep() {
    down[me] = true;
#ifdef FAULT_SLEEP_PLAIN                           /* no barrier before the look for work */
    store(SLEEP(me), 1);
#else
    atomic { DRAINED -> memory[SLEEP(me)] = 1 };
#endif
#ifndef FAULT_SLEEP_BLIND                          /* no look for work */
    load(x, POSTED(me));
    if :: x != 0 -> wake(me) :: else fi;
    x = 0;
#endif
    atomic { ready[me] -> ready[me] = false; down[me] = false }
}

/* ---- a call ---- */

inline publish(v) {
#ifdef IPI
#define WORD POSTED(v)                             /* IPI-POST-1 */
#define BIT  (1 << me)
#else
#define WORD MARK(v)                               /* FL-TELL-1 */
#define BIT  kind
    if
    :: kind == RANGES -> lock(v); load(x, QUEUE(v)); store(QUEUE(v), x | 1 << me); x = 0
    :: else
    fi;
#endif
#ifdef FAULT_MARK_PLAIN                            /* published by a plain store */
    load(x, WORD); store(WORD, x | BIT); x = 0
#else
    atomic { DRAINED -> memory[WORD] = memory[WORD] | BIT }
#endif
#ifndef IPI
    ;
    if
    :: kind == RANGES -> store(LOCK(v), 0)
    :: else
    fi
#endif
}

inline tell(v) {
#ifdef FAULT_LOOK_EARLY                            /* the look comes before the publication */
    load(seen[v], RUN(v)); publish(v)
#else
    publish(v); load(seen[v], RUN(v))              /* PR-LOOK-1 */
#endif
}

inline kick(v) {
#ifndef FAULT_NO_KICK
    kicked[v] = true                               /* PR-KICK-1 */
#else
    skip
#endif
}

inline flush_call() {
    store(PAGE(me), 1);
#ifdef REDUCED                                     /* a full flush and one of pages, not each of both */
    kind = (me == 0 -> FULL : RANGES);
#else
    if :: kind = FULL :: kind = RANGES fi;
#endif
    v = 0;
    do :: v < N -> tell(v); v++ :: else -> break od;
    v = 0;
    do :: v < N -> if :: seen[v] % 2 == 1 -> kick(v) :: else fi; v++ :: else -> break od;
    v = 0;
#ifndef FAULT_NO_WAIT
    do                                             /* PR-WAIT-1, PR-WAIT-2 */
    :: v < N && seen[v] % 2 == 1 -> memory[RUN(v)] != seen[v]; seen[v] = 0; v++
    :: v < N && seen[v] % 2 == 0 -> seen[v] = 0; v++
    :: else -> break
    od;
#endif
    v = 0; kind = 0;
    returned[me] = true
}

inline ipi_call() {
    v = 0;
    do
    :: v < N ->
       tell(v);
       if :: seen[v] % 2 == 1 -> kick(v) :: else -> wake(v) fi;
       seen[v] = 0; v++
    :: else -> break
    od;
    v = 0
}

/* ---- everything ---- */

proctype vp(byte me) {
    byte entries, i, x, pages, v, kind, got;
    byte seen[N];
    bool called = me >= SENDERS;
#ifdef IPI
    do
    :: !called -> ipi_call(); called = true
    :: entries < ENTRIES -> entries++; run_vp(); take_posted(); stop_vp()
    :: called && got != (1 << SENDERS) - 1 ->
       run_vp(); take_posted();
       if
       :: got == (1 << SENDERS) - 1 -> stop_vp()
       :: got != (1 << SENDERS) - 1 -> stop_vp(); sleep()     /* it halts */
       :: got != (1 << SENDERS) - 1 -> kicked[me]; stop_vp()  /* it runs on, until it is called out */
       fi
    :: called && got == (1 << SENDERS) - 1 -> break
    od
#else
    do
    :: !called -> flush_call(); called = true
    :: entries < ENTRIES ->
       entries++; run_vp(); take(); execute();
       if
       :: true                                     /* it leaves by itself */
       :: called && entries == ENTRIES ->          /* it never does */
end_inside: kicked[me]
       fi;
       execute(); stop_vp()
    :: called && entries == ENTRIES -> break
    od
#endif
}

init {
    byte p, i;
    atomic {
        do
        :: p < N ->
           i = 0;
           do :: i < SENDERS -> OLD(p, i) = true; i++ :: else -> break od;
           run vp(p); run buffer(p); p++
        :: else -> break
        od
    }
}
