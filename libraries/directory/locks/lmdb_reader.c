/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/lmdb_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/object.h"
#include "files/files.h"
#include "files/format_check.h"
#include "locks/process.h"
#include "page/lmdb_format.h"
#include "system/file_io.h"

#define PAUSE_MS     20
#define OPEN_WAIT_MS 1000 /* while others come and go */
#define ATTEMPTS     1000 /* to see one state while others commit */

/* ---- the files ---- */

/*
 * LMDB would make a missing lock.mdb with the permissions of whoever reads; slapd could
 * then not open it any more. So it is made as data.mdb is.
 */
static int make_lock_file(int dir_fd, int data_fd, struct dit_fault *fault)
{
	struct stat st;
	int fd = dit_file_make(dir_fd, DIT_LOCK_NAME, 0600);

	if (fd == -EACCES && fstat(dir_fd, &st) == 0) {
		return dit_fault_say(
			fault, fd,
			"there is no lock.mdb, and user %u may not make it in a "
			"directory of user %u",
			(unsigned)geteuid(), (unsigned)st.st_uid);
	}
	if (fd >= 0 && (fstat(data_fd, &st) != 0 || fchmod(fd, st.st_mode & 0777) != 0 ||
	                (geteuid() == 0 && fchown(fd, st.st_uid, st.st_gid) != 0))) {
		/* It may be in use already, so it stays. */
	}
	return fd;
}

static int open_lock_file(struct dit_lmdb_reader *reader, int dir_fd,
                          const struct dit_lmdb_reader_opts *opts)
{
	int fd = dit_file_open(dir_fd, DIT_LOCK_NAME, O_RDWR, opts->fault);

	if (fd == -ENOENT && !opts->no_lock_file) {
		fd = make_lock_file(dir_fd, reader->data_fd, opts->fault);
	}
	if (fd == -EROFS || (fd == -ENOENT && opts->no_lock_file)) {
		return 0;
	}
	reader->lock_fd = fd < 0 ? -1 : fd;
	/* Several may come at once: one makes it. */
	return fd >= 0 ? 0 : fd == -EEXIST ? -ESTALE : fd;
}

static int open_data(struct dit_lmdb_reader *reader, int dir_fd,
                     const struct dit_lmdb_reader_opts *opts)
{
	int r = dit_data_open(dir_fd, O_RDONLY, opts->format, opts->fault);

	if (r < 0) {
		return r;
	}
	reader->data_fd = r;
	r = opts->format->version == dit_lmdb_09.version
	            ? dit_format_check_metas(reader->data_fd, opts->fault)
	            : 0;
	r = r < 0 ? r : dit_metas_read(reader->data_fd, opts->format, &reader->metas);
	return r == -ENODATA ? DIT_LMDB_INVALID : r; /* as liblmdb says */
}

