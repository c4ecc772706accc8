// SPDX-License-Identifier: BSD-2-Clause
// Requests: built, made, and told to expect.c.
#include "many.h"

enum { ALL_PROCESSORS = 1, ALL_SPACES = 2 };
enum { FORMAT_SPARSE = 0, FORMAT_ALL = 1 };
enum { EX = 0x10 }; // bit of the call code
#define LIST_AT 0x50000000ull

void set_all(struct set *s, uint64_t word)
{
    for (uint32_t i = 0; i < BANKS; i++)
        s->bank[i] = word;
}

void set_one(struct set *s, uint32_t number)
{
    set_all(s, 0);
    s->bank[index_of[number] / 64] = 1ull << index_of[number] % 64;
}

static void expect_of(const struct set *who, uint32_t banks, const struct ask *ask)
{
    for (uint32_t bank = 0; bank < banks; bank++)
        for (uint64_t left = who == 0 ? ~0ull : who->bank[bank]; left != 0; left &= left - 1) {
            uint32_t number = number_of_index[bank * 64 + (uint32_t)__builtin_ctzll(left)];
            if (number != NO_VP)
                expect(number, ask);
        }
}

// The set as operands from `n` on, empty banks left out: the next free one. (TLFS 4.2.5, HV_VP_SET)
static uint32_t put_set(uint32_t n, const struct set *who)
{
    operands[n++] = who == 0 ? FORMAT_ALL : FORMAT_SPARSE;
    uint32_t mask = n++;
    operands[mask] = 0;
    for (uint32_t bank = 0; who != 0 && bank < BANKS; bank++)
        if (who->bank[bank] != 0) {
            operands[mask] |= 1ull << bank;
            operands[n++] = who->bank[bank];
        }
    return n;
}

void request(enum code code, const struct set *who, uint32_t pages, uint64_t flags)
{
    const struct ask ask = {.interrupt = code == CLUSTER_IPI || code == CLUSTER_IPI_EX,
                            .list = code == FLUSH_LIST || code == FLUSH_LIST_EX,
                            .pages = pages,
                            .flags = flags};
    uint64_t input = code;
    uint32_t n = 0;
    if (ask.interrupt) {
        operands[n++] = CALL;
    } else {
        operands[n++] = 0;
        operands[n++] = ALL_SPACES | flags | (who == 0 && (code & EX) == 0 ? ALL_PROCESSORS : 0);
    }
    if ((code & EX) != 0) {
        uint32_t end = put_set(n, who);
        input |= (uint64_t)(end - n - 2) << 17; // banks
        n = end;
    } else {
        operands[n++] = who == 0 ? 0 : who->bank[0];
    }
    if (ask.list) {
        for (uint32_t i = 0; i < pages; i++)
            operands[n++] = LIST_AT + i * 0x10000;
        input |= (uint64_t)pages << 32;
    }
    expect_of(who, who == 0 || (code & EX) != 0 ? BANKS : 1, &ask);
    expect_call(&ask);
    uint64_t result = hypercall(input, (uintptr_t)operands, 0);
    if (result != (ask.list ? (uint64_t)pages << 32 : 0)) {
        put("call %lx: result %lx\n", input, result);
        failure(2);
    }
}

void command(uint32_t destination, uint32_t low, const struct set *who)
{
    static const struct ask ask = {.interrupt = true, .by_apic = true};
    expect_of(who, BANKS, &ask);
    expect_call(&ask);
    ipi(destination, low | CALL);
}
