// SPDX-License-Identifier: BSD-2-Clause
// Which processors the guest sees: packages x cores x threads, and three numbers for each VP that need not be the same:
// its place in the harness's array, its APIC id, and its VP index, the name in VP sets.
#ifndef HARNESS_TOPOLOGY_H
#define HARNESS_TOPOLOGY_H

#include "../../src/types.h"

struct topology {
    uint32_t packages, cores, threads;  // cores of a package, threads of a core
    uint32_t core_shift, package_shift; // APIC id >> shift names the core, the package
    uint32_t ids, indexes;              // one more than the largest APIC id, the largest VP index
};
extern struct topology topology;

enum { NOBODY = 0xFFFF };
extern uint16_t *place_of_apic_id; // of `topology.ids` elements; NOBODY: no VP has this id

// Reads the options topology=PACKAGESxCORESxTHREADS and ids=dense|sparse. Without the first all VPs are cores of one package
// (of packages of their own when they are more than CPUID can say of one). Ends the run when they make no sense.
void topology_init(uint32_t vps);

uint32_t topology_apic_id(uint32_t place);
uint32_t topology_vp_index(uint32_t place);

#endif
