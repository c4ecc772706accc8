// SPDX-License-Identifier: BSD-2-Clause
// The numbers of SVM (APM vol. 2, 15.7 to 15.25); the control block itself: src/nested/vmcb.h.
#ifndef HARNESS_VMCB_H
#define HARNESS_VMCB_H

#include "../../src/nested/vmcb.h"

// Intercepts, word 3 and 4 (APM vol. 2, 15.9), and the exit codes that belong to them.
enum {
    I3_INTR = 1 << 0,
    I3_NMI = 1 << 1,
    I3_INIT = 1 << 3,
    I3_VINTR = 1 << 4,
    I3_RDPMC = 1 << 15,
    I3_CPUID = 1 << 18,
    I3_IRET = 1 << 20,
    I3_SWINT = 1 << 21,
    I3_INVD = 1 << 22,
    I3_PAUSE = 1 << 23,
    I3_HLT = 1 << 24,
    I3_INVLPGA = 1 << 26,
    I3_IO = 1 << 27,
    I3_MSR = 1 << 28
};
#define I3_SHUTDOWN (1u << 31)
enum {
    I4_VMRUN = 1 << 0,
    I4_VMMCALL = 1 << 1,
    I4_VMLOAD = 1 << 2,
    I4_VMSAVE = 1 << 3,
    I4_STGI = 1 << 4,
    I4_CLGI = 1 << 5,
    I4_SKINIT = 1 << 6,
    I4_RDTSCP = 1 << 7,
    I4_WBINVD = 1 << 9,
    I4_MONITOR = 1 << 10,
    I4_MWAIT = 1 << 11,
    I4_XSETBV = 1 << 13,
    I4_RDPRU = 1 << 14
};
// What we intercept in every guest, L2s included.
#define FLOOR_CR         (1u << (16 + 4) | 1u << (16 + 8)) // writes to CR4 and CR8
#define FLOOR_EXCEPTIONS ((1u << EXC_AC) | (1u << EXC_MC))
#define FLOOR3                                                                                               \
    (I3_INTR | I3_NMI | I3_INIT | I3_RDPMC | I3_CPUID | I3_INVD | I3_HLT | I3_INVLPGA | I3_IO | I3_MSR |     \
     I3_SHUTDOWN)
#define FLOOR4                                                                                               \
    (I4_VMRUN | I4_VMMCALL | I4_VMLOAD | I4_VMSAVE | I4_STGI | I4_CLGI | I4_SKINIT | I4_RDTSCP | I4_WBINVD | \
     I4_MONITOR | I4_MWAIT | I4_XSETBV | I4_RDPRU)
enum {
    EXIT_CR4_WRITE = 0x14,
    EXIT_CR8_WRITE = 0x18,
    EXIT_EXCEPTION = 0x40,
    EXIT_INTR = 0x60,
    EXIT_NMI = 0x61,
    EXIT_INIT = 0x63,
    EXIT_VINTR = 0x64,
    EXIT_RDPMC = 0x6F,
    EXIT_CPUID = 0x72,
    EXIT_IRET = 0x74,
    EXIT_SWINT = 0x75,
    EXIT_INVD = 0x76,
    EXIT_PAUSE = 0x77,
    EXIT_HLT = 0x78,
    EXIT_INVLPGA = 0x7A,
    EXIT_IO = 0x7B,
    EXIT_MSR = 0x7C,
    EXIT_SHUTDOWN = 0x7F,
    EXIT_VMRUN = 0x80,
    EXIT_VMMCALL = 0x81,
    EXIT_VMLOAD = 0x82,
    EXIT_VMSAVE = 0x83,
    EXIT_STGI = 0x84,
    EXIT_CLGI = 0x85,
    EXIT_SKINIT = 0x86,
    EXIT_RDTSCP = 0x87,
    EXIT_WBINVD = 0x89,
    EXIT_MONITOR = 0x8A,
    EXIT_MWAIT = 0x8B,
    EXIT_XSETBV = 0x8D,
    EXIT_RDPRU = 0x8E,
    EXIT_NPF = 0x400
};
#define EXIT_INVALID 0xFFFFFFFFu // compared by the low 32 bits: QEMU stores no more

// V_INTR (0x060)
#define V_TPR_MASK     0xFFull
#define V_IRQ          (1ull << 8)
#define V_PRIO_SHIFT   16
#define V_IGN_TPR      (1ull << 20)
#define V_INTR_MASKING (1ull << 24)
#define V_VECTOR_SHIFT 32

// EVENTINJ and EXITINTINFO (APM vol. 2, 15.20)
#define EVENT_VALID     (1ull << 31)
#define EVENT_CODE      (1ull << 11)
#define EVENT_INTR      (0ull << 8)
#define EVENT_TYPE_NMI  (2ull << 8)
#define EVENT_EXCEPTION (3ull << 8)
#define EVENT_SOFTWARE  (4ull << 8)
#define EVENT_TYPE_MASK (7ull << 8)

// EXITINFO1 of a nested page fault (APM vol. 2, 15.25.6)
#define NPF_WRITE (1ull << 1)
#define NPF_FETCH (1ull << 4)
#define NPF_FINAL (1ull << 32)

// Segment attributes, packed as in the VMCB
enum {
    SEG_CODE16 = 0x009B,
    SEG_DATA16 = 0x0093,
    SEG_CODE32 = 0x0C9B,
    SEG_DATA32 = 0x0C93,
    SEG_CODE64 = 0x0A9B
};
enum { SEG_TSS = 0x008B, SEG_LDT = 0x0082, SEG_L = 0x200, SEG_D = 0x400 };

#endif
