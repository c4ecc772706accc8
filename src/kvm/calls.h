// SPDX-License-Identifier: BSD-2-Clause
// The numbers of the KVM persona's calls.
#ifndef PV_KVM_CALLS_H
#define PV_KVM_CALLS_H

enum { CALL_VAPIC_POLL_IRQ = 1, CALL_KICK_CPU = 5, CALL_SEND_IPI = 10, CALL_SCHED_YIELD = 11 };

#endif
