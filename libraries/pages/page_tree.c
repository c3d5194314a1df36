/* SPDX-License-Identifier: BSD-2-Clause */
/* Nodes and branch pages. */
#include "pages/page_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* ---- pages with nodes ---- */

void dit_page_begin(char *page, unsigned page_bytes, unsigned flags)
{
	struct dit_page_header *header = (struct dit_page_header *)(void *)page;

	memset(page, 0, page_bytes);
	header->flags = (uint16_t)flags;
	header->lower = sizeof(*header);
	header->upper = (uint16_t)page_bytes;
}

static size_t node_bytes(size_t key_len, size_t value_len)
{
	return (sizeof(struct dit_node_header) + key_len + value_len + 1) & ~(size_t)1;
}

static size_t slot_and_node_bytes(size_t key_len, size_t value_len)
{
	return sizeof(uint16_t) + node_bytes(key_len, value_len);
}

bool dit_page_has_room(const char *page, size_t key_len, size_t value_len)
{
	const struct dit_page_header *header = (const void *)page;

	return slot_and_node_bytes(key_len, value_len) <=
	       (size_t)(header->upper - header->lower);
}

struct dit_node_header *dit_page_add_node(char *page, struct dit_span key,
                                          size_t value_len, char **ret_value)
{
	struct dit_page_header *header = (struct dit_page_header *)(void *)page;
	uint16_t at = (uint16_t)(header->upper - node_bytes(key.len, value_len));
	struct dit_node_header *node = (struct dit_node_header *)(void *)(page + at);

	memcpy(page + header->lower, &at, sizeof(at));
	header->lower = (uint16_t)(header->lower + sizeof(at));
	header->upper = at;
	node->low = (uint16_t)value_len;
	node->high = (uint16_t)(value_len >> 16);
	node->flags = 0;
	node->key_len = (uint16_t)key.len;
	if (key.len > 0) {
		memcpy(node + 1, key.data, key.len);
	}
	*ret_value = (char *)(node + 1) + key.len;
	return node;
}

/* ---- levels ---- */

void dit_page_tree_init(struct dit_page_tree *tree, struct dit_page_sink *sink)
{
	*tree = (struct dit_page_tree){.sink = sink};
}

void dit_page_tree_deinit(struct dit_page_tree *tree)
{
	for (unsigned i = 0; i < DIT_TREE_LEVELS; i++) {
		if (tree->levels[i] != NULL) {
			free(tree->levels[i]->page);
			free(tree->levels[i]);
		}
	}
	*tree = (struct dit_page_tree){.sink = NULL};
}

static bool is_empty(const struct dit_tree_level *level)
{
	return dit_page_count(level->page) == 0;
}

void dit_page_tree_reset(struct dit_page_tree *tree)
{
	for (unsigned i = 0; i < tree->nlevels; i++) {
		struct dit_tree_level *level = tree->levels[i];

		level->nheld = 0;
		if (!is_empty(level)) {
			dit_page_begin(level->page, tree->sink->space->page_bytes,
			               DIT_PAGE_BRANCH);
		}
	}
	tree->nlevels = 0;
	tree->nleaf_pages = 0;
	tree->nbranch_pages = 0;
}

static int get_level(struct dit_page_tree *tree, unsigned number,
                     struct dit_tree_level **ret)
{
	struct dit_tree_level *level = NULL;

	if (number >= DIT_TREE_LEVELS) {
		return DIT_E_TOOLONG;
	}
	level = tree->levels[number];
	if (level == NULL) {
		level = calloc(1, sizeof(*level));
		if (level == NULL) {
			return -ENOMEM;
		}
		tree->levels[number] = level;
	}
	if (level->page == NULL) {
		level->page = malloc(tree->sink->space->page_bytes);
		if (level->page == NULL) {
			return -ENOMEM;
		}
		dit_page_begin(level->page, tree->sink->space->page_bytes,
		               DIT_PAGE_BRANCH);
	}
	if (number >= tree->nlevels) {
		tree->nlevels = number + 1;
	}
	*ret = level;
	return 0;
}

