// SPDX-License-Identifier: BSD-2-Clause
#include "perform.h"

void pv_collect(const struct pv_partition *p, const struct pv_control *c, const struct pv_row *row,
                struct pv_scratch *scratch, uint32_t stop)
{
    if (row->rep != 0) {
        const uint64_t *list = scratch->operand + (row->fixed_qwords + c->var_qwords);
        pv_list_collect(&scratch->ask, list, c->rep_start, stop, pv_list_form(scratch->operand[1]),
                        p->config.gva_bits);
    } else {
        pv_ranges_clear(&scratch->ask);
    }
}

/*@ requires ok: vps_ok(p) && context < 2 && ranges_ok(&scratch->ask);
    requires valid: \valid_read(row) && \valid(scratch) && row_of(row, row->code) && known(row->code);
    requires apart: \separated(scratch, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    requires flush: is_flush(row->code);
    requires blank: journal_told_nobody;
    assigns  scratch->targets, scratch->kicked, pv_j_asked[0 .. 4095], pv_j_looked[0 .. 4095],
             pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095], pv_j_waiting, pv_j_lock,
             pv_j_held, pv_j_under[0 .. 4095];
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  fl_told_2: all_told{Here, Here}(p, \old(row->code), scratch->operand + 0, context);
    ensures  fl_cover_6: is_rep(\old(row->code)) ==>
               all_listed{Here, Here}(p, \old(row->code), scratch->operand + 0, &scratch->ask);
    ensures  free: pv_j_held == 0;
    ensures  kept: ranges_kept{Pre, Here}(&scratch->ask); */
PV_HELPER void flush_targets(struct pv_partition *p, uint32_t context, const struct pv_row *row,
                             struct pv_scratch *scratch)
{
    const uint32_t kind = pv_flush_kind(row, scratch->operand[1]);

    pv_targets(row, scratch->operand, &p->present, &scratch->targets);
    //@ assert words_1: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    //@ assert same: vps_kept{Pre, Here}(p) && ranges_kept{Pre, Here}(&scratch->ask);
    //@ assert exist: \forall integer v; set_has(&scratch->targets, v) ==> set_has(&p->present, v);
    pv_flush_perform(p, &scratch->targets, context, kind, &scratch->ask, &scratch->kicked);
    //@ assert still: ranges_kept{Pre, Here}(&scratch->ask);
    //@ assert words_2: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    /*@ assert means: \forall integer v; 0 <= v < 4096 ==>
          (means{Pre}(\at(row->code, Pre), scratch->operand + 0, v) <==>
           means(\at(row->code, Pre), scratch->operand + 0, v)); */
    //@ assert unchanged: vps_kept{Pre, Here}(p);
}

/*@ requires ok: vps_ok(p);
    requires valid: \valid_read(row) && \valid(scratch) && row_of(row, row->code) && known(row->code);
    requires apart: \separated(scratch, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    requires vector: 16 <= scratch->operand[0] <= 255;
    requires blank: journal_told_nobody;
    assigns  scratch->targets, pv_j_posted[0 .. 4095], pv_j_looked[0 .. 4095], pv_j_ran[0 .. 4095],
             pv_j_kicked[0 .. 4095], pv_j_woken[0 .. 4095], pv_j_deaf[0 .. 4095];
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  ipi_told_2: all_interrupted{Here, Here}(p, \old(row->code), scratch->operand + 0); */
PV_HELPER void interrupt_targets(struct pv_partition *p, const struct pv_row *row, struct pv_scratch *scratch)
{
    const uint32_t vector = (uint32_t)scratch->operand[0];

    pv_targets(row, scratch->operand, &p->present, &scratch->targets);
    //@ assert words_1: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    //@ assert same: vps_kept{Pre, Here}(p);
    //@ assert exist: \forall integer v; set_has(&scratch->targets, v) ==> set_has(&p->present, v);
    pv_ipi_perform(p, &scratch->targets, vector);
    //@ assert words_2: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \at(scratch->operand[i], Pre);
    /*@ assert means: \forall integer v; 0 <= v < 4096 ==>
          (means{Pre}(\at(row->code, Pre), scratch->operand + 0, v) <==>
           means(\at(row->code, Pre), scratch->operand + 0, v)); */
    //@ assert unchanged: vps_kept{Pre, Here}(p);
}

/*@ requires ok: vps_ok(p) && context < 2 && (p->config.gva_bits == 48 || p->config.gva_bits == 57);
    requires valid: \valid_read(c) && \valid_read(row) && \valid(scratch);
    requires apart: \separated(scratch, c, row, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    requires right: call_right(c, row, scratch->operand + 0) && is_flush(c->code);
    requires stop: c->rep_start <= stop <= c->rep_count;
    requires blank: journal_told_nobody;
    assigns  scratch->targets, scratch->kicked, scratch->ask, pv_j_asked[0 .. 4095], pv_j_looked[0 .. 4095],
             pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095], pv_j_waiting, pv_j_lock,
             pv_j_held, pv_j_under[0 .. 4095];
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  fl_none_2: idle(\old(c->code), &scratch->ask) ==> journal_told_nobody;
    ensures  fl_told_5: !idle(\old(c->code), &scratch->ask) ==>
               all_told{Here, Here}(p, \old(c->code), scratch->operand + 0, context);
    ensures  fl_cover_7: is_rep(\old(c->code)) ==> !idle(\old(c->code), &scratch->ask) ==>
               all_listed{Here, Here}(p, \old(c->code), scratch->operand + 0, &scratch->ask);
    ensures  free: pv_j_held == 0;
    ensures  fl_list_3: is_rep(\old(c->code)) ==>
               asks_list{Here, Here}(\old(p->config.gva_bits), list_form(\old(scratch->operand[1])),
                                     \old(list_of(c, row, scratch->operand + 0)), \old(c->rep_start), stop,
                                     &scratch->ask); */
