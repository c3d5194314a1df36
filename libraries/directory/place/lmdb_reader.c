/* SPDX-License-Identifier: BSD-2-Clause */
#include "place/lmdb_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <lmdb.h>

#include "place/files.h"
#include "place/format_check.h"
#include "place/lmdb_error.h"
#include "place/private_dir.h"

#define ATTEMPTS 1000 /* to see one state while others commit */
#define PAUSE_MS 20

/* ---- the files ---- */

/*
 * LMDB would make a missing lock.mdb with the permissions of whoever reads; slapd could
 * then not open it any more. So it is made here, as data.mdb is.
 */
static int make_lock_file(int dir_fd, int data_fd)
{
	struct stat st;
	int fd = dit_file_make(dir_fd, DIT_LOCK_NAME, 0600);

	if (fd >= 0 && (fstat(data_fd, &st) != 0 || fchmod(fd, st.st_mode & 0777) != 0 ||
	                (geteuid() == 0 && fchown(fd, st.st_uid, st.st_gid) != 0))) {
		/* It may be in use already, so it stays. */
	}
	return fd;
}

/* -1: there is none, and none is needed. Several may come at once: one makes it. */
static int open_lock_file(struct dit_lmdb_reader *reader, int dir_fd,
                          const struct dit_lmdb_reader_opts *opts)
{
	int fd = dit_file_open(dir_fd, DIT_LOCK_NAME, O_RDWR, opts->fault);

	if (fd == -ENOENT && !opts->no_lock_file) {
		fd = make_lock_file(dir_fd, reader->data_fd);
	}
	if (fd == -EEXIST) {
		fd = dit_file_open(dir_fd, DIT_LOCK_NAME, O_RDWR, opts->fault);
	}
	if (fd == -EROFS || (fd == -ENOENT && opts->no_lock_file)) {
		return 0;
	}
	reader->lock_fd = fd < 0 ? -1 : fd;
	return fd < 0 ? fd : 0;
}

static int open_files(struct dit_lmdb_reader *reader, const char *directory,
                      const struct dit_lmdb_reader_opts *opts)
{
	int dir_fd = dit_directory_open(directory, opts->fault);
	int r = 0;

	if (dir_fd < 0) {
		return dir_fd;
	}
	reader->data_fd = dit_data_open(dir_fd, O_RDONLY, opts->fault);
	r = reader->data_fd < 0 ? reader->data_fd : open_lock_file(reader, dir_fd, opts);
	(void)close(dir_fd);
	return r;
}

/* ---- the environment ---- */

/* No process writes to a read-only file system: no locks are needed there. */
static int open_env_files(const struct dit_lmdb_reader *reader, unsigned flags,
                          struct dit_fault *fault)
{
	if (reader->lock_fd >= 0) {
		return dit_env_open_private(reader->env, reader->data_fd, reader->lock_fd,
		                            flags, fault);
	}
	return (flags & MDB_RDONLY) == 0
	               ? -EROFS
	               : dit_env_open_file(reader->env, reader->data_fd, flags, fault);
}

static int open_env(struct dit_lmdb_reader *reader, unsigned flags,
                    struct dit_fault *fault)
{
	int r = dit_lmdb_error(mdb_env_create(&reader->env));

	if (r < 0) {
		return r;
	}
	r = open_env_files(reader, MDB_NOTLS | flags, fault);
	if (r < 0) {
		mdb_env_close(reader->env);
		reader->env = NULL;
	}
	return r;
}

/*
 * The write lock needs an environment that is open for writing. A file or file system
 * that may only be read is opened so.
 */
static int open_env_best(struct dit_lmdb_reader *reader,
                         const struct dit_lmdb_reader_opts *opts, bool *ret_has_lock)
{
	int r = opts->no_lock ? -EACCES : open_env(reader, 0, opts->fault);

	*ret_has_lock = r == 0;
	return r == -EACCES || r == -EROFS || r == -EPERM
	               ? open_env(reader, MDB_RDONLY, opts->fault)
	               : r;
}

/* ---- the transactions ---- */

struct beginning {
	struct dit_lmdb_reader *reader;
	bool has_lock; /* can be had: the environment is open for writing */
	dit_lmdb_reader_look_fn look;
	void *ctx;
};

static void end_txns(struct dit_lmdb_reader *reader)
{
	for (unsigned i = 0; i < reader->n; i++) {
		mdb_txn_abort(reader->txns[i]); /* NULL is fine */
		reader->txns[i] = NULL;
	}
}

