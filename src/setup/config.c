// SPDX-License-Identifier: BSD-2-Clause
#include "setup.h"

bool pv_config_valid(const struct pv_config *config)
{
    return config->offers <= PV_OFFER_EVERY && (config->gva_bits == 48 || config->gva_bits == 57) &&
           config->rep_budget >= 1 && config->max_vps >= 1 && config->max_vps <= PV_MAX_VPS &&
           config->gpa_bits >= 32 && config->gpa_bits <= 52;
}
