// SPDX-License-Identifier: BSD-2-Clause
// Guests come as multiboot modules. Module 0 is the kernel, whose text is its command line; module 1 is a Linux
// guest's initramfs.
#ifndef HARNESS_LOAD_H
#define HARNESS_LOAD_H

#include <stdbool.h>

struct vp;

// Puts the guest of module 0 into memory and VP 0 at its entry. Ends the run when it is not a guest that we know.
void load_guest(struct vp *vp);

// The two formats. False: not of this format.
bool load_linux(struct vp *vp);
bool load_elf(struct vp *vp);

#endif
