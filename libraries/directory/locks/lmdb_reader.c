/* SPDX-License-Identifier: BSD-2-Clause */
/* Opening and closing; LMDB 0.9. */
#include "locks/lmdb_reader_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <lmdb.h>

#include "files/files.h"
#include "files/format_check.h"
#include "files/lmdb_error.h"
#include "locks/private_dir.h"

#define PAUSE_MS 20

/* ---- the files ---- */

/*
 * LMDB would make a missing lock.mdb with the permissions of whoever reads; slapd could
 * then not open it any more. So it is made here, as data.mdb is.
 */
int dit_lmdb_reader_make_lock_file(int dir_fd, int data_fd)
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
		fd = dit_lmdb_reader_make_lock_file(dir_fd, reader->data_fd);
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
	const struct dit_lmdb_reader_looking *looking;
};

static void end_txns(struct dit_lmdb_reader *reader)
{
	for (unsigned i = 0; i < reader->n; i++) {
		mdb_txn_abort(reader->txns[i]); /* NULL is fine */
		reader->txns[i] = NULL;
	}
}

int dit_lmdb_reader_look(const struct dit_lmdb_reader *reader,
                         const struct dit_lmdb_reader_looking *looking)
{
	return looking->look == NULL
	               ? 0
	               : looking->look(looking->ctx, reader->data_fd, reader->txn_id);
}

int dit_lmdb_reader_wait(uint64_t wait_ms, uint64_t *waited_ms)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000L};

	if (*waited_ms >= wait_ms) {
		return MDB_READERS_FULL;
	}
	(void)nanosleep(&pause, NULL);
	*waited_ms += PAUSE_MS;
	return 0;
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
	r = dit_lmdb_reader_look(reader, beginning->looking);
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
static int lock(struct dit_lmdb_reader *reader, uint64_t wait_ms, struct dit_fault *fault)
{
	int r = dit_lmdb_error(mdb_txn_begin(reader->env, NULL, 0, &reader->held));

	(void)wait_ms, (void)fault;
	if (r < 0) {
		reader->held = NULL;
	}
	return r;
}

static void unlock(struct dit_lmdb_reader *reader)
{
	mdb_txn_abort(reader->held); /* NULL is fine */
	reader->held = NULL;
}

static int try_once(const struct beginning *beginning)
{
	int r = beginning->has_lock ? lock(beginning->reader, 0, NULL) : 0;

	if (r == 0) {
		r = begin_txns(beginning);
		unlock(beginning->reader);
	}
	if (r <= 0) {
		end_txns(beginning->reader);
	}
	return r;
}

/* Places of processes that are gone are free at once; for others there is a wait. */
static int free_place(MDB_env *env, uint64_t wait_ms, uint64_t *waited_ms)
{
	int ndead = 0;
	int r = dit_lmdb_error(mdb_reader_check(env, &ndead));

	return r < 0 || ndead > 0 ? r : dit_lmdb_reader_wait(wait_ms, waited_ms);
}

