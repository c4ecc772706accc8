// SPDX-License-Identifier: BSD-2-Clause
#include "targets.h"
#include "meaning.h"

void pv_targets(const struct pv_row *row, const uint64_t *operand, const struct pv_vp_set *present,
                struct pv_vp_set *targets)
{
    //@ ghost uint64_t q1 = operand[1];
    //@ ghost uint64_t q2 = operand[2];
    //@ ghost uint64_t q3 = operand[3];
    if (pv_everyone_meant(row, operand)) {
        pv_vp_set_all(targets, present);
        //@ assert end: \forall integer v; set_has(targets, v) <==> set_has{Pre}(present, v);
        //@ assert all: \forall integer word, v; meant(\at(row->code, Pre), q1, q2, q3, word, v);
        //@ assert means: \forall integer v; means{Pre}(\at(row->code, Pre), operand, v);
    } else if (row->ex != 0) {
        const uint64_t mask = row->ipi != 0 ? operand[2] : operand[3];
        //@ assert mask: mask == mask_word(row->code, q1, q2, q3);
        //@ assert behind: row->fixed_qwords == fixed_qwords(row->code) <= 4;
        //@ assert sparse: \forall integer word, v; meant(row->code, q1, q2, q3, word, v) <==> member(mask, word, v);
        //@ assert place: \forall integer v; word_place(row->code, mask, v) == row->fixed_qwords + slot_of(mask, v);
        /*@ assert words: \forall integer v; operand[word_place(row->code, mask, v)] ==
              operand[row->fixed_qwords + slot_of(mask, v)]; */
        /*@ assert unfold: \forall integer v; means(row->code, operand, v) <==>
              meant(row->code, q1, q2, q3, operand[word_place(row->code, mask, v)], v); */
        /*@ assert means: \forall integer v; means(row->code, operand, v) <==>
              member(mask, operand[row->fixed_qwords + slot_of(mask, v)], v); */
        pv_vp_set_from_sparse(targets, mask, operand + row->fixed_qwords, present);
        /*@ assert done: \forall integer v; set_has(targets, v) <==>
              set_has{Pre}(present, v) &&
              member(mask, \at(operand[row->fixed_qwords + slot_of(\at(mask, Here), v)], Pre), v); */
    } else {
        const uint64_t mask = row->ipi != 0 ? operand[1] : operand[2];
        //@ assert mask: mask == mask_word(row->code, q1, q2, q3);
        //@ assert plain: \forall integer word, v; meant(row->code, q1, q2, q3, word, v) <==> plain_member(mask, v);
        pv_vp_set_from_mask(targets, mask, present);
        //@ assert means: \forall integer v; means{Pre}(\at(row->code, Pre), operand, v) <==> plain_member(mask, v);
        //@ assert done: \forall integer v; set_has(targets, v) <==> set_has{Pre}(present, v) && plain_member(mask, v);
    }
}
