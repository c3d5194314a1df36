/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Why all free pages can be used when nobody reads: the file is synced first, so the last
 * transaction is on the disk, and no crash can bring back the one before it, whose pages
 * are overwritten.
 */
#include "pages/page_commit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file_size_signal.h"
#include "base/grow.h"
#include "base/whole_io.h"
#include "pages/free_list.h"
#include "pages/meta_pages.h"
#include "pages/page_set.h"
#include "pages/page_source.h"
#include "pages/page_tree.h"
#include "pages/table_writer.h"
#include "pages/tree_visit.h"

/* A named database. */
struct named {
	char *name; /* owned */
	size_t len;
	struct dit_tree_record tree;
	struct dit_tree_record stored;
	bool is_stored;
	bool is_changed;
	bool is_dropped;
};

struct dit_page_commit {
	struct dit_page_commit_opts opts;
	struct dit_meta metas[2];
	unsigned live; /* the one that counts */
	uint64_t file_bytes;
	struct dit_page_source source;
	bool has_source;

	struct named *named; /* by name; owned */
	size_t nnamed;
	size_t named_size;

	struct dit_free_list free_list;
	struct dit_page_set owned; /* pages known to be free, or somebody's */
	struct dit_page_set given; /* free as soon as the new state counts */
	struct dit_page_set own;   /* of the free list's tree */

	struct dit_page_space space;
	pthread_mutex_t lock;
	bool has_lock;
	/* [lock: lock] */
	struct dit_page_set usable; /* free pages, not yet used */
	struct dit_page_set taken;  /* free pages, used now */
	uint64_t at;                /* no long row begins before this page */
	_Atomic uint64_t end;       /* the first page behind all; relaxed */

	bool is_committed; /* a meta page may have been written */
};

static const struct dit_meta *live_meta(const struct dit_page_commit *commit)
{
	return &commit->metas[commit->live];
}

/* ---- pages for others ---- */

static int take(void *ctx, uint64_t npages, uint64_t *ret_first)
{
	struct dit_page_commit *commit = ctx;
	uint64_t from_start = 0;
	bool is_long = npages >= commit->space.chunk_pages;
	uint64_t first = 0;

	(void)pthread_mutex_lock(&commit->lock);
	first = dit_page_set_take_run(&commit->usable, npages,
	                              is_long ? &commit->at : &from_start);
	if (first < commit->usable.npages) {
		(void)dit_page_set_add_run(&commit->taken, first, npages);
	} else {
		first = atomic_fetch_add_explicit(&commit->end, npages,
		                                  memory_order_relaxed);
	}
	(void)pthread_mutex_unlock(&commit->lock);
	*ret_first = first;
	return 0;
}

struct dit_page_space *dit_page_commit_space(struct dit_page_commit *commit)
{
	return &commit->space;
}

uint64_t dit_page_commit_bytes(const struct dit_page_commit *commit)
{
	return atomic_load_explicit(&commit->end, memory_order_relaxed) *
	       commit->opts.page_bytes;
}

uint64_t dit_page_commit_transaction(const struct dit_page_commit *commit)
{
	return live_meta(commit)->transaction;
}

/* ---- the main tree ---- */

static int compare_names(const struct named *named, struct dit_span name)
{
	size_t shorter = named->len < name.len ? named->len : name.len;
	int order = memcmp(named->name, name.data, shorter);

	return order != 0 ? order : (named->len > name.len) - (named->len < name.len);
}

/* The first one that does not come before the name. */
static size_t place_of(const struct dit_page_commit *commit, struct dit_span name)
{
	size_t i = 0;

	while (i < commit->nnamed && compare_names(&commit->named[i], name) < 0) {
		i++;
	}
	return i;
}

static struct named *find(const struct dit_page_commit *commit, struct dit_span name)
{
	size_t i = place_of(commit, name);

	return i < commit->nnamed && compare_names(&commit->named[i], name) == 0
	               ? &commit->named[i]
	               : NULL;
}

