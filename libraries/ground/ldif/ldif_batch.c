/* SPDX-License-Identifier: BSD-2-Clause */
#include "ldif/ldif_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/slab.h"

#define RECORDS_MIN 64

static void forget_files(struct dit_ldif_batch *batch)
{
	while (batch->nfiles > 0) {
		free(batch->files[--batch->nfiles]);
	}
}

void dit_ldif_batch_clear(struct dit_ldif_batch *batch)
{
	batch->nrecords = 0;
	forget_files(batch);
}

void dit_ldif_batch_deinit(struct dit_ldif_batch *batch)
{
	dit_slab_put(batch->buffer, batch->size);
	free(batch->records);
	forget_files(batch);
	free(batch->files);
	*batch = (struct dit_ldif_batch){0};
}

int dit_ldif_batch_add(struct dit_ldif_batch *batch, struct dit_ldif_record record)
{
	size_t n = batch->nrecords < RECORDS_MIN ? RECORDS_MIN : batch->nrecords + 1;

	if (DIT_GROW(batch->records, batch->records_size, n) < 0) {
		return -ENOMEM;
	}
	batch->records[batch->nrecords++] = record;
	return 0;
}

int dit_ldif_batch_name(struct dit_ldif_batch *batch, const char *name, const char **ret)
{
	char *copy = NULL;

	if (DIT_GROW(batch->files, batch->files_size, batch->nfiles + 1) < 0) {
		return -ENOMEM;
	}
	copy = strdup(name);
	if (copy == NULL) {
		return -ENOMEM;
	}
	batch->files[batch->nfiles++] = copy;
	*ret = copy;
	return 0;
}
