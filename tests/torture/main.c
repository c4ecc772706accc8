// SPDX-License-Identifier: BSD-2-Clause
// The torture run: options, set-up, the table, the verdict. torture.h says what it is.
#include "torture.h"
#include "unnested.h"

#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options options = {.seed = 1, .calls = 10000, .pcpus = 4};
struct pv_partition partition;
struct vp vps[MAX_VPS];
struct pcpu pcpus[MAX_PCPUS];
uint32_t stopping;
__thread struct pcpu *this_pcpu;

static struct pv_vp cores[MAX_VPS] __attribute__((aligned(64)));

static const char *const fault_names[FAULTS] = {
    [FAULT_NONE] = "none",
    [FAULT_NO_WAIT] = "no-wait",
    [FAULT_NO_KICK] = "no-kick",
    [FAULT_DROP] = "drop",
    [FAULT_RUN_LATE] = "run-late",
    [FAULT_STOP_EARLY] = "stop-early",
    [FAULT_STOP_LATE] = "stop-late",
    [FAULT_NO_WAKE] = "no-wake",
    [FAULT_SLEEP_BLIND] = "sleep-blind",
    [FAULT_STALE_TAG] = "stale-tag",
    [FAULT_OTHER_CONTEXT] = "other-context",
};

static const char help[] =
    "usage: torture [--pcpus N] [--vps N] [--calls N] [--seconds N] [--seed N] [--fault NAME]\n"
    "Random guests on N threads that play physical CPUs; exit code 0: no stale read, no vector lost.\n"
    "  --pcpus N      1 to 64 (4)\n"
    "  --vps N        1 to 112 (three for each pCPU, at most 112)\n"
    "  --calls N      hypercalls of each VP, beside replies to interrupts (10000)\n"
    "  --seconds N    run so long instead\n"
    "  --seed N       of what guests and scheduler do (1); threads still run as the machine lets them\n"
    "  --fault NAME   the embedder makes a mistake, which must be noticed:\n"
    "    no-wait        a flush does not wait for those that it has kicked\n"
    "    no-kick        kicks are lost\n"
    "    drop           an entry that is given up forgets what it had taken\n"
    "    run-late       the run word becomes odd after the look at what is pending\n"
    "    stop-early     the run word becomes even while the guest still runs\n"
    "    stop-late      the run word becomes even only after the hypercall\n"
    "    no-wake        a VP that sleeps is not woken\n"
    "    sleep-blind    a VP goes to sleep without a look for work\n"
    "    stale-tag      a VP that comes back to a pCPU finds its old translations\n"
    "    other-context  L1's flushes are taken where L2 runs\n";

uint64_t draw(uint64_t *random)
{
    uint64_t x = *random += 0x9E3779B97F4A7C15;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
    x = (x ^ x >> 27) * 0x94D049BB133111EB;
    return x ^ x >> 31;
}

bool chance(uint64_t *random, unsigned one_in)
{
    return draw(random) % one_in == 0;
}

uint32_t index_of(uint32_t vp)
{
    return vp % 2 == 0 ? vp / 2 : 64 * (5 + 7 * (vp / 2 % 8)) + vp;
}

// ---- options -------------------------------------------------------------------------------------------------------

static _Noreturn void refuse(const char *option, const char *value, const char *why)
{
    fprintf(stderr, "torture: %s %s: %s\n", option, value, why);
    exit(2);
}

