/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries have changed between a snapshot and a newer state of the database.
 *
 *   struct dit_entry_changes changes = {0};
 *   dit_entry_changes_begin();
 *   dit_entry_changes_find();  look at ids;   ... again, with a state that is newer still
 *   dit_entry_changes_deinit()
 *
 * The two versions of id2e are walked together, and those of id2v (tree_diff.h), so the
 * cost of a search is that of the changes. Which pages the first version has is found
 * before.
 *
 * Threads: an object belongs to one thread.
 */
#ifndef DITKIT_ENTRY_CHANGES_H
#define DITKIT_ENTRY_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "page/page_set.h"
#include "page/tree_visit.h"

struct dit_id_node;

/** Where a state has its entries. */
struct dit_entry_trees {
	struct dit_tree_record entries; /* id2e */
	struct dit_tree_record split;   /* id2v */
};

/** Zero is an empty one. */
struct dit_entry_changes {
	uint64_t *ids; /* of the last search's entries; ascending, distinct; owned */
	size_t nids;

	/* The search's own: nodes of id2e in leaves that only one version has. */
	struct dit_entry_trees older;    /* of the last state so far */
	struct dit_page_set entry_pages; /* of its id2e */
	struct dit_page_set split_pages; /* of its id2v */
	struct dit_id_node *nodes;
	size_t nnodes;
	size_t nodes_size;
	char *bytes; /* of their values */
	size_t nbytes;
	size_t bytes_size;
	size_t ids_size;
};

/**
 * Once, before the first search. Returns as dit_entry_changes_find().
 *
 * @param oldest  the first state. From then on, until the last search has ended, no page
 *                is used again that this state or a later one has
 * @param source  reads its pages
 */
int dit_entry_changes_begin(struct dit_entry_changes *changes,
                            const struct dit_entry_trees *oldest,
                            const struct dit_page_source *source);

/**
 * Find the entries that were added, changed or removed since the last state, which is now
 * the newer one.
 *
 * @param source  reads the pages of both
 *
 * @return 0; DIT_E_CORRUPT; -ENOMEM, -errno of reading. After an error there are no more
 *         searches
 */
int dit_entry_changes_find(struct dit_entry_changes *changes,
                           const struct dit_entry_trees *newer,
                           const struct dit_page_source *source);

/** Free what it holds. */
void dit_entry_changes_deinit(struct dit_entry_changes *changes);

#endif
