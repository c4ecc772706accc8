// SPDX-License-Identifier: BSD-2-Clause
#include "setup.h"
#include "setuplaws.h"

// Field by field: the prover follows that better than an assignment of the whole.
/*@ requires valid: \valid(to) && \valid_read(from) && \separated(to, from);
    assigns  *to;
    ensures  same: same_config{Post, Pre}(to, from); */
static void copy_config(struct pv_config *to, const struct pv_config *from)
{
    to->offers = from->offers;
    to->gva_bits = from->gva_bits;
    to->rep_budget = from->rep_budget;
    to->max_vps = from->max_vps;
    to->gpa_bits = from->gpa_bits;
    to->privileges = from->privileges;
    to->features = from->features;
    to->hints = from->hints;
    to->spin_count = from->spin_count;
}

void pv_partition_init(struct pv_partition *p, const struct pv_config *config, struct pv_vp *vps, uint32_t capacity)
{
    copy_config(&p->config, config);
    p->guest_os_id = 0;
    p->hypercall_msr = 0;
    p->vp_count = 0;
    p->vp_capacity = capacity;
    p->vps = vps;
    pv_vp_set_clear(&p->present);
}

// The VP at the first free place is one of the partition's from now on.
/*@ requires valid: \valid(p);
    requires array: array_ok(p);
    requires members: members_ok(p) && p->config.max_vps <= 4096;
    requires free: p->vp_count < p->vp_capacity && vp_index < p->config.max_vps && !set_has(&p->present, vp_index);
    requires ready: vp_fresh(p->vps + p->vp_count) && p->vps[p->vp_count].vp_index == vp_index;
    assigns  p->position[vp_index], p->present.banks, p->present.word[vp_index / 64], p->vp_count;
    ensures  count: p->vp_count == \old(p->vp_count) + 1;
    ensures  place: p->position[vp_index] == \old(p->vp_count);
    ensures  member: \forall integer v; set_has(&p->present, v) <==> v == vp_index || set_has{Pre}(&p->present, v);
    ensures  fresh: vp_fresh(p->vps + \old(p->vp_count));
    ensures  named: \forall integer a; vp_named{Pre}(p->vps + \old(p->vp_count), vp_index, a) ==>
               vp_named(p->vps + \old(p->vp_count), vp_index, a);
    ensures  config: config_ok{Pre}(&p->config) ==> config_ok(&p->config);
    ensures  page: page_ok{Pre}(p) ==> page_ok(p);
    ensures  array: array_ok(p);
    ensures  members: members_ok(p); */
static void count_in(struct pv_partition *p, uint32_t vp_index)
{
    p->position[vp_index] = (uint16_t)p->vp_count;
    p->vp_count++;
    //@ assert same: \forall integer v; set_has(&p->present, v) <==> set_has{Pre}(&p->present, v);
    pv_vp_set_add(&p->present, vp_index);
    //@ assert member: \forall integer v; set_has(&p->present, v) <==> v == vp_index || set_has{Pre}(&p->present, v);
    //@ assert fresh: vp_fresh(p->vps + (p->vp_count - 1));
    //@ assert new: placed(p, vp_index) && found(p, p->vp_count - 1) && vp_ok(p->vps + (p->vp_count - 1));
    //@ assert found: \forall integer i; 0 <= i < p->vp_count - 1 ==> found{Pre}(p, i) ==> found(p, i);
    /*@ assert first: \forall integer i; 0 <= i < p->vp_count - 1 ==> vp_ok{Pre}(p->vps + i) ==>
          ranges_ok(&p->vps[i].queue[0]); */
    /*@ assert second: \forall integer i; 0 <= i < p->vp_count - 1 ==> vp_ok{Pre}(p->vps + i) ==>
          ranges_ok(&p->vps[i].queue[1]); */
    //@ assert placed: \forall integer v; set_has{Pre}(&p->present, v) ==> placed{Pre}(p, v) ==> placed(p, v);
}

