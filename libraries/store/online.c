/* SPDX-License-Identifier: BSD-2-Clause */
#include "store/online.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <lmdb.h>

#include "base/error.h"
#include "base/whole_io.h"
#include "pages/page_commit.h"
#include "pages/page_reserve.h"
#include "pages/page_source.h"
#include "pages/tree_diff.h"
#include "store/entry_changes.h"
#include "store/files.h"
#include "store/format_check.h"
#include "store/lmdb_error.h"
#include "store/lock_field.h"
#include "store/map_size.h"
#include "store/snapshot_impl.h"

/* Reserved at a time, with a commit of our own each: a part of what indexes take now. */
#define STEP_SHARE     2
#define STEP_PAGES_MIN 256u
#define STEP_PAGES_MAX 65536u
/* For the main tree and the free list of the commits that follow. */
#define ROOM_PAGES 64u
#define WARM_PAGES 256u /* read with one call */

struct dit_online {
	struct dit_online_opts opts;
	struct dit_snapshot *snapshot;
	MDB_env *env;
	int data_fd;
	char path[DIT_FD_PATH_BYTES]; /* that leads to it */
	unsigned page_bytes;
	uint64_t max_bytes;
	struct dit_lock_field field;
	struct dit_page_reserve reserve;
	bool has_reserve;

	/* LMDB's write lock. [own: who holds it; times: reserve's lock, then main] */
	MDB_txn *held;
	uint64_t held_since_us;
	struct dit_online_times times;

	/* The last step. */
	struct dit_page_set old_pages; /* of the old tables */
	struct dit_entry_changes changes;
};

/* ---- LMDB's write lock ---- */

