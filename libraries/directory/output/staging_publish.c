/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Publishing a new database, in this order, so that a crash at any point leaves
 * the old database or the new one: complete the file, or have liblmdb commit and close;
 * cut the file after its last used page; mode and owner; fsync; rename; fsync the
 * directory.
 */
#include "output/staging.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "files/map_size.h"
#include "locks/lock_file.h"
#include "system/file_io.h"

static int set_mode(const struct dit_staging *staging)
{
	struct stat file;
	int fd = staging->data_fd;

	/* The file was made with at least these bits, less the umask. */
	return fstat(fd, &file) != 0 ||
	                       fchmod(fd, file.st_mode & staging->mode & 0777) != 0
	               ? -errno
	               : 0;
}

/* The closed file becomes what slapd is to find, safely on disk. */
static int complete_file(struct dit_staging *staging)
{
	int fd = staging->data_fd;
	int r = ftruncate(fd, (off_t)staging->used_bytes) == 0 ? 0 : -errno;

	if (r == 0) {
		r = set_mode(staging);
	}
	if (r == 0) {
		r = dit_sync_pieces(fd, staging->used_bytes,
		                    &staging->tables.base.base.synced_bytes,
		                    staging->ticker);
	}
	if (r == 0 && fsync(fd) != 0) {
		r = -errno;
	}
	return r;
}

/*
 * The old file keeps a second name until the end, so that the rename can be undone. Not
 * all file systems can do that; then it cannot.
 */
static enum dit_old_file keep_old_file(const struct dit_staging *staging)
{
	int dir_fd = staging->claim.dir_fd;

	if (linkat(dir_fd, DIT_DATA_NAME, staging->staging_fd, DIT_OLD_NAME, 0) == 0) {
		return DIT_OLD_KEPT;
	}
	return errno == ENOENT ? DIT_OLD_NONE : DIT_OLD_LOST;
}

static int check_size(const struct dit_staging *staging)
{
	uint64_t limit = dit_map_limit(staging->maxsize_bytes, staging->page_bytes);

	return staging->used_bytes > limit && !staging->may_grow ? DIT_E_FULL : 0;
}

int dit_staging_finish_file(struct dit_staging *staging, int r)
{
	if (r == 0) {
		staging->tables.base.base.bytes = staging->used_bytes;
		r = check_size(staging);
	}
	if (r == 0) {
		r = complete_file(staging);
	}
	return r;
}

int dit_staging_place(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	int dir_fd = staging->claim.dir_fd;

	staging->old_file = keep_old_file(staging);
	/* A waiting process must not trust what lock.mdb says about the old file, should
	 * this process be killed now. */
	if (ftruncate(staging->claim.lock_fd, 0) != 0 ||
	    renameat(dit_staging_source(staging), DIT_DATA_NAME, dir_fd, DIT_DATA_NAME) !=
	            0) {
		return -errno;
	}
	staging->is_placed = true;
	return 0;
}

/* The new file gets its old name again: a prepared one is still needed. */
int dit_staging_take_back(struct dit_output *output)
{
	const struct dit_staging *staging = dit_staging_of(output);
	int source_fd = dit_staging_source(staging);
	int dir_fd = staging->claim.dir_fd;
	int r = 0;

	if (!staging->is_placed) {
		return 0;
	}
	switch (staging->old_file) {
	case DIT_OLD_LOST:
		return -ENOTSUP;
	case DIT_OLD_NONE:
		r = renameat(dir_fd, DIT_DATA_NAME, source_fd, DIT_DATA_NAME);
		break;
	case DIT_OLD_KEPT:
		r = linkat(dir_fd, DIT_DATA_NAME, source_fd, DIT_DATA_NAME, 0);
		if (r == 0) {
			r = renameat(staging->staging_fd, DIT_OLD_NAME, dir_fd,
			             DIT_DATA_NAME);
		}
		break;
	}
	if (r != 0) {
		return -errno;
	}
	return fsync(source_fd) == 0 && fsync(dir_fd) == 0 ? 0 : 1;
}

void dit_staging_settle(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);

	if (staging->is_placed) {
		staging->settle_error = fsync(staging->claim.dir_fd) == 0 ? 0 : -errno;
	}
}

int dit_staging_end(struct dit_output *output)
{
	struct dit_staging *staging = dit_staging_of(output);
	int r = 0;

	dit_lock_file_set_up(&staging->claim, staging->data_fd);
	dit_staging_remove(staging->claim.dir_fd, staging->staging_fd);
	staging->staging_fd = -1;
	r = fsync(staging->claim.dir_fd) == 0 ? staging->settle_error : -errno;
	dit_staging_free(staging, DIT_CLAIM_PUBLISHED);
	return r;
}
