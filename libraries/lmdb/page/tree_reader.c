/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/tree_reader.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

#define DEPTH_MAX 32 /* LMDB's cursors go no deeper */

/* A page on the way to the leaf. */
struct level {
	struct dit_page_view view;
	unsigned slot; /* of the child that was read last */
};

struct dit_tree_reader {
	struct dit_tree_source source;
	uint64_t root;
	uint64_t npages; /* read so far */
	unsigned depth;
	bool has_begun;
	char *pages;                    /* one for each level; owned */
	struct level levels[DEPTH_MAX]; /* the root's first */
};

int dit_tree_reader_open(struct dit_tree_reader **ret,
                         const struct dit_tree_source *source,
                         const struct dit_tree_record *tree)
{
	struct dit_tree_reader *reader = NULL;
	bool is_empty = tree->root == DIT_PAGE_NONE;

	if (!is_empty && (tree->depth == 0 || tree->depth > DEPTH_MAX)) {
		return DIT_E_CORRUPT;
	}
	reader = calloc(1, sizeof(*reader));
	if (reader == NULL) {
		return -ENOMEM;
	}
	reader->source = *source;
	reader->root = tree->root;
	reader->depth = is_empty ? 0 : tree->depth;
	reader->pages = malloc((size_t)(reader->depth + 1) * source->pages->page_bytes);
	if (reader->pages == NULL) {
		free(reader);
		return -ENOMEM;
	}
	*ret = reader;
	return 0;
}

void dit_tree_reader_close(struct dit_tree_reader *reader)
{
	if (reader != NULL) {
		free(reader->pages);
		free(reader);
	}
}

static int read_page(struct dit_tree_reader *reader, uint64_t number, unsigned depth)
{
	struct dit_page_source *source = reader->source.pages;
	struct level *level = &reader->levels[depth];
	unsigned kind = depth + 1 < reader->depth ? DIT_PAGE_BRANCH : DIT_PAGE_LEAF;
	const unsigned kinds = DIT_PAGE_BRANCH | DIT_PAGE_LEAF | DIT_PAGE_OVERFLOW;
	char *page = reader->pages + (size_t)depth * source->page_bytes;
	int r = 0;

	if (number >= source->npages || reader->npages++ >= source->npages) {
		return DIT_E_CORRUPT;
	}
	r = dit_page_source_read(source, number, 1, page);
	if (r < 0) {
		return r == -ENODATA ? DIT_E_CORRUPT : r;
	}
	*level =
		(struct level){.view = {page, source->page_bytes, reader->source.format}};
	return dit_view_number(level->view) == number &&
	                       dit_view_has_bounds(level->view) &&
	                       (dit_view_flags(level->view) & kinds) == kind
	               ? 0
	               : DIT_E_CORRUPT;
}

/* From a page that has been read down to the leaf on its left. */
static int descend(struct dit_tree_reader *reader, unsigned depth)
{
	int r = 0;

	for (; depth + 1 < reader->depth && r == 0; depth++) {
		const struct level *level = &reader->levels[depth];
		struct dit_node_view node;

		if (level->slot >= dit_view_count(level->view) ||
		    dit_view_node(level->view, level->slot, &node) != DIT_NODE_FITS) {
			return DIT_E_CORRUPT;
		}
		r = read_page(reader, node.child, depth + 1);
	}
	return r;
}

int dit_tree_reader_next(struct dit_tree_reader *reader, struct dit_page_view *ret)
{
	unsigned depth = reader->depth;
	int r = 0;

	if (depth == 0) {
		return 0;
	}
	if (reader->has_begun) {
		/* The lowest page above the leaf that has more. */
		for (depth--; depth > 0; depth--) {
			struct level *level = &reader->levels[depth - 1];

			if (++level->slot < dit_view_count(level->view)) {
				break;
			}
		}
		if (depth == 0) {
			return 0;
		}
		r = descend(reader, depth - 1);
	} else {
		reader->has_begun = true;
		r = read_page(reader, reader->root, 0);
		if (r == 0) {
			r = descend(reader, 0);
		}
	}
	*ret = reader->levels[reader->depth - 1].view;
	return r < 0 ? r : 1;
}
