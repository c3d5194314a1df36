/* SPDX-License-Identifier: BSD-2-Clause */
#include "place/hold.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "place/readers.h"

/* While the table of readers is full. */
#define WAIT_MS 1000

struct dit_hold {
	struct dit_readers readers;
};

static int prepare_nothing(void *ctx, MDB_env *env, MDB_txn *txn)
{
	(void)ctx;
	(void)env;
	(void)txn;
	return 0;
}

int dit_data_directory(const char *path, char **ret)
{
	const char *slash = strrchr(path, '/');

	if (strcmp(slash == NULL ? path : slash + 1, "data.mdb") != 0) {
		return 0;
	}
	/* Without a slash at the end, which would follow a link. */
	*ret = slash == NULL   ? strdup(".")
	       : slash == path ? strdup("/")
	                       : strndup(path, (size_t)(slash - path));
	return *ret == NULL ? -ENOMEM : 1;
}

static int has_lock_file(const char *directory)
{
	char *lock = NULL;
	int r = asprintf(&lock, "%s/lock.mdb", directory);

	if (r < 0) {
		return -ENOMEM;
	}
	r = access(lock, F_OK) == 0;
	free(lock);
	return r;
}

int dit_hold_take(struct dit_hold **ret, const char *path)
{
	struct dit_readers_opts opts = {
		.n = 1, .no_lock = true, .max_dbs = 1, .wait_ms = WAIT_MS};
	struct dit_hold *hold = NULL;
	char *directory = NULL;
	int r = dit_data_directory(path, &directory);

	*ret = NULL;
	if (r == 1) {
		r = has_lock_file(directory);
	}
	if (r == 1) {
		hold = calloc(1, sizeof(*hold));
		r = hold == NULL ? -ENOMEM
		                 : dit_readers_open(&hold->readers, directory, &opts,
		                                    prepare_nothing, NULL);
		if (r < 0) {
			free(hold);
			hold = NULL;
		}
	}
	free(directory);
	*ret = hold;
	return r;
}

uint64_t dit_hold_txn_id(const struct dit_hold *hold)
{
	return hold->readers.txn_id;
}

void dit_hold_drop(struct dit_hold *hold)
{
	if (hold != NULL) {
		dit_readers_close(&hold->readers);
		free(hold);
	}
}