static int insert(struct dit_page_commit *commit, struct dit_span name,
                  struct named **ret)
{
	size_t i = place_of(commit, name);
	struct named *named = dit_grow(commit->named, &commit->named_size,
	                               commit->nnamed + 1, sizeof(*named));
	char *copy = NULL;

	if (named == NULL) {
		return -ENOMEM;
	}
	commit->named = named;
	copy = malloc(name.len + 1);
	if (copy == NULL) {
		return -ENOMEM;
	}
	memcpy(copy, name.data, name.len);
	memmove(named + i + 1, named + i, (commit->nnamed - i) * sizeof(*named));
	named[i] = (struct named){.name = copy, .len = name.len};
	commit->nnamed++;
	*ret = &named[i];
	return 0;
}

/* slapd's main database has nothing but named ones. */
static int read_named(void *ctx, uint64_t page, const struct dit_node_view *node)
{
	struct dit_page_commit *commit = ctx;
	struct named *named = NULL;
	int r = 0;

	(void)page;
	if (node->flags != DIT_NODE_TREE || node->value.len != sizeof(named->stored) ||
	    node->key.len == 0) {
		return DIT_E_CORRUPT;
	}
	r = insert(commit, node->key, &named);
	if (r < 0) {
		return r;
	}
	memcpy(&named->stored, node->value.data, sizeof(named->stored));
	named->tree = named->stored;
	named->is_stored = true;
	return 0;
}

/* Pages of a tree that will be free. */
static int give_pages(void *ctx, uint64_t first, uint64_t n)
{
	struct dit_page_commit *commit = ctx;

	return first >= 2 && dit_page_set_add_run(&commit->owned, first, n) &&
	                       dit_page_set_add_run(&commit->given, first, n)
	               ? 0
	               : DIT_E_CORRUPT;
}

int dit_page_commit_find(const struct dit_page_commit *commit, struct dit_span name,
                         struct dit_tree_record *ret)
{
	const struct named *named = find(commit, name);

	if (named == NULL || !named->is_stored) {
		return 0;
	}
	*ret = named->stored;
	return 1;
}

int dit_page_commit_database(const struct dit_page_commit *commit, size_t i,
                             struct dit_span *ret_name, struct dit_tree_record *ret)
{
	if (i >= commit->nnamed) {
		return 0;
	}
	*ret_name = (struct dit_span){commit->named[i].name, commit->named[i].len};
	*ret = commit->named[i].tree;
	return 1;
}

static int give_tree(struct dit_page_commit *commit, const struct dit_tree_record *tree)
{
	const struct dit_tree_source source = {&commit->source, commit->opts.format};
	const struct dit_tree_visitor visitor = {.pages = give_pages, .ctx = commit};

	return dit_tree_visit(&source, tree, &visitor);
}

int dit_page_commit_put(struct dit_page_commit *commit, struct dit_span name,
                        const struct dit_tree_record *tree)
{
	struct named *named = find(commit, name);
	int r = 0;

	if (name.len == 0 ||
	    name.len > dit_key_max(commit->opts.format, commit->opts.page_bytes) ||
	    (named != NULL && named->is_changed)) {
		return -EINVAL;
	}
	r = named == NULL ? insert(commit, name, &named)
	                  : give_tree(commit, &named->stored);
	if (r < 0) {
		return r;
	}
	named->tree = *tree;
	named->is_changed = true;
	return 0;
}

int dit_page_commit_drop(struct dit_page_commit *commit, struct dit_span name)
{
	struct named *named = find(commit, name);
	int r = 0;

	if (named == NULL || named->is_changed) {
		return named == NULL ? DIT_E_UNKNOWN : -EINVAL;
	}
	r = give_tree(commit, &named->stored);
	named->is_changed = true;
	named->is_dropped = true;
	return r;
}

/* ---- opening ---- */

