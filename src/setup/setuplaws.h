// SPDX-License-Identifier: BSD-2-Clause
// Laws of set-up, proved once from the model's definitions like those of base/laws.h.
#ifndef PV_SETUPLAWS_H
#define PV_SETUPLAWS_H

#include "../model.h"

/*@ lemma addable_is:   \forall integer m, c, k, u, v;
                          vp_addable(m, c, k, u, v) <==> c < k && 0 <= v < m && u == 0;
    lemma config_width: \forall integer o, g, r, m, w; config_valid(o, g, r, m, w) ==> 1 <= m <= 4096;
    lemma frame_zero:   \forall integer w; frame_inside(w, 0);
    lemma page_zero:    !page_enabled(0); */

#endif
