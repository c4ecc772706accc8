// SPDX-License-Identifier: BSD-2-Clause
// Requests for core and oracle, one JSON object a line (docs/model.md): first the set-up, then all values of
// small fields, then random requests, most of them well-formed but for one thing, which lies near the border of some rule.
//   generate SEED FIRST COUNT    request number n depends on SEED and n alone
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETUP = 50000, MEMORY = 512, XMM = 12, VPS = 12, RANGES = 16 };

struct vp {
    uint32_t index;
    bool running, apic_on;
    uint32_t mark;
    uint32_t count; // ranges, oldest first
    uint64_t first[RANGES];
    uint32_t pages[RANGES];
    bool overflow;
};

struct request {
    uint32_t offers, gva_bits, rep_budget, identified, cpl, protected_mode, long_mode;
    uint64_t rax, rbx, rcx, rdx, rsi, rdi, r8;
    uint64_t xmm[XMM];
    uint32_t qwords; // readable from the operands' address on
    uint64_t memory[MEMORY];
    uint32_t vps;
    struct vp vp[VPS];
};

// ---- chance ------------------------------------------------------------------------------------------------------

static uint64_t state;

static uint64_t any(void) // splitmix64
{
    uint64_t z = state += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}
static uint32_t below(uint32_t n)
{
    return (uint32_t)(any() >> 33) % n;
}
static bool one_in(uint32_t n)
{
    return below(n) == 0;
}
static uint64_t sparse_word(void) // few bits, or many, or all
{
    switch (below(6)) {
    case 0:
        return 0;
    case 1:
        return ~UINT64_C(0);
    case 2:
        return UINT64_C(1) << below(64);
    case 3:
        return any() | any();
    default:
        return any() & any() & any();
    }
}

// ---- parts of a request ------------------------------------------------------------------------------------------

static const uint32_t codes[] = {0x02, 0x03, 0x08, 0x0B, 0x13, 0x14, 0x15, 0xAF, 0xB0};
enum { CODES = sizeof codes / sizeof codes[0] };

static bool is_rep(uint32_t code)
{
    return code == 0x03 || code == 0x14 || code == 0xB0;
}
static bool is_ex(uint32_t code)
{
    return code >= 0x13 && code <= 0x15;
}
static bool is_ipi(uint32_t code)
{
    return code == 0x0B || code == 0x15;
}
static bool is_gpa(uint32_t code)
{
    return code == 0xAF || code == 0xB0;
}
static uint32_t fixed_qwords(uint32_t code)
{
    return code == 0x08 ? 1 : code == 0x0B || is_gpa(code) ? 2 : is_ex(code) && code != 0x15 ? 4 : 3;
}

static uint64_t list_entry(bool extended)
{
    static const uint64_t edges[] = {
        0x0000000000000000, 0x00007FFFFFFFF000, 0x0000800000000000, 0xFFFF7FFFFFFFF000,
        0xFFFF800000000000, 0xFFFFFFFFFFFFF000, 0x00FFFFFFFFFFF000, 0x0100000000000000,
        0xFEFFFFFFFFFFF000, 0xFF00000000000000, 0x8000000000000000, 0x00007FFFFFE00000,
        0xFFFF800040000000, 0x00007FFFC0000000, 0xFFFFFFFFC0000000, 0x00FFFFFFC0000000};
    uint64_t entry;
    switch (below(4)) {
    case 0:
        entry =
            edges[below(16)] + (uint64_t)below(5) * 0x1000 - 0x2000 + (one_in(2) ? below(0x1000) : below(4));
        break;
    case 1: // close together, so that they merge
        entry = 0x100000 + (uint64_t)below(40) * 0x1000 + below(6);
        break;
    case 2:
        entry = any();
        break;
    default:
        entry = (any() & 0x7FFFFFFFF000) + below(3);
    }
    if (extended && one_in(2)) {
        entry |= 0x800;
        entry &= one_in(4) ? ~UINT64_C(0) : ~UINT64_C(0x1FE000); // reserved bits mostly clear
        if (one_in(2)) {
            entry |= 0x1000;
            entry &= one_in(4) ? ~UINT64_C(0) : ~UINT64_C(0x3FE00000); // mostly on 1 GiB
        }
    }
    return entry;
}