static bool is_in_place(int dir_fd, int data_fd)
{
	struct stat x;
	struct stat y;

	return fstat(data_fd, &x) == 0 &&
	       fstatat(dir_fd, DIT_DATA_NAME, &y, AT_SYMLINK_NOFOLLOW) == 0 &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A loader may have put another data.mdb in place until the processes are joined.
 * @return 0; DIT_E_BUSY, with a fault; -ESTALE: to be done again; an error */
static int open_files(struct dit_lmdb_reader *reader, int dir_fd,
                      const struct dit_lmdb_reader_opts *opts)
{
	int r = open_data(reader, dir_fd, opts);

	r = r < 0 ? r : open_lock_file(reader, dir_fd, opts);
	if (r < 0 || reader->lock_fd < 0) {
		return r;
	}
	r = dit_reader_table_join(&reader->table, reader->lock_fd, opts->format,
	                          opts->fault);
	/* The lock of a claim has no number, that of its directory has. */
	return r == DIT_E_BUSY ? dit_claim_say_process(dit_process_with_flock(dir_fd),
	                                               opts->fault)
	       : r < 0         ? r
	       : is_in_place(dir_fd, reader->data_fd)
	               ? dit_reader_table_open(&reader->table, reader->data_fd,
	                                       opts->fault)
	               : -ESTALE;
}

static void close_files(struct dit_lmdb_reader *reader)
{
	dit_reader_table_close(&reader->table);
	dit_close(reader->lock_fd);
	dit_close(reader->data_fd);
	reader->lock_fd = -1;
	reader->data_fd = -1;
}

/* false: the time is over, or the work is to end. */
static bool pause_within(uint64_t wait_ms, uint64_t *waited_ms,
                         const struct dit_lmdb_reader_opts *opts)
{
	const struct timespec pause = {0, PAUSE_MS * 1000000L};

	if (*waited_ms >= wait_ms || dit_stop_is_set(opts->stop)) {
		return false;
	}
	(void)nanosleep(&pause, NULL);
	*waited_ms += PAUSE_MS;
	return true;
}

/* The result of a wait that may have been ended. */
static int waited(int r, const struct dit_lmdb_reader_opts *opts)
{
	bool is_in_vain = r == DIT_E_BUSY || r == DIT_LMDB_READERS_FULL;

	return is_in_vain && dit_stop_is_set(opts->stop)
	               ? dit_fault_say(opts->fault, DIT_E_STOPPED, "%s", "")
	               : r;
}

static void tell_wait(const struct dit_lmdb_reader_opts *opts, const char *directory)
{
	const struct dit_fault nobody = {""};
	char text[PATH_MAX + sizeof(nobody)];

	if (opts->report != NULL) {
		(void)snprintf(text, sizeof(text),
		               "%s: waiting for %s, which has locked the database",
		               directory, dit_claim_holder(opts->fault ?: &nobody));
		opts->report(opts->report_ctx,
		             &(const struct dit_report){DIT_REPORT_REMARK, text});
	}
}

/* Where the database is of LMDB 0.9 a loader is waited for, as slapcat waits. */
static int open_directory(struct dit_lmdb_reader *reader, const char *directory,
                          const struct dit_lmdb_reader_opts *opts)
{
	const uint64_t busy_ms =
		opts->format->version == dit_lmdb_09.version ? UINT64_MAX : OPEN_WAIT_MS;
	int dir_fd = dit_directory_open(directory, opts->fault);
	uint64_t waited_ms = 0;
	int r = 0;

	if (dir_fd < 0) {
		return dir_fd;
	}
	do {
		close_files(reader);
		if (opts->fault != NULL) {
			opts->fault->text[0] = '\0';
		}
		r = open_files(reader, dir_fd, opts);
		if (r == DIT_E_BUSY && busy_ms > OPEN_WAIT_MS &&
		    waited_ms == OPEN_WAIT_MS) {
			tell_wait(opts, directory);
		}
	} while ((r == DIT_E_BUSY && pause_within(busy_ms, &waited_ms, opts)) ||
	         (r == -ESTALE && pause_within(OPEN_WAIT_MS, &waited_ms, opts)));
	(void)close(dir_fd);
	return waited(r == -ESTALE ? DIT_E_BUSY : r, opts);
}

/* ---- states ---- */

static bool has_table(const struct dit_lmdb_reader *reader)
{
	return reader->lock_fd >= 0;
}

static int enter(struct dit_lmdb_reader *reader, const struct dit_lmdb_reader_opts *opts)
{
	uint64_t waited_ms = 0;
	int r = 0;

	do {
		r = dit_reader_table_enter(&reader->table, 1 + opts->nspare,
		                           opts->wait_ms, opts->fault);
	} while (r == DIT_LMDB_READERS_FULL &&
	         pause_within(opts->wait_ms, &waited_ms, opts));
	return waited(r, opts);
}

/*
 * A meta page counts if no commit came while it was read: the next commit but one writes
 * to it.
 *
 * @param number  of the slot
 * @return 0; -ESTALE: no meta page has the state that lock.mdb names; -EAGAIN; -errno
 */
static int read_state(struct dit_lmdb_reader *reader, unsigned number,
                      struct dit_metas *ret)
{
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		uint64_t transaction = dit_reader_table_renew(&reader->table, number);
		const struct dit_meta *meta = NULL;
		struct dit_metas metas;
		int r = dit_metas_read(reader->data_fd, reader->format, &metas);

		if (dit_reader_table_last(&reader->table) != transaction) {
			continue;
		}
		meta = r < 0 ? NULL : dit_metas_of(&metas, transaction);
		if (meta == NULL) {
			return r < 0 ? r : -ESTALE;
		}
		metas.newest = meta == &metas.list[1];
		*ret = metas;
		return 0;
	}
	return -EAGAIN;
}

int dit_lmdb_reader_renew(struct dit_lmdb_reader *reader, unsigned number,
                          struct dit_metas *ret)
{
	return has_table(reader) ? read_state(reader, 1 + number, ret)
	                         : dit_metas_read(reader->data_fd, reader->format, ret);
}

/* ---- opening and closing ---- */

static int begin(struct dit_lmdb_reader *reader, const struct dit_lmdb_reader_opts *opts)
{
	int r = opts->is_writer ? dit_reader_table_mend(&reader->table, reader->data_fd)
	                        : 0;

	r = r < 0 ? r : enter(reader, opts);
	r = r < 0 ? r : read_state(reader, 0, &reader->metas);
	return r != -ESTALE
	               ? r
	               : dit_fault_say(opts->fault, DIT_E_CORRUPT,
	                               DIT_LOCK_NAME
	                               " in it names a state that " DIT_DATA_NAME
	                               " does not have: they are of different databases");
}

int dit_lmdb_reader_open(struct dit_lmdb_reader **ret, const char *directory,
                         const struct dit_lmdb_reader_opts *opts)
{
	struct dit_lmdb_reader *reader = calloc(1, sizeof(*reader));
	int r = -ENOMEM;

	*ret = NULL;
	if (reader == NULL) {
		return r;
	}
	reader->format = opts->format;
	reader->data_fd = -1;
	reader->lock_fd = -1;
	r = open_directory(reader, directory, opts);
	if (r == 0 && has_table(reader)) {
		r = begin(reader, opts);
	}
	return DIT_HAND_OVER(r, ret, reader, dit_lmdb_reader_close);
}

void dit_lmdb_reader_close(struct dit_lmdb_reader *reader)
{
	if (reader != NULL) {
		close_files(reader);
		free(reader);
	}
}
