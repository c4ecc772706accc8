// SPDX-License-Identifier: BSD-2-Clause
#include "rtc.h"
#include "x86.h"

enum { CMOS_INDEX = 0x70, CMOS_DATA = 0x71, NMI_OFF = 0x80 };
enum {
    SECOND = 0,
    MINUTE = 2,
    HOUR = 4,
    DAY = 7,
    MONTH = 8,
    YEAR = 9,
    STATUS_A = 10,
    STATUS_B = 11,
    STATUS_D = 13
};
enum { UPDATING = 1 << 7, BINARY = 1 << 2, HOURS_24 = 1 << 1, AFTERNOON = 1 << 7 };

struct reading {
    uint8_t second, minute, hour, day, month, year;
};

static uint8_t get(uint8_t index)
{
    out8(CMOS_INDEX, NMI_OFF | index);
    return in8(CMOS_DATA);
}

static struct reading read(void)
{
    for (uint32_t i = 0; i < 100000 && (get(STATUS_A) & UPDATING) != 0; i++) // at most 2 ms
        pause();
    return (struct reading){get(SECOND), get(MINUTE), get(HOUR), get(DAY), get(MONTH), get(YEAR)};
}

static bool same(const struct reading *a, const struct reading *b)
{
    return a->second == b->second && a->minute == b->minute && a->hour == b->hour && a->day == b->day &&
           a->month == b->month && a->year == b->year;
}

static uint32_t number(uint8_t v, bool binary)
{
    return binary ? v : (uint32_t)(v >> 4) * 10 + (v & 15u);
}

// Days from 1970-01-01 to a day of the Gregorian calendar in 2000..2099, where every fourth year is a leap year.
static uint64_t days(uint32_t year, uint32_t month, uint32_t day)
{
    static const uint16_t before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    enum { DAYS_1970_TO_2000 = 10957 };
    uint32_t since = year - 2000, leap_days = (since + 3) / 4 + (since % 4 == 0 && month > 2);
    return DAYS_1970_TO_2000 + (uint64_t)since * 365 + leap_days + before[month - 1] + day - 1;
}

uint8_t rtc_register(uint8_t index)
{
    static struct lock one_pair_at_a_time;
    if (index > STATUS_D)
        return 0xFF;
    lock(&one_pair_at_a_time);
    uint8_t v = get(index);
    unlock(&one_pair_at_a_time);
    return v;
}

uint64_t rtc_seconds(void)
{
    struct reading r = read(), again = read();
    for (uint32_t i = 0; i < 5 && !same(&r, &again); i++) { // it went on meanwhile
        r = again;
        again = read();
    }
    uint8_t status = get(STATUS_B);
    bool binary = (status & BINARY) != 0;
    uint32_t hour = number(r.hour & (uint8_t)~AFTERNOON, binary);
    if ((status & HOURS_24) == 0)
        hour = hour % 12 + ((r.hour & AFTERNOON) != 0 ? 12 : 0);
    uint32_t month = number(r.month, binary), day = number(r.day, binary), year = number(r.year, binary);
    if (month < 1 || month > 12 || day < 1 || day > 31 || hour > 23 || year > 99)
        return 0;
    return days(2000 + year, month, day) * 86400 + hour * 3600 + number(r.minute, binary) * 60 +
           number(r.second, binary);
}
