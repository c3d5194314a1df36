/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The trees of a file, and which of its pages can be used.
 *
 * Why all free pages can be used without readers: the file is synced first, so the last
 * transaction is on the disk, and no crash can bring back the one before it, whose pages
 * are overwritten.
 */
#include "commit/page_commit_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"

/* ---- pages for others ---- */

struct dit_page_space *dit_page_commit_space(struct dit_page_commit *commit)
{
	return &commit->space;
}

uint64_t dit_page_commit_bytes(const struct dit_page_commit *commit)
{
	return atomic_load_explicit(&commit->space.next_page, memory_order_relaxed) *
	       commit->metas.page_bytes;
}

uint64_t dit_page_commit_nusable(const struct dit_page_commit *commit)
{
	return commit->pool.left.count;
}

uint64_t dit_page_commit_transaction(const struct dit_page_commit *commit)
{
	return dit_commit_live(commit)->transaction;
}

/* The pages become free under the new transaction. No writer takes them while an older
 * one is read. */
int dit_page_commit_reserve(struct dit_page_commit *commit, uint64_t npages,
                            struct dit_page_set *ret)
{
	struct dit_page_run run;
	int r = 0;

	for (; npages > 0 && r == 0; npages -= run.n) {
		(void)dit_page_space_take(&commit->space, 1, npages, &run);
		r = dit_page_set_grow(ret, run.first + run.n);
		r = r ?: dit_page_set_grow(&commit->given, run.first + run.n);
		if (r == 0 && !(dit_page_set_add_run(ret, run.first, run.n) &&
		                dit_page_set_add_run(&commit->given, run.first, run.n))) {
			r = -ENOMEM;
		}
	}
	return r;
}

int dit_page_commit_use(struct dit_page_commit *commit, const struct dit_page_set *pages)
{
	for (uint64_t page = dit_page_set_next(pages, 0); page < pages->npages;
	     page = dit_page_set_next(pages, page + 1)) {
		if (!dit_page_set_has(&commit->owned, page) ||
		    !dit_page_set_add(&commit->pool.taken, page)) {
			return DIT_E_CORRUPT;
		}
		if (dit_page_set_has(&commit->pool.left, page)) {
			dit_page_set_remove(&commit->pool.left, page);
		}
	}
	return 0;
}

/* ---- the main tree ---- */

static int compare_names(const struct dit_commit_named *named, struct dit_span name)
{
	return dit_span_compare((struct dit_span){named->name, named->len}, name);
}

/* The first one that does not come before the name. */
static size_t position_of(const struct dit_page_commit *commit, struct dit_span name)
{
	size_t i = 0;

	while (i < commit->nnamed && compare_names(&commit->named[i], name) < 0) {
		i++;
	}
	return i;
}

static struct dit_commit_named *find(const struct dit_page_commit *commit,
                                     struct dit_span name)
{
	size_t i = position_of(commit, name);

	return i < commit->nnamed && compare_names(&commit->named[i], name) == 0
	               ? &commit->named[i]
	               : NULL;
}

static int insert(struct dit_page_commit *commit, struct dit_span name,
                  struct dit_commit_named **ret)
{
	size_t i = position_of(commit, name);
	char *copy = NULL;

	if (DIT_GROW(commit->named, commit->named_size, commit->nnamed + 1) < 0) {
		return -ENOMEM;
	}
	copy = malloc(name.len + 1);
	if (copy == NULL) {
		return -ENOMEM;
	}
	memcpy(copy, name.data, name.len);
	copy[name.len] = '\0';
	memmove(commit->named + i + 1, commit->named + i,
	        (commit->nnamed - i) * sizeof(*commit->named));
	commit->named[i] = (struct dit_commit_named){.name = copy, .len = name.len};
	commit->nnamed++;
	*ret = &commit->named[i];
	return 0;
}