static void make_vps(struct request *r)
{
    r->vps = one_in(8) ? below(2) : 1 + below(VPS);
    for (uint32_t i = 0; i < r->vps; i++) {
        struct vp *v = &r->vp[i];
        bool fresh;
        do {
            v->index = one_in(2)   ? below(8)
                       : one_in(2) ? 60 + below(8)
                       : one_in(3) ? 4095 - below(70)
                                   : below(4096);
            fresh = true;
            for (uint32_t j = 0; j < i; j++) {
                fresh &= r->vp[j].index != v->index;
            }
        } while (!fresh);
        v->running = one_in(2);
        v->apic_on = !one_in(4);
        v->mark = one_in(2) ? 0 : below(4);
        v->overflow = one_in(10);
        v->count = one_in(2) ? 0 : one_in(3) ? RANGES - below(3) : below(RANGES + 1);
        for (uint32_t k = 0; k < v->count; k++) {
            v->first[k] = one_in(3) ? 0x100 + below(40) : (any() >> 12) % 0xFFFFFFFFFFF00;
            v->pages[k] = one_in(20) ? 0x80 : 1 + below(6);
        }
        if (v->count > 0 && one_in(12)) { // nearly as long as a range can be
            v->first[v->count - 1] = 0x100;
            v->pages[v->count - 1] = 0xFFFFFFFF - below(4);
        }
        v->mark |= v->count > 0 || v->overflow ? 4 : 0;
    }
}

// A mask and packed words that name some of the VPs, and others; returns the number of words.
static uint32_t make_set(const struct request *r, uint64_t *mask, uint64_t *words)
{
    uint64_t dense[64] = {0};
    *mask = one_in(3) ? sparse_word() & sparse_word() : 0;
    for (uint32_t i = 0; i < r->vps; i++) {
        if (!one_in(3)) {
            *mask |= UINT64_C(1) << r->vp[i].index / 64;
            dense[r->vp[i].index / 64] |= one_in(4) ? 0 : UINT64_C(1) << r->vp[i].index % 64;
        }
    }
    if (one_in(12)) {
        *mask = one_in(2) ? 0 : ~UINT64_C(0);
    }
    uint32_t count = 0;
    for (uint32_t b = 0; b < 64; b++) {
        if (*mask >> b & 1) {
            words[count++] = dense[b] | (one_in(2) ? sparse_word() : 0);
        }
    }
    return count;
}

struct call {
    uint32_t code;
    bool fast;
    uint64_t reserved; // bits to set beside the fields
    uint32_t var, reps, start;
    uint64_t gpa;
    uint32_t qwords;
    uint64_t block[MEMORY + 64];
    uint32_t readable;
};

static void set_call(struct request *r, const struct call *c)
{
    const uint64_t word = (c->code & 0xFFFF) | (c->fast ? 0x10000 : 0) | (uint64_t)(c->var & 1023) << 17 |
                          (uint64_t)(c->reps & 4095) << 32 | (uint64_t)(c->start & 4095) << 48 | c->reserved;
    const uint64_t in = c->fast ? c->block[0] : c->gpa, out = c->fast ? c->block[1] : any();
    r->rax = any(), r->rbx = any(), r->rcx = any(), r->rdx = any(), r->rsi = any(), r->rdi = any(),
    r->r8 = any();
    if (r->long_mode) {
        r->rcx = word, r->rdx = in, r->r8 = out;
    } else {
        const uint64_t high = one_in(2) ? 0 : any() << 32; // a 32-bit caller's upper halves do not count
        r->rdx = high | word >> 32, r->rax = high | (word & 0xFFFFFFFF);
        r->rbx = high | in >> 32, r->rcx = high | (in & 0xFFFFFFFF);
        r->rdi = high | out >> 32, r->rsi = high | (out & 0xFFFFFFFF);
    }
    for (uint32_t i = 0; i < XMM; i++) {
        r->xmm[i] = c->fast ? c->block[2 + i] : any();
    }
    r->qwords = c->fast ? 0 : c->readable > MEMORY ? MEMORY : c->readable;
    memcpy(r->memory, c->block, sizeof r->memory);
}

