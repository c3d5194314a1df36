/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree/tree_changes.h"

#include "page/tree_cursor.h"

static const struct dit_key_orders by_number = {
	.keys = {DIT_ORDER_NUMBERS, .bytes = sizeof(uint64_t)},
};

void dit_tree_changes_init(struct dit_tree_changes *changes,
                           const struct dit_tree_merge_opts *opts)
{
	*changes = (struct dit_tree_changes){.opts = *opts};
	changes->opts.orders = &by_number;
}

void dit_tree_changes_deinit(struct dit_tree_changes *changes)
{
	dit_tree_merge_free(changes->merge);
	dit_tree_cursor_close(changes->cursor);
	changes->merge = NULL;
	changes->cursor = NULL;
}

/* The tree can be read. */
static int end_merge(struct dit_tree_changes *changes)
{
	struct dit_page_space *space = changes->opts.space;
	int r = 0;

	if (changes->merge == NULL) {
		return 0;
	}
	r = dit_tree_merge_finish(changes->merge, &changes->opts.stored, NULL);
	dit_tree_merge_free(changes->merge);
	changes->merge = NULL;
	r = r ?: dit_page_file_drain(&space->file);
	changes->opts.source->npages =
		atomic_load_explicit(&space->next_page, memory_order_relaxed);
	return r;
}

int dit_tree_changes_find(struct dit_tree_changes *changes, uint64_t key,
                          struct dit_span *ret)
{
	const struct dit_span wanted = {(const char *)&key, sizeof(key)};
	struct dit_span found;
	int r = end_merge(changes);

	dit_tree_cursor_close(changes->cursor);
	changes->cursor = NULL;
	r = r
	            ?: dit_tree_cursor_open(&changes->cursor, changes->opts.source,
	                                    &changes->opts.stored, &by_number.keys);
	return r ?: dit_tree_cursor_find(changes->cursor, wanted, &found, ret);
}

int dit_tree_changes_put(struct dit_tree_changes *changes, uint64_t key,
                         struct dit_span value)
{
	int r = key > changes->last ? 0 : end_merge(changes);

	if (r == 0 && changes->merge == NULL) {
		r = dit_tree_merge_open(&changes->merge, &changes->opts);
	}
	changes->last = key;
	return r < 0 ? r
	             : dit_tree_merge_put(
			       changes->merge,
			       (struct dit_span){(const char *)&key, sizeof(key)}, value);
}

int dit_tree_changes_finish(struct dit_tree_changes *changes, struct dit_tree_record *ret)
{
	int r = end_merge(changes);

	if (r == 0) {
		*ret = changes->opts.stored;
	}
	return r;
}
