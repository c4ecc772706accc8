// SPDX-License-Identifier: BSD-2-Clause
// Known faults of other implementations in naming VPs and sending them interrupts.
#include "check.h"
#include "machine.h"

// Sends a vector to a sparse set with one bank by the memory form.
static uint64_t ipi_to_bank(uint64_t vector, unsigned bank, uint64_t word)
{
    machine_put(0x1000, vector);
    machine_put(0x1008, 0);
    machine_put(0x1010, (uint64_t)1 << bank);
    machine_put(0x1018, word);
    return machine_call(control(0x15, 1, 0, 0), 0x1000, 0);
}

// HC-XMM-1: vector and format in the general registers, mask in XMM0's low half, banks behind it.
static void f04_fast_ipi_ex(void)
{
    machine_simple(200);
    struct pv_call call = machine_caller(control(0x15, 2, 0, 0) | FAST, 0x51, 0);
    call.xmm[0] = 5;
    call.xmm[1] = 0x8000000000000001; // VPs 0 and 63
    call.xmm[2] = 2;                  // VP 129
    CHECK_EQ(pv_hypercall(&machine.partition, PV_CONTEXT_L1, &call, &machine.scratch), PV_DONE);
    CHECK_EQ(call.rax, 0);
    CHECK_EQ(machine_interrupted(0x51), 3);
    CHECK(machine_vector_pending(0, 0x51) && machine_vector_pending(63, 0x51) &&
          machine_vector_pending(129, 0x51));
    CHECK_EQ(machine.count[EVENT_READ], 0);
}

// IPI-LAY-1, VS-MEM-2
static void f08_cluster_mask_has_64_bits(void)
{
    for (uint32_t vp = 0; vp < 64; vp++) {
        machine_simple(64);
        CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, (uint64_t)1 << vp), 0);
        CHECK(machine_vector_pending(vp, 0x40));
        CHECK_EQ(machine_interrupted(0x40), 1);
    }
}

// VS-ABS-1: bits of VPs that do not exist.
static void f11_absent_vps(void)
{
    machine_simple(8);
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, (uint64_t)1 << 63), 0);
    CHECK_EQ(machine_interrupted(0x40), 0);
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, 0xFFFFFFFFFFFFFF0F), 0);
    CHECK_EQ(machine_interrupted(0x40), 4);
    for (unsigned bank = 1; bank < 64; bank++) {
        CHECK_EQ(ipi_to_bank(0x41, bank, ~(uint64_t)0), 0);
    }
    CHECK_EQ(machine_interrupted(0x41), 0);
}

// VS-FMT-2
static void f12_all_without_banks(void)
{
    static const uint32_t sizes[] = {1, 2, 65, 4096};
    for (unsigned i = 0; i < 4; i++) {
        for (uint64_t mask = 0; mask < 2; mask++) {
            machine_simple(sizes[i]);
            machine_put(0x1000, 0xFF);
            machine_put(0x1008, 1);
            machine_put(0x1010, mask);
            CHECK_EQ(machine_call(0x15, 0x1000, 0), 0);
            CHECK_EQ(machine_interrupted(0xFF), sizes[i]);
        }
    }
}

// VS-ABS-1: an index that nobody has is nobody, never place 0.
static void f14_unknown_index_is_nobody(void)
{
    const struct pv_config config = machine_config();
    machine_reset(&config);
    machine_add(77, 0);
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, ~(uint64_t)0), 0);
    CHECK_EQ(machine_interrupted(0x40), 0);
    CHECK_EQ(ipi_to_bank(0x40, 1, (uint64_t)1 << 13), 0);
    CHECK(machine_vector_pending(77, 0x40));
}

// VS-SIZE-1: sets have no index for "self" and none above 4095; 0xFFFFFFFE can't be written in one.
static void f17_self_has_no_meaning_in_a_set(void)
{
    const struct pv_config config = machine_config();
    machine_reset(&config);
    CHECK(!pv_partition_add_vp(&machine.partition, 0xFFFFFFFE, 0));
    CHECK(!pv_partition_add_vp(&machine.partition, 4096, 0));
    CHECK(pv_partition_add_vp(&machine.partition, 4095, 0));
    CHECK_EQ(ipi_to_bank(0x40, 63, (uint64_t)1 << 63), 0);
    CHECK(machine_vector_pending(4095, 0x40));
}

