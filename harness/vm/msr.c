// SPDX-License-Identifier: BSD-2-Clause
// Model-specific registers: what is not named here gives #GP. Hyper-V's: vm/hyperv.c.
#include "../base/x86.h"
#include "../base/pcpu.h"
#include "exits.h"
#include "guest.h"
#include "hyperv.h"
#include "kvm.h"
#include "nested.h"
#include "vp.h"
#include "../svm/svm.h"

// Registers of AMD processors that kernels read without looking whether they are there; they hold nothing here.
static bool is_quiet_amd_msr(uint32_t msr)
{
    switch (msr) {
    case MSR_PATCH_LEVEL:
    case 0x1D9:      // DEBUGCTL: no branch records here
    case 0xC0010010: // SYSCFG
    case 0xC0010015: // HWCR
    case 0xC001001F: // NB_CFG
    case 0xC0010055: // interrupt pending message
    case 0xC0011029: // DE_CFG
        return true;
    default:
        return false;
    }
}

static bool read(struct vp *vp, uint32_t msr, uint64_t *value)
{
    switch (msr) {
    case MSR_TSC:
        *value = rdtsc() + vp->vmcb->tsc_offset;
        return true;
    case MSR_APIC_BASE:
        *value = vp->apic.base_msr;
        return true;
    case MSR_PAT:
        *value = vp->vmcb->g_pat;
        return true;
    case MSR_TSC_DEADLINE:
        *value = vapic_read_deadline(vp);
        return true;
    case MSR_EFER:
        // The processor has SVME set in any case, for VMRUN's sake.
        *value = (vp->vmcb->efer & ~(EFER_SVME | EFER_LME)) | (vp->wants_long_mode ? EFER_LME : 0) |
                 (nested_sees_svme(vp) ? EFER_SVME : 0);
        return true;
    default:
        break;
    }
    if (msr >= MSR_X2APIC && msr < MSR_X2APIC + 0x100)
        return vapic_is_x2(vp) && vapic_read(vp, msr - MSR_X2APIC, value);
    if (is_quiet_amd_msr(msr)) {
        *value = 0;
        return true;
    }
    if (nested_msr_read(vp, msr, value))
        return true;
    return (persona_hyperv && hyperv_msr_read(vp, msr, value)) ||
           (persona_kvm && kvm_msr_read(vp, msr, value));
}

static bool write_efer(struct vp *vp, uint64_t value)
{
    uint64_t known = EFER_SCE | EFER_LME | EFER_LMA | EFER_NXE | EFER_FFXSR;
    uint64_t old = vp->vmcb->efer, lme = vp->wants_long_mode ? EFER_LME : 0;
    if ((value & ~(known | (nested_offered ? EFER_SVME : 0))) != 0)
        return false;
    if ((vp->vmcb->cr0 & CR0_PG) != 0 && ((value ^ lme) & EFER_LME) != 0)
        return false; // not while paging is on (APM vol. 2, 3.1.7)
    if (!nested_write_svme(vp, (value & EFER_SVME) != 0))
        return false;
    vp->vmcb->efer = (value & ~(EFER_LMA | EFER_LME)) | (old & (EFER_LMA | EFER_LME)) | EFER_SVME;
    vp->wants_long_mode = (value & EFER_LME) != 0;
    vp_set_lme(vp);
    asid_flush(vp);
    return true;
}

static bool write_pat(struct vp *vp, uint64_t value)
{
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t type = value >> i & 0xFF;
        if (type > 7 || type == 2 || type == 3)
            return false;
    }
    vp->vmcb->g_pat = value;
    return true;
}

// The VP's TSC moves, and with it that of its guest, if that is what runs.
static void write_tsc(struct vp *vp, uint64_t value)
{
    uint64_t by = value - rdtsc() - vp->own->tsc_offset;
    vp->own->tsc_offset += by;
    if (vp->vmcb != vp->own)
        vp->vmcb->tsc_offset += by;
    kvm_clock_moved(vp);
}

static bool write(struct vp *vp, uint32_t msr, uint64_t value)
{
    switch (msr) {
    case MSR_TSC:
        write_tsc(vp, value);
        return true;
    case MSR_APIC_BASE:
        return vapic_write_base(vp, value);
    case MSR_PAT:
        return write_pat(vp, value);
    case MSR_TSC_DEADLINE:
        vapic_write_deadline(vp, value);
        return true;
    case MSR_EFER:
        return write_efer(vp, value);
    default:
        break;
    }
    if (msr == MSR_X2APIC + 0x30)
        this_pcpu()->count.events[EV_IPI_X2APIC]++;
    if (msr >= MSR_X2APIC && msr < MSR_X2APIC + 0x100)
        return vapic_is_x2(vp) && vapic_write(vp, msr - MSR_X2APIC, value);
    if (is_quiet_amd_msr(msr))
        return true;
    if (nested_msr_write(vp, msr, value))
        return true;
    return (persona_hyperv && hyperv_msr_write(vp, msr, value)) ||
           (persona_kvm && kvm_msr_write(vp, msr, value));
}

enum after_exit exit_msr(struct vp *vp)
{
    uint32_t msr = (uint32_t)vp->gpr[1];
    if (vp->vmcb->exit_info1 == 0) {
        uint64_t value = 0;
        if (!read(vp, msr, &value)) {
            vp_inject_gp(vp);
            return AFTER_CONTINUE;
        }
        vp->vmcb->rax = (uint32_t)value;
        vp->gpr[2] = value >> 32;
    } else if (!write(vp, msr, (uint32_t)vp->vmcb->rax | vp->gpr[2] << 32)) {
        vp_inject_gp(vp);
        return AFTER_CONTINUE;
    }
    guest_skip(vp, 2);
    return vp->activity == VP_ACTIVE ? AFTER_CONTINUE : AFTER_SLEEP;
}