/* slapd's main database has nothing but named ones. */
static int read_named(void *ctx, const struct dit_node_view *node)
{
	struct dit_page_commit *commit = ctx;
	struct dit_commit_named *named = NULL;
	struct dit_span name = node->key;
	int r = 0;

	if (node->flags != DIT_NODE_TREE || node->value.len != sizeof(named->stored) ||
	    !dit_name_take_nul(commit->opts.format, &name) || name.len == 0) {
		return DIT_E_CORRUPT;
	}
	r = insert(commit, name, &named);
	if (r < 0) {
		return r;
	}
	memcpy(&named->stored, node->value.data, sizeof(named->stored));
	named->tree = named->stored;
	named->is_stored = true;
	return 0;
}

int dit_commit_give_pages(void *ctx, uint64_t first, uint64_t n)
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
	const struct dit_commit_named *named = find(commit, name);

	if (named == NULL || !named->is_stored) {
		return 0;
	}
	*ret = named->stored;
	return 1;
}

struct dit_page_source *dit_page_commit_source(struct dit_page_commit *commit)
{
	return &commit->source;
}

int dit_page_commit_put(struct dit_page_commit *commit, struct dit_span name,
                        const struct dit_tree_record *tree)
{
	size_t max = dit_key_max(commit->opts.format, commit->metas.page_bytes);
	struct dit_commit_named *named = find(commit, name);
	int r = named != NULL                     ? 0
	        : name.len == 0 || name.len > max ? -EINVAL
	                                          : insert(commit, name, &named);

	if (r < 0) {
		return r;
	}
	named->tree = *tree;
	named->is_changed = true;
	return 0;
}

int dit_page_commit_drop(struct dit_page_commit *commit, struct dit_span name)
{
	struct dit_commit_named *named = find(commit, name);

	if (named == NULL || !named->is_stored) {
		return DIT_E_UNKNOWN;
	}
	named->is_changed = true;
	named->is_dropped = true;
	return 0;
}

/* A page of a tree that was written since: a free one, or one after the old end. A sealed
 * one waits for the next transaction, since a transaction seals it once (page_seal.h). */
static int take_back(struct dit_page_commit *commit, uint64_t page)
{
	int r = 0;

	if (commit->opts.format->crypto != NULL) {
		r = dit_page_set_grow(&commit->given, page + 1);
		return r == 0 && !dit_page_set_add(&commit->given, page) ? DIT_E_CORRUPT
		                                                         : r;
	}
	return dit_page_pool_add(&commit->pool, page);
}

static int drop_page(struct dit_page_commit *commit, uint64_t page)
{
	return page > dit_commit_live(commit)->last_page ||
	                       dit_page_set_has(&commit->pool.taken, page)
	               ? take_back(commit, page)
	               : dit_commit_give_pages(commit, page, 1);
}

int dit_page_commit_drop_pages(void *ctx, uint64_t first, uint64_t n)
{
	struct dit_page_commit *commit = ctx;
	int r = 0;

	(void)pthread_mutex_lock(&commit->pool.lock);
	for (uint64_t i = 0; i < n && r == 0; i++) {
		r = drop_page(commit, first + i);
	}
	(void)pthread_mutex_unlock(&commit->pool.lock);
	return r;
}

int dit_page_commit_reach(struct dit_page_commit *commit)
{
	int r = dit_page_file_drain(&commit->space.file);

	commit->source.npages =
		atomic_load_explicit(&commit->space.next_page, memory_order_relaxed);
	return r;
}

int dit_page_commit_give(struct dit_page_commit *commit, const struct dit_page_set *pages)
{
	int r = 0;

	for (uint64_t page = dit_page_set_next(pages, 0); page < pages->npages && r == 0;
	     page = dit_page_set_next(pages, page + 1)) {
		r = dit_commit_give_pages(commit, page, 1);
	}
	return r;
}

/* ---- opening ---- */

static int read_metas(struct dit_page_commit *commit)
{
	const struct dit_page_commit_opts *opts = &commit->opts;
	struct stat st;
	int r = 0;

	if (opts->oldest == DIT_COMMIT_ALONE && !opts->caller_syncs &&
	    fdatasync(opts->fd) != 0) {
		return -errno;
	}
	r = dit_metas_read(opts->fd, opts->format, &commit->metas);
	if (r < 0) {
		return r;
	}
	commit->next = dit_commit_live(commit)->transaction + 1;
	if (fstat(opts->fd, &st) != 0) {
		return -errno;
	}
	commit->file_bytes = (uint64_t)st.st_size;
	/* liblmdb knows a transaction's meta page by its number. */
	return (dit_commit_live(commit)->transaction & 1) == commit->metas.newest
	               ? 0
	               : DIT_E_CORRUPT;
}

