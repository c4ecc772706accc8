// SPDX-License-Identifier: BSD-2-Clause
// The timer of the virtual APIC, for vapic.c.
#ifndef HARNESS_VAPIC_TIMER_H
#define HARNESS_VAPIC_TIMER_H

#include <stdint.h>

struct vp;

void vapic_timer_init(void); // after the host's clocks are known
void vapic_timer_start(struct vp *vp, uint32_t initial_count);
uint32_t vapic_timer_count(const struct vp *vp);
void vapic_timer_mode_changed(struct vp *vp, uint32_t old_lvt);

#endif
