/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Publishing a staging environment, in this order, so that a crash at any point leaves
 * the old database or the new one: complete the file, or have liblmdb commit and close;
 * cut the file behind its last used page; mode and owner; fsync; rename; fsync the
 * directory.
 *
 * The configured map size stands in both meta pages (storage.md 1.1). liblmdb records the
 * size that it was given at the last growth, which is our working size, and offers no
 * call to make it smaller; so the append writer's meta pages are written again.
 */
#include "output/staging_impl.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/sync_file.h"
#include "base/whole_io.h"
#include "page/meta_pages.h"
#include "place/lock_file.h"
#include "place/map_size.h"

/*
 * In the append writer's meta pages: the map size that slapd is configured with. In a
 * format that is not known liblmdb's working size stays there; slapd does not mind.
 */
static int write_map_size(const struct dit_staging *staging, int fd)
{
	struct dit_meta metas[2];
	int r = 0;

	if (!staging->is_append || !staging->is_known_format) {
		return 0;
	}
	r = dit_metas_read(fd, &dit_lmdb_09, staging->page_bytes, metas);
	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < 2; i++) {
		metas[i].map_bytes = dit_map_recorded(
			staging->maxsize_bytes, staging->page_bytes, staging->used_bytes);
	}
	return dit_metas_write(fd, &dit_lmdb_09, staging->page_bytes, metas);
}

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
static int finish_file(const struct dit_staging *staging, uint64_t *ret_synced)
{
	int fd = staging->data_fd;
	int r = write_map_size(staging, fd);

	if (r == 0 && ftruncate(fd, (off_t)staging->used_bytes) != 0) {
		r = -errno;
	}
	if (r == 0) {
		r = set_mode(staging);
	}
	if (r == 0) {
		r = dit_sync_pieces(fd, staging->used_bytes, ret_synced, staging->ticker);
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

int dit_staging_prepare(struct dit_staging *staging, uint64_t *ret_bytes,
                        uint64_t *ret_synced)
{
	int r = staging->error;

	if (r == 0 && !staging->takes_changes) {
		r = dit_staging_begin_changes(staging);
	}
	if (r == 0) {
		r = staging->is_append ? dit_staging_commit(staging)
		                       : dit_staging_complete(staging);
	}
	if (r == 0) {
		*ret_bytes = staging->used_bytes;
		r = check_size(staging);
	}
	dit_staging_close_env(staging);
	if (r == 0) {
		r = finish_file(staging, ret_synced);
	}
	if (r < 0 && staging->error == 0) {
		staging->error = r;
	}
	return r;
}

int dit_staging_place(struct dit_staging *staging)
{
	int dir_fd = staging->claim.dir_fd;

	staging->old_file = keep_old_file(staging);
	/* Who waits must not trust what lock.mdb says of the old file, should this
	 * process be killed now. */
	if (ftruncate(staging->claim.lock_fd, 0) != 0 ||
	    renameat(staging->staging_fd, DIT_DATA_NAME, dir_fd, DIT_DATA_NAME) != 0) {
		return -errno;
	}
	return 0;
}

int dit_staging_take_back(struct dit_staging *staging)
{
	int dir_fd = staging->claim.dir_fd;
	int r = 0;

	switch (staging->old_file) {
	case DIT_OLD_LOST:
		return -ENOTSUP;
	case DIT_OLD_NONE:
		r = unlinkat(dir_fd, DIT_DATA_NAME, 0);
		break;
	case DIT_OLD_KEPT:
		r = renameat(staging->staging_fd, DIT_OLD_NAME, dir_fd, DIT_DATA_NAME);
		break;
	}
	if (r != 0) {
		return -errno;
	}
	return fsync(dir_fd) == 0 ? 0 : 1;
}

void dit_staging_settle(struct dit_staging *staging)
{
	staging->settle_error = fsync(staging->claim.dir_fd) == 0 ? 0 : -errno;
}

int dit_staging_end(struct dit_staging *staging)
{
	int r = 0;

	dit_lock_file_set_up(&staging->claim, staging->staging_fd, staging->data_fd);
	dit_staging_remove(staging->claim.dir_fd, staging->staging_fd);
	staging->staging_fd = -1;
	r = fsync(staging->claim.dir_fd) == 0 ? staging->settle_error : -errno;
	dit_staging_free(staging, DIT_CLAIM_PUBLISHED);
	return r;
}

int dit_staging_publish(struct dit_staging *staging, uint64_t *ret_bytes)
{
	uint64_t synced = 0;
	int r = dit_staging_prepare(staging, ret_bytes, &synced);

	if (r == 0) {
		r = dit_staging_place(staging);
	}
	if (r == 0) {
		return dit_staging_end(staging);
	}
	dit_staging_abandon(staging);
	return r;
}
