// SPDX-License-Identifier: BSD-2-Clause
// As many VPs as there are: each is interrupted and flushed, alone and in sets of all kinds, and every count must be exact.
// All VPs but the first sleep all the time that they are not interrupted.
#include "many/many.h"

uint32_t *index_of;
uint16_t number_of_index[VP_INDEXES];
static uint32_t registered, wrong;

static void register_me(uint32_t number)
{
    uint32_t index = (uint32_t)rdmsr(0x40000002);
    index_of[number] = index;
    uint16_t none = NO_VP;
    if (my_id() != apic_ids[number] || index >= VP_INDEXES ||
        !__atomic_compare_exchange_n(&number_of_index[index], &none, (uint16_t)number, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        __atomic_fetch_add(&wrong, 1u, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&registered, 1u, __ATOMIC_SEQ_CST);
}

// With the option ids=sparse of the harness: place, VP index and APIC id are three numbers.
static void check_names(void)
{
    uint32_t same = 0;
    for (uint32_t i = 0; i < vp_total; i++)
        same +=
            (index_of[i] == i ? 1u : 0) + (apic_ids[i] == i ? 1u : 0) + (index_of[i] == apic_ids[i] ? 1u : 0);
    put("%u VPs, the first has VP index %u and APIC id %u, the last %u and %u\n", vp_total, index_of[0],
        apic_ids[0], index_of[vp_total - 1], apic_ids[vp_total - 1]);
    check(option("sparse", 0) != 0 ? same < vp_total / 8 : same == 3 * vp_total, "names of the VPs");
}

void guest_main(void)
{
    hyperv_on();
    index_of = allocate(vp_total * sizeof *index_of);
    for (uint32_t i = 0; i < VP_INDEXES; i++)
        number_of_index[i] = NO_VP;
    register_me(0);
    start_all();
    while (__atomic_load_n(&registered, __ATOMIC_ACQUIRE) < vp_total)
        pause();
    check(wrong == 0, "every VP has its APIC id, and a VP index of its own");
    check_names();
    while (!all_asleep())
        pause();
    interrupts_on();
    expect_from_now();
    by_hypercall();
    by_apic();
    totals();
}

void guest_ap(uint32_t number)
{
    interrupts_on();
    register_me(number);
}
