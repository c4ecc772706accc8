// SPDX-License-Identifier: BSD-2-Clause
#include "kvm.h"
#include "../base/steal.h"

bool pv_kvm_steal_enter(uint8_t *preempted)
{
    return pv_shared_preempted_take(preempted) / 2 % 2 == 1;
}

void pv_kvm_steal_leave(uint8_t *preempted)
{
    pv_shared_preempted_mark(preempted);
}
