/* SPDX-License-Identifier: BSD-2-Clause */
/* Branch pages. */
#include "tree/page_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "page/page_nodes.h"

/* ---- levels ---- */

void dit_page_tree_deinit(struct dit_page_tree *tree)
{
	for (unsigned i = 0; i < DIT_TREE_LEVELS; i++) {
		free(tree->levels[i]);
	}
	free(tree->row);
	*tree = (struct dit_page_tree){.sink = NULL};
}

static const struct dit_page_format *format_of(const struct dit_page_tree *tree)
{
	return tree->sink->space->format;
}

static bool is_empty(const struct dit_page_tree *tree, const struct dit_page_level *level)
{
	return dit_page_count(format_of(tree), level->page) == 0;
}

static void begin_page(const struct dit_page_tree *tree, struct dit_page_level *level)
{
	dit_page_begin(format_of(tree), level->page, tree->sink->space->page_bytes,
	               DIT_PAGE_BRANCH);
}

void dit_page_tree_reset(struct dit_page_tree *tree)
{
	for (unsigned i = 0; i < tree->nlevels; i++) {
		struct dit_page_level *level = tree->levels[i];

		level->nheld = 0;
		if (!is_empty(tree, level)) {
			begin_page(tree, level);
		}
	}
	tree->nlevels = 0;
	tree->nleaf_pages = 0;
	tree->nbranch_pages = 0;
}

static struct dit_page_level *level_new(const struct dit_page_tree *tree)
{
	unsigned page_bytes = tree->sink->space->page_bytes;
	size_t key_max = dit_key_max(format_of(tree), page_bytes);
	struct dit_page_level *level =
		calloc(1, sizeof(*level) + page_bytes + 4 * key_max);
	char *keys = NULL;

	if (level == NULL) {
		return NULL;
	}
	keys = level->page + page_bytes;
	level->held[0].key = keys;
	level->held[1].key = keys + key_max;
	level->held[2].key = keys + 2 * key_max;
	level->lowest.key = keys + 3 * key_max;
	begin_page(tree, level);
	return level;
}

static int get_level(struct dit_page_tree *tree, unsigned number,
                     struct dit_page_level **ret)
{
	if (number >= DIT_TREE_LEVELS) {
		return DIT_E_TOOLONG;
	}
	for (; tree->nlevels <= number; tree->nlevels++) {
		if (tree->levels[tree->nlevels] == NULL) {
			tree->levels[tree->nlevels] = level_new(tree);
		}
		if (tree->levels[tree->nlevels] == NULL) {
			return -ENOMEM;
		}
	}
	*ret = tree->levels[number];
	return 0;
}

static void copy_child(struct dit_tree_child *to, uint64_t ticket, struct dit_span key)
{
	to->ticket = ticket;
	to->key_len = key.len;
	if (key.len > 0) {
		memcpy(to->key, key.data, key.len);
	}
}

static struct dit_span key_of(const struct dit_tree_child *child)
{
	return (struct dit_span){child->key, child->key_len};
}

/* Hand the open page to the sink and to the level above; begin an empty one. */
static int finish_page(struct dit_page_tree *tree, unsigned number)
{
	struct dit_page_level *level = tree->levels[number];
	uint64_t ticket = 0;
	int r = dit_page_sink_put(tree->sink, level->page, &ticket);

	if (r < 0) {
		return r;
	}
	begin_page(tree, level);
	tree->nbranch_pages++;
	return dit_page_tree_add_page(tree, number + 1, ticket, key_of(&level->lowest));
}

static bool fits(const struct dit_page_tree *tree, const struct dit_page_level *level,
                 const struct dit_tree_child *child)
{
	return dit_page_has_room(format_of(tree), level->page,
	                         is_empty(tree, level) ? 0 : child->key_len, 0);
}

/* Put a child into the open page, which has room for it. */
static void put_child(const struct dit_page_tree *tree, struct dit_page_level *level,
                      const struct dit_tree_child *child)
{
	struct dit_span key = key_of(child);
	struct dit_node_header *node = NULL;
	char *none = NULL;

	if (is_empty(tree, level)) {
		copy_child(&level->lowest, 0, key);
		key.len = 0; /* nothing is ever compared with it */
	}
	node = dit_page_add_node(format_of(tree), level->page, key, 0, &none);
	node->low = (uint16_t)child->ticket;
	node->high = (uint16_t)(child->ticket >> 16);
	node->flags = (uint16_t)(child->ticket >> 32);
}

int dit_page_tree_add_page(struct dit_page_tree *tree, unsigned number, uint64_t ticket,
                           struct dit_span key)
{
	struct dit_page_level *level = NULL;
	struct dit_tree_child first;
	/* It may come from a stored page. */
	int r = key.len > dit_key_max(format_of(tree), tree->sink->space->page_bytes)
	                ? DIT_E_CORRUPT
	                : get_level(tree, number, &level);

