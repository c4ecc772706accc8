// SPDX-License-Identifier: BSD-2-Clause
// The journal of one hypercall, in ghost code only: what the calling VP has told to whom, by VP index. Shared words
// (marks, queues, vectors, run words) change under our hands, since other VPs run at the same time; what was told
// stays told. So contracts speak of the journal. It is all zero when a call begins (journal_blank).
#ifndef PV_JOURNAL_H
#define PV_JOURNAL_H

#include "../types.h"

/*@ ghost
      extern int pv_j_asked[4096];  // the kind of flush asked of the VP (ask_kind of the model), 0: none
      extern int pv_j_posted[4096]; // the vector posted to the VP, 0: none
      extern int pv_j_looked[4096]; // its run word was read after something was asked or posted
      extern int pv_j_ran[4096];    // ...and it was in the guest
      extern int pv_j_kicked[4096];
      extern int pv_j_waited[4096];
      extern int pv_j_woken[4096];
      extern int pv_j_waiting;      // a wait has begun: no kick may follow
      extern int pv_j_reads;        // reads of the caller's memory
      extern int pv_j_readable;     // ...and whether the last one succeeded
      extern int pv_j_yields;
      extern int pv_j_deaf[4096];   // its APIC was seen disabled
      extern int pv_j_lock;         // which lock was taken last, counted
      // What a VP's own entry saw and did:
      extern unsigned pv_j_marks;
      extern unsigned long pv_j_vectors[4];
      extern int pv_j_hint;
      extern unsigned pv_j_toggled;
*/

/*@ // Page was pending in the queue when lock number `lock` was taken: a name for what was found, with no axiom.
    // (A-FOUND-1)
    axiomatic Found { predicate found_page(integer lock, integer page) reads \nothing; } */

/*@ // Nothing was told to VP v.
    predicate untold{L}(integer v) =
      pv_j_asked[v] == 0 && pv_j_posted[v] == 0 && pv_j_looked[v] == 0 && pv_j_ran[v] == 0 &&
      pv_j_kicked[v] == 0 && pv_j_waited[v] == 0 && pv_j_woken[v] == 0;

    predicate journal_told_nobody{L} = (\forall integer v; 0 <= v < 4096 ==> untold(v)) && pv_j_waiting == 0;

    predicate journal_blank{L} =
      journal_told_nobody && pv_j_reads == 0 && pv_j_yields == 0; */

#endif
