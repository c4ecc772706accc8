# SPDX-License-Identifier: BSD-2-Clause
# How the core is compiled, as one file (proviso.c). Nothing but speed rests on these flags.

# Each call of the table gets a function of its own (hypercall.c, answer), made by the compiler's constant
# propagation, which needs room to grow where the whole program is compiled at once; nothing is computed before the branch
# that needs it. Processors with SVM are the ones to tune for.
PROVISO_TUNE_gcc   := -mtune=znver2 -fno-code-hoisting -fipa-cp-clone --param ipa-cp-eval-threshold=1 \
                      --param logical-op-non-short-circuit=0 --param ipa-cp-unit-growth=100
PROVISO_TUNE_clang := -mtune=znver2

# The processor's own bit instructions (POPCNT, TZCNT, BLSR) instead of the proved loops: assumption A-BITS-1.
PROVISO_FAST := -DPV_FAST_BITS -mpopcnt -mbmi