// A well-formed call, if the set fits where it is to go.
static void make_call(const struct request *r, struct call *c)
{
    uint64_t words[64], mask = 0;
    const uint32_t code = c->code = codes[below(CODES)];
    memset(c->block, 0, sizeof c->block);
    c->fast = one_in(3);
    c->reserved = 0;
    c->var = is_ex(code) ? make_set(r, &mask, words) : 0;
    const uint64_t format = one_in(4) ? 1 : 0;
    if (is_ex(code) && format == 1 && one_in(2)) {
        c->var = 0;
    }
    const bool extended = is_rep(code) && one_in(2);
    uint64_t flags = (one_in(5) ? 1 : 0) | (one_in(2) ? 2 : 0);
    flags |= is_rep(code) ? (extended ? 8 : 0) : (one_in(3) ? 4 : 0);
    uint64_t *q = c->block;
    *q++ = is_ipi(code) ? 0x10 + below(0xF0) : is_gpa(code) ? any() & 0xFFFFFFFFFF000 : any();
    if (is_gpa(code)) {
        *q++ = 0;
    } else if (!is_ipi(code) && code != 0x08) {
        *q++ = flags;
    }
    if (is_ex(code)) {
        *q++ = format;
        *q++ = mask;
        memcpy(q, words, c->var * sizeof *words);
        q += c->var;
    } else if (code != 0x08 && !is_gpa(code)) {
        *q++ = one_in(6)
                   ? 0
                   : sparse_word() | (r->vps > 0 && r->vp[0].index < 64 ? UINT64_C(1) << r->vp[0].index : 0);
    }
    c->reps = 0;
    if (is_rep(code)) {
        const uint32_t used = (uint32_t)(q - c->block),
                       room = c->fast ? (used < 14 ? 14 - used : 1) : MEMORY - used;
        c->reps = one_in(30) ? room : 1 + below(one_in(3) ? 40 : 6);
        c->reps = c->reps > room ? room : c->reps;
        for (uint32_t i = 0; i < c->reps; i++) {
            *q++ = list_entry(extended);
        }
    }
    c->start = c->reps > 1 && one_in(4) ? below(c->reps) : 0;
    c->qwords = (uint32_t)(q - c->block);
    c->readable = c->qwords + (one_in(4) ? below(4) : 0);
    const uint32_t place =
        one_in(2) ? 0 : 512 - (c->qwords > 512 ? 512 : c->qwords); // the page's start, or its end
    c->gpa = (uint64_t)below(1 << 20) << 12 | (one_in(3) ? below(place + 1) : place) * 8;
}

