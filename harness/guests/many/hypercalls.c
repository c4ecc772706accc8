// SPDX-License-Identifier: BSD-2-Clause
#include "many.h"

#define ODD  0xAAAAAAAAAAAAAAAAull
#define EVEN 0x5555555555555555ull

static struct set set;

static void of(enum code code, uint64_t word, uint32_t pages)
{
    set_all(&set, word);
    request(code, &set, pages, GLOBAL_TOO);
}

static void everyone(enum code code, uint32_t pages, uint64_t flags)
{
    request(code, 0, pages, flags);
}

static bool exists(uint32_t index)
{
    return number_of_index[index] != NO_VP;
}

// The calls that know the first 64 VP indexes.
static void first_64(void)
{
    of(CLUSTER_IPI, ~0ull, 0);
    settle("cluster IPI to the first 64");
    of(FLUSH_SPACE, ODD, 0);
    of(FLUSH_LIST, EVEN, 1);
    nothing_ran("flush space and flush list, odd and even: nobody runs");
    of(CLUSTER_IPI, ODD, 0);
    of(CLUSTER_IPI, EVEN, 0);
    settle("cluster IPI, odd and even");
    for (uint32_t bit = 0; bit < 64; bit++) {
        of(bit % 2 != 0 ? FLUSH_SPACE : FLUSH_LIST, 1ull << bit, 1);
        of(CLUSTER_IPI, 1ull << bit, 0);
        if (exists(bit))
            wait_for(number_of_index[bit]);
    }
    settle("each of the first 64 alone");
}

static void sets(void)
{
    of(FLUSH_SPACE_EX, ~0ull, 0);
    nothing_ran("flush space ex, all 64 banks: nobody runs");
    of(CLUSTER_IPI_EX, ~0ull, 0);
    settle("all 64 banks");
    of(FLUSH_SPACE_EX, ODD, 0);
    of(FLUSH_LIST_EX, EVEN, 2);
    nothing_ran("flush space ex, odd, and flush list ex, even: nobody runs");
    of(CLUSTER_IPI_EX, EVEN, 0);
    of(CLUSTER_IPI_EX, ODD, 0);
    settle("odd and even");
    for (uint32_t bank = 0; bank < BANKS; bank++) {
        set_all(&set, 0);
        set.bank[bank] = ~0ull;
        request(bank % 2 != 0 ? FLUSH_SPACE_EX : FLUSH_LIST_EX, &set, 3, GLOBAL_TOO);
        request(CLUSTER_IPI_EX, &set, 0, GLOBAL_TOO);
    }
    settle("bank by bank");
}

// A flush too many that reaches a VP before its turn would be merged with its own: so once up and once down, and each time
// everyone is interrupted afterwards, when nobody has anything to flush.
static void one(uint32_t number, enum code code)
{
    set_one(&set, number);
    request(code, &set, 1, GLOBAL_TOO);
    request(CLUSTER_IPI_EX, &set, 0, GLOBAL_TOO);
    wait_for(number);
}

static void one_by_one(void)
{
    for (uint32_t i = 0; i < vp_total; i++)
        one(i, FLUSH_SPACE_EX);
    settle("each VP alone, upwards");
    everyone(CLUSTER_IPI_EX, 0, GLOBAL_TOO);
    settle("nothing is left");
    for (uint32_t i = vp_total; i-- > 0;)
        one(i, FLUSH_LIST_EX);
    settle("each VP alone, downwards");
    everyone(CLUSTER_IPI_EX, 0, GLOBAL_TOO);
    settle("nothing is left");
}

static void flush_everyone(enum code code, const char *what)
{
    everyone(code, 3, GLOBAL_TOO);
    nothing_ran("nobody runs");
    everyone(CLUSTER_IPI_EX, 0, GLOBAL_TOO);
    settle(what);
}

static void merged(void)
{
    for (uint32_t i = 0; i < 3; i++) {
        everyone(FLUSH_SPACE_EX, 0, NON_GLOBAL);
        of(FLUSH_LIST_EX, ~0ull, 2);
    }
    nothing_ran("six flushes: nobody runs");
    everyone(CLUSTER_IPI_EX, 0, GLOBAL_TOO);
    settle("six flushes are taken as one, non-global");
    everyone(FLUSH_SPACE, 0, NON_GLOBAL);
    everyone(FLUSH_LIST_EX, 17, GLOBAL_TOO);
    everyone(CLUSTER_IPI_EX, 0, GLOBAL_TOO);
    settle("a list that is longer than the queue is a full flush");
}

void by_hypercall(void)
{
    first_64();
    sets();
    one_by_one();
    flush_everyone(FLUSH_SPACE, "flush space, everyone");
    flush_everyone(FLUSH_LIST, "flush list, everyone");
    flush_everyone(FLUSH_SPACE_EX, "flush space ex, everyone");
    flush_everyone(FLUSH_LIST_EX, "flush list ex, everyone");
    merged();
}