/* Not in one of the n: that it is overtaken is seen by the first of them. */
static int look(const struct beginning *beginning)
{
	struct dit_lmdb_reader *reader = beginning->reader;
	MDB_txn *txn = NULL;
	int r = dit_lmdb_error(mdb_txn_begin(reader->env, NULL, MDB_RDONLY, &txn));

	if (r < 0) {
		return r;
	}
	reader->txn_id = mdb_txn_id(txn);
	if (beginning->look != NULL) {
		r = beginning->look(beginning->ctx, reader->data_fd, reader->txn_id);
	}
	mdb_txn_abort(txn);
	return r;
}

/* 1; 0: a commit came in between; or an error. */
static int begin_txns(const struct beginning *beginning)
{
	struct dit_lmdb_reader *reader = beginning->reader;
	int r = look(beginning);

	for (unsigned i = 0; i < reader->n && r == 0; i++) {
		r = dit_lmdb_error(
			mdb_txn_begin(reader->env, NULL, MDB_RDONLY, &reader->txns[i]));
		if (r == 0 && mdb_txn_id(reader->txns[i]) != reader->txn_id) {
			return 0;
		}
	}
	return r < 0 ? r : 1;
}

/* It is a write transaction; nothing is written in it. */
int dit_lmdb_reader_lock(struct dit_lmdb_reader *reader)
{
	int r = dit_lmdb_error(mdb_txn_begin(reader->env, NULL, 0, &reader->held));

	if (r < 0) {
		reader->held = NULL;
	}
	return r;
}

void dit_lmdb_reader_unlock(struct dit_lmdb_reader *reader)
{
	mdb_txn_abort(reader->held); /* NULL is fine */
	reader->held = NULL;
}

static int try_once(const struct beginning *beginning)
{
	int r = beginning->has_lock ? dit_lmdb_reader_lock(beginning->reader) : 0;

	if (r == 0) {
		r = begin_txns(beginning);
		dit_lmdb_reader_unlock(beginning->reader);
	}
	if (r <= 0) {
		end_txns(beginning->reader);
	}
	return r;
}

static int wait_for_place(uint64_t wait_ms, uint64_t *waited_ms)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000L};

	if (*waited_ms >= wait_ms) {
		return MDB_READERS_FULL;
	}
	(void)nanosleep(&pause, NULL);
	*waited_ms += PAUSE_MS;
	return 0;
}

/* Places of processes that are gone are free at once; for others there is a wait. */
static int free_place(MDB_env *env, uint64_t wait_ms, uint64_t *waited_ms)
{
	int ndead = 0;
	int r = dit_lmdb_error(mdb_reader_check(env, &ndead));

	return r < 0 || ndead > 0 ? r : wait_for_place(wait_ms, waited_ms);
}

static int begin(const struct beginning *beginning, uint64_t wait_ms)
{
	uint64_t waited_ms = 0;
	unsigned nattempts = 0;

	while (nattempts < ATTEMPTS) {
		int r = try_once(beginning);

		if (r == 1) {
			return 0;
		}
		if (r == 0) {
			nattempts++;
		}
		if (r == MDB_READERS_FULL) {
			r = free_place(beginning->reader->env, wait_ms, &waited_ms);
		}
		if (r < 0) {
			return r;
		}
	}
	return -EAGAIN;
}

/* ---- LMDB 1.0 ---- */

/* lock.mdb first: nobody exchanges data.mdb once the table is open. */
static int open_files_10(struct dit_lmdb_reader *reader, const char *directory,
                         struct dit_fault *fault)
{
	int dir_fd = dit_directory_open(directory, fault);
	int r = 0;

	if (dir_fd < 0) {
		return dir_fd;
	}
	reader->lock_fd = dit_file_open(dir_fd, DIT_LOCK_NAME, O_RDWR, fault);
	r = reader->lock_fd < 0
	            ? reader->lock_fd
	            : dit_reader_table_open(&reader->table, reader->lock_fd, fault);
	if (r == 0) {
		reader->data_fd = dit_data_open_10(dir_fd, O_RDONLY, fault);
		r = reader->data_fd < 0 ? reader->data_fd : 0;
	}
	(void)close(dir_fd);
	return r;
}

static int enter(struct dit_lmdb_reader *reader, const struct dit_lmdb_reader_opts *opts)
{
	uint64_t waited_ms = 0;
	int r = 0;

	do {
		r = dit_reader_table_enter(&reader->table, opts->wait_ms, opts->fault);
	} while (r == MDB_READERS_FULL && wait_for_place(opts->wait_ms, &waited_ms) == 0);
	return r;
}

