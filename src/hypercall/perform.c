// SPDX-License-Identifier: BSD-2-Clause
#include "perform.h"
#include "../base/bits.h"

static uint32_t flush_kind(const struct pv_row *row, uint64_t flags)
{
    if (row->rep != 0) {
        return PV_FLUSH_RANGES;
    }
    return pv_bit_test(flags, 2) ? PV_FLUSH_NONGLOBAL : PV_FLUSH_FULL;
}

static uint32_t stop_in_list(const struct pv_control *c, uint32_t budget)
{
    return c->rep_count - c->rep_start <= budget ? c->rep_count : c->rep_start + budget;
}

static uint32_t perform_flush(struct pv_partition *p, uint32_t context, const struct pv_control *c,
                              const struct pv_row *row, struct pv_scratch *scratch)
{
    const uint64_t flags = scratch->operand[1];
    const uint32_t stop = stop_in_list(c, p->config.rep_budget);

    pv_ranges_clear(&scratch->ask);
    if (row->rep != 0) {
        const uint64_t *list = scratch->operand + row->fixed_qwords + c->var_qwords;
        pv_list_collect(&scratch->ask, list, c->rep_start, stop, pv_bit_test(flags, 3) ? 1 : 0, p->config.gva_bits);
    }
    pv_targets(row, scratch->operand, &p->present, &scratch->targets);
    pv_flush_perform(p, &scratch->targets, context, flush_kind(row, flags), &scratch->ask, &scratch->kicked);
    return stop;
}

uint32_t pv_perform(struct pv_partition *p, uint32_t context, const struct pv_control *c, const struct pv_row *row,
                    struct pv_scratch *scratch)
{
    if (row->flush != 0) {
        return perform_flush(p, context, c, row, scratch);
    }
    if (row->ipi != 0) {
        pv_targets(row, scratch->operand, &p->present, &scratch->targets);
        pv_ipi_perform(p, &scratch->targets, (uint32_t)scratch->operand[0]);
        return 0;
    }
    pv_platform_yield(p);
    return 0;
}
