// SPDX-License-Identifier: BSD-2-Clause
// The registers of SVM as L1 sees them (APM vol. 2, 15.4 and 15.30).
#include "../base/x86.h"
#include "nested.h"
#include "../base/memory.h"
#include "../../src/nested/instruction.h"

bool nested_sees_svme(const struct vp *vp)
{
    return vp->nested != 0 && (vp->in_l2 || vp->nested->svme);
}

bool nested_write_svme(struct vp *vp, bool on)
{
    struct nested *n = vp->nested;
    if (n == 0)
        return !on;
    if (vp->in_l2)
        return on; // L2 runs with SVME, and would be no L2 without
    if (!pv_svme_writable(n->vm_cr, on))
        return false;
    n->svme = on;
    if (!on)
        vp_set_gif(vp, true);
    return true;
}

bool nested_msr_read(const struct vp *vp, uint32_t msr, uint64_t *value)
{
    if (vp->nested == 0 || (msr != MSR_VM_CR && msr != MSR_VM_HSAVE_PA))
        return false;
    *value = msr == MSR_VM_CR ? vp->nested->vm_cr : vp->nested->hsave_pa;
    return true;
}

bool nested_msr_write(struct vp *vp, uint32_t msr, uint64_t value)
{
    struct nested *n = vp->nested;
    if (n == 0)
        return false;
    if (msr == MSR_VM_CR)
        return pv_vm_cr_write(&n->vm_cr, value, n->svme);
    if (msr != MSR_VM_HSAVE_PA || !pv_hsave_valid(value, guest_address_bits))
        return false;
    n->hsave_pa = value;
    return true;
}
