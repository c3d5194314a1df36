/* SPDX-License-Identifier: BSD-2-Clause */
#include "page/tree_visit.h"

#include "base/error.h"
#include "page/tree_position.h"

struct visit {
	struct dit_tree_reading reading;
	int (*node)(void *ctx, const struct dit_node_view *node);
	struct dit_tree_position position;
	struct dit_tree_position list; /* of a node */
};

static int tell(struct visit *visit, uint64_t page)
{
	const struct dit_tree_reading *reading = &visit->reading;
	int r = reading->pages == NULL ? 0 : reading->pages(reading->ctx, page, 1);

	return r < 0 ? r : 0;
}

/* Each node of the lowest open level. */
static int visit_nodes(struct visit *visit, struct dit_tree_position *position,
                       int (*fn)(struct visit *visit, const struct dit_node_view *node))
{
	struct dit_node_view node;
	int r = dit_tree_position_first(position);

	while (r > 0) {
		r = dit_tree_level_node(dit_tree_position_end(position), &node);
		r = r ?: fn(visit, &node);
		r = r ?: dit_tree_position_next(position);
	}
	return r;
}

static int tell_leaf(struct visit *visit, const struct dit_node_view *node)
{
	return tell(visit, node->child);
}

/* The pages of a tree, of which leaves are not read. */
static int visit_branches(struct visit *visit, struct dit_tree_position *position,
                          const struct dit_tree_record *tree)
{
	int r = dit_tree_position_set(position, tree);

	if (r < 0 || position->depth < 2) {
		return r == 0 && position->depth == 1 ? tell(visit, position->root) : r;
	}
	position->nlevels = position->depth - 1;
	return visit_nodes(visit, position, tell_leaf);
}

static int visit_node(struct visit *visit, const struct dit_node_view *node)
{
	struct dit_tree_record list;
	uint64_t npages = 0;
	int r = visit->node == NULL ? 0 : visit->node(visit->reading.ctx, node);

	r = r ?: dit_tree_count_value(&visit->reading, node, &npages);
	/* A named database in the main tree has a tree, too, which is no list. */
	if (r != 0 || (node->flags & DIT_NODE_LIST) == 0 ||
	    (node->flags & DIT_NODE_TREE) == 0) {
		return r;
	}
	if (node->value.len != sizeof(list)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&list, node->value.data, sizeof(list));
	return visit_branches(visit, &visit->list, &list);
}

static int visit_tree(struct visit *visit, const struct dit_tree_record *tree)
{
	int r = dit_tree_position_set(&visit->position, tree);

	return r < 0 ? r : visit_nodes(visit, &visit->position, visit_node);
}

int dit_tree_visit(const struct dit_page_source *source,
                   const struct dit_tree_record *tree,
                   const struct dit_tree_visitor *visitor)
{
	struct visit visit = {
		.reading = {.source = source,
	                    .pages = visitor->pages,
	                    .ctx = visitor->ctx},
		.node = visitor->node,
		.position = {.reading = &visit.reading},
		.list = {.reading = &visit.reading},
	};
	int r = visitor->skips_leaves ? visit_branches(&visit, &visit.position, tree)
	                              : visit_tree(&visit, tree);

	dit_tree_position_deinit(&visit.position);
	dit_tree_position_deinit(&visit.list);
	return r;
}
