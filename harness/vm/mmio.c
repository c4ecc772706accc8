// SPDX-License-Identifier: BSD-2-Clause
// Nested page faults: accesses to the memory-mapped APICs, and to addresses where nothing is (which read as ones).
// The decoder knows MOV in its forms, zero and sign extension, and XCHG; anything else is #GP for the guest.
#include "../base/x86.h"
#include "exits.h"
#include "guest.h"
#include "vp.h"
#include "../base/pcpu.h"
#include "../dev/ioapic.h"

struct access {
    bool write, exchange, sign_extend, has_value;
    uint32_t reg;    // register operand
    bool high_byte;  // AH..BH
    uint32_t size;   // bytes of the memory operand
    uint32_t target; // bytes of the register that a read sets
    uint64_t value;  // immediate operand
    uint32_t length; // of the whole instruction
};

struct cursor {
    uint8_t bytes[15];
    uint32_t n, at;
};

static uint8_t next(struct cursor *c)
{
    uint8_t b = c->at < c->n ? c->bytes[c->at] : 0;
    c->at++;
    return b;
}

static uint64_t immediate(struct cursor *c, uint32_t size)
{
    uint64_t v = 0;
    for (uint32_t i = 0; i < size; i++)
        v |= (uint64_t)next(c) << (8 * i);
    return v;
}

// Skips ModRM's addressing bytes: the address itself is known from the fault. False for a register operand.
static bool skip_modrm(struct cursor *c, uint8_t modrm, bool address16)
{
    uint8_t mod = modrm >> 6, rm = modrm & 7;
    if (mod == 3)
        return false;
    if (address16) {
        c->at += mod == 1 ? 1 : mod == 2 || rm == 6 ? 2 : 0;
        return true;
    }
    bool base32 = rm == 5 && mod == 0; // no base, 32-bit displacement
    if (rm == 4)
        base32 = (next(c) & 7) == 5 && mod == 0;
    c->at += mod == 1 ? 1 : mod == 2 || base32 ? 4 : 0;
    return true;
}

static bool decode(const struct vp *vp, struct access *a)
{
    struct cursor c = {.n = 0, .at = 0};
    c.n = guest_fetch(vp, c.bytes, sizeof c.bytes);
    bool is64 = vp_is_64bit(vp), big = is64 || (vp->vmcb->cs.attrib & SEG_D) != 0;
    bool operand_prefix = false, address_prefix = false;
    uint8_t rex = 0, op = next(&c);
    for (;; op = next(&c)) {
        if (op == 0x66)
            operand_prefix = true;
        else if (op == 0x67)
            address_prefix = true;
        else if (op != 0x26 && op != 0x2E && op != 0x36 && op != 0x3E && op != 0x64 && op != 0x65 &&
                 op != 0xF0)
            break;
    }
    if (is64 && (op & 0xF0) == 0x40) {
        rex = op;
        op = next(&c);
    }
    uint32_t word = (rex & 8) != 0 ? 8 : big != operand_prefix ? 4 : 2;
    bool address16 = !is64 && big == address_prefix;
    *a = (struct access){.size = word, .target = word};

    bool extended = op == 0x0F;
    if (extended)
        op = next(&c);
    if (!extended && op >= 0xA0 && op <= 0xA3) { // accumulator and an absolute address
        c.at += is64 ? (address_prefix ? 4 : 8) : address16 ? 2 : 4;
        a->write = op >= 0xA2;
        if ((op & 1) == 0)
            a->size = a->target = 1;
        a->length = c.at;
        return c.at <= c.n;
    }
    uint8_t modrm = next(&c);
    if (!skip_modrm(&c, modrm, address16))
        return false;
    a->reg = (modrm >> 3 & 7u) | (rex & 4u) << 1;
    if (extended) {
        if (op != 0xB6 && op != 0xB7 && op != 0xBE && op != 0xBF)
            return false;
        a->size = (op & 1) != 0 ? 2 : 1;
        a->sign_extend = op >= 0xBE;
    } else {
        switch (op) {
        case 0x88:
            a->size = a->target = 1;
            a->write = true;
            break;
        case 0x89:
            a->write = true;
            break;
        case 0x8A:
            a->size = a->target = 1;
            break;
        case 0x8B:
            break;
        case 0x86:
            a->size = a->target = 1;
            a->write = a->exchange = true;
            break;
        case 0x87:
            a->write = a->exchange = true;
            break;
        case 0xC6:
            a->size = 1;
            a->write = a->has_value = true;
            a->value = immediate(&c, 1);
            break;
        case 0xC7:
            a->write = a->has_value = true;
            a->value = immediate(&c, word == 8 ? 4 : word);
            if (word == 8)
                a->value = (uint64_t)(int64_t)(int32_t)a->value;
            break;
        default:
            return false;
        }
    }
    if (a->target == 1 && rex == 0 && a->reg >= 4 && !a->has_value) {
        a->reg -= 4;
        a->high_byte = true;
    }
    a->length = c.at;
    return c.at <= c.n;
}

