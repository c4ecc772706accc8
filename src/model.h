// SPDX-License-Identifier: BSD-2-Clause
// The model's symbols, as the contracts use them. Nothing is defined here: proofs/model.driver links each symbol to
// its definition in spec/, so a contract means what the model says.
#ifndef PV_MODEL_H
#define PV_MODEL_H

/*@ axiomatic Words {
      logic integer shr(integer m, integer i) reads \nothing;
      predicate mbit(integer m, integer i) reads \nothing;
      logic integer rank(integer m, integer k) reads \nothing;
      logic integer popcount(integer m) reads \nothing;
      logic integer pow2(integer n) reads \nothing;
    }

    axiomatic Words_laws {
      logic integer both(integer a, integer b, integer n) reads \nothing;
      logic integer low(integer m, integer n) reads \nothing;
    }

    axiomatic Bitlaws {
      logic integer lowest(integer m, integer i) reads \nothing;
    }

    axiomatic Control {
      logic integer code_of(integer w) reads \nothing;
      logic integer fast_of(integer w) reads \nothing;
      logic integer var_of(integer w) reads \nothing;
      logic integer nested_of(integer w) reads \nothing;
      logic integer rep_count_of(integer w) reads \nothing;
      logic integer rep_start_of(integer w) reads \nothing;
      predicate reserved_set(integer w) reads \nothing;
      logic integer result_value(integer status, integer reps) reads \nothing;
      logic integer restart(integer w, integer start) reads \nothing;
    }

    axiomatic Calls {
      predicate known(integer code) reads \nothing;
      predicate is_flush(integer code) reads \nothing;
      predicate is_ipi(integer code) reads \nothing;
      predicate is_gpa(integer code) reads \nothing;
      predicate is_list(integer code) reads \nothing;
      predicate is_rep(integer code) reads \nothing;
      predicate is_ex(integer code) reads \nothing;
      predicate needs_xmm(integer code) reads \nothing;
      predicate offered(integer offers, integer code) reads \nothing;
      logic integer fixed_qwords(integer code) reads \nothing;
      logic integer gate(integer code) reads \nothing;
    }

    axiomatic Vpset {
      predicate member(integer mask, integer word, integer v) reads \nothing;
      predicate plain_member(integer mask, integer v) reads \nothing;
      predicate shape_ok(integer format, integer mask, integer var_qwords) reads \nothing;
      predicate known_format(integer format) reads \nothing;
      logic integer slot_of(integer mask, integer v) reads \nothing;
    }

    axiomatic Gva {
      predicate canonical(integer gva_bits, integer page) reads \nothing;
      logic integer entry_first(integer ext, integer entry) reads \nothing;
      logic integer entry_pages(integer ext, integer entry) reads \nothing;
      predicate entry_everything(integer ext, integer entry) reads \nothing;
      predicate names(integer gva_bits, integer ext, integer entry, integer page) reads \nothing;
      logic integer clip_first(integer gva_bits, integer first) reads \nothing;
      logic integer clip_end(integer gva_bits, integer first, integer pages) reads \nothing;
    }

    axiomatic Flushqueue {
      predicate touching(integer first1, integer pages1, integer first2, integer pages2) reads \nothing;
      predicate mergeable(integer first1, integer pages1, integer first2, integer pages2) reads \nothing;
      logic integer merged_first(integer first1, integer first2) reads \nothing;
      logic integer merged_pages(integer first1, integer pages1, integer first2, integer pages2) reads \nothing;
      logic integer push_case(integer overflow, integer count, integer last_first, integer last_pages,
                              integer first, integer pages) reads \nothing;
    }

    axiomatic Params {
      predicate flags_ok(integer offers, integer code, integer flags) reads \nothing;
      logic integer format_word(integer code, integer q1, integer q2) reads \nothing;
      logic integer mask_word(integer code, integer q1, integer q2, integer q3) reads \nothing;
      predicate vector_ok(integer q0) reads \nothing;
      predicate root_ok(integer q0, integer q1) reads \nothing;
      logic integer params_verdict(integer offers, integer code, integer var_qwords,
                                   integer q0, integer q1, integer q2, integer q3) reads \nothing;
      predicate everyone(integer code, integer q1, integer q2) reads \nothing;
      predicate meant(integer code, integer q1, integer q2, integer q3, integer word, integer v) reads \nothing;
      logic integer word_place(integer code, integer mask, integer v) reads \nothing;
      logic integer element_place(integer code, integer var_qwords, integer i) reads \nothing;
      logic integer ask_kind(integer code, integer q1) reads \nothing;
      logic integer list_form(integer q1) reads \nothing;
      logic integer ask_nested reads \nothing;
    }

    axiomatic Stages {
      logic integer block_qwords(integer w) reads \nothing;
      predicate shape_right(integer w) reads \nothing;
      logic integer control_verdict(integer offers, integer identified, integer cpl, integer protected_mode,
                                    integer w) reads \nothing;
      predicate place_right(integer w, integer gpa) reads \nothing;
      logic integer operand_verdict(integer w, integer gpa, integer readable) reads \nothing;
      logic integer verdict(integer offers, integer identified, integer cpl, integer protected_mode, integer w,
                            integer gpa, integer readable, integer q0, integer q1, integer q2, integer q3)
        reads \nothing;
      logic integer stop_of(integer budget, integer w) reads \nothing;
      logic integer low32(integer r) reads \nothing;
      logic integer pair(integer high, integer low) reads \nothing;
      logic integer control_reg(integer long_mode, integer rax, integer rcx, integer rdx) reads \nothing;
      logic integer input_reg(integer long_mode, integer rbx, integer rcx, integer rdx) reads \nothing;
      logic integer input2_reg(integer long_mode, integer rsi, integer rdi, integer r8) reads \nothing;
      logic integer fast_word(integer in1, integer in2, integer xmm_word, integer i) reads \nothing;
      logic integer outcome(integer verdict, integer budget, integer w) reads \nothing;
      logic integer reps_done(integer verdict, integer w) reads \nothing;
    }

    axiomatic Setup {
      predicate config_valid(integer offers, integer gva_bits, integer rep_budget, integer max_vps,
                             integer gpa_bits) reads \nothing;
      predicate vp_addable(integer max_vps, integer count, integer capacity, integer in_use, integer vp_index)
        reads \nothing;
      logic integer leaf_base reads \nothing;
      logic integer leaf_interface reads \nothing;
      logic integer leaf_features reads \nothing;
      logic integer leaf_hints reads \nothing;
      logic integer leaf_limits reads \nothing;
      logic integer leaf_max reads \nothing;
      logic integer leaf_nested reads \nothing;
      logic integer highest_leaf(integer offers) reads \nothing;
      predicate gpa_served(integer offers) reads \nothing;
      predicate direct_served(integer offers) reads \nothing;
      predicate bitmap_served(integer offers) reads \nothing;
      predicate npt_tlb_served(integer offers) reads \nothing;
      logic integer nested_eax(integer offers) reads \nothing;
      logic integer vendor_ebx reads \nothing;
      logic integer vendor_ecx reads \nothing;
      logic integer vendor_edx reads \nothing;
      logic integer interface reads \nothing;
      logic integer features_eax(integer privileges) reads \nothing;
      logic integer features_edx(integer offers, integer features) reads \nothing;
      predicate flush_served(integer offers) reads \nothing;
      predicate ipi_served(integer offers) reads \nothing;
      logic integer hints_eax(integer offers, integer privileges, integer hints) reads \nothing;
      logic integer hints_ebx(integer offers, integer spin_count) reads \nothing;
      logic integer cpuid_eax(integer offers, integer privileges, integer hints, integer max_vps, integer leaf)
        reads \nothing;
      logic integer cpuid_ebx(integer offers, integer spin_count, integer leaf) reads \nothing;
      logic integer cpuid_ecx(integer leaf) reads \nothing;
      logic integer cpuid_edx(integer offers, integer features, integer leaf) reads \nothing;
      logic integer msr_read_result(integer msr) reads \nothing;
      logic integer msr_read_value(integer os_id, integer hypercall, integer vp_index, integer msr)
        reads \nothing;
      predicate page_enabled(integer hypercall) reads \nothing;
      logic integer page_gpa(integer hypercall) reads \nothing;
      predicate frame_inside(integer gpa_bits, integer value) reads \nothing;
      predicate locked(integer offers, integer hypercall) reads \nothing;
      logic integer msr_write_result(integer offers, integer gpa_bits, integer hypercall, integer msr,
                                     integer value) reads \nothing;
      logic integer disabled(integer hypercall) reads \nothing;
      logic integer os_id_after(integer os_id, integer msr, integer value) reads \nothing;
      logic integer hypercall_after(integer os_id, integer hypercall, integer msr, integer value)
        reads \nothing;
    }

    axiomatic Nested_calls {
      logic integer area_controls(integer offers, integer q0) reads \nothing;
      logic integer area_vp(integer q0) reads \nothing;
      predicate direct_wanted(integer controls, integer page, integer features, integer code) reads \nothing;
      predicate load_flushes(integer was_named, integer was_vm, integer was_vp, integer named, integer vm, integer vp)
        reads \nothing;
      logic integer direct_operands(integer w, integer gpa, integer readable) reads \nothing;
      logic integer direct_verdict(integer offers, integer cpl, integer protected_mode, integer w, integer gpa,
                                   integer readable, integer q0, integer q1, integer q2, integer q3) reads \nothing;
      predicate id_meant(integer code, integer q1, integer q2, integer q3, integer word, integer id) reads \nothing;
      logic integer direct_outcome(integer verdict, integer budget, integer w) reads \nothing;
      predicate locked_exit(integer readable, integer word) reads \nothing;
      predicate bitmap_kept(integer controls, integer clean, integer same) reads \nothing;
      logic integer asid_flush_sync(integer controls) reads \nothing;
    }

    axiomatic Nested_svm {
      logic integer svm_vmrun reads \nothing;
      logic integer svm_vmload reads \nothing;
      logic integer svm_vmsave reads \nothing;
      logic integer svm_skinit reads \nothing;
      logic integer go_on reads \nothing;
      logic integer fault_ud reads \nothing;
      logic integer fault_gp reads \nothing;
      predicate page_inside(integer address, integer bits) reads \nothing;
      predicate takes_vmcb(integer code) reads \nothing;
      logic integer svm_fault(integer code, integer svme, integer pe, integer vm, integer cpl, integer rax,
                              integer bits) reads \nothing;
      logic integer vm_cr_after(integer was, integer value) reads \nothing;
      predicate vm_cr_ok(integer was, integer value, integer svme) reads \nothing;
      predicate svme_ok(integer vm_cr, integer wanted) reads \nothing;
    }

    axiomatic Nested_check {
      predicate event_valid(integer event) reads \nothing;
      predicate fits(integer base, integer size, integer bits) reads \nothing;
      predicate control_valid(integer bits, integer asids, integer npt, integer intercepts4, integer asid,
                              integer tlb_control, integer iopm, integer msrpm, integer nested, integer ncr3) reads \nothing;
      predicate efer_valid(integer efer) reads \nothing;
      predicate registers_valid(integer cr4_bits, integer cr0, integer cr4, integer dr6,
                                integer dr7) reads \nothing;
      predicate long_mode_valid(integer bits, integer efer, integer cr0, integer cr3, integer cr4,
                                integer cs) reads \nothing;
    }

    axiomatic Nested_merge {
      predicate run_bit(integer asked, integer own, integer i) reads \nothing;
      logic integer asked4(integer word) reads \nothing;
      logic integer asked5(integer word) reads \nothing;
      logic integer tsc_sum(integer a, integer b) reads \nothing;
      logic integer run_v_intr(integer asked) reads \nothing;
      logic integer run_rflags(integer asked) reads \nothing;
    }

    axiomatic Nested_route {
      predicate any_bit(integer w, integer from, integer n) reads \nothing;
      logic integer io_size(integer info1) reads \nothing;
      logic integer io_port(integer info1) reads \nothing;
      predicate io_wanted(integer info1, integer two) reads \nothing;
      logic integer no_place reads \nothing;
      logic integer msr_place(integer msr) reads \nothing;
      predicate msr_wanted(integer msr, integer write, integer word) reads \nothing;
      logic integer map_bits(integer there, integer word) reads \nothing;
      logic integer map_used(integer i3) reads \nothing;
      predicate ours_first(integer code) reads \nothing;
      logic integer word_of_code(integer cr, integer dr, integer exceptions, integer i3, integer i4,
                                 integer i5, integer code) reads \nothing;
      predicate exit_wanted(integer word, integer code) reads \nothing;
      logic integer code_io reads \nothing;
      logic integer code_msr reads \nothing;
    }

    axiomatic Nested_exit {
      logic integer exit_invalid reads \nothing;
      logic integer v_intr_back(integer asked, integer ran) reads \nothing;
      logic integer event_done(integer event) reads \nothing;
      logic integer cpl_of(integer ss) reads \nothing;
      logic integer host_cr0(integer cr0) reads \nothing;
      logic integer host_rflags(integer rflags) reads \nothing;
      predicate host_ok(integer bits, integer cr0, integer cr3) reads \nothing;
    }

    axiomatic Nested_walk {
      logic integer levels(integer role) reads \nothing;
      predicate no_execute(integer role) reads \nothing;
      logic integer covers(integer f, integer n) reads \nothing;
      logic integer covers_shift(integer f, integer n) reads \nothing;
      logic integer root_table(integer f, integer ncr3) reads \nothing;
      logic integer entry_index(integer f, integer n, integer gpa) reads \nothing;
      logic integer entry_at(integer f, integer n, integer table, integer gpa) reads \nothing;
      predicate present(integer e) reads \nothing;
      predicate is_page(integer role, integer n, integer e) reads \nothing;
      predicate reserved(integer role, integer width, integer n, integer e) reads \nothing;
      logic integer table_of(integer f, integer e) reads \nothing;
      logic integer target_of(integer f, integer n, integer e, integer gpa) reads \nothing;
      logic integer entry_user(integer f, integer n, integer e) reads \nothing;
      logic integer entry_writes(integer f, integer n, integer e) reads \nothing;
      logic integer entry_runs(integer role, integer n, integer e) reads \nothing;
      logic integer both_ones(integer a, integer b) reads \nothing;
      logic integer at_place(integer found, integer verdict) reads \nothing;
      logic integer at_entry(integer role, integer width, integer n, integer e, integer user,
                             integer stores, integer runs, integer write, integer fetch) reads \nothing;
      predicate beyond(integer f, integer gpa) reads \nothing;
      logic integer fault_info(integer verdict, integer write, integer fetch, integer tables) reads \nothing;
      logic integer access_tables(integer info1) reads \nothing;
      logic integer access_write(integer info1) reads \nothing;
      logic integer access_fetch(integer info1) reads \nothing;
      predicate unmarked(integer page, integer e, integer write) reads \nothing;
      logic integer leaf_rights(integer e, integer stores, integer runs, integer marked) reads \nothing;
      predicate may_write(integer rights) reads \nothing;
      predicate may_run(integer rights) reads \nothing;
      logic integer both_rights(integer a, integer b) reads \nothing;
      logic integer both_shift(integer a, integer b) reads \nothing;
      logic integer frame_bytes(integer shift) reads \nothing;
      logic integer host_of(integer frame, integer shift, integer gpa) reads \nothing;
      logic integer leaf_frame(integer frame, integer shift, integer gpa, integer to_shift) reads \nothing;
      predicate not_granted(integer there, integer rights, integer write, integer fetch) reads \nothing;
    }

    axiomatic Nested_shadow {
      logic integer s_address(integer e) reads \nothing;
      predicate s_large(integer e) reads \nothing;
      logic integer leaf_entry(integer frame, integer rights, integer large) reads \nothing;
      logic integer link_entry(integer base, integer i) reads \nothing;
      predicate s_inside(integer base, integer count, integer e) reads \nothing;
      logic integer s_child(integer base, integer e) reads \nothing;
      predicate s_below(integer owner, integer level, integer to_owner, integer to_level) reads \nothing;
      logic integer s_index(integer gpa, integer n) reads \nothing;
      predicate s_within(integer e, integer size, integer frame, integer bytes, integer rights) reads \nothing;
    }

    axiomatic Kvm {
      predicate kvm_config(integer base, integer features, integer ids) reads \nothing;
      logic integer kvm_eax(integer base, integer features, integer leaf) reads \nothing;
      logic integer kvm_ebx(integer base, integer leaf) reads \nothing;
      logic integer kvm_ecx(integer base, integer leaf) reads \nothing;
      logic integer kvm_edx(integer base, integer hints, integer leaf) reads \nothing;
      logic integer kvm_msr_result(integer features, integer msr, integer value) reads \nothing;
      logic integer kvm_u32(integer r) reads \nothing;
      logic integer kvm_reg(integer long_mode, integer r) reads \nothing;
      logic integer kvm_result(integer long_mode, integer value) reads \nothing;
      predicate kvm_offered(integer features, integer number) reads \nothing;
      logic integer icr_vector(integer icr) reads \nothing;
      predicate icr_nmi(integer icr) reads \nothing;
      predicate icr_refused(integer icr) reads \nothing;
      predicate icr_void(integer icr) reads \nothing;
      predicate icr_hollow(integer icr) reads \nothing;
      logic integer kvm_verdict(integer cpl, integer features, integer number, integer icr) reads \nothing;
      predicate in_word(integer word, integer first, integer size, integer id) reads \nothing;
      logic integer word_size(integer long_mode) reads \nothing;
      predicate kvm_sent(integer long_mode, integer icr, integer low, integer high, integer least, integer id)
        reads \nothing;
      predicate kvm_accepts(integer icr, integer deaf) reads \nothing;
      logic integer kvm_kick_id(integer a1) reads \nothing;
      logic integer kvm_yield_id(integer long_mode, integer a0) reads \nothing;
      predicate flush_wanted(integer preempted) reads \nothing;
      logic integer clock_above(integer shift) reads \nothing;
      logic integer clock_below(integer hz, integer shift) reads \nothing;
      predicate clock_right(integer hz, integer mul, integer shift) reads \nothing;
    } */

#endif
