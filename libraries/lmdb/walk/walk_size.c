/* SPDX-License-Identifier: BSD-2-Clause */
/* The size of a database: its keys, pages and bytes, those of its lists included. */
#include "walk/walk_private.h"

static void add(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* In a packed page lower counts two bytes for each item, whatever their size. */
static uint64_t used_bytes(struct dit_page_view view)
{
	if ((dit_view_flags(view) & DIT_PAGE_LEAF2) != 0) {
		return view.format->header_bytes +
		       (uint64_t)dit_view_count(view) * dit_view_item_bytes(view);
	}
	return view.len - (dit_view_upper(view) - dit_view_lower(view));
}

void dit_walk_size_page(struct walk_tree *tree, struct dit_page_view view)
{
	struct walk_tree *database = tree->database;
	bool is_branch = (dit_view_flags(view) & DIT_PAGE_BRANCH) != 0;

	add(is_branch ? &database->all_branches : &database->all_leaves, 1);
	add(&database->used_bytes, used_bytes(view));
	if (!is_branch && tree == database) {
		add(&database->nkeys, dit_view_count(view));
	}
}

void dit_walk_size_overflow(struct walk_tree *tree, uint64_t npages, uint64_t used)
{
	add(&tree->database->all_overflows, npages);
	add(&tree->database->used_bytes, used);
}

void dit_walk_tell_sizes(struct walk *walk)
{
	if (!walk_wants_sizes(walk)) {
		return;
	}
	for (size_t i = 0; i < walk->ndatabases; i++) {
		struct walk_tree *tree = walk->databases[i];
		const struct dit_walk_size size = {
			.name = tree->name,
			.flags = tree->record.flags,
			.depth = atomic_load(&tree->depth),
			.nkeys = atomic_load(&tree->nkeys),
			.nitems = atomic_load(&tree->nitems),
			.nbranches = atomic_load(&tree->all_branches),
			.nleaves = atomic_load(&tree->all_leaves),
			.noverflows = atomic_load(&tree->all_overflows),
			.used_bytes = atomic_load(&tree->used_bytes),
		};

		walk->opts->size(walk->opts->size_ctx, &size);
	}
}