// One step over some border.
static void disturb(struct request *r, struct call *c)
{
    static const uint8_t reserved[] = {27, 28, 29, 30, 31, 44, 45, 46, 47, 60, 61, 62, 63};
    const uint32_t fixed = fixed_qwords(c->code);
    uint64_t *mask = &c->block[fixed - 1];
    switch (below(22)) {
    case 0:
        c->reserved = UINT64_C(1) << reserved[below(13)];
        break;
    case 1:
        c->code = one_in(2) ? below(0x20) : (uint32_t)any() & 0xFFFF;
        break;
    case 2:
        c->var += one_in(2) ? 1 : 1023;
        break;
    case 3:
        c->reps += one_in(2) ? 1 : 4095;
        break;
    case 4:
        c->start = one_in(2) ? c->reps : c->reps + (one_in(2) ? 1 : 4095);
        break;
    case 5:
        c->gpa += 1 + below(7);
        break;
    case 6: // one qword too far
        c->gpa = (c->gpa & ~UINT64_C(0xFFF)) + 4096 - 8 * (uint64_t)(c->qwords > 512 ? 512 : c->qwords) +
                 (one_in(2) ? 8 : 0);
        break;
    case 7:
        c->readable = one_in(2) ? 0 : c->qwords - 1;
        break;
    case 8:
        c->gpa = one_in(2) ? any() : any() & ~UINT64_C(7);
        break;
    case 9:
        c->block[0] = is_ipi(c->code) ? (one_in(2) ? below(0x20) : 0xF8 + below(0x10)) : any();
        break;
    case 10:
        c->block[0] ^= UINT64_C(1) << below(64);
        break;
    case 11:
        c->block[1] ^= UINT64_C(1) << below(64);
        break;
    case 12:
        c->block[1] ^= 1 << below(6);
        break;
    case 13: // the format
        c->block[fixed > 1 ? fixed - 2 : 0] = one_in(2) ? below(4) : any();
        break;
    case 14:
        *mask ^= UINT64_C(1) << below(64);
        break;
    case 15:
        *mask = sparse_word();
        break;
    case 16:
        r->cpl = below(4);
        r->protected_mode = one_in(2);
        break;
    case 17:
        r->identified = 0;
        break;
    case 18:
        r->offers ^= 1u << below(17);
        break;
    case 19:
        r->offers = below(0x20000);
        break;
    case 20:
        c->fast = !c->fast;
        break;
    default:
        r->rep_budget = 1 + below(3);
    }
}

static struct request base_request(void)
{
    return (struct request){.offers = 0x1FFFF,
                            .gva_bits = one_in(3) ? 57 : 48,
                            .rep_budget = one_in(4) ? 1 + below(8) : 4096,
                            .identified = 1,
                            .cpl = 0,
                            .protected_mode = 1,
                            .long_mode = !one_in(4)};
}

// ---- all values of small fields ----------------------------------------------------------------------------------

// A well-formed memory call of this code on two VPs, which then gets one field set.
static void plain(struct request *r, struct call *c, uint32_t code)
{
    *r = base_request();
    r->rep_budget = 4096;
    r->vps = 2;
    memset(r->vp, 0, 2 * sizeof r->vp[0]);
    r->vp[0].index = 1;
    r->vp[1].index = 66;
    r->vp[1].running = true;
    r->vp[0].apic_on = r->vp[1].apic_on = true;
    memset(c, 0, sizeof *c);
    c->code = code;
    c->gpa = 0x1000;
    c->block[0] = is_gpa(code) ? 0x4000 : 0x40;
    c->block[1] = code == 0x0B ? 2 : 0;
    c->block[2] = code == 0x02 || code == 0x03 ? 2 : code == 0x15 ? 3 : 0;
    c->block[3] = code == 0x13 || code == 0x14 ? 3 : code == 0x15 ? 2 : 0x5000;
    c->block[4] = code == 0x15 ? 4 : 2;
    c->block[5] = 4;
    c->block[6] = 0x5001;
    c->var = is_ex(code) ? 2 : 0;
    c->reps = is_rep(code) ? 1 : 0;
    c->qwords = c->readable = 16;
}

