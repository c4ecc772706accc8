// SPDX-License-Identifier: BSD-2-Clause
// Hyper-V's nested enlightenments at an L2: its own flush calls are answered here if L1 wants it, without an exit to L1.
#include "nested.h"
#include "guest.h"
#include "hypercall.h"
#include "../base/pcpu.h"
#include "../svm/svm.h"
#include "../../src/nested/direct.h"

enum { ASSIST_FEATURES = 32 }; // of L1's VP assist page: bit 0, L2's flush calls may be answered by L0

void nested_direct_load(struct vp *vp)
{
    struct nested *n = vp->nested;
    if (!pv_direct_load(vp->core, &n->enlightened))
        return;
    for (uint32_t i = 0; i < PV_MMUS; i++)
        pv_roots_owe(&n->core.mmu[i], PV_SYNC_TAG);
}

static uint32_t features_of(const struct vp *vp)
{
    if ((vp->assist_page & 1) == 0)
        return 0;
    const uint32_t *at = guest_at((vp->assist_page & ~(uint64_t)(PAGE - 1)) + ASSIST_FEATURES, sizeof *at);
    return at != 0 ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0;
}

// What L1 keeps in its partition assist page: not 0 in the low half, and it wants to hear of flushes.
static bool is_locked(struct vp *vp, struct pv_call *call)
{
    const uint64_t *at = guest_at(vp->nested->enlightened.assist_page, sizeof *at);
    return pv_direct_finish(call, at != 0, at != 0 ? __atomic_load_n(at, __ATOMIC_RELAXED) : 0);
}

bool nested_direct_call(struct vp *vp)
{
    struct nested *n = vp->nested;
    struct pcpu *me = this_pcpu();
    struct pv_call call;
    uint64_t gpa, page = 0;
    call_read(vp, &call);
    if (!pv_direct_wanted(&n->enlightened, features_of(vp), (uint16_t)call_input(&call)))
        return false;
    bool mapped = pv_direct_address(&call, &gpa) && nested_address(vp, gpa, &page);
    enum pv_direct_outcome outcome =
        pv_direct_flush(partition, &n->enlightened, &call, mapped, page, &me->scratch);
    me->count.events[EV_DIRECT_FLUSH]++;
    if (outcome == PV_DIRECT_FAULT_UD) {
        vp_inject_ud(vp);
        return true;
    }
    bool locked = outcome == PV_DIRECT_FLUSHED && is_locked(vp, &call);
    call_write(vp, &call, outcome == PV_DIRECT_CONTINUE);
    if (outcome == PV_DIRECT_CONTINUE)
        return true;
    guest_skip(vp, 3);
    if (locked)
        nested_vmexit(vp, PV_EXIT_ENLIGHTENED, PV_EXIT_INFO1_FLUSHED, PV_EXIT_INFO2_FLUSHED);
    return true;
}
