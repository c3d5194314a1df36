/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader/entry_changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "tree/tree_diff.h"

struct dit_id_node {
	uint64_t id;
	size_t at; /* of the value's bytes */
	uint32_t len;
	bool is_newer;
};

static int add_changed(struct dit_entry_changes *changes, uint64_t id)
{
	return DIT_APPEND(changes->ids, changes->ids_size, changes->nids, id);
}

/* A record of id2e: key and value, or the place of a long value's pages. */
static int note_entry(void *ctx, bool is_newer, const struct dit_node_view *node)
{
	struct dit_entry_changes *changes = ctx;

	if (DIT_GROW(changes->nodes, changes->nodes_size, changes->nnodes + 1) < 0) {
		return -ENOMEM;
	}
	if (node->key.len != sizeof(uint64_t)) {
		return DIT_E_CORRUPT;
	}
	if (DIT_GROW(changes->bytes, changes->bytes_size,
	             changes->nbytes + node->value.len + sizeof(uint32_t)) < 0) {
		return -ENOMEM;
	}
	changes->nodes[changes->nnodes] = (struct dit_id_node){
		.at = changes->nbytes,
		.len = (uint32_t)(node->value.len + sizeof(uint32_t)),
		.is_newer = is_newer};
	memcpy(&changes->nodes[changes->nnodes].id, node->key.data, sizeof(uint64_t));
	memcpy(changes->bytes + changes->nbytes, &node->value_len, sizeof(uint32_t));
	memcpy(changes->bytes + changes->nbytes + sizeof(uint32_t), node->value.data,
	       node->value.len);
	changes->nbytes += changes->nodes[changes->nnodes++].len;
	return 0;
}

/* A record of id2v: some values of an entry. */
static int note_split(void *ctx, bool is_newer, const struct dit_node_view *node)
{
	uint64_t id = 0;

	(void)is_newer;
	if (node->key.len < sizeof(id)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&id, node->key.data, sizeof(id));
	return add_changed(ctx, id);
}

static int find_pages(const struct dit_page_source *source,
                      const struct dit_tree_record *tree, struct dit_page_set *ret)
{
	int r = dit_page_set_init(ret, source->npages);

	return r < 0 ? r : dit_tree_pages(source, tree, false, ret);
}

int dit_entry_changes_begin(struct dit_entry_changes *changes,
                            const struct dit_entry_trees *oldest,
                            const struct dit_page_source *source)
{
	int r = 0;

	changes->older = *oldest;
	r = find_pages(source, &oldest->entries, &changes->entry_pages);
	return r < 0 ? r : find_pages(source, &oldest->split, &changes->split_pages);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct dit_id_node *x = a;
	const struct dit_id_node *y = b;

	return DIT_ORDER_OF(x->id, y->id) ?: DIT_ORDER_OF(x->is_newer, y->is_newer);
}

/* An entry that lies in leaves of both versions, with the same value, is the same. */
static int compare_entries(struct dit_entry_changes *changes)
{
	int r = 0;

	if (changes->nnodes == 0) {
		return 0;
	}
	qsort(changes->nodes, changes->nnodes, sizeof(*changes->nodes), compare_nodes);
	for (size_t i = 0; i < changes->nnodes && r == 0; i++) {
		const struct dit_id_node *older = &changes->nodes[i];
		const struct dit_id_node *newer = older + 1;

		if (i + 1 < changes->nnodes && newer->id == older->id) {
			i++;
			if (older->len == newer->len &&
			    memcmp(changes->bytes + older->at, changes->bytes + newer->at,
			           older->len) == 0) {
				continue;
			}
		}
		r = add_changed(changes, older->id);
	}
	return r;
}

int dit_entry_changes_find(struct dit_entry_changes *changes,
                           const struct dit_entry_trees *newer,
                           const struct dit_page_source *source)
{
	const struct dit_tree_follower entries = {
		.pages = &changes->entry_pages, .node = note_entry, .ctx = changes};
	const struct dit_tree_follower split = {
		.pages = &changes->split_pages, .node = note_split, .ctx = changes};
	size_t n = 0;
	int r = 0;

	changes->nids = 0;
	changes->nnodes = 0;
	changes->nbytes = 0;
	r = dit_tree_follow(source, &changes->older.entries, &newer->entries, &entries);
	r = r ?: compare_entries(changes);
	r = r ?: dit_tree_follow(source, &changes->older.split, &newer->split, &split);
	changes->older = *newer;
	if (r < 0 || changes->nids == 0) {
		return r;
	}
	qsort(changes->ids, changes->nids, sizeof(*changes->ids), dit_compare_ids);
	for (size_t i = 0; i < changes->nids; i++) {
		if (n == 0 || changes->ids[n - 1] != changes->ids[i]) {
			changes->ids[n++] = changes->ids[i];
		}
	}
	changes->nids = n;
	return 0;
}

void dit_entry_changes_deinit(struct dit_entry_changes *changes)
{
	dit_page_set_deinit(&changes->entry_pages);
	dit_page_set_deinit(&changes->split_pages);
	free(changes->nodes);
	free(changes->bytes);
	free(changes->ids);
	*changes = (struct dit_entry_changes){0};
}
