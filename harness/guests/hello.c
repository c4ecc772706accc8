// SPDX-License-Identifier: BSD-2-Clause
// The smallest guest: it starts, prints, and ends well. With more VPs, each of them says so.
#include "lib.h"

static uint32_t said;

void guest_main(void)
{
    put("hello from VP 0 of %u\n", option("vps", 1));
    uint32_t vps = option("vps", 1);
    start_others(vps);
    while (__atomic_load_n(&said, __ATOMIC_ACQUIRE) != vps - 1)
        pause();
}

void guest_ap(uint32_t vp)
{
    put("hello from VP %u\n", vp);
    __atomic_fetch_add(&said, 1u, __ATOMIC_RELEASE);
}
