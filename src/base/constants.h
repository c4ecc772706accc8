// SPDX-License-Identifier: BSD-2-Clause
// What must hold of constants. Not C11's assertion, which Frama-C reads only in its C11 mode: an array of length -1 is
// an error for the compilers and for the prover alike.
#ifndef PV_CONSTANTS_H
#define PV_CONSTANTS_H

#define PV_HOLDS(name, condition) typedef char name[(condition) ? 1 : -1]

#endif
