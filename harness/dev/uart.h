// SPDX-License-Identifier: BSD-2-Clause
// A 16550A at port 0x3F8, interrupt 4: the guest's console. Its transmitter is always ready.
#ifndef HARNESS_UART_H
#define HARNESS_UART_H

#include <stdint.h>

enum { UART_PORT = 0x3F8, UART_IRQ = 4 };

uint8_t uart_read(uint32_t reg);
void uart_write(uint32_t reg, uint8_t value, uint32_t vp);
void uart_receive(uint8_t c);

#endif
