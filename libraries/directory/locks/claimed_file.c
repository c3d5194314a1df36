/* SPDX-License-Identifier: BSD-2-Clause */
#include "locks/claimed_file.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "files/files.h"
#include "files/format_check.h"
#include "files/map_size.h"
#include "locks/lock_file.h"
#include "page/meta_pages.h"
#include "system/file_io.h"

#define SPARE_BYTES (2 << 20) /* btrfs reserves some 500 KiB for cutting a file */

/* ---- opening ---- */

int dit_spare_keep(int dir_fd)
{
	struct statfs fs;
	int fd = -1;

	if (fstatfs(dir_fd, &fs) != 0 || fs.f_type != BTRFS_SUPER_MAGIC) {
		return -1;
	}
	fd = openat(dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0 && fallocate(fd, 0, 0, SPARE_BYTES) != 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static int open_data(struct dit_claimed_file *file, struct dit_fault *fault)
{
	const struct dit_page_format *wanted = file->format;
	int dir_fd = file->claim.dir_fd;
	int fd = -1;

	file->format = wanted == NULL ? &dit_lmdb_09 : wanted;
	fd = dit_data_open(dir_fd, O_RDWR, file->format, fault);
	if (fd == DIT_E_FORMAT && wanted == NULL) {
		file->format = &dit_lmdb_10;
		fd = dit_data_open(dir_fd, O_RDWR, file->format, fault);
	}
	return fd;
}

static int check_data(const struct dit_claimed_file *file, struct dit_fault *fault)
{
	int r = file->format->version == dit_lmdb_09.version
	                ? dit_format_check_metas(file->data_fd, fault)
	                : 0;

	return r < 0 ? r : dit_format_check_state(file->data_fd, fault);
}

int dit_claimed_file_open(struct dit_claimed_file *ret,
                          const struct dit_claimed_file_opts *opts)
{
	struct dit_claimed_file file = {
		.data_fd = -1, .spare_fd = -1, .format = opts->format};
	int r = dit_directory_open(opts->directory, opts->fault);

	r = r < 0 ? r : dit_claim_take(&file.claim, r, opts->mode, opts->fault);
	if (r < 0) {
		return r;
	}
	r = open_data(&file, opts->fault);
	if (r >= 0) {
		file.data_fd = r;
		r = check_data(&file, opts->fault);
	}
	if (r < 0) {
		dit_close(file.data_fd);
		dit_claim_drop(&file.claim, DIT_CLAIM_UNUSED);
		return r;
	}
	file.spare_fd = dit_spare_keep(file.claim.dir_fd);
	*ret = file;
	return 0;
}

int dit_claimed_file_begin(struct dit_claimed_file *file,
                           const struct dit_claimed_file_opts *opts)
{
	char path[DIT_FD_PATH_BYTES];
	struct dit_page_commit_opts commit = {
		.fd = file->data_fd,
		.path = path,
		.format = file->format,
		.shared = opts->shared,
		.is_direct = true,
		.oldest = DIT_COMMIT_ALONE,
	};
	struct dit_metas metas = {.page_bytes = 0};
	int r = dit_fd_path(file->data_fd, path, opts->fault);

	r = r ?: dit_metas_read(file->data_fd, file->format, &metas);
	if (r < 0) {
		return r;
	}
	file->page_bytes = metas.page_bytes;
	commit.map_bytes =
		dit_map_limit(dit_map_configured(opts->maxsize_bytes), file->page_bytes);
	commit.max_bytes = opts->may_grow ? 0 : commit.map_bytes;
	return dit_page_commit_open(&file->commit, &commit);
}

/* ---- the end ---- */

static void use_spare(struct dit_claimed_file *file)
{
	dit_close(file->spare_fd);
	file->spare_fd = -1;
}

int dit_claimed_file_undo(struct dit_claimed_file *file)
{
	use_spare(file);
	return dit_page_commit_undo(file->commit);
}

void dit_claimed_file_close(struct dit_claimed_file *file)
{
	use_spare(file);
	dit_page_commit_close(file->commit);
	dit_lock_file_set_up(&file->claim, file->data_fd);
	(void)close(file->data_fd);
	dit_claim_drop(&file->claim, DIT_CLAIM_PUBLISHED);
}
