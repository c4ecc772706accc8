// SPDX-License-Identifier: BSD-2-Clause
// Carrying out a call that was found right. Nothing here can fail.
#ifndef PV_PERFORM_H
#define PV_PERFORM_H

#include "../flush/flush.h"
#include "../flush/list.h"
#include "../ipi/ipi.h"
#include "control.h"
#include "targets.h"

// Carries out the call, or as much of its list as the budget allows, and says where it stopped in the list: the rep
// count when it is done (0 for a simple call).
uint32_t pv_perform(struct pv_partition *p, uint32_t context, const struct pv_control *c, const struct pv_row *row,
                    struct pv_scratch *scratch);

#endif
