// SPDX-License-Identifier: BSD-2-Clause
// Laws of the clock's scale, proved once from the model's definitions like those of base/laws.h.
#ifndef PV_KVM_CLOCKLAWS_H
#define PV_KVM_CLOCKLAWS_H

#include "../model.h"

/*@ lemma below_flat:  \forall integer h, s; s <= 0 ==> clock_below(h, s) == h;
    lemma above_flat:  \forall integer s; 0 <= s ==> clock_above(s) == 1000000000;
    lemma below_twice:  \forall integer h, s; 0 <= s ==> clock_below(h, s + 1) == 2 * clock_below(h, s);
    lemma above_twice:  \forall integer s; s <= 0 ==> clock_above(s - 1) == 2 * clock_above(s);
    lemma below_31:    \forall integer h; 1 <= h ==> 2147483648 <= clock_below(h, 31);
    lemma above_11:    clock_above(-11) == 2048000000000;
    lemma right_is:    \forall integer h, m, s; clock_right(h, m, s) <==>
                         2147483648 <= m < 4294967296 &&
                         m * clock_below(h, s) <= 4294967296 * clock_above(s) &&
                         4294967296 * clock_above(s) < (m + 1) * clock_below(h, s);
    lemma quotient:    \forall integer a, b; 0 <= a ==> 0 < b ==> a == b * (a / b) + a % b && 0 <= a % b < b;
    lemma at_least:    \forall integer q, r, b, n; 0 < b ==> 0 <= r < b ==> n * b <= q * b + r ==> n <= q;
    lemma at_most:     \forall integer q, r, b, n; 0 < b ==> 0 <= r ==> q * b + r < n * b ==> q < n; */

#endif
