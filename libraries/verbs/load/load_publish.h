/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * All databases of a load are put in place, or none.
 *
 * Threads: main.
 */
#ifndef DITKIT_LOAD_PUBLISH_H
#define DITKIT_LOAD_PUBLISH_H

#include "load/loader.h"

/** Put all targets in place, or none. */
int dit_load_publish(struct loader *loader);

#endif
