// SPDX-License-Identifier: BSD-2-Clause
// Direct virtual flush: an L2's flush of its own translations, carried out without L1.
//
// The embedder, at a VMRUN of L1's with PV_CONTEXT_L2 to come: pv_direct_load, before pv_vp_run. At a hypercall of L2's for
// which pv_direct_wanted holds:
//   if (pv_direct_address(call, &gpa)) translate the page of gpa by L1's nested table
//   pv_direct_flush                    PV_DIRECT_FLUSHED: done, and now
//   read the first qword of the partition assist page, an address of L1's
//   if (pv_direct_finish(call, ...))   #VMEXIT to L1 with PV_EXIT_ENLIGHTENED, behind the instruction
#ifndef PV_DIRECT_H
#define PV_DIRECT_H

#include "../proviso.h"
#include "../hypercall/perform.h"
#include "../hypercall/registers.h"
#include "enlightened.h"
#include "l2verdict.h"

enum pv_direct_outcome {
    PV_DIRECT_DONE = 0,     // an error, in L2's registers: advance RIP and go on with L2
    PV_DIRECT_CONTINUE = 1, // leave RIP: L2 executes the instruction again
    PV_DIRECT_FAULT_UD = 2, // inject #UD into L2; no register changed
    PV_DIRECT_FLUSHED = 3   // done: advance RIP, then pv_direct_finish
};

/*@ // The operands as they were copied mean the L2 VP that L1 calls `id`.
    predicate means_id{L}(integer code, uint64_t *operand, integer id) =
      id_meant(code, operand[1], operand[2], operand[3],
               operand[word_place(code, mask_word(code, operand[1], operand[2], operand[3]), id)], id);

    lemma direct_ud:   \forall integer b, w; 0 <= w ==> 1 <= b ==> direct_outcome(65536, b, w) == 2;
    lemma direct_err:  \forall integer v, b, w; 0 <= w ==> 1 <= b ==> v != 0 ==> v != 65536 ==> direct_outcome(v, b, w) == 0;
    lemma direct_more: \forall integer b, w; 0 <= w ==> 1 <= b ==> is_rep(code_of(w)) ==>
      stop_of(b, w) < rep_count_of(w) ==> direct_outcome(0, b, w) == 1;
    lemma direct_all:  \forall integer b, w; 0 <= w ==> 1 <= b ==>
      (!is_rep(code_of(w)) || stop_of(b, w) >= rep_count_of(w)) ==> direct_outcome(0, b, w) == 3;
    lemma load_is: \forall integer a, b, c, n, v, i; load_flushes(a, b, c, n, v, i) <==>
      n != 0 && !(a != 0 && b == v && c == i);
    lemma locked_is: \forall integer r, w; 0 <= w ==> (locked_exit(r, w) <==> r != 0 && w % 4294967296 != 0);
    lemma id_is: \forall integer code, q1, q2, q3, word, id; id_meant(code, q1, q2, q3, word, id) <==>
      everyone(code, q1, q2) || (0 <= id < 4096 && meant(code, q1, q2, q3, word, id));

    // VP v of the partition is a target: it said that it has a VP of this VM loaded, and that one is meant.
    predicate target{L}(struct pv_partition *p, integer code, uint64_t *operand, integer v) =
      set_has(&p->present, v) && pv_j_l2_loaded[v] == 1 && means_id(code, operand, pv_j_l2_vp[v]);

    // NE-TARGET-1: every target was told, for L2's context; nobody else was.
    predicate direct_told{L}(struct pv_partition *p, integer code, uint64_t *operand) =
      \forall integer v; 0 <= v < 4096 ==>
        (target(p, code, operand, v) ==> flush_told(v, asked_as(ask_kind(code, operand[1]), 1))) &&
        (!target(p, code, operand, v) ==> untold(v)); */

// A VP is about to run this L2: it says so to others. True: first flush all tags of L2s on this VP, and do it after this
// call. Call it with the VP outside the guest. A full barrier if anything changes. (docs/protocol.md)
/*@ requires valid: \valid(vp) && \valid_read(e) && \separated(vp, e);
    requires controls: e->controls <= 7;
    requires own: vp->l2_named <= 1;
    assigns  vp->l2_named, vp->l2_vm, vp->l2_vp, pv_j_l2_said;
    ensures  ne_load_1: \result <==> load_flushes(\old(vp->l2_named), \old(vp->l2_vm), \old(vp->l2_vp),
                                                  e->controls % 2, e->vm_id, e->vp_id);
    ensures  ne_load_2: vp->l2_named == e->controls % 2;
    ensures  ne_load_3: vp->l2_named != 0 ==> vp->l2_vm == e->vm_id && vp->l2_vp == e->vp_id;
    ensures  ne_load_4: \result ==> pv_j_l2_said == \old(pv_j_l2_said) + 1; */
