// SPDX-License-Identifier: BSD-2-Clause
// The attacks of the hostile guest, one table for each file of this directory.
#ifndef GUEST_ATTACKS_H
#define GUEST_ATTACKS_H

#include "../lib.h"

enum { NOTHING = -1, ANY = -2 }; // expectations beside exception vectors

// An attack and what must become of it. The tables end with an entry without a body.
struct attack {
    const char *name;
    void (*body)(void);
    int expect;
};
#define ATTACK(body, expect)                                                                                 \
    {                                                                                                        \
#        body, body, expect                                                                                  \
    }

extern const struct attack attacks_msrs[], attacks_cpu[], attacks_memory[], attacks_ports[],
    attacks_hypercalls[], attacks_interrupts[], attacks_kvm[];

// Reads and writes MSRs of all classes; adds the number of attacks to *count.
bool msr_classes(uint32_t *count);

extern uint32_t others; // VPs beside this one
extern uint32_t racing; // not 0: they rewrite the operand block all the time

// Attacks after which no guest can go on.
void fatal(uint32_t which);

#endif
