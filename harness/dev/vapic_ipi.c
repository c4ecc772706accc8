// SPDX-License-Identifier: BSD-2-Clause
// Interrupt commands: whom a destination names, and what reaches him. (APM vol. 2, 16.5 and 16.6)
#include "../base/x86.h"
#include "../base/pcpu.h"
#include "../vm/vp.h"
#include "vapic.h"

enum delivery { FIXED = 0, LOWEST = 1, SMI = 2, REMOTE_READ = 3, NMI = 4, INIT = 5, STARTUP = 6, EXTINT = 7 };
enum { ICR_LOGICAL = 1 << 11, ICR_ASSERT = 1 << 14, ICR_LEVEL = 1 << 15 };
enum shorthand { TO_DESTINATION, TO_SELF, TO_ALL, TO_OTHERS };

static bool matches_logical(const struct vp *vp, uint32_t destination)
{
    if (vapic_is_x2(vp)) // cluster in 31:16, member in 15:0
        return destination >> 16 == vp->apic_id >> 4 && (destination >> (vp->apic_id & 15) & 1) != 0;
    uint32_t mine = vp->apic.ldr >> 24;
    if (vp->apic.dfr >> 28 == 0xF) // flat: a bit each
        return (mine & destination & 0xFF) != 0;
    return mine >> 4 == (destination >> 4 & 0xF) && (mine & destination & 0xF) != 0;
}

static void deliver_to(struct vp *vp, enum delivery mode, uint32_t vector)
{
    if (!vapic_enabled(vp))
        return;
    switch (mode) {
    case FIXED:
    case LOWEST:
        if (vector >= 16 && __atomic_load_n(&vp->core->apic_enabled, __ATOMIC_RELAXED) != 0)
            vp_post_vector(vp, vector);
        break;
    case NMI:
        vp_post_event(vp, EVENT_NMI);
        break;
    case INIT:
        vp_post_event(vp, EVENT_INIT);
        break;
    case STARTUP:
        __atomic_store_n(&vp->sipi_page, vector, __ATOMIC_RELAXED);
        vp_post_event(vp, EVENT_SIPI);
        break;
    case SMI:
    case REMOTE_READ:
    case EXTINT:
        break; // nothing in this machine takes them
    }
}

// In x2APIC mode an id says which cluster it belongs to, so at most 16 VPs are looked at.
static void deliver_to_cluster(uint32_t destination, enum delivery mode, uint32_t vector)
{
    for (uint32_t members = destination & 0xFFFF; members != 0; members &= members - 1) {
        struct vp *vp = vp_by_apic_id(destination >> 16 << 4 | (uint32_t)__builtin_ctz(members));
        if (vp == 0 || !vapic_is_x2(vp))
            continue;
        deliver_to(vp, mode, vector);
        if (mode == LOWEST) // any one of them will do
            return;
    }
}

static void deliver_by(uint32_t destination, bool logical, bool broadcast, enum delivery mode,
                       uint32_t vector, const struct vp *except)
{
    if (!logical && !broadcast) {
        struct vp *vp = vp_by_apic_id(destination);
        if (vp != 0)
            deliver_to(vp, mode, vector);
        return;
    }
    for (uint32_t i = 0; i < vp_count; i++) {
        struct vp *vp = &vps[i];
        if (vp == except || !(broadcast || matches_logical(vp, destination)))
            continue;
        deliver_to(vp, mode, vector);
        if (mode == LOWEST) // any one of them will do
            return;
    }
}

void vapic_command(struct vp *vp, uint64_t icr)
{
    uint32_t low = (uint32_t)icr, destination = (uint32_t)(icr >> 32), vector = low & 0xFF;
    enum delivery mode = (enum delivery)(low >> 8 & 7);
    enum shorthand to = (enum shorthand)(low >> 18 & 3);
    bool broadcast = destination == (vapic_is_x2(vp) ? 0xFFFFFFFFu : 0xFFu);

    if (mode == INIT && (low & ICR_LEVEL) != 0 && (low & ICR_ASSERT) == 0)
        return; // INIT level de-assert does nothing on this processor family
    if ((mode == FIXED || mode == LOWEST) && vector < 16)
        vp->apic.esr_new |= 1u << 5; // send illegal vector
    switch (to) {
    case TO_SELF:
        this_pcpu()->count.events[EV_IPI_SELF]++;
        deliver_to(vp, mode, vector);
        break;
    case TO_ALL:
        deliver_by(0, false, true, mode, vector, 0);
        break;
    case TO_OTHERS:
        deliver_by(0, false, true, mode, vector, vp);
        break;
    case TO_DESTINATION:
        if ((low & ICR_LOGICAL) != 0 && !broadcast && vapic_is_x2(vp))
            deliver_to_cluster(destination, mode, vector);
        else
            deliver_by(destination, (low & ICR_LOGICAL) != 0, broadcast, mode, vector, 0);
        break;
    }
}

void vapic_deliver(uint32_t destination, bool logical, uint32_t mode, uint32_t vector)
{
    deliver_by(destination, logical, destination == 0xFF, (enum delivery)mode, vector, 0);
}
