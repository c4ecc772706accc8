// SPDX-License-Identifier: BSD-2-Clause
#include "guest.h"
#include "nested.h"
#include "vp.h"
#include "../base/memory.h"
#include "../base/string.h"
#include "../svm/svm.h"

void *guest_at(uint64_t gpa, uint64_t size)
{
    if (size > guest_size || gpa > guest_size - size)
        return 0;
    return guest_base + gpa;
}

enum { PTE_P = 1, PTE_LARGE = 0x80 };
#define PTE_ADDR 0x000FFFFFFFFFF000ull

static bool read_entry(const struct vp *vp, uint64_t gpa, uint32_t size, uint64_t *entry)
{
    if (vp->in_l2 && !nested_address(vp, gpa, &gpa))
        return false;
    const void *p = guest_at(gpa, size);
    if (p == 0)
        return false;
    *entry = size == 8 ? __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED)
                       : __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
    return (*entry & PTE_P) != 0;
}

// Legacy 32-bit tables: two levels of 1024 entries (APM vol. 2, 5.2.1).
static bool translate_32(const struct vp *vp, uint32_t linear, uint64_t *gpa)
{
    uint64_t e;
    if (!read_entry(vp, (vp->vmcb->cr3 & 0xFFFFF000) + (linear >> 22) * 4, 4, &e))
        return false;
    if ((e & PTE_LARGE) != 0 && (vp->vmcb->cr4 & 0x10) != 0) {
        *gpa = (e & 0xFFC00000) | (linear & 0x3FFFFF);
        return true;
    }
    if (!read_entry(vp, (e & 0xFFFFF000) + (linear >> 12 & 1023) * 4, 4, &e))
        return false;
    *gpa = (e & 0xFFFFF000) | (linear & 0xFFF);
    return true;
}

static bool translate(const struct vp *vp, uint64_t linear, uint64_t *gpa, const uint64_t **entry_at)
{
    const struct pv_vmcb *v = vp->vmcb;
    if (entry_at != 0)
        *entry_at = 0;
    if ((v->cr0 & CR0_PG) == 0) {
        *gpa = linear;
        return true;
    }
    if ((v->cr4 & CR4_PAE) == 0)
        return translate_32(vp, (uint32_t)linear, gpa);

    // Long mode walks four levels, PAE three, whose first has 4 entries (5.2.2, 5.3).
    bool is_long = (v->efer & EFER_LMA) != 0;
    uint64_t table = is_long ? v->cr3 & PTE_ADDR : v->cr3 & 0xFFFFFFE0, e;
    for (int level = is_long ? 4 : 3; level >= 1; level--) {
        unsigned shift = 12 + 9 * (unsigned)(level - 1);
        uint64_t index = linear >> shift & (!is_long && level == 3 ? 3 : 511);
        if (!read_entry(vp, table + index * 8, 8, &e))
            return false;
        if (level == 1 || (level < 4 && (e & PTE_LARGE) != 0)) {
            uint64_t offset = (1ull << shift) - 1;
            if (entry_at != 0)
                *entry_at = guest_at(table + index * 8, 8);
            *gpa = (e & PTE_ADDR & ~offset) | (linear & offset);
            return true;
        }
        table = e & PTE_ADDR;
    }
    return false;
}

bool guest_translate(const struct vp *vp, uint64_t linear, uint64_t *gpa, const uint64_t **entry_at)
{
    if (!translate(vp, linear, gpa, entry_at))
        return false;
    if (!vp->in_l2)
        return true;
    if (entry_at != 0)
        *entry_at = 0; // L1's table would have to be watched as well
    return nested_address(vp, *gpa, gpa);
}

uint32_t guest_fetch(const struct vp *vp, uint8_t *bytes, uint32_t n)
{
    uint64_t at = guest_rip(vp);
    uint32_t done = 0;
    while (done < n) {
        uint64_t gpa;
        uint32_t part = PAGE - (uint32_t)((at + done) & (PAGE - 1));
        if (part > n - done)
            part = n - done;
        if (!guest_translate(vp, at + done, &gpa, 0))
            break;
        const uint8_t *from = npt_page(gpa);
        if (from == 0)
            break;
        memory_copy(bytes + done, from + gpa % PAGE, part);
        done += part;
    }
    return done;
}

static bool is_prefix(uint8_t b, bool is_64bit)
{
    switch (b) {
    case 0x26:
    case 0x2E:
    case 0x36:
    case 0x3E:
    case 0x64:
    case 0x65: // segments
    case 0x66:
    case 0x67:
    case 0xF0:
    case 0xF2:
    case 0xF3:
        return true;
    default:
        return is_64bit && (b & 0xF0) == 0x40; // REX
    }
}

// No page: its entry never holds what it should.
static const uint64_t nowhere = 0;
static const struct fetch_page nothing_fetched = {.page = 1ull << 63, .entry = 1, .entry_at = &nowhere};

static void remember_page(struct vp *vp)
{
    if (vp->in_l2)
        return; // L1's table would have to be watched as well; what is known of L1's pages stays
    uint64_t gpa, page = vp->vmcb->rip & ~(uint64_t)(PAGE - 1);
    struct fetch_page *f = &vp->fetch[page / PAGE % FETCH_PAGES];
    *f = nothing_fetched;
    const uint64_t *entry_at;
    uint64_t npt = npt_generation; // before the look, so that a change meanwhile is noticed
    if (!vp_is_64bit(vp) || !guest_translate(vp, page, &gpa, &entry_at) || entry_at == 0)
        return;
    uint64_t entry = __atomic_load_n(entry_at, __ATOMIC_RELAXED);
    const uint8_t *host = npt_page(gpa);
    if (host != 0)
        *f = (struct fetch_page){guest_tables(vp), page, entry, npt, entry_at, host};
}

void guest_forget_fetches(struct vp *vp)
{
    for (uint32_t i = 0; i < FETCH_PAGES; i++)
        vp->fetch[i] = nothing_fetched;
}

void guest_skip_anything(struct vp *vp, uint32_t length)
{
    uint64_t to;
    if (svm_has_next_rip) {
        to = vp->vmcb->next_rip;
    } else {
        uint8_t bytes[15];
        remember_page(vp);
        uint32_t n = guest_fetch(vp, bytes, sizeof bytes), prefixes = 0;
        while (prefixes < n && is_prefix(bytes[prefixes], vp_is_64bit(vp)))
            prefixes++;
        to = vp->vmcb->rip + prefixes + length;
    }
    vp->vmcb->rip = vp_is_64bit(vp) ? to : (uint32_t)to;
    vp->vmcb->interrupt_state = 0; // the instruction is over, and a shadow over it too
}
