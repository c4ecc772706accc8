// SPDX-License-Identifier: BSD-2-Clause
// Random histories of a nested VP against a model of what the architecture allows. The core's part is roots, contexts, walk
// and shadow tables; this program is L1, L2, the harness between VMRUNs, and a processor whose TLB forgets nothing that it need not.
#include "machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;
unsigned long history_step;
bool history_translations_only;

uint32_t history_random(uint32_t below)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % below;
}

void history_wrong(const char *what)
{
    printf("step %lu: %s\n", history_step, what);
    exit(1);
}

static struct situation s; // what L1 has chosen
static unsigned long rewrites;

static void enter(void)
{
    static const uint32_t controls[4] = {0, 1, 3, 7};
    s.np = history_random(5) != 0;
    s.table = history_random(TABLES);
    s.nx = history_random(4) != 0;
    s.vasid = history_random(8) != 0 ? 1 + s.table % VASIDS : 1 + history_random(VASIDS);
    s.keeps_nested = history_random(4) == 0;
    s.control = history_random(3) != 0 ? 0 : controls[history_random(4)];
    model_enter(&s);
    machine_enter(&s);
    s.inside = true;
}

static void edit_leaf(void)
{
    const uint32_t t = history_random(TABLES), g = history_random(PAGES);
    machine_edit(t, g, history_random(8) != 0, history_random(FRAMES + 1), history_random(2) != 0,
                 history_random(4) == 0);
    model_edited();
    rewrites++;
}

static void step(void)
{
    const uint32_t what = history_random(100);
    if (what < 50) {
        if (s.inside)
            machine_access(&s, history_random(PAGES), (enum access)history_random(3));
    } else if (what < 65) {
        if (s.inside)
            machine_leave();
        s.inside = false;
        if (history_random(8) != 0) // a VMRUN that fails changes nothing
            enter();
    } else if (what < 80) {
        edit_leaf();
    } else if (what < 84) {
        machine_edit_upper(history_random(TABLES), history_random(PAGES), history_random(2) != 0);
        model_edited();
        rewrites++;
    } else if (what < 90) {
        machine_edit_l2(1 + history_random(VASIDS), history_random(PAGES), history_random(PAGES));
        model_edited();
    } else if (what < 93) {
        const uint32_t vasid = 1 + history_random(VASIDS), page = history_random(PAGES);
        model_flush_page(vasid, page);
        pv_nested_invlpga(&nested, vasid);
    } else if (what < 96) {
        const uint32_t t = history_random(TABLES);
        model_flush_table(t);
        pv_nested_forget_ncr3(&nested, machine_ncr3(t));
    } else if (what < 97) {
        machine_edit_l0(history_random(FRAMES), history_random(FRAMES));
        model_flush_all();
        pv_nested_forget_tables(&nested);
    } else {
        machine_evict();
    }
    machine_check(&s);
}

int main(int argc, char **argv)
{
    const unsigned long steps = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000000;
    seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    history_translations_only = argc > 3;
    for (history_step = 0; history_step < steps; history_step++) {
        if (history_step % 200 == 0 && history_step != 0)
            pool_check();
        if (history_step % 50000 == 0) {
            if (history_step != 0)
                machine_end();
            machine_begin(history_random(2) != 0 ? PV_ROOTS + 3 + history_random(8) : 64);
            model_begin();
            s.inside = false;
        }
        step();
    }
    machine_end();
    machine_report(steps, rewrites);
    return 0;
}
