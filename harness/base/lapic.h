// SPDX-License-Identifier: BSD-2-Clause
// The local APIC and the clocks of the machine below. (APM vol. 2, 16)
#ifndef HARNESS_LAPIC_H
#define HARNESS_LAPIC_H

#include <stdint.h>

// The host's own vectors, above all that a guest's interrupts could be confused with in a dump.
enum { VECTOR_KICK = 0xF0, VECTOR_TIMER = 0xF1, VECTOR_SPURIOUS = 0xFF };

// Switches the local APIC of this pCPU on.
void lapic_init(void);
uint32_t lapic_id(void);
void lapic_eoi(void);

// Interprocessor interrupts: a vector for the kick, INIT and start-up for the bring-up.
void lapic_kick(uint32_t apic_id);
void lapic_init_ipi(uint32_t apic_id);
void lapic_startup_ipi(uint32_t apic_id, uint8_t page);

// Measures the frequency of the TSC and of the APIC timer against the PIT. Once, on the first pCPU.
void clock_calibrate(void);
extern uint64_t tsc_hz;

// Asks for a VECTOR_TIMER at this TSC value (at once when it is past); ~0: none.
void lapic_timer(uint64_t tsc);

// Waits by the TSC.
void delay_us(uint64_t us);
uint64_t tsc_to_us(uint64_t ticks);

#endif
