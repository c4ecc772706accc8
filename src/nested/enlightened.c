// SPDX-License-Identifier: BSD-2-Clause
#include "enlightened.h"
#include "../setup/setup.h"
#include "types.h"

void pv_enlightened_read(uint32_t offers, const uint64_t *area, struct pv_enlightened *e)
{
    const uint64_t first = area[0];
    uint32_t controls = 0;

    if (first % 2u == 1 && pv_direct_served(offers)) {
        controls += PV_ENLIGHTENED_FLUSH;
    }
    if (first / 2u % 2u == 1 && pv_bitmap_served(offers)) {
        controls += PV_ENLIGHTENED_MSR_BITMAP;
    }
    if (first / 4u % 2u == 1 && pv_npt_tlb_served(offers)) {
        controls += PV_ENLIGHTENED_NPT_TLB;
    }
    e->controls = controls;
    e->vp_id = (uint32_t)(first / 0x100000000u % 0x100000000u);
    e->vm_id = area[1];
    e->assist_page = area[2];
}

bool pv_direct_wanted(const struct pv_enlightened *e, uint32_t features, uint32_t code)
{
    if (e->controls % 2u != 1 || e->assist_page % 0x1000u != 0 || features % 2u != 1) {
        return false;
    }
    return code == 0x0002 || code == 0x0003 || code == 0x0013 || code == 0x0014;
}

bool pv_bitmap_kept(const struct pv_enlightened *e, uint32_t clean, bool same)
{
    return e->controls / 2u % 2u == 1 && clean / 0x80000000u % 2u == 1 && same;
}

uint32_t pv_asid_flush_sync(const struct pv_enlightened *e)
{
    return e->controls / 4u % 2u == 1 ? PV_SYNC_TAG : PV_SYNC_TAG + PV_SYNC_TABLES;
}