// The place behind the VPs in use becomes a VP; those stay as they are.
/*@ requires valid: \valid(vps + (0 .. count));
    requires ok: \forall integer i; 0 <= i < count ==> vp_ok(vps + i);
    assigns  vps[count];
    ensures  new: vp_fresh(vps + count) && vp_named(vps + count, vp_index, apic_id);
    ensures  old: \forall integer i; 0 <= i < count ==> vps[i].vp_index == \old(vps[i].vp_index);
    ensures  ok: \forall integer i; 0 <= i < count ==> vp_ok(vps + i); */
static void append_vp(struct pv_vp *vps, uint32_t count, uint32_t vp_index, uint32_t apic_id)
{
    pv_vp_init(&vps[count], vp_index, apic_id);
    //@ assert first: \forall integer i; 0 <= i < count ==> vp_ok{Pre}(vps + i) ==> ranges_ok(&vps[i].queue[0]);
    //@ assert second: \forall integer i; 0 <= i < count ==> vp_ok{Pre}(vps + i) ==> ranges_ok(&vps[i].queue[1]);
}

// A new VP, at the first free place.
/*@ requires valid: \valid(p);
    requires array: array_ok(p);
    requires members: members_ok(p) && p->config.max_vps <= 4096;
    requires free: p->vp_count < p->vp_capacity && vp_index < p->config.max_vps && !set_has(&p->present, vp_index);
    assigns  p->vps[p->vp_count], p->position[vp_index], p->present.banks, p->present.word[vp_index / 64],
             p->vp_count;
    ensures  count: p->vp_count == \old(p->vp_count) + 1;
    ensures  place: p->position[vp_index] == \old(p->vp_count);
    ensures  member: \forall integer v; set_has(&p->present, v) <==> v == vp_index || set_has{Pre}(&p->present, v);
    ensures  fresh: vp_fresh(p->vps + \old(p->vp_count));
    ensures  named: vp_named(p->vps + \old(p->vp_count), vp_index, apic_id);
    ensures  config: config_ok{Pre}(&p->config) ==> config_ok(&p->config);
    ensures  page: page_ok{Pre}(p) ==> page_ok(p);
    ensures  array: array_ok(p);
    ensures  members: members_ok(p); */
static void enter(struct pv_partition *p, uint32_t vp_index, uint32_t apic_id)
{
    //@ assert apart: \separated(p, p->vps + p->vp_count);
    append_vp(p->vps, p->vp_count, vp_index, apic_id);
    //@ assert fixed: p->vps == \at(p->vps, Pre) && p->vp_count == \at(p->vp_count, Pre);
    //@ assert limit: p->config.max_vps == \at(p->config.max_vps, Pre);
    //@ assert config: config_ok{Pre}(&p->config) ==> config_ok(&p->config);
    //@ assert page: page_ok{Pre}(p) ==> page_ok(p);
    //@ assert array: array_ok(p);
    //@ assert banks: p->present.banks == \at(p->present.banks, Pre);
    //@ assert words: \forall integer b; 0 <= b < 64 ==> p->present.word[b] == \at(p->present.word[b], Pre);
    //@ assert same: \forall integer v; set_has(&p->present, v) <==> set_has{Pre}(&p->present, v);
    //@ assert placed: \forall integer v; set_has{Pre}(&p->present, v) ==> placed{Pre}(p, v) ==> placed(p, v);
    //@ assert found: \forall integer i; 0 <= i < p->vp_count ==> found{Pre}(p, i) ==> found(p, i);
    //@ assert members: members_ok(p);
    count_in(p, vp_index);
}

bool pv_partition_add_vp(struct pv_partition *p, uint32_t vp_index, uint32_t apic_id)
{
    //@ assert array: array_ok(p) && p->config.max_vps <= 4096;
    if (p->vp_count >= p->vp_capacity || vp_index >= p->config.max_vps || pv_vp_set_has(&p->present, vp_index)) {
        return false;
    }
    enter(p, vp_index, apic_id);
    return true;
}