	if (r < 0) {
		return r;
	}
	/* First, since it may lie in a page that the sink writes now. */
	copy_child(&level->held[level->nheld], ticket, key);
	if (level->nheld < 2) {
		level->nheld++;
		return 0;
	}
	if (!fits(tree, level, &level->held[0])) {
		r = finish_page(tree, number);
	}
	if (r < 0) {
		return r;
	}
	first = level->held[0];
	put_child(tree, level, &first);
	level->held[0] = level->held[1];
	level->held[1] = level->held[2];
	level->held[2] = first; /* its room for a key is free again */
	return 0;
}

/* ---- parts ---- */

static int add_to_row(struct dit_page_tree *tree, uint64_t ticket, struct dit_span key)
{
	uint16_t key_len = (uint16_t)key.len;
	size_t len = sizeof(ticket) + sizeof(key_len) + key.len;
	char *at = NULL;

	if (DIT_GROW(tree->row, tree->row_size, tree->row_len + len) < 0) {
		return -ENOMEM;
	}
	at = tree->row + tree->row_len;
	memcpy(at, &ticket, sizeof(ticket));
	memcpy(at + sizeof(ticket), &key_len, sizeof(key_len));
	memcpy(at + sizeof(ticket) + sizeof(key_len), key.data, key.len);
	tree->row_len += len;
	return 0;
}

/* @return after the leaf */
static const char *read_row(const char *at, uint64_t *ret_ticket,
                            struct dit_span *ret_key)
{
	uint16_t key_len = 0;

	memcpy(ret_ticket, at, sizeof(*ret_ticket));
	memcpy(&key_len, at + sizeof(*ret_ticket), sizeof(key_len));
	*ret_key = (struct dit_span){at + sizeof(*ret_ticket) + sizeof(key_len), key_len};
	return ret_key->data + key_len;
}

struct dit_span dit_page_tree_part_key(const struct dit_page_tree *part)
{
	struct dit_span key = {NULL, 0};
	uint64_t ticket = 0;

	if (part->row_len > 0) {
		(void)read_row(part->row, &ticket, &key);
	}
	return key;
}

int dit_page_tree_take(struct dit_page_tree *tree, const struct dit_page_tree *part)
{
	const char *at = part->row;
	int r = 0;

	while (r == 0 && at < part->row + part->row_len) {
		struct dit_span key;
		uint64_t ticket = 0;

		at = read_row(at, &ticket, &key);
		ticket = dit_page_sink_number(part->sink, ticket) | DIT_TICKET_IS_PAGE;
		r = dit_page_tree_add(tree, ticket, key);
	}
	return r;
}

/* ---- the tree ---- */

int dit_page_tree_add(struct dit_page_tree *tree, uint64_t ticket, struct dit_span key)
{
	tree->nleaf_pages++;
	return tree->is_part ? add_to_row(tree, ticket, key)
	                     : dit_page_tree_add_page(tree, 0, ticket, key);
}

/* Both held children go into one page: the open one or another. */
static int finish_level(struct dit_page_tree *tree, unsigned number)
{
	struct dit_page_level *level = tree->levels[number];
	const struct dit_page_format *format = format_of(tree);
	size_t need = dit_slot_and_node_bytes(format, level->held[0].key_len, 0) +
	              dit_slot_and_node_bytes(format, level->held[1].key_len, 0);
	int r = 0;

	if (!is_empty(tree, level) && need > dit_page_room(format, level->page)) {
		r = finish_page(tree, number);
	}
	if (r < 0) {
		return r;
	}
	put_child(tree, level, &level->held[0]);
	put_child(tree, level, &level->held[1]);
	return finish_page(tree, number);
}

int dit_page_tree_end_branch(struct dit_page_tree *tree, unsigned level)
{
	int r = 0;

	if (level >= tree->nlevels || tree->levels[level]->nheld != 2) {
		return DIT_E_CORRUPT;
	}
	r = finish_level(tree, level);
	tree->levels[level]->nheld = 0;
	return r;
}

unsigned dit_page_tree_held(const struct dit_page_tree *tree, unsigned level)
{
	return level < tree->nlevels ? tree->levels[level]->nheld : 0;
}

void dit_page_tree_pop(struct dit_page_tree *tree, unsigned level,
                       struct dit_tree_child *ret)
{
	const struct dit_tree_child *child =
		&tree->levels[level]->held[--tree->levels[level]->nheld];

	copy_child(ret, child->ticket, key_of(child));
}

int dit_page_tree_finish(struct dit_page_tree *tree, struct dit_tree_record *ret)
{
	int r = 0;

	ret->root = DIT_PAGE_NONE;
	ret->depth = 0;
	for (unsigned number = 0; number < tree->nlevels; number++) {
		struct dit_page_level *level = tree->levels[number];

		if (level->nheld == 0) {
			continue; /* its branch pages have been ended */
		}
		if (level->nheld == 1 && is_empty(tree, level)) {
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
