/* SPDX-License-Identifier: BSD-2-Clause */
#include "output/online_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "files/map_size.h"
#include "page/meta_pages.h"
#include "system/crypto_module.h"
#include "system/file_io.h"

/* For the main tree and the free list of the commits that follow. */
#define ROOM_PAGES 64u

#define ARENA_BYTES (64u << 10)

/* ---- LMDB's write lock ---- */

int dit_online_lock(struct dit_online *online)
{
	int r = dit_reader_table_lock(&online->lmdb->table, online->data_fd,
	                              online->opts.lock_wait_ms, online->opts.fault);

	online->is_locked = r == 0;
	online->held_since_us = dit_clock_us(CLOCK_MONOTONIC);
	return r;
}

void dit_online_unlock(struct dit_online *online)
{
	uint64_t us = dit_clock_us(CLOCK_MONOTONIC) - online->held_since_us;

	online->is_locked = false;
	dit_reader_table_unlock(&online->lmdb->table);
	online->times.locked_us += us;
	online->times.nlocked++;
	if (us > online->times.longest_us) {
		online->times.longest_us = us;
	}
}

/* ---- commits under the lock ---- */

static int look_mapped(struct dit_online *online)
{
	const struct dit_page_format *format = online->tables.snapshot->map.format;
	const struct dit_mapped_opts opts = {
		.lock_fd = online->lmdb->lock_fd,
		.data_fd = online->data_fd,
		.is_encrypted = format->crypto != NULL && format->crypto->key != NULL,
		.keeper = online->opts.keeper,
		.conf = online->opts.conf,
	};

	return dit_mapped_find(&opts, &online->mapped);
}

/* The configured size counts, and the smallest one that another process has mapped. Where
 * that is not known, the pages in use have to do. */
static int find_size(struct dit_online *online)
{
	uint64_t maxsize = online->opts.conf.map_bytes;
	struct dit_metas metas;
	int r = dit_metas_read(online->data_fd, online->tables.snapshot->map.format,
	                       &metas);

	r = r ?: look_mapped(online);
	if (r == 0) {
		uint64_t shared = dit_map_shared(online->mapped.bytes, maxsize);

		online->used_bytes = (dit_metas_newest(&metas)->last_page + 1) *
		                     (uint64_t)online->page_bytes;
		online->is_shared_less = shared < maxsize;
		if (online->is_shared_less && shared < online->used_bytes) {
			shared = online->used_bytes;
		}
		online->max_bytes = dit_map_limit(shared, online->page_bytes);
	}
	return r;
}

int dit_online_open_commit(struct dit_online *online, const struct dit_page_set *reserved,
                           struct dit_page_commit **ret)
{
	struct dit_page_commit_opts opts = {
		.fd = online->data_fd,
		.format = online->tables.snapshot->map.format,
		.oldest = online->tables.snapshot->map.meta.transaction,
		.reserved = reserved,
		.is_shared = true,
		.caller_syncs = online->opts.is_unsynced,
	};
	int r = dit_reader_table_oldest(&online->lmdb->table, &opts.oldest,
	                                online->opts.fault);

	r = r < 0 ? r : find_size(online);
	opts.max_bytes = online->max_bytes;
	r = r < 0 ? r : dit_page_commit_open(ret, &opts);
	/* The one that LMDB's processes see. */
	if (r == 0 && dit_page_commit_transaction(*ret) !=
	                      dit_reader_table_last(&online->lmdb->table)) {
		dit_page_commit_close(*ret);
		return DIT_E_CORRUPT;
	}
	return r;
}

/* Those who came meanwhile may not have what was written. */
static int check_mapped(struct dit_online *online)
{
	int r = 0;

	if (online->times.bytes <= online->used_bytes) {
		return 0;
	}
	r = look_mapped(online);
	if (r == 0 && online->mapped.bytes < online->times.bytes) {
		online->is_shared_less = true;
		r = DIT_E_FULL;
	}
	return r;
}

/*
 * No process uses a commit before lock.mdb has its number, so one that fails is undone.
 * Then only the disk can fail: both states are whole.
 */
