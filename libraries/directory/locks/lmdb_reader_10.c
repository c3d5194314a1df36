/* SPDX-License-Identifier: BSD-2-Clause */
/* A reader of LMDB 1.0, and its write lock. */
#include "locks/lmdb_reader_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lmdb.h>

#include "base/error.h"
#include "files/files.h"
#include "files/format_check.h"

#define BEGIN_WAIT_MS 1000 /* while a process sets lock.mdb up, or a loader ends */

/* ---- the files ---- */

static bool is_same_file(int a, int b)
{
	struct stat x;
	struct stat y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* lock.mdb first: nobody exchanges data.mdb once the table is open.
 * @param first_fd  of a data.mdb of which we may be the first user; -1 */
static int open_files(struct dit_lmdb_reader *reader, int dir_fd, int first_fd,
                      const struct dit_lmdb_reader_opts *opts)
{
	struct dit_fault *fault = opts->fault;
	int r = dit_file_open(dir_fd, DIT_LOCK_NAME, O_RDWR, fault);

	if (r == -ENOENT && first_fd >= 0) {
		r = dit_lmdb_reader_make_lock_file(dir_fd, first_fd);
	}
	if (r < 0) {
		return r == -EEXIST ? DIT_E_BUSY : r;
	}
	reader->lock_fd = r;
	r = dit_reader_table_open(&reader->table, reader->lock_fd, first_fd, fault);
	if (r < 0) {
		return r == -ENOENT && first_fd >= 0 ? DIT_E_BUSY : r;
	}
	reader->data_fd = dit_data_open_10(dir_fd, O_RDONLY, opts->sealed, fault);
	if (reader->data_fd < 0) {
		return reader->data_fd;
	}
	return first_fd < 0 || is_same_file(first_fd, reader->data_fd) ? 0 : DIT_E_BUSY;
}

static void close_files(struct dit_lmdb_reader *reader)
{
	int *fds[] = {&reader->lock_fd, &reader->data_fd};

	dit_reader_table_close(&reader->table);
	for (unsigned i = 0; i < 2; i++) {
		if (*fds[i] >= 0) {
			(void)close(*fds[i]);
		}
		*fds[i] = -1;
	}
}

/* As the first process that opens the database, or next to others. */
static int open_files_first(struct dit_lmdb_reader *reader, int dir_fd,
                            const struct dit_lmdb_reader_opts *opts)
{
	uint64_t waited_ms = 0;
	int r = DIT_E_BUSY;

	do {
		int fd = dit_data_open_10(dir_fd, O_RDONLY, opts->sealed, opts->fault);

		close_files(reader);
		r = fd < 0 ? fd : open_files(reader, dir_fd, fd, opts);
		if (fd >= 0) {
			(void)close(fd);
		}
	} while (r == DIT_E_BUSY && dit_lmdb_reader_wait(BEGIN_WAIT_MS, &waited_ms) == 0);
	return r;
}

static int open_directory(struct dit_lmdb_reader *reader, const char *directory,
                          const struct dit_lmdb_reader_opts *opts)
{
	int dir_fd = dit_directory_open(directory, opts->fault);
	int r = 0;

	if (dir_fd < 0) {
		return dir_fd;
	}
	r = opts->may_be_first ? open_files_first(reader, dir_fd, opts)
	                       : open_files(reader, dir_fd, -1, opts);
	(void)close(dir_fd);
	return r;
}

/* ---- states ---- */

/* One place is for the state of all that are not spare. */
static int enter(struct dit_lmdb_reader *reader, const struct dit_lmdb_reader_opts *opts)
{
	uint64_t waited_ms = 0;
	int r = 0;

	do {
		r = dit_reader_table_enter(&reader->table, 1 + opts->nspare,
		                           opts->wait_ms, opts->fault);
	} while (r == MDB_READERS_FULL &&
	         dit_lmdb_reader_wait(opts->wait_ms, &waited_ms) == 0);
	return r;
}

/* Facts about a state do not count if a commit came in between. */
static int begin(struct dit_lmdb_reader *reader,
                 const struct dit_lmdb_reader_looking *looking)
{
	for (unsigned i = 0; i < DIT_LMDB_READER_ATTEMPTS; i++) {
		int r = 0;

		reader->txn_id = dit_reader_table_renew(&reader->table, 0);
		r = dit_lmdb_reader_look(reader, looking);
		if (dit_reader_table_last(&reader->table) == reader->txn_id) {
			return r;
		}
	}
	return -EAGAIN;
}

static int renew(struct dit_lmdb_reader *reader, unsigned number, uint64_t *ret_txn_id)
{
	*ret_txn_id = dit_reader_table_renew(&reader->table,
	                                     1 + number - (reader->n - reader->nspare));
	return 0;
}

/* ---- for who commits next to other processes ---- */

static int lock(struct dit_lmdb_reader *reader, uint64_t wait_ms, struct dit_fault *fault)
{
	return dit_reader_table_lock(&reader->table, reader->data_fd, wait_ms, fault);
}

static void unlock(struct dit_lmdb_reader *reader)
{
	dit_reader_table_unlock(&reader->table);
}

static int find_oldest(const struct dit_lmdb_reader *reader, uint64_t *ret,
                       struct dit_fault *fault)
{
	return dit_reader_table_oldest(&reader->table, ret, fault);
}

static int find_last(struct dit_lmdb_reader *reader, struct dit_fault *fault)
{
	(void)reader, (void)fault;
	return 0; /* reader_table.h says where */
}

static uint64_t get_last(const struct dit_lmdb_reader *reader)
{
	return dit_reader_table_last(&reader->table);
}

static void set_last(const struct dit_lmdb_reader *reader, uint64_t txn_id)
{
	dit_reader_table_set_last(&reader->table, txn_id);
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

/* ---- opening ---- */

int dit_lmdb_reader_open_10(struct dit_lmdb_reader *reader, const char *directory,
                            const struct dit_lmdb_reader_opts *opts,
                            const struct dit_lmdb_reader_looking *looking)
{
	int r = open_directory(reader, directory, opts);

	reader->ops = &ops;
	if (r == 0) {
		r = enter(reader, opts);
	}
	return r < 0 ? r : begin(reader, looking);
}
