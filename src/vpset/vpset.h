// SPDX-License-Identifier: BSD-2-Clause
// Dense sets of VP indices. Every walk costs O(banks in use + members).
#ifndef PV_VPSET_H
#define PV_VPSET_H

#include "../base/laws.h"
#include "../types.h"

/*@ // VP index v is in the set.
    predicate set_has{L}(struct pv_vp_set *s, integer v) =
      0 <= v < 4096 && member(s->banks, s->word[v / 64], v);

    lemma place_in_bank: \forall integer b, v; 0 <= b ==> 64 * b <= v < 64 * b + 64 ==> v / 64 == b && v % 64 == v - 64 * b; */

/*@ requires valid: \valid(s);
    assigns  s->banks;
    ensures  vs_empty_1: \forall integer v; !set_has(s, v); */
void pv_vp_set_clear(struct pv_vp_set *s);

/*@ requires valid: \valid_read(s);
    assigns  \nothing;
    ensures  vs_mem_1: \result <==> set_has(s, v); */
bool pv_vp_set_has(const struct pv_vp_set *s, uint32_t v);

/*@ requires valid: \valid(s);
    requires index: v < 4096;
    assigns  s->banks, s->word[v / 64];
    ensures  vs_add_1: \forall integer w; set_has(s, w) <==> w == v || set_has{Pre}(s, w); */
void pv_vp_set_add(struct pv_vp_set *s, uint32_t v);

/*@ requires valid: \valid(s) && \valid_read(present) && \separated(s, present);
    assigns  *s;
    ensures  vs_fmt_2: \forall integer v; set_has(s, v) <==> set_has{Pre}(present, v); */
PV_INNER void pv_vp_set_all(struct pv_vp_set *s, const struct pv_vp_set *present);

/*@ requires valid: \valid(s) && \valid_read(present) && \separated(s, present);
    assigns  s->banks, s->word[0];
    ensures  vs_mem_2: \forall integer v; set_has(s, v) <==> set_has{Pre}(present, v) && plain_member(mask, v); */
PV_INNER void pv_vp_set_from_mask(struct pv_vp_set *s, uint64_t mask, const struct pv_vp_set *present);

// words: the packed contents, one for each set bit of mask, in ascending order of banks.
/*@ requires valid: \valid(s) && \valid_read(present) && \valid_read(words + (0 .. popcount(mask) - 1));
    requires apart: \separated(s, present) && \separated(s, words + (0 .. popcount(mask) - 1));
    assigns  *s;
    ensures  vs_bank_2: \forall integer v; set_has(s, v) <==>
               set_has{Pre}(present, v) && member(mask, \at(words[slot_of(mask, v)], Pre), v); */
PV_INNER void pv_vp_set_from_sparse(struct pv_vp_set *s, uint64_t mask, const uint64_t *words,
                                    const struct pv_vp_set *present);

#endif
