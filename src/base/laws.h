// SPDX-License-Identifier: BSD-2-Clause
// Laws of the model's words and sets. Each is proved once, from the model's definitions (proofs/plan.json: "laws");
// the proofs of most functions then use the laws alone and never unfold a definition.
#ifndef PV_LAWS_H
#define PV_LAWS_H

#include "../model.h"

/*@ lemma rank_base:   \forall integer m; rank(m, 0) == 0;
    lemma rank_set:    \forall integer m, k; 0 <= k ==> mbit(m, k) ==> rank(m, k + 1) == rank(m, k) + 1;
    lemma rank_clear:  \forall integer m, k; 0 <= k ==> !mbit(m, k) ==> rank(m, k + 1) == rank(m, k);
    lemma rank_range:  \forall integer m, k; 0 <= m ==> 0 <= k ==> 0 <= rank(m, k) <= k;
    lemma rank_less:   \forall integer m, i, j; 0 <= m ==> 0 <= i < j ==> mbit(m, i) ==> rank(m, i) < rank(m, j);
    lemma rank_gap:    \forall integer m, i, j; 0 <= m ==> 0 <= i <= j ==>
                         (\forall integer b; i <= b < j ==> !mbit(m, b)) ==> rank(m, i) == rank(m, j);
    lemma popcount_is: \forall integer m; popcount(m) == rank(m, 64);
    lemma popcount_range: \forall integer m; 0 <= m ==> 0 <= popcount(m) <= 64;
    lemma vector_is: \forall integer q; vector_ok(q) <==> 16 <= q <= 255;
    lemma zero_bits:   \forall integer i; 0 <= i ==> !mbit(0, i);
    lemma one_bits:    \forall integer i; 0 <= i ==> (mbit(1, i) <==> i == 0);
    lemma member_is:   \forall integer m, w, v; 0 <= v ==>
                         (member(m, w, v) <==> v < 4096 && mbit(m, v / 64) && mbit(w, v % 64));
    lemma plain_is:    \forall integer m, v; (plain_member(m, v) <==> v < 64 && mbit(m, v));
    lemma slot_is:     \forall integer m, v; slot_of(m, v) == rank(m, v / 64); */

#endif
