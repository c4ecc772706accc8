// SPDX-License-Identifier: BSD-2-Clause
#ifndef PV_KVM_CONFIG_H
#define PV_KVM_CONFIG_H

#include <stdbool.h>
#include "../model.h"
#include "../types.h"

/*@ lemma base_is: \forall integer b, f, i; 0 <= f ==> kvm_config(b, f, i) ==>
      (b == 1073741824 || b == 1073742080) && 1 <= i <= 32768; */

// Can this be offered?
/*@ assigns  \nothing;
    ensures  kv_set_1: \result <==> kvm_config(base, features, ids); */
bool pv_kvm_config_valid(uint32_t base, uint32_t features, uint32_t ids);

#endif