static int read_metas(struct dit_page_commit *commit)
{
	const struct dit_page_commit_opts *opts = &commit->opts;
	struct stat st;
	int r = 0;

	if (opts->oldest == DIT_COMMIT_ALONE && fdatasync(opts->fd) != 0) {
		return -errno;
	}
	r = dit_metas_read(opts->fd, opts->format, opts->page_bytes, commit->metas);
	if (r < 0) {
		return r;
	}
	commit->live = commit->metas[1].transaction > commit->metas[0].transaction;
	if (fstat(opts->fd, &st) != 0) {
		return -errno;
	}
	commit->file_bytes = (uint64_t)st.st_size;
	atomic_init(&commit->end, live_meta(commit)->last_page + 1);
	/* liblmdb knows a transaction's meta page by its number. */
	return (live_meta(commit)->transaction & 1) == commit->live ? 0 : DIT_E_CORRUPT;
}

static int make_sets(struct dit_page_commit *commit)
{
	struct dit_page_set *sets[] = {&commit->owned, &commit->given, &commit->own,
	                               &commit->usable, &commit->taken};
	uint64_t npages = live_meta(commit)->last_page + 1;
	int r = 0;

	if (npages > commit->file_bytes / commit->opts.page_bytes + (1u << 30)) {
		return DIT_E_CORRUPT; /* not so many pages were ever free */
	}
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]) && r == 0; i++) {
		r = dit_page_set_init(sets[i], npages);
	}
	return r;
}

static void find_usable(struct dit_page_commit *commit)
{
	for (size_t i = 0; i < commit->free_list.nrecords; i++) {
		const struct dit_free_record *record = &commit->free_list.records[i];

		if (record->transaction > commit->opts.oldest) {
			continue;
		}
		for (size_t k = 0; k < record->npages; k++) {
			(void)dit_page_set_add(&commit->usable, record->pages[k]);
		}
	}
}

static int read_trees(struct dit_page_commit *commit)
{
	const struct dit_meta *meta = live_meta(commit);
	const struct dit_tree_source source = {&commit->source, commit->opts.format};
	const struct dit_tree_visitor visitor = {
		.pages = give_pages, .node = read_named, .ctx = commit};
	int r = dit_page_source_init(&commit->source, commit->opts.fd,
	                             commit->opts.page_bytes, meta->last_page + 1, false);

	commit->has_source = r == 0;
	if (r == 0) {
		r = dit_free_list_read(&commit->free_list, &source, &meta->free_tree,
		                       &commit->owned, &commit->own);
	}
	if (r == 0) {
		r = dit_tree_visit(&source, &meta->main_tree, &visitor);
	}
	if (r == 0) {
		find_usable(commit);
	}
	return r;
}

static int open_space(struct dit_page_commit *commit)
{
	struct dit_page_space *space = &commit->space;
	int r = -pthread_mutex_init(&commit->lock, NULL);

	commit->has_lock = r == 0;
	if (r < 0) {
		return r;
	}
	dit_page_space_init(space, commit->opts.format, commit->opts.page_bytes, 0);
	space->take = take;
	space->take_ctx = commit;
	return dit_page_file_open(&space->file, AT_FDCWD, commit->opts.path,
	                          &commit->opts.file);
}

int dit_page_commit_open(struct dit_page_commit **ret,
                         const struct dit_page_commit_opts *opts)
{
	struct dit_page_commit *commit = calloc(1, sizeof(*commit));
	int r = 0;

	if (commit == NULL) {
		return -ENOMEM;
	}
	commit->opts = *opts;
	commit->space.file.fd = -1;
	r = read_metas(commit);
	if (r == 0) {
		r = make_sets(commit);
	}
	if (r == 0) {
		r = read_trees(commit);
	}
	if (r == 0) {
		r = open_space(commit);
	}
	if (r < 0) {
		dit_page_commit_close(commit);
		return r;
	}
	*ret = commit;
	return 0;
}

/* ---- the end ---- */

/* Pages that were written behind the old end hold nothing any more. */
static void cut_file(const struct dit_page_commit *commit)
{
	struct stat st;

	if (fstat(commit->opts.fd, &st) == 0 &&
	    (uint64_t)st.st_size > commit->file_bytes &&
	    ftruncate(commit->opts.fd, (off_t)commit->file_bytes) != 0) {
		/* Then it stays as long as it is; LMDB does not mind. */
	}
}

