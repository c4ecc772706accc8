// SPDX-License-Identifier: BSD-2-Clause
// L1's table leads to an address of L1's; what L0 grants there decides what L2 gets: what both allow, in the smaller of both sizes.
#ifndef PV_NESTED_COMPOSE_H
#define PV_NESTED_COMPOSE_H

#include "walk.h"

// An entry to be made.
struct pv_leaf {
    uint64_t hpa;    // of the machine, divisible by the size
    uint32_t shift;  // 12 or 21
    uint32_t rights; // PV_RIGHT_*
};

/*@ requires valid: \valid_read(to) && \valid_read(frame) && \valid(leaf);
    requires apart: \separated(leaf, to) && \separated(leaf, frame);
    requires walked: 12 <= to->shift <= 30 && to->rights <= 7;
    requires shape: frame_shape(frame->hpa, frame->shift, frame->rights);
    assigns  *leaf;
    ensures  nw_and_1: leaf->rights == both_rights(to->rights, frame->rights) && leaf->rights <= 7;
    ensures  nw_and_2: (may_write(leaf->rights) ==> may_write(frame->rights)) &&
               (may_run(leaf->rights) ==> may_run(frame->rights));
    ensures  nw_size_1: leaf->shift == both_shift(to->shift, frame->shift) && (leaf->shift == 12 || leaf->shift == 21);
    ensures  nw_frame_1: leaf->hpa == leaf_frame(frame->hpa, frame->shift, to->gpa, leaf->shift);
    ensures  aligned: leaf->hpa % frame_bytes(leaf->shift) == 0;
    ensures  nw_iso_1: frame->hpa <= leaf->hpa &&
               leaf->hpa + frame_bytes(leaf->shift) <= frame->hpa + frame_bytes(frame->shift); */
void pv_compose(const struct pv_translation *to, const struct pv_frame *frame, struct pv_leaf *leaf);

// The access is allowed by L1's table; it is an access to no memory of the partition's unless the frame allows it, too.
/*@ requires valid: \valid_read(frame);
    assigns  \nothing;
    ensures  nw_device_1: \result <==> not_granted(there ? 1 : 0, frame->rights, write, fetch); */
bool pv_not_granted(bool there, const struct pv_frame *frame, uint32_t write, uint32_t fetch);

#endif
