// SPDX-License-Identifier: BSD-2-Clause
// CPUID leaves of the Hyper-V interface. They depend on the configuration alone, so they never change while a
// partition lives: guests read the hints before they give their name.
#include "setup.h"

enum {
    LEAF_BASE = 0x40000000,
    LEAF_INTERFACE = 0x40000001,
    LEAF_FEATURES = 0x40000003,
    LEAF_HINTS = 0x40000004,
    LEAF_LIMITS = 0x40000005,
    LEAF_NESTED = 0x4000000A
};

void pv_cpuid(const struct pv_partition *p, uint32_t leaf, struct pv_cpuid *out)
{
    const struct pv_config *config = &p->config;

    out->eax = 0;
    out->ebx = 0;
    out->ecx = 0;
    out->edx = 0;
    switch (leaf) {
    case LEAF_BASE:
        out->eax = pv_cpuid_highest(config->offers);
        out->ebx = 0x7263694D; // "Micr"
        out->ecx = 0x666F736F; // "osof"
        out->edx = 0x76482074; // "t Hv"
        break;
    case LEAF_INTERFACE:
        out->eax = 0x31237648; // "Hv#1"
        break;
    case LEAF_FEATURES:
        out->eax = pv_cpuid_privileges(config->privileges);
        out->edx = pv_cpuid_features(config->offers, config->features);
        break;
    case LEAF_HINTS:
        out->eax = pv_cpuid_hints(config->offers, config->privileges, config->hints);
        out->ebx = pv_cpuid_spin_count(config->offers, config->spin_count);
        break;
    case LEAF_LIMITS:
        out->eax = config->max_vps;
        break;
    case LEAF_NESTED:
        out->eax = pv_cpuid_nested(config->offers);
        break;
    default:
        break;
    }
}