static uint64_t mask_of(uint32_t size)
{
    return size == 8 ? ~0ull : (1ull << (8 * size)) - 1;
}

static uint64_t bus_read(struct vp *vp, uint64_t gpa, uint32_t size)
{
    uint64_t v = ~0ull;
    if (gpa >> 12 == VAPIC_BASE >> 12 && vapic_enabled(vp) && !vapic_is_x2(vp)) {
        v = 0;
        if ((gpa & 0xF) + size <= 4 || size == 4)
            vapic_read(vp, (uint32_t)(gpa & 0xFFF) >> 4, &v);
        v >>= 8 * (gpa & 3);
    } else if (gpa >> 12 == IOAPIC_BASE >> 12) {
        v = ioapic_read((uint32_t)gpa & 0xFF);
    }
    return v & mask_of(size);
}

static void bus_write(struct vp *vp, uint64_t gpa, uint32_t size, uint64_t v)
{
    if (gpa >> 12 == VAPIC_BASE >> 12 && vapic_enabled(vp) && !vapic_is_x2(vp)) {
        if (size != 4 || (gpa & 0xF) != 0)
            return; // the APIC knows 32-bit accesses only
        if ((gpa & 0xFFF) == 0x300)
            this_pcpu()->count.events[EV_IPI_XAPIC]++;
        vapic_write(vp, (uint32_t)(gpa & 0xFFF) >> 4, v);
    } else if (gpa >> 12 == IOAPIC_BASE >> 12) {
        ioapic_write((uint32_t)gpa & 0xFF, (uint32_t)v);
    }
}

static uint64_t get_register(struct vp *vp, const struct access *a)
{
    return *vp_reg(vp, a->reg) >> (a->high_byte ? 8 : 0) & mask_of(a->size);
}

static void set_register(struct vp *vp, const struct access *a, uint64_t v)
{
    uint64_t *r = vp_reg(vp, a->reg);
    unsigned shift = a->high_byte ? 8 : 0;
    if (a->sign_extend)
        v = (uint64_t)(int64_t)(a->size == 1 ? (int8_t)v : (int16_t)v);
    uint64_t mask = a->target == 4 ? ~0ull : mask_of(a->target) << shift;
    *r = (*r & ~mask) | ((a->target == 4 ? (uint32_t)v : v << shift) & mask);
}

void exit_npf(struct vp *vp)
{
    uint64_t info = vp->vmcb->exit_info1, gpa = vp->vmcb->exit_info2;
    struct access a;
    // A fault on a page-table page or on a fetch, in the delivery of an event (its table or stack: the instruction at RIP has nothing
    // to do with it), or on an instruction that we don't know, is the guest's own fault.
    if ((info & NPF_FINAL) == 0 || (vp->vmcb->exit_int_info & EVENT_VALID) != 0 || (info & NPF_FETCH) != 0 ||
        !decode(vp, &a) || (a.write && guest_at(gpa, 1) != 0)) { // a write to an overlay page
        vp_inject_gp(vp);
        return;
    }
    this_pcpu()->count.events[EV_MMIO]++;
    uint64_t old = 0;
    if (!a.write || a.exchange)
        old = bus_read(vp, gpa, a.size);
    if (a.write)
        bus_write(vp, gpa, a.size, (a.has_value ? a.value : get_register(vp, &a)) & mask_of(a.size));
    if (!a.write || a.exchange)
        set_register(vp, &a, old);
    uint64_t to = vp->vmcb->rip + a.length;
    vp->vmcb->rip = vp_is_64bit(vp) ? to : (uint32_t)to;
    vp->vmcb->interrupt_state = 0;
}