// VS-ABS-1, IPI-EXACT-1: a window of VP indices that starts near the last VP, at it, behind it, or at the end of
// what can be named: those that exist get the vector, each once, and the call succeeds.
static void f28_window_near_the_last_index(void)
{
    static const uint32_t counts[] = {1, 2, 63, 64, 65, 127, 128, 129, 4095, 4096};
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        const uint32_t last = counts[i] - 1;
        machine_simple(counts[i]);
        uint64_t vector = 0x10;
        for (int step = -4; step <= 4; step++) {
            const int64_t low = (int64_t)last + step;
            if (low < 0 || low > 4095) {
                continue;
            }
            const unsigned bank = (unsigned)low / 64, place = (unsigned)low % 64;
            const bool two = bank < 63;
            machine_put(0x1000, vector);
            machine_put(0x1008, 0);
            machine_put(0x1010, (uint64_t)(two ? 3 : 1) << bank);
            machine_put(0x1018, ~(uint64_t)0 << place);
            machine_put(0x1020, ~(uint64_t)0);
            CHECK_EQ(machine_call(control(0x15, two ? 2 : 1, 0, 0), 0x1000, 0), 0);
            CHECK_EQ(machine_interrupted((uint32_t)vector), low > last ? 0 : last - low + 1);
            if (low < 64) {
                CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, vector + 16, ~(uint64_t)0 << place), 0);
                const uint32_t top = last < 63 ? last : 63;
                CHECK_EQ(machine_interrupted((uint32_t)vector + 16), low > top ? 0 : top - low + 1);
            }
            vector++;
        }
    }
}

// HC-GATE-1, CP-HINT-3: without interrupts to send, the calls are refused and never recommended.
static void f29_no_interrupts_to_send(void)
{
    struct pv_config config = machine_config();
    config.offers = PV_OFFER_ALL & ~(uint32_t)(PV_OFFER_CLUSTER_IPI | PV_OFFER_CLUSTER_IPI_EX);
    config.hints = 1 << 10;
    machine_reset(&config);
    machine_add(0, 0);
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, 1), 6);
    CHECK_EQ(ipi_to_bank(0x40, 0, 1), 6);
    struct pv_cpuid leaf;
    pv_cpuid(&machine.partition, 0x40000004, &leaf);
    CHECK((leaf.eax & 1 << 10) == 0);
}

// IPI-APIC-1
static void f30_disabled_apic_loses_the_interrupt(void)
{
    machine_simple(3);
    machine_vp(1)->apic_enabled = 0;
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, 7), 0);
    CHECK(machine_vector_pending(0, 0x40) && !machine_vector_pending(1, 0x40) &&
          machine_vector_pending(2, 0x40));
    machine_vp(1)->apic_enabled = 1;
    struct pv_work work;
    CHECK(!pv_vp_take(machine_vp(1), PV_CONTEXT_L1, &work));
}

// VS-BANK-1: VPs are named by index; APIC ids play no part, alike or not.
static void f31_apic_ids_that_alias(void)
{
    const struct pv_config config = machine_config();
    machine_reset(&config);
    machine_add(0, 0x23);
    machine_add(1, 0x123);
    machine_add(0x23, 1);
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, 1), 0);
    CHECK(machine_vector_pending(0, 0x40));
    CHECK_EQ(machine_interrupted(0x40), 1);
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x41, (uint64_t)1 << 0x23), 0);
    CHECK(machine_vector_pending(0x23, 0x41));
    CHECK_EQ(machine_interrupted(0x41), 1);
}

// VS-ABS-1: every bit that a guest can set, in a partition with one VP.
static void f52_guest_given_index(void)
{
    const struct pv_config config = machine_config();
    machine_reset(&config);
    machine_add(0, 0);
    machine_put(0x1000, 0x40);
    machine_put(0x1010, ~(uint64_t)0);
    for (unsigned bank = 0; bank < 64; bank++) {
        machine_put(0x1018 + 8 * bank, ~(uint64_t)0);
    }
    CHECK_EQ(machine_call(control(0x15, 64, 0, 0), 0x1000, 0), 0);
    CHECK_EQ(machine_interrupted(0x40), 1);
}

