/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Additions by liblmdb and indexes of our own pages become visible with one step.
 *
 * A data file has two meta pages; the one with the higher transaction number counts, and
 * a commit overwrites the other one. Numbers, of the old state, of liblmdb's commit, and
 * of ours:
 *
 *                              meta page A     meta page B     counts
 *   opened                     N   old         N-1 older       A
 *   the old state is raised    N+R old         N-1 older       A
 *   liblmdb commits            N+R old         N+1 additions   A
 *   our commit, one write      N+R old         N+R+1 all       B
 *
 * R is even, as liblmdb knows a meta page by its number. The raised page is on the disk
 * before liblmdb commits: whoever is killed, and whatever a loss of power leaves, finds
 * the old state or the new one. Our pages take the place of pages that the old state does
 * not need, nor the one before it.
 */
#include "output/existing_impl.h"

#include <errno.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "page/meta_pages.h"
#include "place/files.h"
#include "place/lmdb_error.h"
#include "place/map_size.h"

#define RAISE 2u

int dit_existing_count_ids(struct dit_existing *existing, const char *name, uint64_t *ret)
{
	MDB_stat stat;
	MDB_dbi dbi = 0;
	int r = dit_lmdb_error(mdb_dbi_open(existing->txn, name, 0, &dbi));

	if (r == MDB_NOTFOUND) {
		return 0;
	}
	if (r == 0) {
		r = dit_lmdb_error(mdb_stat(existing->txn, dbi, &stat));
	}
	if (r < 0) {
		return r;
	}
	*ret = stat.ms_entries;
	return 1;
}

bool dit_existing_has_room(const struct dit_existing *existing)
{
	const struct dit_meta *metas = existing->metas;
	unsigned live = metas[1].transaction > metas[0].transaction;
	uint64_t used = (metas[live].last_page + 1) * existing->page_bytes;
	uint64_t more = used + existing->expected_bytes;
	struct statvfs st;

	if (!existing->may_grow &&
	    (existing->maxsize_bytes < used || existing->maxsize_bytes - used < more)) {
		return false;
	}
	return fstatvfs(existing->data_fd, &st) == 0 &&
	       (uint64_t)st.f_bavail * st.f_frsize >= more;
}

/* Our commit goes on with liblmdb's; liblmdb does not make one if nothing was added. */
static int open_commit(const struct dit_existing *existing,
                       const struct dit_page_file_opts *file, uint64_t transaction,
                       struct dit_page_commit **ret)
{
	struct dit_meta metas[2];
	char path[DIT_FD_PATH_BYTES];
	struct dit_page_commit_opts opts = {
		.fd = existing->data_fd,
		.path = path,
		.format = &dit_lmdb_09,
		.page_bytes = (unsigned)existing->page_bytes,
		.file = *file,
		.max_bytes = existing->may_grow ? 0
	                                        : dit_map_limit(existing->maxsize_bytes,
	                                                        existing->page_bytes),
		.oldest = transaction - 1,
	};
	int r = dit_fd_path(existing->data_fd, path, NULL);

	if (r == 0) {
		r = dit_metas_read(existing->data_fd, &dit_lmdb_09, existing->page_bytes,
		                   metas);
	}
	if (r < 0) {
		return r;
	}
	opts.is_hidden = metas[(transaction + 1) & 1].transaction == transaction + 1;
	return dit_page_commit_open(ret, &opts);
}

int dit_existing_hide(struct dit_existing *existing,
                      const struct dit_page_file_opts *file, struct dit_page_commit **ret)
{
	struct dit_meta metas[2] = {existing->metas[0], existing->metas[1]};
	unsigned live = metas[1].transaction > metas[0].transaction;
	uint64_t transaction = metas[live].transaction;
	int r = 0;

	metas[live].transaction += RAISE;
	existing->is_hidden = true;
	existing->is_committed = true; /* as far as meta pages go */
	r = dit_metas_write(existing->data_fd, &dit_lmdb_09, existing->page_bytes, metas);
	if (r == 0 && fdatasync(existing->data_fd) != 0) {
		r = -errno;
	}
	if (r == 0) {
		r = dit_existing_end_txn(existing);
	}
	return r < 0 ? r : open_commit(existing, file, transaction, ret);
}
