// SPDX-License-Identifier: BSD-2-Clause
#include "topology.h"
#include "../base/end.h"
#include "../base/memory.h"
#include "../base/string.h"

// CPUID Fn8000_0008 ECX has 8 bits for the threads of a package; xAPIC ids have 8 bits, of which all ones mean everybody.
enum { THREADS_OF_PACKAGE = 256, XAPIC_IDS = 255 };

struct topology topology;
uint16_t *place_of_apic_id;
static bool sparse;
static uint32_t package_names, core_names; // of which packages and cores have some

static uint32_t bits_for(uint32_t count)
{
    return count <= 1 ? 0 : 32 - (uint32_t)__builtin_clz(count - 1);
}

static const char *read_number(const char *at, uint32_t *to)
{
    *to = 0;
    for (; *at >= '0' && *at <= '9' && *to <= PV_MAX_VPS; at++)
        *to = *to * 10 + (uint32_t)(*at - '0');
    return at;
}

static void read_shape(const char *at, uint32_t vps)
{
    struct topology *t = &topology;
    at = read_number(at, &t->packages);
    if (*at == 'x')
        at = read_number(at + 1, &t->cores);
    if (*at == 'x')
        at = read_number(at + 1, &t->threads);
    if ((*at != 0 && *at != ' ') || (uint64_t)t->packages * t->cores * t->threads != vps ||
        (uint64_t)t->cores * t->threads > THREADS_OF_PACKAGE)
        end_run(END_BAD_OPTION,
                "option topology must be PACKAGESxCORESxTHREADS, their product %u, at most %u threads in a "
                "package",
                vps, (uint32_t)THREADS_OF_PACKAGE);
}

// About twice as many names as packages (or cores), or, when the ids then would not fit into 8 bits, as many as do. Three
// does not divide the number, so multiplying by it gives each another name.
static uint32_t choose_names(uint32_t count, uint32_t ids_each)
{
    uint32_t names = 2 * count + 1, fit = XAPIC_IDS / ids_each;
    if (names > fit && count < fit)
        names = fit;
    while (names % 3 == 0)
        names = names > count && names == fit ? names - 1 : names + 1;
    return names;
}

static uint32_t scatter(uint32_t i, uint32_t names)
{
    return (3 * i + 1) % names;
}

void topology_init(uint32_t vps)
{
    struct topology *t = &topology;
    const char *shape = option_text(boot_options, "topology");
    *t = (struct topology){.packages = 1, .cores = vps, .threads = 1};
    if (shape != 0)
        read_shape(shape, vps);
    else if (vps > THREADS_OF_PACKAGE)
        *t = (struct topology){.packages = vps, .cores = 1, .threads = 1};
    sparse = option_is(boot_options, "ids", "sparse");
    if (!sparse && option_text(boot_options, "ids") != 0 && !option_is(boot_options, "ids", "dense"))
        end_run(END_BAD_OPTION, "option ids must be dense or sparse");
    t->core_shift = bits_for(t->threads);
    core_names = sparse && t->packages == 1 ? choose_names(t->cores, 1u << t->core_shift) : t->cores;
    t->package_shift = t->core_shift + bits_for(core_names);
    package_names =
        sparse && t->packages > 1 ? choose_names(t->packages, 1u << t->package_shift) : t->packages;

    for (uint32_t i = 0; i < vps; i++) {
        if (topology_apic_id(i) >= t->ids)
            t->ids = topology_apic_id(i) + 1;
        if (topology_vp_index(i) >= t->indexes)
            t->indexes = topology_vp_index(i) + 1;
    }
    if (t->indexes > PV_MAX_VPS || t->ids > NOBODY)
        end_run(END_BAD_OPTION, "with these options VP indexes or APIC ids are too large");
    place_of_apic_id = memory_aligned(t->ids * sizeof *place_of_apic_id, 64);
    for (uint32_t id = 0; id < t->ids; id++)
        place_of_apic_id[id] = NOBODY;
    for (uint32_t i = 0; i < vps; i++)
        place_of_apic_id[topology_apic_id(i)] = (uint16_t)i;
}

uint32_t topology_apic_id(uint32_t place)
{
    const struct topology *t = &topology;
    uint32_t thread = place % t->threads, core = place / t->threads % t->cores,
             package = place / t->threads / t->cores;
    if (sparse && t->packages > 1)
        package = scatter(package, package_names);
    else if (sparse)
        core = scatter(core, core_names);
    return package << t->package_shift | core << t->core_shift | thread;
}

uint32_t topology_vp_index(uint32_t place)
{
    if (!sparse)
        return place;
    uint32_t names = 2u << bits_for(topology.packages * topology.cores * topology.threads);
    if (names > PV_MAX_VPS)
        names = PV_MAX_VPS;
    return (5 * place + 3) % names; // an odd factor, a power of two
}