int dit_online_write_commit(struct dit_online *online, struct dit_page_commit *commit)
{
	int r = dit_page_commit_write(commit);

	online->times.bytes = dit_page_commit_bytes(commit);
	r = r ?: check_mapped(online);
	if (r == 0) {
		dit_reader_table_set_last(&online->lmdb->table,
		                          dit_page_commit_transaction(commit) + 1);
		return 0;
	}
	(void)dit_page_commit_undo(commit);
	return r == DIT_E_FULL && online->is_shared_less
	               ? dit_mapped_say(&online->mapped, online->opts.fault, r)
	               : r;
}

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
	int r = dit_online_open_commit(online, NULL, &commit);

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

static struct dit_online *of(struct dit_output *output)
{
	return (struct dit_online *)output;
}

static int expect_postings(struct dit_output *output, uint64_t n)
{
	struct dit_online *online = of(output);

	return dit_page_reserve_expect(&online->reserve,
	                               n / (online->page_bytes / DIT_POSTING_BYTES) +
	                                       online->tables.n);
}

/* Others change the old trees until the commit. */
static int prepare(struct dit_output *output)
{
	return dit_index_tables_check(&of(output)->tables);
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
	dit_index_tables_deinit(&online->tables);
	if (online->has_reserve) {
		dit_page_file_close(&online->reserve.space.file);
		dit_page_reserve_deinit(&online->reserve);
	}
	dit_close(online->data_fd);
	dit_snapshot_close(online->tables.snapshot);
	dit_page_set_deinit(&online->old_pages);
	dit_page_set_deinit(&online->entry_pages);
	free(online->changes.ids);
	free(online->changes.nodes);
	dit_arena_deinit(&online->changes.values);
	free(online->stored);
	free(online->lists);
	free(online);
}

static const struct dit_output_ops ops = {
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
	return online->data_fd < 0 ? -errno : 0;
}

/* Past the page cache: else each commit of others would wait until our pages are on the
 * disk. */
static void open_reserve(struct dit_online *online)
{
	dit_page_reserve_init(&online->reserve, online->tables.snapshot->map.format,
	                      online->page_bytes, reserve_more, online);
	/* Newer than the snapshot's, and not newer than that of the commit. A sealed page
	 * is not handed out twice before the commit, so it is sealed once with this
	 * number. */
	online->reserve.space.transaction =
		online->tables.snapshot->map.meta.transaction + 1;
	online->has_reserve = true;
	dit_page_file_open(&online->reserve.space.file, online->data_fd,
	                   online->opts.shared.page_writer, true);
}

int dit_online_open(struct dit_output **ret, struct dit_snapshot **ret_snapshot,
                    const struct dit_online_opts *opts)
{
	const struct dit_snapshot_opts snapshot = {.nreaders = opts->shared.nthreads,
	                                           .lmdb.nspare = DIT_ONLINE_NSPARE,
	                                           .lmdb.is_writer = true,
	                                           .lmdb.wait_ms = opts->wait_ms,
	                                           .lmdb.stop = opts->shared.stop,
	                                           .sealed = opts->shared.sealed,
	                                           .lmdb.fault = opts->fault};
	struct dit_online *online = calloc(1, sizeof(*online));
	int r = 0;

	if (online == NULL) {
		return -ENOMEM;
	}
	online->base = (struct dit_output){
		.ops = &ops, .is_parallel = true, .indexes = &online->tables};
	online->tables.fault = opts->fault;
	online->tables.is_online = true;
	online->opts = *opts;
	online->opts.conf.map_bytes = dit_map_configured(opts->conf.map_bytes);
	online->tables.merge =
		(struct dit_tree_merge_opts){.space = &online->reserve.space,
	                                     .dropped = dit_page_reserve_drop,
	                                     .ctx = &online->reserve};
	online->data_fd = -1;
	dit_arena_init(&online->changes.values, ARENA_BYTES);
	r = dit_snapshot_register(&online->tables.snapshot, opts->directory, &snapshot);
	if (r == 0) {
		online->lmdb = online->tables.snapshot->reader;
		online->page_bytes = online->tables.snapshot->map.page_bytes;
		r = open_data(online);
	}
	if (r < 0) {
		abandon(&online->base);
		return r;
	}
	open_reserve(online);
	online->base.target = (struct dit_output_target){opts->directory, -1,
	                                                 online->data_fd, DIT_DATA_NAME};
	*ret = &online->base;
	*ret_snapshot = online->tables.snapshot;
	return 0;
}
