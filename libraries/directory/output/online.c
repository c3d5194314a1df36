/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/online_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "files/map_size.h"
#include "system/file_io.h"

/* For the main tree and the free list of the commits that follow. */
#define ROOM_PAGES 64u

/* ---- reservation ---- */

/* As many as are wanted, but not more than are free, and than the file may grow. */
static uint64_t choose_npages(const struct dit_online *online,
                              const struct dit_page_commit *commit, uint64_t least,
                              uint64_t wanted)
{
	uint64_t bytes = dit_page_commit_bytes(commit);
	uint64_t room = dit_page_commit_nusable(commit);

	if (bytes < online->max_bytes) {
		room += (online->max_bytes - bytes) / online->page_bytes;
	}
	room = room > ROOM_PAGES ? room - ROOM_PAGES : 0;
	if (wanted <= room) {
		return wanted;
	}
	return room > least ? room : least;
}

static int reserve_locked(struct dit_online *online, uint64_t least, uint64_t wanted,
                          struct dit_page_set *ret)
{
	struct dit_page_commit *commit = NULL;
	int r = dit_online_open_commit(online, NULL, wanted, &commit);

	if (r < 0) {
		return r;
	}
	r = dit_page_commit_reserve(commit, choose_npages(online, commit, least, wanted),
	                            ret);
	r = r ?: dit_online_write_commit(online, commit);
	dit_page_commit_close(commit);
	return r;
}

static int reserve_more(void *ctx, uint64_t least, uint64_t wanted,
                        struct dit_page_set *ret)
{
	struct dit_online *online = ctx;
	int r = 0;

	/* slapd may not have synced its pages (dbnosync): sync before the lock is held.
	 * And the snapshot has to be on the disk: dit_online_open_commit(). */
	if (fdatasync(online->data_fd) != 0) {
		return -errno;
	}
	r = dit_online_lock(online);
	if (r < 0) {
		return r;
	}
	r = reserve_locked(online, least, wanted, ret);
	dit_online_unlock(online);
	return r;
}

/* ---- the output ---- */

static int drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	return dit_page_reserve_drop(ctx, first, n);
}

static struct dit_online *of(struct dit_output *output)
{
	return (struct dit_online *)output;
}

static int expect_postings(struct dit_output *output, uint64_t n)
{
	struct dit_online *online = of(output);

	return dit_page_reserve_expect(&online->reserve,
	                               n / (online->page_bytes / DIT_POSTING_BYTES) +
	                                       online->head.tables.n);
}

/* Others change the old trees until the commit. */
static int prepare(struct dit_output *output)
{
	return dit_index_tables_check(&of(output)->head.tables);
}

static int commit(struct dit_output *output)
{
	struct dit_online *online = of(output);
	int r = dit_online_catch_up(online);

	output->bytes = online->times.bytes;
	online->is_committed = r == 0;
	return r;
}

static int take_back(struct dit_output *output)
{
	return of(output)->is_committed ? -ENOTSUP : 0;
}

/* Pages of tables that were not committed are free pages. */
static void abandon(struct dit_output *output)
{
	struct dit_online *online = of(output);

	if (online->opts.times != NULL) {
		*online->opts.times = online->times;
	}
	dit_index_tables_deinit(&online->head.tables);
	if (online->has_reserve) {
		dit_page_file_close(&online->reserve.space.file);
		dit_page_reserve_deinit(&online->reserve);
	}
	dit_close(online->data_fd);
	dit_snapshot_close(online->head.snapshot);
	dit_page_set_deinit(&online->old_pages);
	dit_entry_changes_deinit(&online->changes);
	free(online->stored);
	free(online->changed);
	free(online);
}

static const struct dit_output_ops ops = {
	.find_index = dit_index_head_find,
	.expect_postings = expect_postings,
	.steps = {[DIT_PUBLISH_PREPARE] = prepare,
                  [DIT_PUBLISH_COMMIT] = commit,
                  [DIT_PUBLISH_TAKE_BACK] = take_back},
	.abandon = abandon,
};

/* ---- opening ---- */

/* The file that the snapshot has open, whatever the name leads to now. */
static int open_data(struct dit_online *online)
{
	char path[DIT_FD_PATH_BYTES];
	int r = online->lmdb->lock_fd < 0
	                ? -EROFS
	                : dit_fd_path(online->lmdb->data_fd, path, online->opts.fault);

	if (r < 0) {
		return r;
	}
	online->data_fd = open(path, O_RDWR | O_CLOEXEC);
	return online->data_fd < 0
	               ? -errno
	               : dit_fd_path(online->data_fd, online->path, online->opts.fault);
}

/* Past the page cache: else each commit of others would wait until our pages are on the
 * disk. */
static int open_reserve(struct dit_online *online)
{
	dit_page_reserve_init(&online->reserve, online->head.snapshot->map.format,
	                      online->page_bytes, reserve_more, online);
	online->reserve.space.transaction = dit_online_page_transaction(online);
	online->has_reserve = true;
	return dit_page_file_open(&online->reserve.space.file, AT_FDCWD, online->path,
	                          online->opts.shared.page_writer, true);
}

int dit_online_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                    const struct dit_online_opts *opts)
{
	const struct dit_snapshot_opts snapshot = {.nreaders = opts->shared.nthreads,
	                                           .nspare = DIT_ONLINE_NSPARE,
	                                           .is_writer = true,
	                                           .wait_ms = opts->wait_ms,
	                                           .sealed = opts->shared.sealed,
	                                           .fault = opts->fault};
	struct dit_online *online = calloc(1, sizeof(*online));
	int r = 0;

	if (online == NULL) {
		return -ENOMEM;
	}
	online->head.base = (struct dit_output){
		.ops = &ops, .is_parallel = true, .indexes = &online->head.tables};
	online->head.fault = opts->fault;
	online->head.is_online = true;
	online->opts = *opts;
	online->opts.conf.map_bytes = dit_map_configured(opts->conf.map_bytes);
	online->head.tables = (struct dit_index_tables){.space = &online->reserve.space,
	                                                .dropped = drop_pages,
	                                                .ctx = &online->reserve};
	online->data_fd = -1;
	r = dit_snapshot_register(&online->head.snapshot, opts->directory, &snapshot);
	if (r == 0) {
		online->lmdb = online->head.snapshot->reader;
		online->page_bytes = dit_snapshot_map(online->head.snapshot)->page_bytes;
		r = open_data(online);
	}
	r = r ?: open_reserve(online);
	if (r < 0) {
		abandon(&online->head.base);
		return r;
	}
	online->head.base.target = (struct dit_output_target){
		opts->directory, -1, online->data_fd, DIT_DATA_NAME};
	*ret = &online->head.base;
	*ret_snapshot = online->head.snapshot;
	return 0;
}
