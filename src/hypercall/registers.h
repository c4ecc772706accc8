// SPDX-License-Identifier: BSD-2-Clause
// The caller's registers after the instruction.
#ifndef PV_REGISTERS_H
#define PV_REGISTERS_H

#include "../model.h"
#include "../types.h"

/*@ // HC-REG-3: only the result register, or the control word's, may change.
    predicate others_kept{K, L}(struct pv_call *call) =
      \at(call->rbx, K) == \at(call->rbx, L) && \at(call->rsi, K) == \at(call->rsi, L) &&
      \at(call->rdi, K) == \at(call->rdi, L) && \at(call->r8, K) == \at(call->r8, L);

    // HC-RES-1: a value in the result register: RAX, or EDX:EAX.
    predicate ends_with{K, L}(struct pv_call *call, integer value) =
      others_kept{K, L}(call) && \at(call->rcx, K) == \at(call->rcx, L) &&
      (\at(call->long_mode, K) != 0 ==> \at(call->rax, L) == value && \at(call->rdx, K) == \at(call->rdx, L)) &&
      (\at(call->long_mode, K) == 0 ==>
        \at(call->rax, L) == value % 4294967296 && \at(call->rdx, L) == value / 4294967296);

    // HC-CONT-3: a value in the control register: RCX, or EDX:EAX.
    predicate goes_on_with{K, L}(struct pv_call *call, integer value) =
      others_kept{K, L}(call) &&
      (\at(call->long_mode, K) != 0 ==> \at(call->rcx, L) == value && \at(call->rax, K) == \at(call->rax, L) &&
                                        \at(call->rdx, K) == \at(call->rdx, L)) &&
      (\at(call->long_mode, K) == 0 ==> \at(call->rax, L) == value % 4294967296 &&
        \at(call->rdx, L) == value / 4294967296 && \at(call->rcx, K) == \at(call->rcx, L));

    predicate nothing_changed{K, L}(struct pv_call *call) =
      others_kept{K, L}(call) && \at(call->rax, K) == \at(call->rax, L) && \at(call->rcx, K) == \at(call->rcx, L) &&
      \at(call->rdx, K) == \at(call->rdx, L); */

// The end of an instruction that is done: the result value in its register.
/*@ requires valid: \valid(call);
    assigns  call->rax, call->rdx;
    ensures  hc_res_3: ends_with{Pre, Here}(call, result); */
PV_INNER void pv_registers_finish(struct pv_call *call, uint64_t result);

// The end of an instruction that will be executed again: another control word.
/*@ requires valid: \valid(call);
    assigns  call->rax, call->rcx, call->rdx;
    ensures  hc_cont_4: goes_on_with{Pre, Here}(call, word); */
PV_INNER void pv_registers_suspend(struct pv_call *call, uint64_t word);

#endif