// Request n of the exhaustive part; false when there are no more.
static bool exhaustive(struct request *r, uint64_t n)
{
    struct call c;
    uint64_t code = n % CODES;
    plain(r, &c, codes[code]);
    if (n < CODES * 4096) { // rep count; mostly too many for the page
        c.reps = (uint32_t)(n / CODES);
        c.readable = is_rep(c.code) ? fixed_qwords(c.code) + c.var + c.reps : 16;
        c.readable = c.readable > MEMORY ? MEMORY : c.readable;
    } else if ((n -= CODES * 4096) < CODES * 1024) { // variable header
        c.var = (uint32_t)(n / CODES);
    } else if ((n -= CODES * 1024) < CODES * 4096) { // rep start
        c.reps = is_rep(c.code) ? 8 : 0;
        c.start = (uint32_t)(n / CODES);
    } else if ((n -= CODES * 4096) < 65536) { // call code
        c.code = (uint32_t)n;
    } else if ((n -= 65536) < CODES * 2048) { // offers
        r->offers = (uint32_t)(n / CODES) << (is_gpa(c.code) ? 6 : 0);
    } else if ((n -= CODES * 2048) < CODES * 2048) { // offers, fast form
        r->offers = (uint32_t)(n / CODES) << (is_gpa(c.code) ? 6 : 0);
        c.fast = true;
    } else if ((n -= CODES * 2048) <
               CODES * 512) { // vector; for flushes the address space, which does not count
        c.block[0] = n / CODES;
    } else if ((n -= CODES * 512) < CODES * 256) { // flags
        c.block[1] = c.code == 0x0B || c.code == 0x15 ? c.block[1] : n / CODES;
    } else if ((n -= CODES * 256) < CODES * 64) { // one bit of each operand
        for (uint32_t i = 0; i < 2; i++) {
            c.block[i] ^= UINT64_C(1) << n / CODES;
        }
    } else if ((n -= CODES * 64) < CODES * 64) { // one bit of the control word
        c.reserved = UINT64_C(1) << n / CODES;
    } else if ((n -= CODES * 64) < CODES * 64) { // mode
        const uint32_t m = (uint32_t)(n / CODES);
        r->cpl = m % 4, r->protected_mode = m / 4 % 2, r->long_mode = m / 8 % 2, r->identified = m / 16 % 2;
        c.fast = m / 32;
    } else if ((n -= CODES * 64) < CODES * 4096) { // place in the page
        c.gpa = 0x7000 + n / CODES;
    } else if ((n -= CODES * 4096) < CODES * 4096) { // one VP index, named by bank and bit
        const uint32_t v = (uint32_t)(n / CODES);
        r->vp[0].index = v == 66 ? 1 : v;
        const uint64_t mask = UINT64_C(1) << v / 64, word = UINT64_C(1) << v % 64;
        if (is_ex(c.code)) {
            c.var = 1;
            c.block[c.code == 0x15 ? 2 : 3] = mask;
            c.block[c.code == 0x15 ? 3 : 4] = word;
            c.block[5] = 0x5001;
        } else {
            c.block[c.code == 0x0B ? 1 : 2] = word;
        }
    } else if ((n -= CODES * 4096) < 4096) { // low bits of a list entry, plain and extended
        plain(r, &c, 0x03);
        c.block[1] = n % 2 ? 8 : 0;
        c.block[3] = 0x00007FFFFFE00000 | n;
    } else {
        return false;
    }
    set_call(r, &c);
    return true;
}

static void random_request(struct request *r)
{
    struct call c;
    *r = base_request();
    make_vps(r);
    make_call(r, &c);
    if (one_in(2)) {
        disturb(r, &c);
        if (one_in(3)) {
            disturb(r, &c);
        }
    }
    set_call(r, &c);
    if (one_in(40)) { // nothing is as it should be
        r->rax = any(), r->rbx = any(), r->rcx = any(), r->rdx = any();
    }
}

// ---- as JSON -----------------------------------------------------------------------------------------------------

static void words(const char *name, const uint64_t *word, uint32_t count)
{
    printf(",\"%s\":[", name);
    for (uint32_t i = 0; i < count; i++) {
        printf("%s\"%" PRIx64 "\"", i == 0 ? "" : ",", word[i]);
    }
    printf("]");
}

