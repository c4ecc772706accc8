/* SPDX-License-Identifier: BSD-2-Clause */
/* Direct flush (NE-LOAD-1, NE-TARGET-1), explored exhaustively: one VP loads L2s 1 and 2 in any order, ENTRIES times; another
   VP changes the page table of L2 1 and flushes it, ROUNDS times. What either has written may wait in its store buffer until a
   barrier; what L2 1 has translated stays in its tag while nothing flushes it.
   The faults that this must find are switched on by macros (spec/spin/run). */

#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef ENTRIES
#define ENTRIES 3
#endif
#define EMPTY 255

byte table;                 /* L2 1's page table, as memory has it: counts changes */
byte table_buffer = EMPTY;  /* the sender's store of it */
byte said;                  /* which L2 the VP says that it has loaded, as memory has it; 0: none */
byte said_buffer = EMPTY;
bool inside, mark;
byte cached = EMPTY;        /* what the tag of L2 1 on the VP knows: the table of that time */
byte flushed;               /* every change up to here was flushed by a call that has returned */

inline drain_said()  { atomic { if :: said_buffer != EMPTY -> said = said_buffer; said_buffer = EMPTY :: else fi } }
inline drain_table() { atomic { if :: table_buffer != EMPTY -> table = table_buffer; table_buffer = EMPTY :: else fi } }

/* A store leaves its buffer at any time. */
active proctype memory() {
end:
    do
    :: atomic { said_buffer != EMPTY -> said = said_buffer; said_buffer = EMPTY }
    :: atomic { table_buffer != EMPTY -> table = table_buffer; table_buffer = EMPTY }
    od
}

active proctype vp() {
    byte entries = 0, l2 = 0, last = 0, steps;
    do
    :: entries < ENTRIES ->
        entries++;
        if :: l2 = 1 :: l2 = 2 fi;
        if
        :: l2 != last ->                            /* pv_direct_load */
#ifndef FAULT_SAY_LATE
            said_buffer = l2;
            drain_said();
#endif
#ifndef FAULT_NO_FLUSH                              /* flushes may have passed by while the other one was loaded */
            cached = EMPTY;
#endif
            last = l2
        :: else
        fi;
        inside = true;                                 /* pv_vp_run, a full barrier */
        drain_said();
#ifdef FAULT_SAY_LATE                               /* after the look: who flushes in between passes by */
        if :: mark -> mark = false; cached = EMPTY :: else fi;
        said_buffer = l2;
#else
        if :: mark -> mark = false; cached = EMPTY :: else fi;
#endif
        steps = 0;
        do                                          /* in the guest */
        :: l2 == 1 && steps < 2 ->
            atomic {
                steps++;
                if :: cached == EMPTY -> cached = table :: else fi;
                assert(cached >= flushed)           /* no translation older than a flush that is over */
            }
        :: break
        od;
        inside = false;
        drain_said()
    :: else -> break
    od
}

active proctype sender() {
    byte rounds = 0, seen;
    do
    :: rounds < ROUNDS ->
        rounds++;
        table_buffer = rounds;                      /* a plain store of L2's */
#ifndef FAULT_NO_SENDER_BARRIER
        drain_table();                              /* pv_shared_fence */
#endif
        seen = said;                                /* pv_shared_l2 */
        if
        :: seen == 1 ->
            atomic { drain_table(); mark = true };  /* pv_shared_mark, a full barrier */
#ifndef FAULT_NO_WAIT
            if :: inside -> !inside :: else fi            /* kick and wait */
#endif
        :: else
        fi;
        flushed = rounds
    :: else -> break
    od;
    drain_table()
}
