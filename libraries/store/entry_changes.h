/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Which entries have changed between a snapshot and a newer state of the database.
 *
 *   struct dit_entry_changes changes = {0};
 *   dit_entry_changes_begin();  dit_entry_changes_find();  look at ids;
 *   dit_entry_changes_deinit()
 *
 * The two versions of id2e are walked together, and those of id2v (tree_diff.h), so the
 * cost of the search is that of the changes. Which pages the older version has is found
 * before, while others may still write.
 *
 * Threads: an object belongs to one thread.
 */
#ifndef DITKIT_ENTRY_CHANGES_H
#define DITKIT_ENTRY_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include "pages/page_commit.h"
#include "pages/page_set.h"
#include "pages/tree_visit.h"

struct dit_id_node;
struct dit_snapshot;

/** Zero is an empty one. */
struct dit_entry_changes {
	uint64_t *ids; /* of the entries; ascending, distinct; owned */
	size_t nids;

	/* Of the search: nodes of id2e in leaves that only one version has. */
	const struct dit_snapshot *older;
	struct dit_page_set entry_pages; /* of the older id2e */
	struct dit_page_set split_pages; /* of the older id2v */
	struct dit_id_node *nodes;
	size_t nnodes;
	size_t nodes_size;
	char *bytes; /* of their values */
	size_t nbytes;
	size_t bytes_size;
	size_t ids_size;
};

/**
 * Once, before the search. Returns as dit_entry_changes_find().
 *
 * @param older   the snapshot; its pages stay as they are until the search has ended
 * @param source  reads its pages
 */
int dit_entry_changes_begin(struct dit_entry_changes *changes,
                            const struct dit_snapshot *older,
                            const struct dit_tree_source *source);

/**
 * Find the entries that were added, changed or removed. Once.
 *
 * @param commit  names the trees of the newer state
 * @param source  reads the pages of both
 *
 * @return 0; DIT_E_CORRUPT; -ENOMEM, -errno of reading
 */
int dit_entry_changes_find(struct dit_entry_changes *changes,
                           const struct dit_page_commit *commit,
                           const struct dit_tree_source *source);

/** Free what it holds. */
void dit_entry_changes_deinit(struct dit_entry_changes *changes);

#endif