static void print(const struct request *r, uint64_t id)
{
    const uint32_t code = (r->long_mode ? r->rcx : r->rax) & 0xFFFF;
    printf("{\"op\":\"step\",\"id\":%" PRIu64 ",\"config\":{\"offers\":%u,\"gva_bits\":%u,\"rep_budget\":%u}",
           id, r->offers, r->gva_bits, r->rep_budget);
    printf(",\"mode\":{\"identified\":%u,\"cpl\":%u,\"protected\":%u,\"long\":%u}", r->identified, r->cpl,
           r->protected_mode, r->long_mode);
    printf(",\"regs\":{\"rax\":\"%" PRIx64 "\",\"rbx\":\"%" PRIx64 "\",\"rcx\":\"%" PRIx64
           "\",\"rdx\":\"%" PRIx64 "\",\"rsi\":\"%" PRIx64 "\",\"rdi\":\"%" PRIx64 "\",\"r8\":\"%" PRIx64
           "\"}",
           r->rax, r->rbx, r->rcx, r->rdx, r->rsi, r->rdi, r->r8);
    words("xmm", r->xmm, XMM);
    words("mem", r->memory, r->qwords);
    printf(",\"vps\":[");
    for (uint32_t i = 0; i < r->vps; i++) {
        const struct vp *v = &r->vp[i];
        printf("%s{\"vp\":%u,\"run\":%d,\"apic\":%d,\"mark\":%u,\"queue\":[", i == 0 ? "" : ",", v->index,
               v->running, v->apic_on, v->mark);
        for (uint32_t k = 0; k < v->count; k++) {
            printf("%s[\"%" PRIx64 "\",%u]", k == 0 ? "" : ",", v->first[k], v->pages[k]);
        }
        printf("],\"overflow\":%d", v->overflow);
        printf(is_gpa(code) ? ",\"other\":{\"mark\":%u}}" : "}", v->index % 16);
    }
    printf("]}\n");
}

// ---- set-up ------------------------------------------------------------------------------------------------------

// A question about a CPUID leaf or an MSR; small values of each field come first.
static void print_setup(uint64_t n, uint64_t id)
{
    const uint32_t offers = n < 2048 ? (uint32_t)n : one_in(2) ? 0x1FFFF : below(0x20000);
    const uint32_t gpa_bits = 32 + below(21);
    printf("{\"id\":%" PRIu64
           ",\"config\":{\"offers\":%u,\"gpa_bits\":%u,\"max_vps\":%u,\"privileges\":%u,\"features\":%u,"
           "\"hints\":%u,\"spin_count\":%u}",
           id, offers, gpa_bits, 1 + below(4096), (uint32_t)sparse_word(), (uint32_t)sparse_word(),
           (uint32_t)sparse_word(), (uint32_t)any());
    const uint32_t number = 0x40000000 + (one_in(20) ? (uint32_t)any() : below(12));
    if (one_in(2)) {
        printf(",\"op\":\"cpuid\",\"leaf\":\"%x\"}\n", n < 2048 ? 0x40000003 + (uint32_t)(n & 1) : number);
        return;
    }
    const uint64_t os_id = one_in(2) ? 0 : any(), value = one_in(3) ? below(4)
                                                          : one_in(2)
                                                              ? any()
                                                              : any() & ((UINT64_C(2) << gpa_bits) - 1);
    const uint64_t hypercall =
        (any() & ((UINT64_C(1) << gpa_bits) - 1) & ~UINT64_C(1)) | (os_id != 0 && one_in(2));
    printf(",\"os_id\":\"%" PRIx64 "\",\"hypercall\":\"%" PRIx64 "\",\"msr\":\"%x\"", os_id, hypercall,
           one_in(3) ? number : 0x40000000 + below(4));
    if (one_in(3)) {
        printf(",\"op\":\"msr_read\",\"vp_index\":\"%x\"}\n", below(4096));
    } else {
        printf(",\"op\":\"msr_write\",\"value\":\"%" PRIx64 "\"}\n", one_in(5) ? 0 : value);
    }
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: generate SEED FIRST COUNT\n");
        return 2;
    }
    const uint64_t seed = strtoull(argv[1], NULL, 0), first = strtoull(argv[2], NULL, 0),
                   count = strtoull(argv[3], NULL, 0);
    static struct request r;
    for (uint64_t n = first; n < first + count; n++) {
        state = seed * 0x2545F4914F6CDD1D + n * 0x9E3779B97F4A7C15;
        any();
        if (n < SETUP) {
            print_setup(n, n);
            continue;
        }
        if (!exhaustive(&r, n - SETUP)) {
            random_request(&r);
        }
        print(&r, n);
    }
    return 0;
}