static uint64_t now_us(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* It is a write transaction, in which nothing is written. */
static int lock(struct dit_online *online)
{
	int r = dit_lmdb_error(mdb_txn_begin(online->env, NULL, 0, &online->held));

	if (r < 0) {
		online->held = NULL;
	}
	online->held_since_us = now_us();
	return r;
}

static void unlock(struct dit_online *online)
{
	uint64_t us = now_us() - online->held_since_us;

	mdb_txn_abort(online->held);
	online->held = NULL;
	online->times.locked_us += us;
	if (us > online->times.longest_us) {
		online->times.longest_us = us;
	}
}

/* ---- commits under the lock ---- */

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

/* Pages may be used that transactions before the oldest reader's gave back. */
static int find_oldest(const struct dit_online *online, uint64_t *ret)
{
	uint64_t oldest = dit_snapshot_txn_id(online->snapshot);

	if (mdb_reader_list(online->env, note_reader, &oldest) < 0) {
		return -EIO;
	}
	*ret = oldest > 0 ? oldest - 1 : 0;
	return 0;
}

static int open_commit(const struct dit_online *online, uint64_t oldest,
                       const struct dit_page_set *reserved, uint64_t room_pages,
                       struct dit_page_commit **ret)
{
	const struct dit_page_commit_opts opts = {
		.fd = online->data_fd,
		.path = online->path,
		.format = &dit_lmdb_09,
		.page_bytes = online->page_bytes,
		.file = {.writer = NULL},
		.max_bytes = online->max_bytes,
		.oldest = oldest,
		.reserved = reserved,
		.room_pages = room_pages,
	};
	int r = dit_page_commit_open(ret, &opts);

	/* The one that LMDB's processes see. */
	if (r == 0 &&
	    dit_page_commit_transaction(*ret) != dit_lock_field_get(&online->field)) {
		dit_page_commit_keep(*ret);
		dit_page_commit_close(*ret);
		return DIT_E_CORRUPT;
	}
	if (r == 0) {
		dit_page_commit_keep(*ret);
	}
	return r;
}

/*
 * Nobody uses a commit before lock.mdb has its number, so one that fails is undone. What
 * can fail then is the disk: both states are whole.
 */
static int write_commit(struct dit_online *online, struct dit_page_commit *commit)
{
	int r = dit_page_commit_write(commit);

	online->times.bytes = dit_page_commit_bytes(commit);
	if (r == 0) {
		dit_lock_field_set(&online->field,
		                   dit_page_commit_transaction(commit) + 1);
	} else {
		(void)dit_page_commit_undo(commit);
	}
	return r;
}

/* ---- reservation ---- */

/* As many as are wanted, but not more than maxsize lets the file grow. */
static uint64_t choose_npages(const struct dit_online *online,
                              const struct dit_page_commit *commit, uint64_t least,
                              uint64_t wanted)
{
	uint64_t bytes = dit_page_commit_bytes(commit) + ROOM_PAGES * online->page_bytes;
	uint64_t room = bytes < online->max_bytes
	                        ? (online->max_bytes - bytes) / online->page_bytes
	                        : 0;

	if (wanted <= room) {
		return wanted;
	}
	return room > least ? room : least;
}

static int reserve_locked(struct dit_online *online, uint64_t least, uint64_t wanted,
                          struct dit_page_runs *runs)
{
	struct dit_page_commit *commit = NULL;
	uint64_t oldest = 0;
	int r = find_oldest(online, &oldest);

	if (r == 0) {
		r = open_commit(online, oldest, NULL, wanted, &commit);
	}
	if (r < 0) {
		return r;
	}
	r = dit_page_commit_reserve(commit, choose_npages(online, commit, least, wanted),
	                            runs);
	if (r == 0) {
		r = write_commit(online, commit);
	}
	dit_page_commit_close(commit);
	return r;
}

static int reserve_more(void *ctx, uint64_t least, uint64_t wanted,
                        struct dit_page_runs *runs)
{
	struct dit_online *online = ctx;
	int r = lock(online);

	if (r < 0) {
		return r;
	}
	r = reserve_locked(online, least, wanted, runs);
	unlock(online);
	return r;
}

/* ---- opening ---- */

static int open_data(struct dit_online *online)
{
	int dir_fd = dit_directory_open(online->opts.directory, online->opts.fault);
	struct stat ours;
	struct stat theirs;
	int fd = -1;

	if (dir_fd < 0) {
		return dir_fd;
	}
	online->data_fd = dit_data_open(dir_fd, O_RDWR, online->opts.fault);
	(void)close(dir_fd);
	if (online->data_fd < 0) {
		return online->data_fd;
	}
	if (mdb_env_get_fd(online->env, &fd) != 0 || fstat(fd, &theirs) != 0 ||
	    fstat(online->data_fd, &ours) != 0) {
		return -EIO;
	}
	if (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev) {
		return dit_fault_say(online->opts.fault, -ESTALE,
		                     "data.mdb was replaced meanwhile");
	}
	return dit_fd_path(online->data_fd, online->path, online->opts.fault);
}

static int open_field(struct dit_online *online)
{
	const struct dit_readers *readers = dit_snapshot_readers(online->snapshot);
	MDB_envinfo info;
	int r = lock(online);

	if (r < 0) {
		return r == EACCES || r == -EACCES ? -EACCES : r;
	}
	r = dit_lmdb_error(mdb_env_info(online->env, &info));
	if (r == 0) {
		r = readers->door.lock_fd < 0
		            ? -EROFS
		            : dit_lock_field_open(&online->field, readers->door.lock_fd,
		                                  info.me_last_txnid, online->opts.fault);
	}
	if (r == 0) {
		/* What slapd has mapped: its size when it last wrote a meta page. */
		uint64_t maxsize = dit_map_configured(online->opts.maxsize_bytes);

		maxsize = info.me_mapsize < maxsize ? info.me_mapsize : maxsize;
		online->max_bytes = dit_map_limit(maxsize, online->page_bytes);
	}
	unlock(online);
	return r;
}

static uint64_t choose_step(const struct dit_online *online)
{
	const struct dit_stored_db *dbs = NULL;
	size_t n = dit_snapshot_dbs(online->snapshot, &dbs);
	uint64_t step = 0;

	for (size_t i = 0; i < n; i++) {
		step += (dbs[i].flags & DIT_DB_DUPFIXED) != 0 ? dbs[i].npages : 0;
	}
	step /= STEP_SHARE;
	return step < STEP_PAGES_MIN   ? STEP_PAGES_MIN
	       : step > STEP_PAGES_MAX ? STEP_PAGES_MAX
	                               : step;
}

/* Past the page cache: else each commit of others would wait until our pages are on the
 * disk. */
static int open_reserve(struct dit_online *online)
{
	const struct dit_page_file_opts file = {.writer = online->opts.page_writer,
	                                        .is_direct = true};
	int r = dit_page_reserve_init(&online->reserve, &dit_lmdb_09, online->page_bytes,
	                              choose_step(online), reserve_more, online);

	online->has_reserve = r == 0;
	return r < 0 ? r
	             : dit_page_file_open(&online->reserve.space.file, AT_FDCWD,
	                                  online->path, &file);
}

int dit_online_open(struct dit_online **ret, const struct dit_online_opts *opts)
{
	const struct dit_snapshot_opts snapshot = {.nreaders = opts->nreaders,
	                                           .wait_ms = opts->wait_ms,
	                                           .fault = opts->fault};
	struct dit_online *online = calloc(1, sizeof(*online));
	int r = 0;

	if (online == NULL) {
		return -ENOMEM;
	}
	online->opts = *opts;
	online->data_fd = -1;
	r = dit_snapshot_lmdb_open(&online->snapshot, opts->directory, &snapshot);
	if (r == 0) {
		online->env = dit_snapshot_readers(online->snapshot)->env;
		online->page_bytes = dit_snapshot_page_bytes(online->snapshot);
		r = open_data(online);
	}
	if (r == 0) {
		r = open_field(online);
	}
	if (r == 0) {
		r = open_reserve(online);
	}
	if (r < 0) {
		dit_online_close(online);
		return r;
	}
	*ret = online;
	return 0;
}

void dit_online_close(struct dit_online *online)
{
	if (online == NULL) {
		return;
	}
	if (online->opts.times != NULL) {
		*online->opts.times = online->times;
	}
	if (online->has_reserve) {
		dit_page_file_close(&online->reserve.space.file);
		dit_page_reserve_deinit(&online->reserve);
	}
	dit_lock_field_close(&online->field);
	if (online->data_fd >= 0) {
		(void)close(online->data_fd);
	}
	dit_snapshot_close(online->snapshot);
	dit_page_set_deinit(&online->old_pages);
	dit_entry_changes_deinit(&online->changes);
	free(online);
}

struct dit_snapshot *dit_online_snapshot(const struct dit_online *online)
{
	return online->snapshot;
}

struct dit_page_space *dit_online_space(struct dit_online *online)
{
	return &online->reserve.space;
}

int dit_online_find(const struct dit_online *online, const char *name,
                    struct dit_tree_record *ret)
{
	return dit_snapshot_tree(online->snapshot, name, ret);
}

void dit_online_times(const struct dit_online *online, struct dit_online_times *ret)
{
	*ret = online->times;
}

/* ---- the last step ---- */

struct step {
	struct dit_online *online;
	struct dit_online_table *tables;
	size_t ntables;
	dit_online_changed_fn changed;
	void *ctx;
};

static int drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	return dit_page_reserve_drop(ctx, first, n);
}

