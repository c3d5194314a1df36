/* SPDX-License-Identifier: BSD-2-Clause */
#include "tree/tree_changes.h"

#include <stdlib.h>

#include "page/long_value.h"
#include "page/tree_position.h"

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
	free(changes->found);
	changes->merge = NULL;
	changes->found = NULL;
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

/* 1: the position has the node of the key; 0: there is none; errors */
static int seek(struct dit_tree_changes *changes, struct dit_tree_position *position,
                uint64_t key, struct dit_node_view *ret)
{
	const struct dit_span wanted = {(const char *)&key, sizeof(key)};
	int r = dit_tree_position_set(position, &changes->opts.stored);

	r = r ?: dit_tree_position_seek(position, &by_number.keys, wanted);
	if (r <= 0) {
		return r;
	}
	r = dit_tree_level_node(dit_tree_position_end(position), ret);
	return r < 0 ? r : dit_span_eq(ret->key, wanted);
}

int dit_tree_changes_find(struct dit_tree_changes *changes, uint64_t key,
                          struct dit_span *ret)
{
	struct dit_tree_reading reading = {.source = changes->opts.source};
	struct dit_tree_position position = {.reading = &reading};
	struct dit_node_view node;
	int r = end_merge(changes);

	free(changes->found);
	changes->found = NULL;
	r = r ?: seek(changes, &position, key, &node);
	if (r > 0) {
		r = dit_node_value_read(reading.source, &node, &changes->found);
		*ret = (struct dit_span){changes->found, node.value_len};
		r = r < 0 ? r : 1;
	}
	dit_tree_position_deinit(&position);
	return r;
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
