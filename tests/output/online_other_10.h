/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The other process of online_fixture.h, with a database of LMDB 1.0, which the liblmdb
 * at hand does not know: it opens the database, and locks and commits as liblmdb 1.0.1
 * does, with what page_commit.h and tree_merge.h offer. It gives out pages that were free
 * before the oldest reader, and does not sync.
 */
#ifndef DITKIT_ONLINE_OTHER_10_H
#define DITKIT_ONLINE_OTHER_10_H

#include "commit/page_commit.h"
#include "files/data_seal.h"
#include "locks/reader_table.h"
#include "page/page_source.h"
#include "reader/stored_order.h"
#include "store_fixture.h"
#include "tree/tree_merge.h"

struct other_10 {
	char path[4200];
	int data_fd;
	int lock_fd;
	struct dit_reader_table table;
	struct dit_page_commit *commit; /* NULL: no transaction */
};

static inline void other_10_must(int r)
{
	if (r != 0) {
		(void)fprintf(stderr, "the other process: %d\n", r);
		_exit(11);
	}
}

static inline void other_10_open(struct other_10 *other, const char *dir)
{
	*other = (struct other_10){.commit = NULL};
	(void)snprintf(other->path, sizeof(other->path), "%s",
	               fixture_path(dir, "data.mdb"));
	other->data_fd = open(other->path, O_RDWR);
	other->lock_fd = open(fixture_path(dir, "lock.mdb"), O_RDWR);
	other_10_must(dit_reader_table_join(&other->table, other->lock_fd,
	                                    dit_data_format_10(fixture_sealed), NULL));
	other_10_must(dit_reader_table_open(&other->table, other->data_fd, NULL));
}

static inline void other_10_close(struct other_10 *other)
{
	dit_reader_table_close(&other->table);
	other_10_must(close(other->data_fd));
	other_10_must(close(other->lock_fd));
}

static inline void other_10_begin(struct other_10 *other)
{
	struct dit_page_commit_opts opts = {.fd = other->data_fd,
	                                    .format = dit_data_format_10(fixture_sealed),
	                                    .is_shared = true,
	                                    .caller_syncs = true};

	other_10_must(dit_reader_table_lock(&other->table, other->data_fd, 60000, NULL));
	opts.oldest = dit_reader_table_last(&other->table);
	other_10_must(dit_reader_table_oldest(&other->table, &opts.oldest, NULL));
	opts.oldest--;
	other_10_must(dit_page_commit_open(&other->commit, &opts));
	if (dit_page_commit_transaction(other->commit) !=
	    dit_reader_table_last(&other->table)) {
		other_10_must(-ESTALE);
	}
}

static inline void other_10_end(struct other_10 *other, bool is_changed)
{
	if (is_changed) {
		other_10_must(dit_page_commit_write(other->commit));
		dit_reader_table_set_last(&other->table,
		                          dit_page_commit_transaction(other->commit) + 1);
	}
	dit_page_commit_close(other->commit);
	other->commit = NULL;
	dit_reader_table_unlock(&other->table);
}

static inline struct dit_tree_record other_10_tree(const struct other_10 *other,
                                                   const char *name)
{
	struct dit_tree_record tree = {.root = 0};

	other_10_must(dit_page_commit_find(other->commit, dit_span_of(name), &tree) - 1);
	return tree;
}

/* A table is changed, until other_10_finish(). */
static inline struct dit_tree_merge *other_10_merge(const struct other_10 *other,
                                                    const char *name,
                                                    struct dit_key_orders *orders)
{
	struct dit_tree_merge_opts opts = {.space = dit_page_commit_space(other->commit),
	                                   .source =
	                                           dit_page_commit_source(other->commit),
	                                   .stored = other_10_tree(other, name),
	                                   .list_max = 1000000,
	                                   .orders = orders,
	                                   .dropped = dit_page_commit_drop_pages,
	                                   .ctx = other->commit};
	struct dit_tree_merge *merge = NULL;

	dit_stored_orders(name, opts.stored.flags, orders);
	other_10_must(dit_tree_merge_open(&merge, &opts));
	return merge;
}

/* The stored ones may lie at odd places. */
static inline bool other_10_has(struct dit_span stored, uint64_t id)
{
	bool is_there = false;

	for (size_t i = 0; i < stored.len && !is_there; i += sizeof(id)) {
		is_there = memcmp(stored.data + i, &id, sizeof(id)) == 0;
	}
	return is_there;
}

/* IDs that the list of a key does not have. @return their number */
static inline size_t other_10_leave_stored(const struct other_10 *other, const char *name,
                                           uint32_t key, uint64_t *ids, size_t n)
{
	struct dit_tree_record tree = other_10_tree(other, name);
	struct dit_tree_cursor *cursor = NULL;
	struct dit_key_orders orders;
	struct dit_page_source map;
	struct dit_span wanted = {(const char *)&key, sizeof(key)};
	struct dit_span found;
	struct dit_span list;
	size_t nleft = n;
	int r = 0;

	dit_stored_orders(name, tree.flags, &orders);
	other_10_must(dit_page_source_open(&map, other->data_fd,
	                                   dit_data_format_10(fixture_sealed), NULL));
	other_10_must(dit_tree_cursor_open(&cursor, &map, &tree, &orders.keys));
	r = dit_tree_cursor_find_list(cursor, wanted, &found, &list);
	for (; r > 0; r = dit_tree_cursor_more_items(cursor, &list)) {
		size_t kept = 0;

		for (size_t i = 0; i < nleft; i++) {
			if (!other_10_has(list, ids[i])) {
				ids[kept++] = ids[i];
			}
		}
		nleft = kept;
	}
	other_10_must(r);
	dit_tree_cursor_close(cursor);
	dit_page_source_close(&map);
	return nleft;
}

static inline void other_10_finish(const struct other_10 *other, const char *name,
                                   struct dit_tree_merge *merge)
{
	struct dit_tree_record tree;

	other_10_must(dit_tree_merge_finish(merge, &tree, NULL));
	dit_tree_merge_free(merge);
	other_10_must(dit_page_commit_put(other->commit, dit_span_of(name), &tree));
}

#endif
