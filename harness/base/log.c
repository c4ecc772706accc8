// SPDX-License-Identifier: BSD-2-Clause
#include "log.h"
#include "x86.h"

enum { COM1 = 0x3F8, LSR = 5, LSR_RX = 0x01, LSR_TX = 0x20 };

static struct lock console;
static bool seized;

void log_init(void)
{
    out8(COM1 + 1, 0);    // no interrupts
    out8(COM1 + 3, 0x80); // divisor latch
    out8(COM1 + 0, 1);    // 115200
    out8(COM1 + 1, 0);
    out8(COM1 + 3, 3); // 8N1
    out8(COM1 + 2, 7); // FIFO on and empty
    out8(COM1 + 4, 3);
}

static void put(char c)
{
    if (c == '\n')
        put('\r');
    while ((in8(COM1 + LSR) & LSR_TX) == 0)
        pause();
    out8(COM1, (uint8_t)c);
}

static void put_number(uint64_t v, unsigned base, unsigned width, char pad)
{
    char digits[24];
    unsigned n = 0;
    do {
        digits[n++] = "0123456789abcdef"[v % base];
        v /= base;
    } while (v != 0);
    for (; width > n; width--)
        put(pad);
    while (n > 0)
        put(digits[--n]);
}

static void put_string(const char *s, unsigned width)
{
    unsigned n = 0;
    for (; s[n] != 0; n++)
        put(s[n]);
    for (; n < width; n++)
        put(' ');
}

static void vprint(const char *f, va_list args)
{
    for (; *f != 0; f++) {
        if (*f != '%') {
            put(*f);
            continue;
        }
        f++;
        char pad = ' ';
        unsigned width = 0;
        bool is_long = false;
        if (*f == '-')
            f++;
        if (*f == '0')
            pad = '0';
        for (; *f >= '0' && *f <= '9'; f++)
            width = width * 10 + (unsigned)(*f - '0');
        for (; *f == 'l'; f++)
            is_long = true;
        switch (*f) {
        case 's':
            put_string(va_arg(args, const char *), width);
            break;
        case 'c':
            put((char)va_arg(args, int));
            break;
        case 'd': {
            int64_t v = is_long ? va_arg(args, long) : va_arg(args, int);
            if (v < 0)
                put('-');
            put_number(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, 10, width, pad);
            break;
        }
        case 'u':
        case 'x': {
            uint64_t v = is_long ? va_arg(args, unsigned long) : va_arg(args, unsigned);
            put_number(v, *f == 'u' ? 10 : 16, width, pad);
            break;
        }
        case '%':
            put('%');
            break;
        default:
            return;
        }
    }
}

static void begin(void)
{
    if (!seized)
        lock(&console);
}

static void end(void)
{
    if (!seized)
        unlock(&console);
}

void print(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    begin();
    vprint(format, args);
    end();
    va_end(args);
}

void say_list(const char *format, va_list args)
{
    begin();
    put_string("proviso: ", 0);
    vprint(format, args);
    put('\n');
    end();
}

void say(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    say_list(format, args);
    va_end(args);
}

void log_guest_line(uint64_t microseconds, uint32_t vp, const char *text, uint32_t length)
{
    begin();
    put('[');
    put_number(microseconds / 1000000, 10, 4, ' ');
    put('.');
    put_number(microseconds % 1000000, 10, 6, '0');
    put_string(" vp", 0);
    put_number(vp, 10, 0, ' ');
    put_string("] ", 0);
    for (uint32_t i = 0; i < length; i++)
        put(text[i]);
    put('\n');
    end();
}

void log_seize(void)
{
    // A pCPU that fails while another one prints waits only so long: the machine is going down.
    for (uint32_t i = 0; i < 1000000 && __atomic_exchange_n(&console.taken, 1u, __ATOMIC_ACQUIRE) != 0; i++)
        pause();
    seized = true;
}

int log_input(void)
{
    return (in8(COM1 + LSR) & LSR_RX) != 0 ? in8(COM1) : -1;
}