/* Facts about a state do not count if a commit came in between. */
static int begin_10(const struct beginning *beginning)
{
	struct dit_lmdb_reader *reader = beginning->reader;

	for (unsigned i = 0; i < ATTEMPTS; i++) {
		int r = 0;

		reader->txn_id = dit_reader_table_renew(&reader->table);
		if (beginning->look != NULL) {
			r = beginning->look(beginning->ctx, reader->data_fd,
			                    reader->txn_id);
		}
		if (dit_reader_table_last(&reader->table) == reader->txn_id) {
			return r;
		}
	}
	return -EAGAIN;
}

static int open_reader_10(const char *directory, const struct dit_lmdb_reader_opts *opts,
                          const struct beginning *beginning)
{
	struct dit_lmdb_reader *reader = beginning->reader;
	int r = open_files_10(reader, directory, opts->fault);

	if (r == 0) {
		r = enter(reader, opts);
	}
	return r < 0 ? r : begin_10(beginning);
}

/* ---- the reader ---- */

static int open_reader(struct dit_lmdb_reader *reader, const char *directory,
                       const struct dit_lmdb_reader_opts *opts,
                       struct beginning *beginning)
{
	int r = 0;

	reader->txns = calloc(opts->n, sizeof(MDB_txn *));
	if (reader->txns == NULL) {
		return -ENOMEM;
	}
	reader->n = opts->n;
	r = open_files(reader, directory, opts);
	if (r == 0) {
		r = open_env_best(reader, opts, &beginning->has_lock);
	}
	return r < 0 ? r : begin(beginning, opts->wait_ms);
}

int dit_lmdb_reader_open(struct dit_lmdb_reader **ret, const char *directory,
                         const struct dit_lmdb_reader_opts *opts,
                         dit_lmdb_reader_look_fn look_fn, void *ctx)
{
	struct dit_lmdb_reader *reader = calloc(1, sizeof(*reader));
	struct beginning beginning = {.reader = reader, .look = look_fn, .ctx = ctx};
	int r = -ENOMEM;

	*ret = NULL;
	if (reader == NULL) {
		return r;
	}
	reader->data_fd = -1;
	reader->lock_fd = -1;
	r = opts->is_lmdb_10 ? open_reader_10(directory, opts, &beginning)
	                     : open_reader(reader, directory, opts, &beginning);
	if (r < 0) {
		dit_lmdb_reader_close(reader);
		return r;
	}
	*ret = reader;
	return 0;
}

static void close_file(int fd)
{
	if (fd >= 0) {
		(void)close(fd);
	}
}

void dit_lmdb_reader_close(struct dit_lmdb_reader *reader)
{
	if (reader == NULL) {
		return;
	}
	end_txns(reader);
	if (reader->env != NULL) {
		mdb_env_close(reader->env);
	}
	dit_reader_table_close(&reader->table);
	close_file(reader->lock_fd);
	close_file(reader->data_fd);
	free(reader->txns);
	free(reader);
}

int dit_lmdb_reader_renew(struct dit_lmdb_reader *reader, unsigned number,
                          uint64_t *ret_txn_id)
{
	MDB_txn *txn = reader->txns[number];
	int r = 0;

	mdb_txn_reset(txn);
	r = dit_lmdb_error(mdb_txn_renew(txn));
	*ret_txn_id = r == 0 ? mdb_txn_id(txn) : 0;
	return r;
}

/* ---- for who commits next to other processes ---- */

int dit_lmdb_reader_state(const struct dit_lmdb_reader *reader,
                          struct dit_lmdb_state *ret)
{
	MDB_envinfo info;
	int r = dit_lmdb_error(mdb_env_info(reader->env, &info));

	if (r == 0) {
		*ret = (struct dit_lmdb_state){.txn_id = info.me_last_txnid,
		                               .npages = (uint64_t)info.me_last_pgno + 1,
		                               .map_bytes = info.me_mapsize};
	}
	return r;
}

/* A line of LMDB's: process, thread, transaction; "-" for a reader that rests. */
static int note_reader(const char *line, void *ctx)
{
	uint64_t *oldest = ctx;
	const char *last = strrchr(line, ' ');
	char *end = NULL;
	uint64_t id = 0;

	if (last == NULL || last[1] < '0' || last[1] > '9') {
		return 0;
	}
	id = strtoull(last + 1, &end, 10);
	if (*end == '\n' && id < *oldest) {
		*oldest = id;
	}
	return 0;
}

int dit_lmdb_reader_oldest(const struct dit_lmdb_reader *reader, uint64_t *ret)
{
	int ndead = 0;
	int r = dit_lmdb_error(mdb_reader_check(reader->env, &ndead));

	*ret = reader->txn_id;
	if (r == 0 && mdb_reader_list(reader->env, note_reader, ret) < 0) {
		r = -EIO;
	}
	return r;
}