// IPI-POST-1: vectors that come while one is in service, higher, lower or the same: each is there at the next look, once, and
// what is in service is no business of the core's.
static void f61_vectors_while_one_is_in_service(void)
{
    static const uint64_t later[] = {0x10, 0x3F, 0x40, 0x41, 0x80, 0xFF};
    machine_simple(1);
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, 1), 0);
    struct pv_work work;
    CHECK(pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work)); // 0x40 is in service from here on
    CHECK_EQ(work.vector[1], 1);
    uint64_t want[4] = {0};
    for (unsigned i = 0; i < sizeof later / sizeof later[0]; i++) {
        CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, later[i], 1), 0);
        CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, later[i], 1), 0); // twice is once
        want[later[i] / 64] |= (uint64_t)1 << later[i] % 64;
    }
    CHECK(pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work));
    CHECK(memcmp(work.vector, want, sizeof want) == 0);
    CHECK(!pv_vp_take(machine_vp(0), PV_CONTEXT_L1, &work));
    CHECK((work.vector[0] | work.vector[1] | work.vector[2] | work.vector[3]) == 0);
}

// VS-BANK-1, VS-MEM-2: indices with gaps, ids that are other numbers, in any order of making: each call reaches exactly
// the VP that it names. What is looked at is who was reached, never how soon.
static void f63_indices_with_gaps(void)
{
    static const uint32_t index[] = {9, 0, 5, 2}, id[] = {5, 9, 2, 0};
    for (unsigned first = 0; first < 4; first++) {
        const struct pv_config config = machine_config();
        machine_reset(&config);
        for (unsigned i = 0; i < 4; i++) {
            machine_add(index[(first + i) % 4], id[(first + i) % 4]);
        }
        for (uint32_t vp = 0; vp < 12; vp++) {
            const bool there = vp == 0 || vp == 2 || vp == 5 || vp == 9;
            CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40 + vp, (uint64_t)1 << vp), 0);
            CHECK_EQ(machine_interrupted(0x40 + vp), there);
            CHECK(!there || machine_vector_pending(vp, 0x40 + vp));
            CHECK_EQ(ipi_to_bank(0x60 + vp, 0, (uint64_t)1 << vp), 0);
            CHECK_EQ(machine_interrupted(0x60 + vp), there);
            CHECK(!there || machine_vector_pending(vp, 0x60 + vp));
        }
    }
}

// IPI-VEC-1, IPI-VTL-1: which vectors may be sent, on both calls, and before the set.
static void vectors_that_may_be_sent(void)
{
    machine_simple(1);
    for (uint64_t vector = 0; vector < 0x200; vector++) {
        const uint64_t want = vector >= 0x10 && vector <= 0xFF ? 0 : 5;
        CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, vector, 1), want);
        CHECK_EQ(ipi_to_bank(vector, 0, 1), want);
    }
    for (unsigned bit = 8; bit < 64; bit++) {
        CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40 | (uint64_t)1 << bit, 1), 5);
        CHECK_EQ(ipi_to_bank(0x40 | (uint64_t)1 << bit, 0, 1), 5);
    }
}

// IPI-TELL-1: a VP outside the guest is woken, one inside is kicked; an interrupt is not waited for.
static void running_targets_are_kicked_others_woken(void)
{
    machine_simple(4);
    pv_vp_run(machine_vp(2));
    CHECK_EQ(machine_call(control(0x0B, 0, 0, 0) | FAST, 0x40, 6), 0);
    CHECK_EQ(machine.count[EVENT_KICK], 1);
    CHECK_EQ(machine.count[EVENT_WAKE], 1);
    for (unsigned i = 0; i < machine.events; i++) {
        CHECK_EQ(machine.event[i].vp_index, machine.event[i].kind == EVENT_WAKE ? 1 : 2);
    }
}

int main(int argc, char **argv)
{
    static const struct test tests[] = {
        {"F04 fast form of IPI Ex", f04_fast_ipi_ex},
        {"F08 cluster IPI mask has 64 bits", f08_cluster_mask_has_64_bits},
        {"F11 IPI to absent VPs", f11_absent_vps},
        {"F12 IPI to all without banks", f12_all_without_banks},
        {"F14 unknown VP index is nobody", f14_unknown_index_is_nobody},
        {"F17 self has no meaning in a set", f17_self_has_no_meaning_in_a_set},
        {"F28 window near the last index", f28_window_near_the_last_index},
        {"F29 partition without interrupts to send", f29_no_interrupts_to_send},
        {"F30 disabled APIC loses the interrupt", f30_disabled_apic_loses_the_interrupt},
        {"F31 APIC ids that alias", f31_apic_ids_that_alias},
        {"F52 guest-given VP used as an index", f52_guest_given_index},
        {"F61 vectors while one is in service", f61_vectors_while_one_is_in_service},
        {"F63 indices with gaps", f63_indices_with_gaps},
        {"vectors that may be sent", vectors_that_may_be_sent},
        {"running targets are kicked, others woken", running_targets_are_kicked_others_woken},
    };
    return run_tests(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
