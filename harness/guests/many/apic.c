// SPDX-License-Identifier: BSD-2-Clause
// Interrupt commands of the x2APIC: clusters of 16 ids, single ids, everybody.
#include "many.h"

enum { LOGICAL = 1 << 11, LOWEST = 1 << 8, TO_ALL = 2 << 18, TO_OTHERS = 3 << 18, CLUSTER = 16 };

static struct set set;

static uint32_t last_id(void)
{
    uint32_t last = 0;
    for (uint32_t i = 0; i < vp_total; i++)
        last = apic_ids[i] > last ? apic_ids[i] : last;
    return last;
}

static void add(struct set *s, uint32_t number)
{
    s->bank[index_of[number] / 64] |= 1ull << index_of[number] % 64;
}

// Whom does a logical destination name? Every VP is asked.
static void set_cluster(struct set *s, uint32_t cluster, uint32_t members)
{
    set_all(s, 0);
    for (uint32_t i = 0; i < vp_total; i++)
        if (apic_ids[i] / CLUSTER == cluster && (members >> apic_ids[i] % CLUSTER & 1) != 0)
            add(s, i);
}

static void clusters(uint32_t members, const char *what)
{
    // One cluster more than there are: nobody is there.
    for (uint32_t c = 0; c <= last_id() / CLUSTER + 1; c++) {
        set_cluster(&set, c, members);
        command(c << 16 | members, LOGICAL, &set);
    }
    settle(what);
}

void by_apic(void)
{
    clusters(0xFFFF, "logical destinations: whole clusters");
    clusters(0xA5A5, "logical destinations: some of each cluster");
    clusters(0, "logical destinations: nobody");
    for (uint32_t i = 0; i < vp_total; i += 3) {
        set_one(&set, i);
        command(apic_ids[i], 0, &set);
    }
    settle("every third VP by its id");
    for (uint32_t i = 0; i < vp_total; i += 5) { // the lowest id of the cluster will do: the VP itself
        uint32_t member = apic_ids[i] % CLUSTER;
        set_one(&set, i);
        command(apic_ids[i] / CLUSTER << 16 | 1u << member, LOGICAL | LOWEST, &set);
    }
    settle("lowest priority, one candidate");
    set_all(&set, 0);
    command(last_id() + 1, 0, &set);
    command(0xFFFFFFFE, LOGICAL, &set);
    settle("ids that nobody has");
    command(0xFFFFFFFF, 0, 0);
    settle("everybody by the id of all ones");
    command(0, TO_ALL, 0);
    settle("everybody by shorthand");
    set_all(&set, ~0ull);
    set.bank[index_of[0] / 64] &= ~(1ull << index_of[0] % 64);
    command(0, TO_OTHERS, &set);
    settle("all others by shorthand");
}