static uint64_t number(const char *option, const char *value, uint64_t low, uint64_t high)
{
    char *end;
    const unsigned long long n = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || strlen(value) > 19) {
        refuse(option, value, "not a number");
    }
    if (n < low || n > high) {
        refuse(option, value, "too small or too large");
    }
    return n;
}
void pv_platform_nmi(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_unhalt(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}
void pv_platform_yield_to(const struct pv_partition *p, struct pv_vp *vp)
{
    (void)p, (void)vp;
}

static enum fault fault_named(const char *name)
{
    for (uint32_t i = 0; i < FAULTS; i++) {
        if (strcmp(name, fault_names[i]) == 0) {
            return (enum fault)i;
        }
    }
    refuse("--fault", name, "no such fault");
}

static void read_options(int argc, char **argv)
{
    static const struct option known[] = {
        {"pcpus", required_argument, NULL, 'p'}, {"vps", required_argument, NULL, 'v'},
        {"calls", required_argument, NULL, 'c'}, {"seconds", required_argument, NULL, 't'},
        {"seed", required_argument, NULL, 's'},  {"fault", required_argument, NULL, 'f'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };

    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (option) {
        case 'p':
            options.pcpus = (uint32_t)number("--pcpus", optarg, 1, MAX_PCPUS);
            break;
        case 'v':
            options.vps = (uint32_t)number("--vps", optarg, 1, MAX_VPS);
            break;
        case 'c':
            options.calls = number("--calls", optarg, 1, UINT64_MAX);
            break;
        case 't':
            options.seconds = (uint32_t)number("--seconds", optarg, 1, 1000000);
            break;
        case 's':
            options.seed = number("--seed", optarg, 0, UINT64_MAX);
            break;
        case 'f':
            options.fault = fault_named(optarg);
            break;
        case 'h':
            fputs(help, stdout);
            exit(0);
        default:
            exit(2); // getopt has told why
        }
    }
    if (optind < argc) {
        refuse("unknown argument", argv[optind], "see --help");
    }
    if (options.vps == 0) {
        options.vps = options.pcpus * 3 < MAX_VPS ? options.pcpus * 3 : MAX_VPS;
    }
    if (options.seconds != 0) {
        options.calls = UINT64_MAX;
    }
}

// ---- the run -------------------------------------------------------------------------------------------------------

static void set_up(void)
{
    uint64_t random = options.seed;
    const struct pv_config config = {.offers = PV_OFFER_ALL,
                                     .gva_bits = 48,
                                     .rep_budget =
                                         1 + (uint32_t)draw(&random) % 24, // some lists are continued
                                     .max_vps = PV_MAX_VPS,
                                     .gpa_bits = 40};

    pv_partition_init(&partition, &config, cores, options.vps);
    pages_prepare();
    for (uint32_t i = 0; i < options.pcpus; i++) {
        pcpus[i].index = i;
        pcpus[i].random = draw(&random);
        pcpus[i].preempt_random = draw(&random);
    }
    for (uint32_t i = 0; i < options.vps; i++) {
        pv_partition_add_vp(&partition, index_of(i), i);
        vps[i].index = i;
        vps[i].core = &cores[i];
        vps[i].guest.random = draw(&random);
        vps[i].guest.calls_left = options.calls;
        enqueue(&vps[i]);
    }
    pv_msr_write(&partition, 0x40000000, 1);
}

static void run(void)
{
    static pthread_t thread[MAX_PCPUS];

    for (uint32_t i = 0; i < options.pcpus; i++) {
        if (pthread_create(&thread[i], NULL, pcpu_run, &pcpus[i]) != 0) {
            perror("torture: no thread");
            exit(2);
        }
    }
    if (options.seconds != 0) {
        sleep(options.seconds);
        __atomic_store_n(&stopping, 1, __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < options.pcpus; i++) {
        pthread_join(thread[i], NULL);
    }
}

static struct count sum(void)
{
    struct count all = {0};
    for (uint32_t i = 0; i < options.pcpus; i++) {
        for (size_t k = 0; k < sizeof all / sizeof(uint64_t); k++) {
            ((uint64_t *)&all)[k] += ((const uint64_t *)&pcpus[i].count)[k];
        }
    }
    return all;
}

static void row(const char *name, uint64_t count)
{
    printf("  %-44s %12" PRIu64 "\n", name, count);
}

int main(int argc, char **argv)
{
    read_options(argc, argv);
    set_up();
    run();

    // All sleep, and nothing can wake them.
    const struct count all = sum();
    uint64_t lost = 0, asleep = 0, unfinished = 0;
    for (uint32_t i = 0; i < options.vps; i++) {
        for (uint32_t sender = 0; sender < options.vps; sender++) {
            lost += vps[i].guest.under_way[REQUEST][sender] != NONE_UNDER_WAY;
            lost += vps[i].guest.under_way[REPLY][sender] != NONE_UNDER_WAY;
        }
        asleep += (cores[i].vector[0] | cores[i].vector[1] | cores[i].vector[2] | cores[i].vector[3]) != 0;
        unfinished += !guest_finished(&vps[i]);
    }
    printf("torture: %" PRIu32 " VPs on %" PRIu32 " pCPUs, seed %" PRIu64 ", fault: %s\n", options.vps,
           options.pcpus, options.seed, fault_names[options.fault]);
    row("hypercalls", all.calls);
    row("  continued", all.continued);
    row("entries", all.entries);
    row("  given up", all.cancelled);
    row("kicks", all.kicks);
    row("waits", all.waits);
    row("VPs flushed later, as they were outside", all.named - all.asked);
    row("flushes done", all.flushes);
    row("migrations", all.migrations);
    row("  to a pCPU that had the VP's translations", all.kept);
    row("preemptions of VPs", all.preemptions);
    row("threads stopped at any instruction", all.stops);
    row("VPs that went to sleep", all.sleeps);
    row("  woken", all.wakes);
    row("interrupts delivered", all.vectors);
    row("reads", all.reads);
    row("stale reads", all.stale);
    row("interrupts lost", lost);
    row("  that a running VP noticed late", all.late);
    row("  delivered, but not sent", all.spurious);
    row("VPs asleep with an interrupt posted", asleep);
    row("VPs that wait for ever", unfinished);
    row("waits for a VP that is not in its guest", all.deadlocks);
    const bool good = all.stale + lost + all.late + all.spurious + asleep + unfinished + all.deadlocks == 0;
    printf("torture: %s\n", good ? "passed: no stale read, no interrupt lost" : "FAILED");
    return good ? 0 : 1;
}
