// SPDX-License-Identifier: BSD-2-Clause
#include "check.h"
#include "../base/bits.h"

#define OFFER_BIT_EX_MASKS        7u
#define OFFER_BIT_XMM_INPUT       8u
#define OFFER_BIT_EXTENDED_RANGES 9u
#define OFFER_BIT_NESTING         13u

#define REGISTER_QWORDS 2u  // two general registers
#define FAST_QWORDS     14u // and six XMM registers

#define FORMAT_SPARSE 0u
#define FORMAT_ALL    1u

uint32_t pv_check_size(const struct pv_control *c, const struct pv_row *row)
{
    return row->fixed_qwords + c->var_qwords + c->rep_count;
}

/*@ requires valid: \valid_read(c) && control_of(c, c->word);
    requires row: \valid_read(row) && row_of(row, c->code);
    requires range: c->var_qwords < 1024 && c->rep_count < 4096;
    assigns  \nothing;
    ensures  hc_shape_1: \result <==> shape_right(c->word); */
PV_HELPER bool shape_right(const struct pv_control *c, const struct pv_row *row)
{
    if (row->rep != 0) {
        if (c->rep_start >= c->rep_count) {
            return false;
        }
    } else if (c->rep_count != 0 || c->rep_start != 0) {
        return false;
    }
    if (row->ex == 0 && c->var_qwords != 0) {
        return false;
    }
    return c->fast == 0 || pv_check_size(c, row) <= FAST_QWORDS;
}

/*@ requires row: \valid_read(row) && row_of(row, row->code);
    assigns  \nothing;
    ensures  hc_gate_1: \result <==> offered(offers, row->code); */
PV_HELPER bool offered(uint32_t offers, const struct pv_row *row)
{
    return pv_bit_test(offers, row->gate) && (row->ex == 0 || pv_bit_test(offers, OFFER_BIT_EX_MASKS)) &&
           (row->gpa == 0 || pv_bit_test(offers, OFFER_BIT_NESTING));
}

// A list stands behind the header, so it needs more than the header does.
/*@ requires row: \valid_read(row) && row_of(row, row->code);
    assigns  \nothing;
    ensures  hc_xmm_1: \result <==> needs_xmm(row->code); */
PV_HELPER bool needs_xmm(const struct pv_row *row)
{
    return row->fixed_qwords > REGISTER_QWORDS || row->rep != 0;
}

uint32_t pv_check_control(uint32_t offers, uint32_t identified, uint32_t cpl, uint32_t protected_mode,
                          const struct pv_control *c, bool found, const struct pv_row *row)
{
    if (cpl != 0 || protected_mode == 0 || identified == 0) {
        return PV_VERDICT_UD;
    }
    if (c->refused != 0) {
        return PV_STATUS_INVALID_INPUT;
    }
    if (!found) {
        return PV_STATUS_INVALID_CODE;
    }
    if (!offered(offers, row)) {
        return PV_STATUS_ACCESS_DENIED;
    }
    if (c->fast != 0 && needs_xmm(row) && !pv_bit_test(offers, OFFER_BIT_XMM_INPUT)) {
        return PV_VERDICT_UD;
    }
    return shape_right(c, row) ? PV_STATUS_SUCCESS : PV_STATUS_INVALID_INPUT;
}

/*@ assigns \nothing;
    ensures vs_var_1: \result <==> shape_ok(format, mask, var_qwords); */
PV_HELPER bool set_shape_right(uint64_t format, uint64_t mask, uint32_t var_qwords)
{
    if (format == FORMAT_ALL) {
        return var_qwords == 0 || var_qwords == pv_bit_count(mask);
    }
    return format != FORMAT_SPARSE || var_qwords == pv_bit_count(mask);
}

/*@ requires row: \valid_read(row) && row_of(row, row->code) && known(row->code);
    assigns  \nothing;
    ensures  fl_flag_5: \result <==> flags_ok(offers, row->code, flags); */
PV_HELPER bool flush_flags_right(uint32_t offers, const struct pv_row *row, uint64_t flags)
{
    if (row->rep == 0) {
        return flags / 8u == 0; // extended ranges mean nothing without a list
    }
    if (flags / 16u != 0 || pv_bit_test(flags, 2)) { // a list is flushed for global pages too
        return false;
    }
    return !pv_bit_test(flags, 3) || pv_bit_test(offers, OFFER_BIT_EXTENDED_RANGES);
}

// The name of a nested table is the address of its root, and nothing else; there are no flags.
/*@ assigns \nothing;
    ensures ne_flag_1: \result <==> root_ok(root, flags); */
PV_HELPER bool root_right(uint64_t root, uint64_t flags)
{
    return root % 0x1000u == 0 && root < 0x10000000000000u && flags == 0;
}

uint32_t pv_check_params(uint32_t offers, const struct pv_row *row, uint32_t var_qwords, const uint64_t *operand)
{
    if (row->gpa != 0) {
        return root_right(operand[0], operand[1]) ? PV_STATUS_SUCCESS : PV_STATUS_BAD_PARAMETER;
    }
    // The format and the mask of a set stand behind what else the header holds.
    const uint64_t format = row->ex == 0 ? FORMAT_SPARSE : row->ipi != 0 ? operand[1] : operand[2];

    if (row->ex != 0) {
        const uint64_t mask = row->ipi != 0 ? operand[2] : operand[3];
        if (!set_shape_right(format, mask, var_qwords)) {
            return PV_STATUS_INVALID_INPUT;
        }
    }
    if (row->flush != 0 && !flush_flags_right(offers, row, operand[1])) {
        return PV_STATUS_BAD_PARAMETER;
    }
    if (row->ipi != 0 && (operand[0] < 0x10 || operand[0] > 0xFF)) {
        return PV_STATUS_BAD_PARAMETER;
    }
    if (format != FORMAT_SPARSE && format != FORMAT_ALL) {
        return PV_STATUS_BAD_PARAMETER;
    }
    return PV_STATUS_SUCCESS;
}