void dit_page_commit_close(struct dit_page_commit *commit)
{
	if (commit == NULL) {
		return;
	}
	dit_page_file_close(&commit->space.file);
	if (commit->has_lock && !commit->is_committed) {
		cut_file(commit);
	}
	if (commit->has_lock) {
		(void)pthread_mutex_destroy(&commit->lock);
	}
	if (commit->has_source) {
		dit_page_source_deinit(&commit->source);
	}
	for (size_t i = 0; i < commit->nnamed; i++) {
		free(commit->named[i].name);
	}
	free(commit->named);
	dit_free_list_deinit(&commit->free_list);
	dit_page_set_deinit(&commit->owned);
	dit_page_set_deinit(&commit->given);
	dit_page_set_deinit(&commit->own);
	dit_page_set_deinit(&commit->usable);
	dit_page_set_deinit(&commit->taken);
	free(commit);
}

int dit_page_commit_undo(struct dit_page_commit *commit)
{
	const struct dit_page_commit_opts *opts = &commit->opts;

	(void)dit_page_file_drain(&commit->space.file);
	if (commit->is_committed) {
		int r = dit_metas_write(opts->fd, opts->format, opts->page_bytes,
		                        commit->metas);

		if (r < 0) {
			return r;
		}
		if (fsync(opts->fd) != 0) {
			return 1; /* the disk may have the other meta page */
		}
		commit->is_committed = false;
	}
	cut_file(commit);
	return 0;
}

/* ---- the step ---- */

/*
 * Where the two small trees go. Their pages are taken before they are written, since the
 * free list says which pages are free: a row that is certainly long enough, whose rest
 * stays free. Behind the end of the file there is no rest.
 */
struct tail {
	struct dit_page_commit *commit;
	uint64_t first;
	uint64_t npages; /* 0: behind the end */
	uint64_t used;
};

static int take_tail(void *ctx, uint64_t npages, uint64_t *ret_first)
{
	struct tail *tail = ctx;

	if (tail->npages == 0) {
		*ret_first = atomic_fetch_add_explicit(&tail->commit->end, npages,
		                                       memory_order_relaxed);
		return 0;
	}
	if (npages > tail->npages - tail->used) {
		return -ENOSPC;
	}
	*ret_first = tail->first + tail->used;
	tail->used += npages;
	return 0;
}

static uint64_t main_pages_max(const struct dit_page_commit *commit)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < commit->nnamed; i++) {
		bytes += commit->named[i].len + sizeof(struct dit_tree_record) + 32;
	}
	return 4 + bytes / (commit->opts.page_bytes / 4);
}

static int write_main_tree(struct dit_page_commit *commit, struct dit_tree_record *ret)
{
	struct dit_table_writer *writer = NULL;
	int r = dit_table_writer_new(&writer, &commit->space, 0);

	for (size_t i = 0; i < commit->nnamed && r == 0; i++) {
		const struct named *named = &commit->named[i];
		struct dit_node_view node = {
			.flags = DIT_NODE_TREE,
			.key = {named->name, named->len},
			.value = {(const char *)&named->tree, sizeof(named->tree)}};

		if (!named->is_dropped) {
			r = dit_table_writer_copy(writer, &node);
		}
	}
	if (r == 0) {
		r = dit_table_writer_finish(writer, ret);
	}
	dit_table_writer_free(writer);
	return r;
}

/* Long records that do not change stay in their pages. */
static void give_list_pages(struct dit_page_commit *commit)
{
	struct dit_page_set *own = &commit->own;

	for (size_t i = 0; i < commit->free_list.nrecords; i++) {
		const struct dit_free_record *record = &commit->free_list.records[i];
		uint64_t n = dit_overflow_pages(commit->opts.format, record->len,
		                                commit->opts.page_bytes);

		if (!dit_free_record_stays(record)) {
			continue;
		}
		for (uint64_t k = 0; k < n; k++) {
			dit_page_set_remove(own, record->run + k);
		}
	}
	for (uint64_t page = dit_page_set_next(own, 0); page < own->npages;
	     page = dit_page_set_next(own, page + 1)) {
		(void)dit_page_set_add(&commit->given, page);
	}
}