static int put_table(struct dit_online *online, struct dit_page_commit *commit,
                     const struct dit_online_table *table)
{
	struct dit_tree_record older;

	if (dit_snapshot_tree(online->snapshot, table->name, &older) == 0) {
		return dit_page_commit_put(commit, dit_span_of(table->name),
		                           &table->tree);
	}
	return dit_page_commit_put_known(commit, dit_span_of(table->name), &table->tree,
	                                 &older, &online->old_pages);
}

static int put_tables(const struct step *step, struct dit_page_commit *commit,
                      const struct dit_tree_source *source)
{
	struct dit_online *online = step->online;
	int r = 0;

	for (size_t i = 0; i < step->ntables && r == 0; i++) {
		struct dit_online_table *table = &step->tables[i];
		const struct dit_table_edit edit = {.source = source,
		                                    .space =
		                                            dit_page_commit_space(commit),
		                                    .flags = table->tree.flags,
		                                    .list_max = online->opts.list_max,
		                                    .dropped = drop_pages,
		                                    .ctx = &online->reserve};

		r = dit_table_edit(&edit, table->changes, table->nchanges, &table->tree);
		if (r == 0) {
			r = put_table(online, commit, table);
		}
	}
	if (r == 0) {
		r = dit_page_commit_give(commit, &online->old_pages);
	}
	return r < 0 ? r : dit_page_reserve_use(&online->reserve, commit);
}

static int call_changed(const struct step *step)
{
	struct dit_online *online = step->online;
	unsigned newest = 0;
	int r = 0;

	if (online->changes.nids == 0) {
		return 0;
	}
	r = dit_snapshot_add_newest(online->snapshot, &newest);
	return r < 0 ? r
	             : step->changed(step->ctx, newest, online->changes.ids,
	                             online->changes.nids);
}

