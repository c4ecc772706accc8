// SPDX-License-Identifier: BSD-2-Clause
// From the model's arithmetic to the bit operators of C, lemma by lemma. Each is proved, by the provers or by a
// script of WP's tactics (proofs/session), from WP's own axioms of the operators (A-WP-3, A-WP-4).
#ifndef PV_BITS_BRIDGE_H
#define PV_BITS_BRIDGE_H

/*@ lemma and1:     \forall integer x; 0 <= x ==> (x & 1) == x % 2;
    lemma shr0:     \forall integer m; 0 <= m ==> shr(m, 0) == m;
    lemma shrS:     \forall integer m, i; 0 <= m ==> 0 < i ==> shr(m, i) == shr(m, i - 1) / 2;
    lemma rshr1:    \forall integer x; 0 <= x ==> (x >> 1) == x / 2;
    lemma rshrA:    \forall integer m, i; 0 <= m ==> 0 <= i ==> (m >> (i + 1)) == ((m >> i) >> 1);
    lemma shr_c:    \forall integer m, i; 0 <= m ==> 0 <= i ==> (m >> i) == shr(m, i);
    lemma mbit_c:   \forall integer m, i; 0 <= m ==> 0 <= i ==> (mbit(m, i) <==> ((m >> i) & 1) != 0);
    lemma mbit_and: \forall integer m, i; 0 <= m ==> 0 <= i ==> (mbit(m, i) <==> (m & (1 << i)) != 0);
    lemma shl0:     (1 << 0) == 1;
    lemma shl1:     \forall integer x; 0 <= x ==> (x << 1) == 2 * x;
    lemma shlA:     \forall integer i; 0 <= i ==> (1 << (i + 1)) == ((1 << i) << 1);
    lemma shlS:     \forall integer i; 0 <= i ==> (1 << (i + 1)) == 2 * (1 << i);
    lemma shl_c:    \forall integer i; 0 <= i ==> (1 << i) == pow2(i);
    lemma shl_word: \forall integer i; 0 <= i < 64 ==> 0 < (1 << i) < 18446744073709551616; */

#endif