/* A row for the trees, out of the free pages. */
static void choose_tail(struct dit_page_commit *commit, struct tail *tail)
{
	uint64_t npages = main_pages_max(commit);
	uint64_t at = 0;
	/* As if all records changed, and one more came. */
	uint64_t nfree = commit->given.count + commit->own.count + commit->owned.count;

	npages += 8 + nfree * sizeof(uint64_t) / (commit->opts.page_bytes / 4) +
	          commit->free_list.nrecords;
	tail->first = dit_page_set_take_run(&commit->usable, npages, &at);
	if (tail->first < commit->usable.npages) {
		tail->npages = npages;
		(void)dit_page_set_add_run(&commit->taken, tail->first, npages);
	}
}

/*
 * The list is written twice if it lies in free pages: the first time shows how many of
 * them it takes, and so which are left. Both have the same layout.
 */
static int write_free_list(struct dit_page_commit *commit, struct tail *tail,
                           struct dit_tree_record *ret)
{
	struct dit_free_list *list = &commit->free_list;
	uint64_t transaction = live_meta(commit)->transaction + 1;
	uint64_t used = tail->used;
	size_t room = 0;
	int r = 0;

	if (dit_free_list_take(list, &commit->taken) != commit->taken.count) {
		return DIT_E_CORRUPT;
	}
	give_list_pages(commit);
	room = commit->given.count + tail->npages;
	r = dit_free_list_give(list, transaction, &commit->given, room);
	if (r == 0) {
		r = dit_free_list_write(list, &commit->space, ret);
	}
	if (r < 0 || tail->npages == 0) {
		return r;
	}
	(void)dit_page_set_add_run(&commit->given, tail->first + tail->used,
	                           tail->npages - tail->used);
	tail->used = used;
	r = dit_free_list_give(list, transaction, &commit->given, room);
	return r < 0 ? r : dit_free_list_write(list, &commit->space, ret);
}

static int write_trees(struct dit_page_commit *commit, struct dit_meta *meta)
{
	struct tail tail = {.commit = commit};
	struct dit_tree_record main_tree = meta->main_tree;
	struct dit_tree_record free_tree = meta->free_tree;
	int r = 0;

	choose_tail(commit, &tail);
	commit->space.take = take_tail;
	commit->space.take_ctx = &tail;
	r = write_main_tree(commit, &main_tree);
	if (r == 0) {
		r = write_free_list(commit, &tail, &free_tree);
	}
	commit->space.take = take;
	commit->space.take_ctx = commit;
	meta->main_tree = main_tree;
	meta->free_tree = free_tree;
	return r;
}

static int sync_file(const struct dit_page_commit *commit)
{
	return fdatasync(commit->opts.fd) == 0 ? 0 : -errno;
}

static int write_meta(struct dit_page_commit *commit, const struct dit_meta *meta)
{
	struct dit_meta metas[2] = {commit->metas[0], commit->metas[1]};
	sigset_t previous;
	int r = 0;

	metas[meta->transaction & 1] = *meta;
	dit_file_size_signal_block(&previous);
	commit->is_committed = true;
	r = dit_metas_write(commit->opts.fd, commit->opts.format, commit->opts.page_bytes,
	                    metas);
	dit_file_size_signal_restore(&previous);
	return r < 0 ? r : sync_file(commit);
}

int dit_page_commit_write(struct dit_page_commit *commit)
{
	struct dit_meta meta = *live_meta(commit);
	uint64_t max_bytes = commit->opts.max_bytes;
	int r = dit_page_file_drain(&commit->space.file);

	if (r == 0) {
		r = write_trees(commit, &meta);
	}
	if (r == 0) {
		r = dit_page_file_drain(&commit->space.file);
	}
	if (r == 0 && max_bytes != 0 && dit_page_commit_bytes(commit) > max_bytes) {
		r = DIT_E_FULL;
	}
	if (r == 0) {
		r = sync_file(commit);
	}
	if (r < 0) {
		return r;
	}
	meta.last_page = atomic_load_explicit(&commit->end, memory_order_relaxed) - 1;
	meta.transaction++;
	return write_meta(commit, &meta);
}