static int commit_locked(const struct step *step)
{
	struct dit_online *online = step->online;
	struct dit_page_source pages;
	const struct dit_tree_source source = {&pages, &dit_lmdb_09};
	struct dit_page_set rest = {.words = NULL};
	struct dit_page_commit *commit = NULL;
	int r = dit_page_reserve_rest(&online->reserve, &rest);

	if (r == 0) {
		r = open_commit(online, 0, &rest, 0, &commit);
	}
	if (r < 0) {
		dit_page_set_deinit(&rest);
		return r;
	}
	r = dit_page_source_init(&pages, online->data_fd, online->page_bytes,
	                         dit_page_commit_bytes(commit) / online->page_bytes,
	                         false);
	if (r == 0) {
		r = dit_entry_changes_find(&online->changes, commit, &source);
		online->times.nchanged = online->changes.nids;
		if (r == 0) {
			r = call_changed(step);
		}
		if (r == 0) {
			r = put_tables(step, commit, &source);
		}
		dit_page_source_deinit(&pages);
	}
	if (r == 0) {
		r = write_commit(online, commit);
	}
	dit_page_commit_close(commit);
	dit_page_set_deinit(&rest);
	return r;
}

/*
 * The pages of the trees that are replaced, and of the entries, as they are in the
 * snapshot: what others have changed since is found when the lock is held.
 */
static int collect_old_pages(struct dit_online *online,
                             const struct dit_online_table *tables, size_t ntables)
{
	uint64_t npages = dit_snapshot_npages(online->snapshot);
	struct dit_page_source pages;
	const struct dit_tree_source source = {&pages, &dit_lmdb_09};
	int r = dit_page_source_init(&pages, online->data_fd, online->page_bytes, npages,
	                             false);

	if (r < 0) {
		return r;
	}
	r = dit_page_set_init(&online->old_pages, npages);
	for (size_t i = 0; i < ntables && r == 0; i++) {
		struct dit_tree_record older;

		if (dit_snapshot_tree(online->snapshot, tables[i].name, &older) == 1) {
			r = dit_page_commit_collect(&source, &older, &online->old_pages);
		}
		if (r == DIT_E_CORRUPT) {
			(void)dit_fault_say(
				online->opts.fault, r,
				"index database \"%s\" is damaged, so nobody can tell "
				"which pages it has while slapd changes the file: stop "
				"slapd and run ditindex without --online",
				tables[i].name);
		}
	}
	if (r == 0) {
		r = dit_entry_changes_begin(&online->changes, online->snapshot, &source);
	}
	dit_page_source_deinit(&pages);
	return r;
}

/*
 * Some of the new pages are read again when the lock is held, and then there must be no
 * wait for the disk. slapd needs them in the page cache as well. No page is missing if it
 * cannot be read now.
 */
static void warm_up(const struct dit_online *online)
{
	const struct dit_page_set *used = &online->reserve.used;
	uint64_t page = dit_page_set_next(used, 0);
	char *bytes = malloc(WARM_PAGES * online->page_bytes);

	while (bytes != NULL && page < used->npages) {
		uint64_t n = 1;

		while (n < WARM_PAGES && dit_page_set_has(used, page + n)) {
			n++;
		}
		if (dit_read_at(online->data_fd, bytes, n * online->page_bytes,
		                page * online->page_bytes) < 0) {
			break;
		}
		page = dit_page_set_next(used, page + n);
	}
	free(bytes);
}

int dit_online_commit(struct dit_online *online, struct dit_online_table *tables,
                      size_t ntables, dit_online_changed_fn changed, void *ctx)
{
	const struct step step = {.online = online,
	                          .tables = tables,
	                          .ntables = ntables,
	                          .changed = changed,
	                          .ctx = ctx};
	int r = dit_page_file_drain(&online->reserve.space.file);

	/* Most of what is written goes to the disk before anybody has to wait. */
	if (r == 0 && fdatasync(online->data_fd) != 0) {
		r = -errno;
	}
	if (r == 0) {
		r = collect_old_pages(online, tables, ntables);
	}
	if (r == 0) {
		warm_up(online);
	}
	if (r == 0) {
		r = lock(online);
	}
	if (r < 0) {
		return r;
	}
	r = commit_locked(&step);
	unlock(online);
	return r;
}
