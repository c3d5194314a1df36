/* SPDX-License-Identifier: BSD-2-Clause */
/* The release of ditkit. Threads: any. */
#ifndef DITKIT_VERSION_H
#define DITKIT_VERSION_H

#include <ditkit/error.h>

/** "ditkit 0.1.0". Static. */
DIT_PUBLIC const char *dit_version(void);

#endif
