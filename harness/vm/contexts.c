// SPDX-License-Identifier: BSD-2-Clause
#include "contexts.h"
#include "../../src/base/bits.h"

enum { TLB_NOTHING = 0, TLB_ALL = 1, TLB_ASID = 3, TLB_ASID_NONGLOBAL = 7 }; // APM vol. 2, 15.16.1
enum { CR4_PSE_BIT = 4, CR4_PAE_BIT = 5, EFER_LMA_BIT = 10, EFER_NXE_BIT = 11 };

void pv_nested_reset(struct pv_nested *n)
{
    pv_roots_clear(&n->mmu[PV_MMU_ROOT]);
    pv_roots_clear(&n->mmu[PV_MMU_GUEST]);
    n->guest_mode = 0;
    n->np = 0;
}

uint32_t pv_nested_current(const struct pv_nested *n)
{
    return n->guest_mode != 0 && n->np != 0 ? PV_MMU_GUEST : PV_MMU_ROOT;
}

uint32_t pv_nested_flush_context(const struct pv_nested *n)
{
    return n->guest_mode != 0 ? PV_CONTEXT_L2 : PV_CONTEXT_L1;
}

uint32_t pv_nested_role(uint32_t np, uint64_t cr4, uint64_t efer)
{
    uint32_t role = PV_ROLE_VALID | PV_ROLE_GUEST_MODE;
    if (np == 0)
        return role + PV_ROLE_DIRECT;
    if (pv_bit_test(efer, EFER_LMA_BIT))
        role += PV_ROLE_LONG;
    if (pv_bit_test(cr4, CR4_PAE_BIT))
        role += PV_ROLE_PAE;
    if (pv_bit_test(efer, EFER_NXE_BIT))
        role += PV_ROLE_NX;
    if (pv_bit_test(cr4, CR4_PSE_BIT))
        role += PV_ROLE_PSE;
    return role;
}

static void owe_both(struct pv_nested *n, uint32_t sync)
{
    pv_roots_owe(&n->mmu[PV_MMU_ROOT], sync);
    pv_roots_owe(&n->mmu[PV_MMU_GUEST], sync);
}

static void owe_vasid_both(struct pv_nested *n, uint32_t vasid, uint32_t sync)
{
    pv_roots_owe_vasid(&n->mmu[PV_MMU_ROOT], vasid, sync);
    pv_roots_owe_vasid(&n->mmu[PV_MMU_GUEST], vasid, sync);
}

bool pv_nested_enter(struct pv_nested *n, uint32_t np, uint64_t ncr3, uint64_t cr4, uint64_t efer,
                     uint32_t vasid, uint32_t tlb_control, uint32_t npt_tlb)
{
    uint32_t sync = npt_tlb != 0 ? PV_SYNC_TAG : PV_SYNC_TABLES | PV_SYNC_TAG;
    if (tlb_control == TLB_ASID || tlb_control == TLB_ASID_NONGLOBAL)
        owe_vasid_both(n, vasid, sync);
    else if (tlb_control != TLB_NOTHING)
        owe_both(n, sync);
    n->guest_mode = 1;
    n->np = np;
    return pv_roots_use(&n->mmu[pv_nested_current(n)], np != 0 ? ncr3 : 0, pv_nested_role(np, cr4, efer),
                        vasid);
}

void pv_nested_leave(struct pv_nested *n)
{
    n->guest_mode = 0;
    n->np = 0;
}

struct pv_root *pv_nested_root(struct pv_nested *n)
{
    struct pv_mmu *m = &n->mmu[pv_nested_current(n)];
    return &m->root[m->current];
}

void pv_nested_invlpga(struct pv_nested *n, uint32_t vasid)
{
    owe_vasid_both(n, vasid, PV_SYNC_TAG);
}

void pv_nested_forget_tables(struct pv_nested *n)
{
    owe_both(n, PV_SYNC_TABLES | PV_SYNC_TAG);
}

void pv_nested_forget_ncr3(struct pv_nested *n, uint64_t ncr3)
{
    pv_roots_owe_pgd(&n->mmu[PV_MMU_GUEST], ncr3, PV_SYNC_TABLES | PV_SYNC_TAG);
}

uint32_t pv_nested_slot(const struct pv_nested *n)
{
    return n->mmu[pv_nested_current(n)].current;
}
