// SPDX-License-Identifier: BSD-2-Clause
// When an instruction of SVM faults, and what may be written to its MSRs (APM vol. 2, 15.4, 15.30).
#ifndef PV_NESTED_INSTRUCTION_H
#define PV_NESTED_INSTRUCTION_H

#include <stdbool.h>
#include <stdint.h>
#include "../model.h"

// The instructions by their exit codes.
enum {
    PV_SVM_INVLPGA = 0x7A,
    PV_SVM_VMRUN = 0x80,
    PV_SVM_VMLOAD = 0x82,
    PV_SVM_VMSAVE = 0x83,
    PV_SVM_STGI = 0x84,
    PV_SVM_CLGI = 0x85,
    PV_SVM_SKINIT = 0x86
};

enum pv_svm_fault { PV_SVM_GO_ON = 0, PV_SVM_FAULT_UD = 1, PV_SVM_FAULT_GP = 2 };

// The state of the VP when it executes one.
struct pv_svm_mode {
    uint32_t svme;           // EFER.SVME as the software sees it
    uint32_t protected_mode; // CR0.PE
    uint32_t v86;            // RFLAGS.VM
    uint32_t cpl;
    uint32_t address_bits; // width of a physical address, 32..52
    uint64_t rax;          // cut to the size of an address
};

/*@ requires valid: \valid_read(m);
    requires bits: m->address_bits < 64;
    assigns  \nothing;
    ensures  nv_fault_1: \result ==
               svm_fault(code, m->svme, m->protected_mode, m->v86, m->cpl, m->rax, m->address_bits); */
enum pv_svm_fault pv_svm_fault(const struct pv_svm_mode *m, uint32_t code);

// A write of `value` to VM_CR (0xC0010114), which holds *vm_cr (0..31). False: #GP, and nothing is changed.
/*@ requires valid: \valid(vm_cr);
    requires range: *vm_cr < 32;
    assigns  *vm_cr;
    ensures  nv_vmcr_1: \result ==> *vm_cr == vm_cr_after(\old(*vm_cr), value);
    ensures  nv_vmcr_2: \result <==> vm_cr_ok(\old(*vm_cr), value, svme);
    ensures  kept: !\result ==> *vm_cr == \old(*vm_cr);
    ensures  range: *vm_cr < 32; */
bool pv_vm_cr_write(uint64_t *vm_cr, uint64_t value, uint32_t svme);

// May EFER.SVME become `set`?
/*@ assigns  \nothing;
    ensures  nv_svme_1: \result <==> svme_ok(vm_cr, set); */
bool pv_svme_writable(uint64_t vm_cr, uint32_t set);

// May VM_HSAVE_PA (0xC0010117) become `value`? We never use the page.
/*@ requires bits: address_bits < 64;
    assigns  \nothing;
    ensures  nv_hsave_1: \result <==> page_inside(value, address_bits); */
bool pv_hsave_valid(uint64_t value, uint32_t address_bits);

#endif
