// SPDX-License-Identifier: BSD-2-Clause
// Laws of the KVM persona's calls, proved once from the model's definitions like those of base/laws.h.
#ifndef PV_KVM_LAWS_H
#define PV_KVM_LAWS_H

#include "../model.h"

/*@ lemma u32_is:      \forall integer r; 0 <= r ==> kvm_u32(r) == r % 4294967296;
    lemma reg_long:    \forall integer l, r; 0 <= r ==> l != 0 ==> kvm_reg(l, r) == r;
    lemma reg_short:   \forall integer l, r; 0 <= r ==> l == 0 ==> kvm_reg(l, r) == r % 4294967296;
    lemma kick_id_is:  \forall integer r; 0 <= r ==> kvm_kick_id(r) == r % 4294967296;
    lemma yield_id_is: \forall integer l, r; 0 <= r ==> kvm_yield_id(l, r) == kvm_reg(l, r);
    lemma result_is:   \forall integer l, v; 0 <= v <= 1000 ==> kvm_result(l, v) == v;
    lemma offered_is:  \forall integer f, n; 0 <= f ==> kvm_offered(f, n) ==> n == 1 || n == 5 || n == 10 || n == 11;
    lemma in_word_is:  \forall integer w, f, s, a; 0 <= w ==>
                         (in_word(w, f, s, a) <==> f <= a < f + s && mbit(w, a - f));
    lemma short_word:  \forall integer w, i; 0 <= w < 4294967296 ==> 32 <= i ==> !mbit(w, i);
    lemma no_bits:     popcount(0) == 0;
    lemma hollow_is:   \forall integer i; 0 <= i ==> (icr_hollow(i) <==> !icr_nmi(i) && icr_vector(i) < 16);
    lemma accepts_is:  \forall integer i, d; 0 <= i ==> (kvm_accepts(i, d) <==> icr_nmi(i) || d == 0);
    lemma size_long:   \forall integer l; l != 0 ==> word_size(l) == 64;
    lemma size_short:  \forall integer l; l == 0 ==> word_size(l) == 32;
    lemma sent_is:     \forall integer l, i, a, b, m, id; 0 <= i ==> 0 <= a ==> 0 <= b ==>
                         (kvm_sent(l, i, a, b, m, id) <==>
                          !icr_void(i) && (in_word(a, m, word_size(l), id) ||
                                           in_word(b, m + word_size(l), word_size(l), id))); */

#endif
