/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How the reader fills a batch (ldif_reader.h): records, and the names of their files.
 *
 * Threads: a batch belongs to one thread at a time.
 */
#ifndef DITKIT_LDIF_BATCH_H
#define DITKIT_LDIF_BATCH_H

#include "ldif/ldif_reader.h"

/** No records, no names; the memory is kept. */
void dit_ldif_batch_clear(struct dit_ldif_batch *batch);

/** 0 or -ENOMEM */
int dit_ldif_batch_add(struct dit_ldif_batch *batch, struct dit_ldif_record record);

/** Have the name of a file in the batch. @param ret  points into the batch. 0; -ENOMEM */
int dit_ldif_batch_name(struct dit_ldif_batch *batch, const char *name, const char **ret);

#endif
