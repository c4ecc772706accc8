// SPDX-License-Identifier: BSD-2-Clause
#include "compose.h"

#define BYTES_4K 0x1000ull
#define BYTES_2M 0x200000ull
#define BYTES_1G 0x40000000ull

// How far into the frame the entry for L1's address `gpa` begins.
/*@ requires frame: frame_shift == 12 || frame_shift == 21 || frame_shift == 30;
    requires leaf: leaf_shift == 12 || (leaf_shift == 21 && frame_shift != 12);
    assigns  \nothing;
    ensures  inside: \result == gpa % frame_bytes(frame_shift) - gpa % frame_bytes(leaf_shift);
    ensures  whole: \result == frame_bytes(leaf_shift) * (\result / frame_bytes(leaf_shift));
    ensures  fits: \result + frame_bytes(leaf_shift) <= frame_bytes(frame_shift); */
static uint64_t place_in_frame(uint32_t frame_shift, uint32_t leaf_shift, uint64_t gpa)
{
    /*@ assert turns: \forall integer k, r; 0 <= k ==> 0 <= r ==>
          (2097152 * k + r) % 2097152 == r % 2097152 && (4096 * k + r) % 4096 == r % 4096; */
    //@ assert by1g: gpa == 2097152 * (512 * (gpa / 1073741824)) + gpa % 1073741824;
    //@ assert by1g4: gpa == 4096 * (262144 * (gpa / 1073741824)) + gpa % 1073741824;
    //@ assert by2m: gpa == 4096 * (512 * (gpa / 2097152)) + gpa % 2097152;
    //@ assert mods: (gpa % 1073741824) % 2097152 == gpa % 2097152;
    //@ assert mods4: (gpa % 1073741824) % 4096 == gpa % 4096 && (gpa % 2097152) % 4096 == gpa % 4096;
    if (frame_shift == leaf_shift)
        return 0;
    if (leaf_shift == 21)
        return gpa % BYTES_1G / BYTES_2M * BYTES_2M;
    return (frame_shift == 21 ? gpa % BYTES_2M : gpa % BYTES_1G) / BYTES_4K * BYTES_4K;
}

// The byte of the machine there.
/*@ requires frame: frame_shape(hpa, frame_shift, 0);
    requires leaf: leaf_shift == 12 || (leaf_shift == 21 && frame_shift != 12);
    assigns  \nothing;
    ensures  nw_frame_1: \result == leaf_frame(hpa, frame_shift, gpa, leaf_shift);
    ensures  aligned: \result % frame_bytes(leaf_shift) == 0;
    ensures  fits: hpa <= \result && \result + frame_bytes(leaf_shift) <= hpa + frame_bytes(frame_shift); */
static uint64_t begin_of_leaf(uint64_t hpa, uint32_t frame_shift, uint32_t leaf_shift, uint64_t gpa)
{
    //@ assert by1g: frame_shift == 30 ==> hpa == 1073741824 * (hpa / 1073741824);
    //@ assert by2m: frame_shift >= 21 ==> hpa == 2097152 * (hpa / 2097152);
    //@ assert by4k: hpa == 4096 * (hpa / 4096);
    //@ assert pages: \forall integer i; 0 <= i ==> (4096 * i) % 4096 == 0;
    //@ assert large: \forall integer i; 0 <= i ==> (2097152 * i) % 2097152 == 0;
    const uint64_t place = place_in_frame(frame_shift, leaf_shift, gpa), begin = hpa + place;
    //@ assert sum4k: leaf_shift == 12 ==> begin == 4096 * (hpa / 4096 + place / 4096);
    //@ assert sum2m: leaf_shift == 21 ==> begin == 2097152 * (hpa / 2097152 + place / 2097152);
    //@ assert small: leaf_shift == 12 ==> begin % 4096 == 0;
    //@ assert big: leaf_shift == 21 ==> begin % 2097152 == 0;
    return begin;
}

void pv_compose(const struct pv_translation *to, const struct pv_frame *frame, struct pv_leaf *leaf)
{
    const uint32_t shift = to->shift >= 21 && frame->shift >= 21 ? 21 : 12;
    const bool write = to->rights / 2 % 2 == 1 && frame->rights / 2 % 2 == 1;
    const bool run = to->rights / 4 % 2 == 1 && frame->rights / 4 % 2 == 1;
    leaf->hpa = begin_of_leaf(frame->hpa, frame->shift, shift, to->gpa);
    leaf->shift = shift;
    leaf->rights = 1 + (write ? 2u : 0u) + (run ? 4u : 0u);
}

bool pv_not_granted(bool there, const struct pv_frame *frame, uint32_t write, uint32_t fetch)
{
    return !there || (write != 0 && frame->rights / 2 % 2 == 0) || (fetch != 0 && frame->rights / 4 % 2 == 0);
}
