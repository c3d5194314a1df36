/* SPDX-License-Identifier: BSD-2-Clause */
/* Commits of our own under LMDB's write lock. */
#include "output/online_impl.h"

#include "base/clock.h"
#include "base/error.h"
#include "files/map_size.h"
#include "page/meta_pages.h"
#include "system/crypto_module.h"

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
	const struct dit_page_format *format = online->head.snapshot->map.format;
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
	int r = dit_metas_read(online->data_fd, online->head.snapshot->map.format,
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
                           uint64_t room_pages, struct dit_page_commit **ret)
{
	struct dit_page_commit_opts opts = {
		.fd = online->data_fd,
		.path = online->path,
		.format = online->head.snapshot->map.format,
		.oldest = dit_snapshot_map(online->head.snapshot)->meta.transaction,
		.reserved = reserved,
		.room_pages = room_pages,
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
