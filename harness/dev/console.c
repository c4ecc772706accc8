// SPDX-License-Identifier: BSD-2-Clause
#include "../base/x86.h"
#include "console.h"
#include "uart.h"
#include "../base/end.h"
#include "../base/lapic.h"
#include "../base/log.h"
#include "../base/pcpu.h"
#include "../base/string.h"
#include "../vm/vp.h"

static const char panic_marker[] = "Kernel panic - not syncing";

static struct {
    struct lock lock;
    uint64_t began, limit, last_byte, next_look;
    uint32_t length, vp;
    char line[512];
} console;

void console_init(uint64_t seconds)
{
    console.began = rdtsc();
    console.limit = seconds == 0 ? ~0ull : console.began + seconds * tsc_hz;
}

static bool contains(const char *text, uint32_t length, const char *word)
{
    uint32_t n = (uint32_t)string_length(word);
    for (uint32_t i = 0; i + n <= length; i++)
        if (memcmp(text + i, word, n) == 0)
            return true;
    return false;
}

static void put_line(void)
{
    log_guest_line(tsc_to_us(rdtsc() - console.began), console.vp, console.line, console.length);
}

void console_put(uint32_t vp, uint8_t c)
{
    lock(&console.lock);
    console.last_byte = rdtsc();
    console.vp = vp;
    bool panic = false;
    if (c == '\n' || console.length == sizeof console.line) {
        put_line();
        panic = contains(console.line, console.length, panic_marker);
        console.length = 0;
    }
    if (c == '\t' || (c >= ' ' && c < 0x7F) || c == 0x1B || c >= 0x80)
        console.line[console.length++] = (char)c;
    unlock(&console.lock);
    if (panic)
        end_run(END_PANIC, "the guest's console shows a panic");
}

void console_flush(void)
{
    if (console.length != 0)
        put_line();
    console.length = 0;
}

void console_poll(struct pcpu *me)
{
    uint64_t now = rdtsc();
    if (me->index != 0 || now < console.next_look)
        return;
    console.next_look = now + tsc_hz / 200;
    if (now > console.limit)
        end_run(END_TIME_LIMIT, "time limit");
    for (int c = log_input(); c >= 0; c = log_input())
        uart_receive((uint8_t)c);
    lock(&console.lock); // a prompt, which no newline ends
    if (console.length != 0 && now > console.last_byte + tsc_hz / 2)
        console_flush();
    unlock(&console.lock);
}