static int make_sets(struct dit_page_commit *commit)
{
	struct dit_page_set *sets[] = {&commit->owned, &commit->given, &commit->pool.left,
	                               &commit->pool.taken};
	uint64_t npages = dit_commit_live(commit)->last_page + 1;
	int r = 0;

	if (npages > commit->file_bytes / commit->metas.page_bytes + (1u << 30)) {
		return DIT_E_CORRUPT; /* not so many pages were ever free */
	}
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]) && r == 0; i++) {
		r = dit_page_set_init(sets[i], npages);
	}
	return r;
}

static int read_free(void *ctx, const struct dit_node_view *node)
{
	struct dit_page_commit *commit = ctx;

	return dit_free_list_add(&commit->free_list, &commit->source, node,
	                         &commit->owned);
}

static void find_usable(struct dit_page_commit *commit)
{
	const struct dit_page_set *reserved = commit->opts.reserved;

	for (size_t i = 0; i < commit->free_list.nrecords; i++) {
		const struct dit_free_record *record = &commit->free_list.records[i];
		bool is_old = record->transaction <= commit->opts.oldest;

		for (size_t k = 1; k <= record->words[0]; k++) {
			uint64_t page = record->words[k];

			if (is_old ||
			    (reserved != NULL && dit_page_set_has(reserved, page))) {
				(void)dit_page_set_add(&commit->pool.left, page);
			}
		}
	}
}

static int read_trees(struct dit_page_commit *commit)
{
	const struct dit_meta *meta = dit_commit_live(commit);
	struct dit_tree_visitor visitor = {
		.pages = dit_commit_give_pages, .node = read_free, .ctx = commit};
	int r = 0;

	dit_page_source_init(&commit->source, commit->opts.fd, commit->opts.format,
	                     commit->metas.page_bytes, meta->last_page + 1);
	r = dit_tree_visit(&commit->source, &meta->free_tree, &visitor);
	visitor.node = read_named;
	r = r ?: dit_tree_visit(&commit->source, &meta->main_tree, &visitor);
	if (r == 0) {
		find_usable(commit);
	}
	return r;
}

static void open_space(struct dit_page_commit *commit)
{
	struct dit_page_space *space = &commit->space;

	commit->has_space = true;
	dit_page_space_init(space, commit->opts.format, commit->metas.page_bytes,
	                    dit_commit_live(commit)->last_page + 1);
	space->transaction = commit->next;
	space->pool = &commit->pool;
	dit_page_file_open(&space->file, commit->opts.fd, commit->opts.shared.page_writer,
	                   commit->opts.is_direct);
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
	dit_page_pool_init(&commit->pool);
	r = read_metas(commit);
	r = r ?: make_sets(commit);
	r = r ?: read_trees(commit);
	if (r == 0) {
		open_space(commit);
	}
	return DIT_HAND_OVER(r, ret, commit, dit_page_commit_close);
}

/* ---- the end ---- */

/* Pages that were written after the old end hold nothing any more. */
static void cut_file(const struct dit_page_commit *commit)
{
	struct stat st;

	if (!commit->opts.is_shared && fstat(commit->opts.fd, &st) == 0 &&
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
	if (commit->has_space && !commit->is_committed) {
		cut_file(commit);
	}
	for (size_t i = 0; i < commit->nnamed; i++) {
		free(commit->named[i].name);
	}
	free(commit->named);
	dit_free_list_deinit(&commit->free_list);
	dit_page_set_deinit(&commit->owned);
	dit_page_set_deinit(&commit->given);
	dit_page_pool_deinit(&commit->pool);
	free(commit);
}

int dit_page_commit_undo(struct dit_page_commit *commit)
{
	const struct dit_page_commit_opts *opts = &commit->opts;

	(void)dit_page_file_drain(&commit->space.file);
	if (commit->is_committed) {
		int r = dit_metas_write(opts->fd, opts->format, &commit->metas);

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
