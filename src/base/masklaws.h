// SPDX-License-Identifier: BSD-2-Clause
// Laws of words as numbers, proved once like those of laws.h: the number that the bits of a word make up (low), and
// the number that the common bits of two words make up (both).
#ifndef PV_MASKLAWS_H
#define PV_MASKLAWS_H

#include "../model.h"

/*@ lemma low_whole: \forall integer m, n; 0 <= n ==> 0 <= m < pow2(n) ==> low(m, n) == m;
    lemma low_both:  \forall integer r, a, b, n; 0 <= n ==> 0 <= r ==> 0 <= a ==> 0 <= b ==>
                       (\forall integer i; 0 <= i < n ==> (mbit(r, i) <==> mbit(a, i) && mbit(b, i))) ==>
                       low(r, n) == both(a, b, n);
    lemma both_most: \forall integer a, b, n; 0 <= n ==> 0 <= a ==> 0 <= b < pow2(n) ==> 0 <= both(a, b, n) <= b;
    lemma pow2_32:   pow2(32) == 4294967296; */

#endif
