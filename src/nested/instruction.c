// SPDX-License-Identifier: BSD-2-Clause
#include "instruction.h"
#include "../base/bits.h"

bool pv_hsave_valid(uint64_t value, uint32_t address_bits)
{
    return value % 0x1000u == 0 && value < pv_bit_value(address_bits);
}

enum pv_svm_fault pv_svm_fault(const struct pv_svm_mode *m, uint32_t code)
{
    if (m->svme == 0 || m->protected_mode == 0 || m->v86 != 0 || code == PV_SVM_SKINIT) {
        return PV_SVM_FAULT_UD;
    }
    if (m->cpl != 0) {
        return PV_SVM_FAULT_GP;
    }
    if (code != PV_SVM_VMRUN && code != PV_SVM_VMLOAD && code != PV_SVM_VMSAVE) {
        return PV_SVM_GO_ON;
    }
    return pv_hsave_valid(m->rax, m->address_bits) ? PV_SVM_GO_ON : PV_SVM_FAULT_GP;
}

bool pv_vm_cr_write(uint64_t *vm_cr, uint64_t value, uint32_t svme)
{
    if (value >= 32) {
        return false;
    }
    const uint64_t locked = *vm_cr / 8u % 2u;
    const uint64_t after = locked == 1 ? value % 8u + 8u * (*vm_cr / 8u % 4u) : value;
    if (svme != 0 && after / 16u % 2u == 1) {
        return false;
    }
    *vm_cr = after;
    return true;
}

bool pv_svme_writable(uint64_t vm_cr, uint32_t set)
{
    return set == 0 || vm_cr / 16u % 2u == 0;
}
