// SPDX-License-Identifier: BSD-2-Clause
#include "send.h"
#include "../base/bits.h"
#include "../base/clamp.h"
#include "../base/shared.h"
#include "../ipi/ipi.h"
#include "../platform.h"

enum { MODE_FIXED = 0, MODE_NMI = 4 };

bool pv_kvm_icr_refused(uint32_t icr)
{
    const uint32_t mode = icr / 0x100u % 8u;

    return (mode != MODE_FIXED && mode != MODE_NMI) || icr / 0x800u % 2u != 0 || icr / 0x40000u % 4u != 0;
}

// One VP; true if it accepted.
PV_HELPER bool send_vp(const struct pv_partition *p, struct pv_vp *vp, uint32_t icr)
{
    if (icr / 0x100u % 8u == MODE_NMI) {
        pv_platform_nmi(p, vp);
        return true;
    }
    if (icr % 0x100u < 16) {
        return pv_shared_apic_enabled(vp); // no interrupt has such a vector
    }
    return pv_ipi_tell(p, vp, icr % 0x100u);
}

// The VPs of one word, whose bit 0 is APIC id `first`.
PV_HELPER uint32_t send_word(struct pv_partition *p, const struct pv_kvm *k, uint64_t word, uint64_t first,
                             uint32_t icr)
{
    uint64_t left = word;
    uint32_t accepted = 0;

    while (left != 0) {
        const uint64_t id = first + pv_bit_lowest(left);
        if (id >= k->ids) {
            break; // and so are all that follow
        }
        left = pv_bit_drop_lowest(left);
        const uint32_t place = k->place[pv_index_clamp((uint32_t)id, k->ids)];
        if (place < p->vp_count && send_vp(p, &p->vps[pv_index_clamp(place, p->vp_count)], icr)) {
            accepted++;
        }
    }
    return accepted;
}

uint64_t pv_kvm_send(struct pv_partition *p, const struct pv_kvm *k, uint64_t low, uint64_t high, uint32_t least,
                     uint32_t cluster, uint32_t icr)
{
    if (icr / 0x100u % 8u == MODE_FIXED && icr / 0x8000u % 2u == 1 && icr / 0x4000u % 2u == 0) {
        return 0; // level-triggered and de-asserted: there is nothing to accept
    }
    const uint32_t first = send_word(p, k, low, least, icr);
    return first + send_word(p, k, high, (uint64_t)least + cluster, icr);
}
