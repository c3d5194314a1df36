/* SPDX-License-Identifier: BSD-2-Clause */
/* The step of a commit: the two small trees, syncs, the meta page. */
#include "commit/page_commit_impl.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "page/lmdb_format.h"
#include "system/file_io.h"
#include "tree/table_writer.h"

static int write_main_tree(struct dit_page_commit *commit, struct dit_tree_record *ret)
{
	struct dit_table_writer *writer = NULL;
	int r = dit_table_writer_new(&writer, &commit->space, 0);

	for (size_t i = 0; i < commit->nnamed && r == 0; i++) {
		const struct dit_commit_named *named = &commit->named[i];
		struct dit_node_view node = {
			.flags = DIT_NODE_TREE,
			.key = {named->name,
		                named->len + commit->opts.format->names_have_nul},
			.value = {(const char *)&named->tree, sizeof(named->tree)}};

		if (!named->is_dropped) {
			r = dit_table_writer_copy(writer, &node);
		}
	}
	r = r ?: dit_table_writer_finish(writer, ret);
	dit_table_writer_free(writer);
	return r;
}

/* Free pages into the tail, if there are some. */
static void add_rows(struct dit_page_commit *commit, struct dit_page_pool *tail,
                     uint64_t least, uint64_t npages)
{
	struct dit_page_run row;

	while (npages > 0 && dit_page_pool_take(&commit->pool, least, npages, &row) > 0) {
		(void)dit_page_set_add_run(&tail->left, row.first, row.n);
		npages -= row.n;
	}
}

/* Reserve contiguous pages for a record of the free list, if it is a long one. @return
 * its bytes in the leaf */
static uint64_t add_record(struct dit_page_commit *commit, struct dit_page_pool *tail,
                           uint64_t nfree)
{
	uint64_t len = (nfree + 1) * sizeof(uint64_t);
	unsigned page_bytes = commit->metas.page_bytes;
	uint64_t npages = dit_overflow_pages(commit->opts.format, len, page_bytes);

	if (len < page_bytes / 2) {
		return len + 2 * sizeof(uint64_t) + sizeof(uint16_t);
	}
	add_rows(commit, tail, npages, npages);
	return 3 * sizeof(uint64_t);
}

/*
 * Where the free list goes. Its pages are taken before it is written, since it says which
 * pages are free: rows of free pages, most likely enough of them, whose rest stays free.
 * The others go after the end of the file: not all, or the file would grow with each
 * commit, and another process may have mapped it as far as it goes.
 *
 * As if all records changed, and one more came.
 */
static int choose_tail(struct dit_page_commit *commit, struct dit_page_pool *tail)
{
	uint64_t leaf_bytes = 0;
	uint64_t npages = 0;
	int r = dit_page_set_init(&tail->left, commit->pool.left.npages);

	if (r < 0) {
		return r;
	}
	for (size_t i = 0; i < commit->free_list.nrecords; i++) {
		leaf_bytes +=
			add_record(commit, tail, commit->free_list.records[i].words[0]);
	}
	/* Leaves are half full at least. */
	npages = 4 + leaf_bytes / (commit->metas.page_bytes / 2);
	npages += npages / 16;
	add_rows(commit, tail, 1, npages);
	(void)add_record(commit, tail, commit->given.count + tail->left.count);
	return 0;
}

/* Pages of the tail that the free list does not take belong into the list, too. */
static int write_free_list(struct dit_page_commit *commit,
                           const struct dit_page_pool *tail, struct dit_tree_record *ret)
{
	if (dit_free_list_take(&commit->free_list, &commit->pool.taken) !=
	    commit->pool.taken.count) {
		return DIT_E_CORRUPT;
	}
	return dit_free_list_write(&commit->free_list, &commit->space, &commit->given,
	                           &tail->left, ret);
}

/* Pages after the old end that no tree took again. */
static int give_again(struct dit_page_commit *commit)
{
	struct dit_page_set *usable = &commit->pool.left;
	uint64_t end = dit_commit_live(commit)->last_page + 1;
	int r = dit_page_set_grow(&commit->given, usable->npages);

	for (uint64_t page = dit_page_set_next(usable, end);
	     r == 0 && page < usable->npages; page = dit_page_set_next(usable, page)) {
		dit_page_set_remove(usable, page);
		(void)dit_page_set_add(&commit->given, page);
	}
	return r;
}

static int write_trees(struct dit_page_commit *commit, struct dit_meta *meta)
{
	struct dit_page_pool tail;
	struct dit_tree_record main_tree = meta->main_tree;
	struct dit_tree_record free_tree = meta->free_tree;
	int r = give_again(commit);

	dit_page_pool_init(&tail);
	r = r ?: write_main_tree(commit, &main_tree);
	r = r ?: choose_tail(commit, &tail);
	commit->space.pool = &tail;
	r = r ?: write_free_list(commit, &tail, &free_tree);
	commit->space.pool = &commit->pool;
	dit_page_pool_deinit(&tail);
	meta->main_tree = main_tree;
	/* LMDB reads its keys as numbers whatever a damaged meta page says. */
	free_tree.flags |= DIT_DB_INTEGERKEY;
	free_tree.flags |= meta->free_tree.flags & DIT_META_ENCRYPTED;
	meta->free_tree = free_tree;
	return r;
}

static int sync_file(const struct dit_page_commit *commit)
{
	return commit->opts.caller_syncs || fdatasync(commit->opts.fd) == 0 ? 0 : -errno;
}

/* All pages but the meta page, which is written after them. */
static int sync_pages(const struct dit_page_commit *commit)
{
	int r = commit->opts.caller_syncs
	                ? 0
	                : dit_sync_pieces(commit->opts.fd, dit_page_commit_bytes(commit),
	                                  NULL, commit->opts.shared.ticker);

	return r < 0 ? r : sync_file(commit);
}

static int write_meta(struct dit_page_commit *commit, const struct dit_meta *meta)
{
	struct dit_metas metas = commit->metas;
	sigset_t previous;
	int r = 0;

	metas.list[meta->transaction & 1] = *meta;
	if (commit->next == DIT_FIRST_TRANSACTION) {
		metas.list[metas.newest].map_bytes = meta->map_bytes;
	}
	dit_file_size_signal_block(&previous);
	commit->is_committed = true;
	r = dit_metas_write(commit->opts.fd, commit->opts.format, &metas);
	dit_file_size_signal_restore(&previous);
	return r < 0 ? r : sync_file(commit);
}

int dit_page_commit_write(struct dit_page_commit *commit)
{
	struct dit_meta meta = *dit_commit_live(commit);
	uint64_t max_bytes = commit->opts.max_bytes;
	int r = dit_page_file_drain(&commit->space.file);

	r = r ?: write_trees(commit, &meta);
	r = r ?: dit_page_file_drain(&commit->space.file);
	if (r == 0 && max_bytes != 0 && dit_page_commit_bytes(commit) > max_bytes) {
		r = DIT_E_FULL;
	}
	r = r ?: sync_pages(commit);
	if (r < 0) {
		return r;
	}
	meta.last_page =
		atomic_load_explicit(&commit->space.next_page, memory_order_relaxed) - 1;
	meta.transaction = commit->next;
	if (meta.map_bytes < commit->opts.map_bytes) {
		meta.map_bytes = commit->opts.map_bytes;
	}
	if (meta.map_bytes < dit_page_commit_bytes(commit)) {
		meta.map_bytes = dit_page_commit_bytes(commit);
	}
	return write_meta(commit, &meta);
}