static int begin(const struct beginning *beginning, uint64_t wait_ms)
{
	uint64_t waited_ms = 0;
	unsigned nattempts = 0;

	while (nattempts < DIT_LMDB_READER_ATTEMPTS) {
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

/* ---- for who commits next to other processes ---- */

static int renew(struct dit_lmdb_reader *reader, unsigned number, uint64_t *ret_txn_id)
{
	MDB_txn *txn = reader->txns[number];
	int r = 0;

	mdb_txn_reset(txn);
	r = dit_lmdb_error(mdb_txn_renew(txn));
	*ret_txn_id = r == 0 ? mdb_txn_id(txn) : 0;
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

static int find_oldest(const struct dit_lmdb_reader *reader, uint64_t *ret,
                       struct dit_fault *fault)
{
	int ndead = 0;
	int r = dit_lmdb_error(mdb_reader_check(reader->env, &ndead));

	(void)fault;
	if (r == 0 && mdb_reader_list(reader->env, note_reader, ret) < 0) {
		r = -EIO;
	}
	return r;
}

static int find_last(struct dit_lmdb_reader *reader, struct dit_fault *fault)
{
	MDB_envinfo info;
	int r = dit_lmdb_error(mdb_env_info(reader->env, &info));

	if (r == 0 && reader->lock_fd < 0) {
		r = -EROFS;
	}
	return r < 0 ? r
	             : dit_lock_field_open(&reader->field, reader->lock_fd,
	                                   info.me_last_txnid, fault);
}

static uint64_t get_last(const struct dit_lmdb_reader *reader)
{
	return dit_lock_field_get(&reader->field);
}

static void set_last(const struct dit_lmdb_reader *reader, uint64_t txn_id)
{
	dit_lock_field_set(&reader->field, txn_id);
}

static const struct dit_lmdb_reader_ops ops = {
	.renew = renew,
	.lock = lock,
	.unlock = unlock,
	.find_oldest = find_oldest,
	.find_last = find_last,
	.get_last = get_last,
	.set_last = set_last,
};

/* ---- opening and closing ---- */

static int open_reader(struct dit_lmdb_reader *reader, const char *directory,
                       const struct dit_lmdb_reader_opts *opts,
                       const struct dit_lmdb_reader_looking *looking)
{
	struct beginning beginning = {.reader = reader, .looking = looking};
	int r = 0;

	reader->ops = &ops;
	reader->txns = calloc(opts->n, sizeof(MDB_txn *));
	if (reader->txns == NULL) {
		return -ENOMEM;
	}
	r = open_files(reader, directory, opts);
	if (r == 0) {
		r = open_env_best(reader, opts, &beginning.has_lock);
	}
	return r < 0 ? r : begin(&beginning, opts->wait_ms);
}

int dit_lmdb_reader_open(struct dit_lmdb_reader **ret, const char *directory,
                         const struct dit_lmdb_reader_opts *opts,
                         dit_lmdb_reader_look_fn look_fn, void *ctx)
{
	const struct dit_lmdb_reader_looking looking = {look_fn, ctx};
	struct dit_lmdb_reader *reader = calloc(1, sizeof(*reader));
	int r = -ENOMEM;

	*ret = NULL;
	if (reader == NULL) {
		return r;
	}
	reader->data_fd = -1;
	reader->lock_fd = -1;
	reader->n = opts->n;
	reader->nspare = opts->nspare;
	r = opts->is_lmdb_10 ? dit_lmdb_reader_open_10(reader, directory, opts, &looking)
	                     : open_reader(reader, directory, opts, &looking);
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
	if (reader->txns != NULL) {
		end_txns(reader);
	}
	if (reader->env != NULL) {
		mdb_env_close(reader->env);
	}
	dit_lock_field_close(&reader->field);
	dit_reader_table_close(&reader->table);
	close_file(reader->lock_fd);
	close_file(reader->data_fd);
	free(reader->txns);
	free(reader);
}

/* ---- either format ---- */

int dit_lmdb_reader_renew(struct dit_lmdb_reader *reader, unsigned number,
                          uint64_t *ret_txn_id)
{
	return reader->ops->renew(reader, number, ret_txn_id);
}

int dit_lmdb_reader_lock(struct dit_lmdb_reader *reader, uint64_t wait_ms,
                         struct dit_fault *fault)
{
	int r = reader->ops->lock(reader, wait_ms, fault);

	reader->is_locked = r == 0;
	return r;
}

void dit_lmdb_reader_unlock(struct dit_lmdb_reader *reader)
{
	reader->is_locked = false;
	reader->ops->unlock(reader);
}

int dit_lmdb_reader_oldest(const struct dit_lmdb_reader *reader, uint64_t *ret,
                           struct dit_fault *fault)
{
	*ret = reader->txn_id;
	return reader->ops->find_oldest(reader, ret, fault);
}

int dit_lmdb_reader_find_last(struct dit_lmdb_reader *reader, struct dit_fault *fault)
{
	return reader->ops->find_last(reader, fault);
}

uint64_t dit_lmdb_reader_last(const struct dit_lmdb_reader *reader)
{
	return reader->ops->get_last(reader);
}

void dit_lmdb_reader_set_last(const struct dit_lmdb_reader *reader, uint64_t txn_id)
{
	reader->ops->set_last(reader, txn_id);
}