bool pv_direct_load(struct pv_vp *vp, const struct pv_enlightened *e);

// True when the call has operands in memory; *gpa is then their address, an address of L2's.
/*@ requires valid: \valid_read(call) && \valid(gpa) && \separated(call, gpa);
    assigns  *gpa;
    ensures  hc_fast_3: \result <==> fast_of(word_of(call)) == 0;
    ensures  where: \result ==> *gpa == input_of(call); */
bool pv_direct_address(const struct pv_call *call, uint64_t *gpa);

// Carries the call out. mapped: L1's nested table has the page of the operands, for reading, and leads to `page`, an
// address of L1's (bits 11:0 do not count).
/*@ requires ok: vps_ok(p) && p->config.rep_budget >= 1 && (p->config.gva_bits == 48 || p->config.gva_bits == 57);
    requires valid: \valid(call) && \valid(scratch) && \valid_read(e);
    requires apart: \separated(scratch, call, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1)) &&
                    \separated(call, p) && \separated(call, p->vps + (0 .. p->vp_count - 1)) &&
                    \separated(scratch, e) && \separated(call, e);
    requires blank: journal_blank;
    requires code: is_flush(code_of(word_of(call)));
    assigns  call->rax, call->rcx, call->rdx, scratch->operand[0 .. 511], scratch->targets, scratch->kicked,
             scratch->ask, pv_j_reads, pv_j_readable, pv_j_asked[0 .. 4095], pv_j_looked[0 .. 4095],
             pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095], pv_j_waiting, pv_j_lock, pv_j_held,
             pv_j_under[0 .. 4095], pv_j_fenced, pv_j_l2_loaded[0 .. 4095], pv_j_l2_vp[0 .. 4095];
    ensures  ne_order_1: \result == direct_outcome(direct_verdict_of{Pre, Here}(p, call, mapped ? 1 : 0, scratch->operand + 0),
               \old(p->config.rep_budget), \old(word_of(call)));
    ensures  ne_ud_1: \result == 2 ==> nothing_changed{Pre, Here}(call);
    ensures  ne_res_1: \result == 0 ==> ends_with{Pre, Here}(call,
               result_value(direct_verdict_of{Pre, Here}(p, call, mapped ? 1 : 0, scratch->operand + 0), 0));
    ensures  ne_res_2: \result == 3 ==> ends_with{Pre, Here}(call, result_value(0, rep_count_of(\old(word_of(call)))));
    ensures  ne_cont_1: \result == 1 ==> goes_on_with{Pre, Here}(call,
               restart(\old(word_of(call)), stop_of(\old(p->config.rep_budget), \old(word_of(call)))));
    ensures  ne_none_1: \result == 0 || \result == 2 ==> journal_told_nobody;
    ensures  ne_none_2: \result == 1 || \result == 3 ==> idle(code_of(\old(word_of(call))), &scratch->ask) ==>
               journal_told_nobody;
    ensures  ne_target_1: \result == 1 || \result == 3 ==> !idle(code_of(\old(word_of(call))), &scratch->ask) ==>
               direct_told(p, code_of(\old(word_of(call))), scratch->operand + 0);
    ensures  ne_ask_1: \result == 1 || \result == 3 ==> is_list(code_of(\old(word_of(call)))) ==>
               asks_list{Here, Here}(p->config.gva_bits, list_form(scratch->operand[1]),
                 scratch->operand + (fixed_qwords(code_of(\old(word_of(call)))) + var_of(\old(word_of(call)))),
                 rep_start_of(\old(word_of(call))), stop_of(\old(p->config.rep_budget), \old(word_of(call))),
                 &scratch->ask);
    ensures  free: pv_j_held == 0; */
enum pv_direct_outcome pv_direct_flush(struct pv_partition *p, const struct pv_enlightened *e, struct pv_call *call,
                                       bool mapped, uint64_t page, struct pv_scratch *scratch);

// After PV_DIRECT_FLUSHED, with what the first qword of the partition assist page holds after the flush. readable: it could be
// read. True: L1 gets its #VMEXIT.
/*@ requires valid: \valid(call);
    assigns  call->rax, call->rdx;
    ensures  ne_lock_1: \result <==> locked_exit(readable ? 1 : 0, word);
    ensures  ne_lock_2: readable ==> call->rax == \old(call->rax) && call->rdx == \old(call->rdx);
    ensures  ne_lock_3: !readable ==> ends_with{Pre, Here}(call, result_value(3, 0)); */
bool pv_direct_finish(struct pv_call *call, bool readable, uint64_t word);

#endif
