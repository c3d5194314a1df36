/* SPDX-License-Identifier: BSD-2-Clause */
#include "place/readers.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/error.h"
#include "place/files.h"
#include "place/lmdb_error.h"

#define ATTEMPTS_DEFAULT 1000
#define PAUSE_MS         20

struct opening {
	struct dit_readers *readers;
	const struct dit_readers_opts *opts;
	dit_readers_prepare_fn prepare;
	void *ctx;
	bool has_lock; /* can be had: the environment is open for writing */
};

/* LMDB's write lock is a write transaction; nothing is written in it. */
static int lock(struct opening *opening, MDB_txn **ret)
{
	*ret = NULL;
	return opening->has_lock ? dit_lmdb_error(mdb_txn_begin(opening->readers->env,
	                                                        NULL, 0, ret))
	                         : 0;
}

static void unlock(MDB_txn *txn)
{
	if (txn != NULL) {
		mdb_txn_abort(txn);
	}
}

static void end_txns(struct dit_readers *readers)
{
	for (unsigned i = 0; i < readers->n; i++) {
		if (readers->txns[i] != NULL) {
			mdb_txn_abort(readers->txns[i]);
			readers->txns[i] = NULL;
		}
	}
}

/* Handles that a read transaction opened belong to the environment when it commits. */
static int prepare(struct opening *opening, uint64_t *ret_txn_id)
{
	MDB_env *env = opening->readers->env;
	MDB_txn *txn = NULL;
	int r = dit_lmdb_error(mdb_txn_begin(env, NULL, MDB_RDONLY, &txn));

	if (r < 0) {
		return r;
	}
	*ret_txn_id = mdb_txn_id(txn);
	r = opening->prepare(opening->ctx, env, txn);
	if (r < 0) {
		mdb_txn_abort(txn);
		return r;
	}
	return dit_lmdb_error(mdb_txn_commit(txn));
}

/* 1; 0: a commit came in between; or an error. */
static int begin_txns(struct opening *opening)
{
	struct dit_readers *readers = opening->readers;
	int r = prepare(opening, &readers->txn_id);

	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < readers->n; i++) {
		r = dit_lmdb_error(
			mdb_txn_begin(readers->env, NULL, MDB_RDONLY, &readers->txns[i]));
		if (r < 0) {
			readers->txns[i] = NULL;
			return r;
		}
		if (mdb_txn_id(readers->txns[i]) != readers->txn_id) {
			return 0;
		}
	}
	return 1;
}

static int try_once(struct opening *opening)
{
	MDB_txn *held = NULL;
	int r = lock(opening, &held);

	if (r < 0) {
		return r;
	}
	r = begin_txns(opening);
	unlock(held);
	if (r <= 0) {
		end_txns(opening->readers);
	}
	return r;
}

static void pause_ms(long ms)
{
	struct timespec time = {0, ms * 1000000};

	(void)nanosleep(&time, NULL);
}

/* Places of processes that are gone are free at once; for others there is a wait. */
static int wait_for_place(struct opening *opening, uint64_t *waited_ms)
{
	int ndead = 0;
	int r = dit_lmdb_error(mdb_reader_check(opening->readers->env, &ndead));

	if (r < 0) {
		return r;
	}
	if (ndead > 0) {
		return 0;
	}
	if (*waited_ms >= opening->opts->wait_ms) {
		return MDB_READERS_FULL;
	}
	pause_ms(PAUSE_MS);
	*waited_ms += PAUSE_MS;
	return 0;
}

static int begin(struct opening *opening)
{
	unsigned left =
		opening->opts->attempts == 0 ? ATTEMPTS_DEFAULT : opening->opts->attempts;
	uint64_t waited_ms = 0;

	while (left > 0) {
		int r = try_once(opening);

		if (r == 1) {
			return 0;
		}
		if (r == 0) {
			left--;
			continue;
		}
		if (r == MDB_READERS_FULL) {
			r = wait_for_place(opening, &waited_ms);
		}
		if (r < 0) {
			return r;
		}
	}
	return -EAGAIN;
}

/*
 * The write lock needs an environment that is open for writing. A file or file system
 * that may only be read is opened so.
 */
static int open_env(struct opening *opening, unsigned flags)
{
	struct dit_readers *readers = opening->readers;
	int r = dit_lmdb_error(mdb_env_create(&readers->env));

	if (r == 0) {
		r = dit_lmdb_error(
			mdb_env_set_maxdbs(readers->env, opening->opts->max_dbs));
	}
	if (r == 0) {
		r = dit_door_open_env(&readers->door, readers->env, MDB_NOTLS | flags,
		                      opening->opts->fault);
	}
	if (r < 0 && readers->env != NULL) {
		mdb_env_close(readers->env);
		readers->env = NULL;
	}
	return r;
}

static int open_env_best(struct opening *opening)
{
	int r = -EACCES;

	if (!opening->opts->no_lock) {
		r = open_env(opening, 0);
		opening->has_lock = r == 0;
	}
	return r == -EACCES || r == -EROFS || r == -EPERM ? open_env(opening, MDB_RDONLY)
	                                                  : r;
}

int dit_readers_open(struct dit_readers *ret, const char *directory,
                     const struct dit_readers_opts *opts,
                     dit_readers_prepare_fn prepare_fn, void *ctx)
{
	struct opening opening = {
		.readers = ret, .opts = opts, .prepare = prepare_fn, .ctx = ctx};
	int r = 0;

	*ret = (struct dit_readers){.n = opts->n, .door = DIT_DOOR_CLOSED};
	ret->txns = calloc(opts->n, sizeof(MDB_txn *));
	if (ret->txns == NULL) {
		return -ENOMEM;
	}
	r = opts->no_lock_file ? dit_door_open_as_is(&ret->door, directory, opts->fault)
	                       : dit_door_open(&ret->door, directory, opts->fault);
	if (r == 0) {
		r = open_env_best(&opening);
	}
	if (r == 0) {
		r = begin(&opening);
	}
	if (r < 0) {
		dit_readers_close(ret);
	}
	return r;
}

void dit_readers_close(struct dit_readers *readers)
{
	if (readers->txns != NULL) {
		end_txns(readers);
	}
	if (readers->env != NULL) {
		mdb_env_close(readers->env);
	}
	dit_door_close(&readers->door);
	free(readers->txns);
	*readers = (struct dit_readers){.n = 0, .door = DIT_DOOR_CLOSED};
}

int dit_readers_renew(struct dit_readers *readers, unsigned number)
{
	mdb_txn_reset(readers->txns[number]);
	return dit_lmdb_error(mdb_txn_renew(readers->txns[number]));
}