PV_HELPER void perform_flush(struct pv_partition *p, uint32_t context, const struct pv_control *c,
                             const struct pv_row *row, struct pv_scratch *scratch, uint32_t stop)
{
    //@ ghost const uint64_t *list = scratch->operand + (row->fixed_qwords + c->var_qwords);
    pv_collect(p, c, row, scratch, stop);
    if (row->rep != 0 && scratch->ask.count == 0 && scratch->ask.overflow == 0) {
        return; // no page that could have a translation
    }
    //@ ghost Collected:;
    //@ assert same: vps_kept{Pre, Here}(p);
    flush_targets(p, context, row, scratch);
    //@ assert list: \forall integer i; c->rep_start <= i < stop ==> list[i] == \at(list[i], Collected);
    /*@ assert names_1: \forall integer page;
          list_names{Collected}(\at(p->config.gva_bits, Pre), list_form(\at(scratch->operand[1], Pre)), list,
                                \at(c->rep_start, Pre), stop, page) ==>
          list_names(\at(p->config.gva_bits, Pre), list_form(\at(scratch->operand[1], Pre)), list,
                     \at(c->rep_start, Pre), stop, page); */
    /*@ assert names_2: \forall integer page;
          list_names(\at(p->config.gva_bits, Pre), list_form(\at(scratch->operand[1], Pre)), list,
                     \at(c->rep_start, Pre), stop, page) ==>
          list_names{Collected}(\at(p->config.gva_bits, Pre), list_form(\at(scratch->operand[1], Pre)), list,
                                \at(c->rep_start, Pre), stop, page); */
    /*@ assert every_1: list_everything{Collected}(list_form(\at(scratch->operand[1], Pre)), list, \at(c->rep_start, Pre), stop) ==>
          list_everything(list_form(\at(scratch->operand[1], Pre)), list, \at(c->rep_start, Pre), stop); */
    /*@ assert every_2: list_everything(list_form(\at(scratch->operand[1], Pre)), list, \at(c->rep_start, Pre), stop) ==>
          list_everything{Collected}(list_form(\at(scratch->operand[1], Pre)), list, \at(c->rep_start, Pre), stop); */
    //@ assert ask: ranges_kept{Collected, Here}(&scratch->ask);
}

// What every VP knows of its L2 goes, whichever nested table was named and whatever the list says: no translation
// carries the name of its table, and more may always go (NE-LIST-1).
/*@ requires ok: vps_ok(p);
    requires valid: \valid(scratch);
    requires apart: \separated(scratch, p) && \separated(scratch, p->vps + (0 .. p->vp_count - 1));
    requires blank: journal_told_nobody;
    assigns  scratch->targets, scratch->kicked, scratch->ask, pv_j_asked[0 .. 4095], pv_j_looked[0 .. 4095],
             pv_j_ran[0 .. 4095], pv_j_kicked[0 .. 4095], pv_j_waited[0 .. 4095], pv_j_waiting, pv_j_lock,
             pv_j_held, pv_j_under[0 .. 4095];
    ensures  words: \forall integer i; 0 <= i < 512 ==> scratch->operand[i] == \old(scratch->operand[i]);
    ensures  ne_list_1: all_renewed{Here, Here}(p);
    ensures  free: pv_j_held == 0; */
PV_RARE void renew_all(struct pv_partition *p, struct pv_scratch *scratch)
{
    pv_ranges_clear(&scratch->ask);
    pv_vp_set_all(&scratch->targets, &p->present);
    //@ assert same: vps_kept{Pre, Here}(p);
    pv_flush_perform(p, &scratch->targets, PV_CONTEXT_L2, PV_FLUSH_FULL + PV_FLUSH_NESTED, &scratch->ask,
                     &scratch->kicked);
    //@ assert still: vps_kept{Pre, Here}(p);
}

uint32_t pv_perform(struct pv_partition *p, uint32_t context, const struct pv_control *c, const struct pv_row *row,
                    struct pv_scratch *scratch)
{
    const uint32_t stop = pv_perform_stop(c, p->config.rep_budget);

    if (row->flush != 0) {
        perform_flush(p, context, c, row, scratch, stop);
    } else if (row->ipi != 0) {
        //@ assert vector: vector_ok(scratch->operand[0]);
        interrupt_targets(p, row, scratch);
    } else if (row->gpa != 0) {
        renew_all(p, scratch);
    } else {
        pv_platform_yield(p);
    }
    return stop;
}