static void copy_child(struct dit_tree_child *to, uint64_t ticket, struct dit_span key)
{
	to->ticket = ticket;
	to->key_len = (uint16_t)key.len;
	if (key.len > 0) {
		memcpy(to->key, key.data, key.len);
	}
}

static struct dit_span key_of(const struct dit_tree_child *child)
{
	return (struct dit_span){child->key, child->key_len};
}

static int add_child(struct dit_page_tree *tree, unsigned number, uint64_t ticket,
                     struct dit_span key);

/* Hand the open page to the sink and to the level above; begin an empty one. */
static int finish_page(struct dit_page_tree *tree, unsigned number)
{
	struct dit_tree_level *level = tree->levels[number];
	unsigned page_bytes = tree->sink->space->page_bytes;
	uint64_t ticket = 0;
	int r = dit_page_sink_put(tree->sink, level->page, &ticket);

	if (r < 0) {
		return r;
	}
	dit_page_begin(level->page, page_bytes, DIT_PAGE_BRANCH);
	tree->nbranch_pages++;
	return add_child(tree, number + 1, ticket, key_of(&level->lowest));
}

static bool fits(const struct dit_tree_level *level, const struct dit_tree_child *child)
{
	return dit_page_has_room(level->page, is_empty(level) ? 0 : child->key_len, 0);
}

/* Put a child into the open page, which has room for it. */
static void place(struct dit_tree_level *level, const struct dit_tree_child *child)
{
	struct dit_span key = key_of(child);
	struct dit_node_header *node = NULL;
	char *none = NULL;

	if (is_empty(level)) {
		copy_child(&level->lowest, 0, key);
		key.len = 0; /* nothing is ever compared with it */
	}
	node = dit_page_add_node(level->page, key, 0, &none);
	node->low = (uint16_t)child->ticket;
	node->high = (uint16_t)(child->ticket >> 16);
	node->flags = (uint16_t)(child->ticket >> 32);
}

static int add_child(struct dit_page_tree *tree, unsigned number, uint64_t ticket,
                     struct dit_span key)
{
	struct dit_tree_level *level = NULL;
	int r = get_level(tree, number, &level);

	if (r == 0 && level->nheld == 2) {
		if (!fits(level, &level->held[0])) {
			r = finish_page(tree, number);
		}
		if (r < 0) {
			return r;
		}
		place(level, &level->held[0]);
		level->held[0] = level->held[1];
		level->nheld = 1;
	}
	if (r == 0) {
		copy_child(&level->held[level->nheld++], ticket, key);
	}
	return r;
}

int dit_page_tree_add(struct dit_page_tree *tree, uint64_t ticket, struct dit_span key)
{
	tree->nleaf_pages++;
	return add_child(tree, 0, ticket, key);
}

/* Both held children go into one page: the open one or another. */
static int finish_level(struct dit_page_tree *tree, unsigned number)
{
	struct dit_tree_level *level = tree->levels[number];
	const struct dit_page_header *header = (const void *)level->page;
	size_t need = slot_and_node_bytes(level->held[0].key_len, 0) +
	              slot_and_node_bytes(level->held[1].key_len, 0);
	int r = 0;

	if (!is_empty(level) && need > (size_t)(header->upper - header->lower)) {
		r = finish_page(tree, number);
	}
	if (r < 0) {
		return r;
	}
	place(level, &level->held[0]);
	place(level, &level->held[1]);
	return finish_page(tree, number);
}

int dit_page_tree_finish(struct dit_page_tree *tree, struct dit_tree_record *ret)
{
	int r = 0;

	ret->root = DIT_PAGE_NONE;
	ret->depth = 0;
	for (unsigned number = 0; number < tree->nlevels; number++) {
		struct dit_tree_level *level = tree->levels[number];

		if (level->nheld == 1 && is_empty(level)) {
			ret->root = level->held[0].ticket;
			ret->depth = (uint16_t)(number + 1);
			break;
		}
		r = finish_level(tree, number);
		if (r < 0) {
			return r;
		}
	}
	ret->nbranch_pages = tree->nbranch_pages;
	ret->nleaf_pages = tree->nleaf_pages;
	ret->noverflow_pages = 0;
	return 0;
}
