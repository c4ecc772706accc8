// SPDX-License-Identifier: BSD-2-Clause
// The journal of one hypercall, in ghost code only: what the calling VP has told to whom, by VP index. Shared words
// (marks, queues, vectors, run words) change under our hands, since other VPs run at the same time; what was told
// stays told. So contracts speak of the journal. It is all zero when a call begins (journal_blank).
#ifndef PV_JOURNAL_H
#define PV_JOURNAL_H

#include "../model.h"
#include "../types.h"

/*@ ghost
      extern int pv_j_asked[4096];  // the flush asked of the VP (asked_as), 0: none
      extern int pv_j_under[4096];  // ...and under which lock its queue was left, if pages were asked
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
      // Calls of the KVM persona:
      extern int pv_j_nmi[4096];      // an NMI was sent to the VP
      extern int pv_j_unhalted[4096]; // it was let go on from HLT
      extern int pv_j_yielded[4096];  // time was given to it: 1, or 2 after it was let go on; 0: none
      extern unsigned long pv_j_took_low;  // of the first word of SEND_IPI, the bits of the VPs that accepted
      extern unsigned long pv_j_took_high; // ...and of the second
      extern int pv_j_lock;         // the name of the lock that was taken last
      extern int pv_j_held;         // the queue whose lock is held (queue_of), 0: none
      // What a VP's own entry saw and did:
      extern unsigned pv_j_marks;
      extern unsigned long pv_j_vectors[4];
      extern int pv_j_hint;
      extern int pv_j_hinted;       // which queue's marks the hint was about (queue_of)
      extern int pv_j_taken;        // which queue was emptied last (queue_of)
      extern unsigned pv_j_toggled;
      // An L2's flush (src/nested/direct.h):
      extern int pv_j_fenced;                // all that the caller did before is seen by all
      extern int pv_j_l2_loaded[4096];       // the VP said that it has an L2 of the VM loaded
      extern unsigned pv_j_l2_vp[4096];      // ...and which VP of that VM
      extern unsigned pv_j_l2_said;          // how often the VP itself said what it loads
      // Nested virtualization (src/nested/):
      extern int pv_j_table_reads; // reads of L1's tables and permission maps
      extern unsigned pv_j_marked; // what was set last in an entry of L1's tables: accessed, dirty
      extern int pv_j_grants;      // frames that the embedder has granted for L2
      extern int pv_j_vmcb_reads;  // reads of L1's VMCB in one VMRUN
      // The preempted byte of a VP's steal time record:
      extern unsigned pv_j_preempted; // what an exchange found there
      extern int pv_j_steal;          // what was done to it last: 1 an exchange, 2 a mark
*/

/*@ // Page was pending in the queue when lock number `lock` was taken: a name for what was found, with no axiom.
    // (A-FOUND-1)
    axiomatic Found { predicate found_page(integer lock, integer page) reads \nothing; }

    // Page was asked for when the queue of lock number `lock` was left; the same way of naming. (A-FOUND-1)
    axiomatic Asked { predicate asked_page(integer lock, integer page) reads \nothing; }

    // What stood in the caller's memory when it was read, by the read's number and the address. (A-FOUND-1)
    axiomatic Memory { logic integer guest_word(integer read, integer gpa) reads \nothing; }

    // What stood in an entry of L1's tables, and whether it was there, by the read's number. (A-FOUND-1)
    axiomatic Tables {
      logic integer table_word(integer read, integer gpa) reads \nothing;
      logic integer table_found(integer read) reads \nothing;
    }
    // What frame the embedder granted, by the number of the grant. (A-FOUND-1)
    axiomatic Grants {
      logic integer grant_frame(integer grant) reads \nothing;
      logic integer grant_shift(integer grant) reads \nothing;
      logic integer grant_rights(integer grant) reads \nothing;
    }
    predicate table_there(integer read) = table_found(read) != 0;

    // A frame as an embedder may grant it.
    predicate frame_shape(integer hpa, integer shift, integer rights) =
      (shift == 12 || shift == 21 || shift == 30) && 0 <= hpa && hpa % frame_bytes(shift) == 0 &&
      hpa + frame_bytes(shift) <= 4503599627370496 && 0 <= rights <= 7;

    // A kind of flush of one of the two contexts.
    logic integer asked_as(integer kind, integer context) = kind + 16 * context;

    // The queue of a VP's context.
    logic integer queue_of(integer v, integer context) = 1 + 2 * v + context; */

/*@ // Nothing was told to VP v.
    predicate untold{L}(integer v) =
      pv_j_asked[v] == 0 && pv_j_posted[v] == 0 && pv_j_looked[v] == 0 && pv_j_ran[v] == 0 &&
      pv_j_kicked[v] == 0 && pv_j_waited[v] == 0 && pv_j_woken[v] == 0;

    predicate journal_told_nobody{L} =
      (\forall integer v; 0 <= v < 4096 ==> untold(v)) && pv_j_waiting == 0 && pv_j_held == 0;

    predicate journal_blank{L} =
      journal_told_nobody && pv_j_reads == 0 && pv_j_yields == 0; */

#endif
