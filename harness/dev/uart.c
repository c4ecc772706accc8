// SPDX-License-Identifier: BSD-2-Clause
#include "../base/x86.h"
#include "uart.h"
#include "console.h"
#include "ioapic.h"

// Registers by port offset; DLAB is bit 7 of LCR.
enum { DATA, IER, IIR_FCR, LCR, MCR, LSR, MSR, SCR };
enum { IER_RX = 1, IER_TX = 2, LCR_DLAB = 0x80, MCR_LOOP = 0x10 };
enum { LSR_RX = 0x01, LSR_IDLE = 0x60 };
enum { IIR_NONE = 1, IIR_TX = 2, IIR_RX = 4, IIR_FIFO = 0xC0 };

static struct {
    struct lock lock;
    uint8_t ier, lcr, mcr, scr, dll, dlm;
    bool fifo, tx_pending, line;
    uint8_t input[256];
    uint8_t head, tail;
} uart;

static bool has_input(void)
{
    return uart.head != uart.tail;
}

static uint8_t cause(void)
{
    if ((uart.ier & IER_RX) != 0 && has_input())
        return IIR_RX;
    if ((uart.ier & IER_TX) != 0 && uart.tx_pending)
        return IIR_TX;
    return IIR_NONE;
}

// The interrupt line follows the cause; the IOAPIC sees its rising edge. Returns whether there is one to report.
static bool update_line(void)
{
    bool now = cause() != IIR_NONE, edge = now && !uart.line;
    uart.line = now;
    return edge;
}

uint8_t uart_read(uint32_t reg)
{
    uint8_t v = 0;
    lock(&uart.lock);
    switch (reg) {
    case DATA:
        if ((uart.lcr & LCR_DLAB) != 0)
            v = uart.dll;
        else if (has_input())
            v = uart.input[uart.tail++];
        break;
    case IER:
        v = (uart.lcr & LCR_DLAB) != 0 ? uart.dlm : uart.ier;
        break;
    case IIR_FCR:
        v = cause();
        if (v == IIR_TX)
            uart.tx_pending = false; // reading the cause takes it back
        v |= uart.fifo ? IIR_FIFO : 0;
        break;
    case LCR:
        v = uart.lcr;
        break;
    case MCR:
        v = uart.mcr;
        break;
    case LSR:
        v = (uint8_t)(LSR_IDLE | (has_input() ? LSR_RX : 0));
        break;
    case MSR: // in loopback the outputs come back as inputs, else the other side is there
        v = (uart.mcr & MCR_LOOP) != 0
                ? (uint8_t)((uart.mcr & 1) << 5 | (uart.mcr & 2) << 3 | (uart.mcr & 0xC) << 4)
                : 0xB0;
        break;
    case SCR:
        v = uart.scr;
        break;
    default:
        break;
    }
    bool edge = update_line();
    unlock(&uart.lock);
    if (edge)
        ioapic_raise(UART_IRQ);
    return v;
}

void uart_write(uint32_t reg, uint8_t v, uint32_t vp)
{
    bool send = false;
    lock(&uart.lock);
    switch (reg) {
    case DATA:
        if ((uart.lcr & LCR_DLAB) != 0) {
            uart.dll = v;
        } else {
            send = (uart.mcr & MCR_LOOP) == 0;
            uart.tx_pending = false;
            update_line();
            uart.tx_pending = true;
        }
        break;
    case IER:
        if ((uart.lcr & LCR_DLAB) != 0) {
            uart.dlm = v;
        } else {
            if ((v & IER_TX) != 0 && (uart.ier & IER_TX) == 0)
                uart.tx_pending = true;
            uart.ier = v & 0xF;
        }
        break;
    case IIR_FCR:
        uart.fifo = (v & 1) != 0;
        if ((v & 2) != 0)
            uart.tail = uart.head;
        break;
    case LCR:
        uart.lcr = v;
        break;
    case MCR:
        uart.mcr = v & 0x1F;
        break;
    case SCR:
        uart.scr = v;
        break;
    default:
        break;
    }
    bool edge = update_line();
    unlock(&uart.lock);
    if (send)
        console_put(vp, v);
    if (edge)
        ioapic_raise(UART_IRQ);
}

void uart_receive(uint8_t c)
{
    lock(&uart.lock);
    if ((uint8_t)(uart.head + 1) != uart.tail)
        uart.input[uart.head++] = c;
    bool edge = update_line();
    unlock(&uart.lock);
    if (edge)
        ioapic_raise(UART_IRQ);
}
