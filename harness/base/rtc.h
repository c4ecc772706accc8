// SPDX-License-Identifier: BSD-2-Clause
// The machine's clock: an MC146818, as every PC has it.
#ifndef HARNESS_RTC_H
#define HARNESS_RTC_H

#include <stdint.h>

// Seconds since 1970-01-01, by the clock of the machine below, which is taken to hold UTC; 0 when it makes no sense.
uint64_t rtc_seconds(void);

// A register of the clock, 0..13; others read as ones. For guests, once the harness itself has read the time.
uint8_t rtc_register(uint8_t index);

#endif
