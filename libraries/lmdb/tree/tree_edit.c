/* SPDX-License-Identifier: BSD-2-Clause */
/* Descend to a leaf; write its nodes again, into one page or into two. */
#include "tree/tree_edit.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/whole_io.h"
#include "page/page_nodes.h"
#include "page/tree_place.h"

#define KEY_BYTES sizeof(uint64_t)

static const struct dit_key_order by_number = {DIT_ORDER_NUMBERS, .bytes = KEY_BYTES};

/* A page on the way to the last key. */
struct step {
	char *bytes; /* owned; NULL: not needed yet */
	uint64_t number;
	struct dit_tree_level level; /* its slot is the one to take */
	bool is_changed;
};

struct dit_tree_edit {
	int fd;
	struct dit_page_space *space;
	const struct dit_page_format *format;
	unsigned page_bytes;
	struct dit_tree_record *tree;
	struct step steps[DIT_TREE_DEPTH_MAX]; /* 0: the leaf */
	char *old;   /* a page while it is written again; owned */
	char *right; /* the second part of one; owned */
	char *value; /* of pages of its own; owned */
	size_t value_size;
	uint64_t *spare; /* owned */
	size_t nspare;
	size_t spare_size;
};

/* A node that is to stand in a page. */
struct new_node {
	struct dit_node_header header;
	struct dit_span key;
	struct dit_span value; /* what lies in the page */
};

int dit_tree_edit_open(struct dit_tree_edit **ret, int fd, struct dit_page_space *space,
                       struct dit_tree_record *tree)
{
	struct dit_tree_edit *edit = calloc(1, sizeof(*edit));

	if (edit == NULL) {
		return -ENOMEM;
	}
	edit->fd = fd;
	edit->space = space;
	edit->format = space->format;
	edit->page_bytes = space->page_bytes;
	edit->tree = tree;
	edit->old = malloc(edit->page_bytes);
	edit->right = malloc(edit->page_bytes);
	if (edit->old == NULL || edit->right == NULL) {
		free(edit->old);
		free(edit->right);
		free(edit);
		return -ENOMEM;
	}
	*ret = edit;
	return 0;
}

/* ---- pages ---- */

static struct dit_page_view view_of(const struct dit_tree_edit *edit, const char *bytes)
{
	return (struct dit_page_view){bytes, edit->page_bytes, edit->format};
}

static uint64_t take_pages(struct dit_tree_edit *edit, uint64_t n)
{
	return atomic_fetch_add_explicit(&edit->space->next_page, n,
	                                 memory_order_relaxed);
}

static int write_page(const struct dit_tree_edit *edit, const char *bytes,
                      uint64_t number)
{
	return dit_write_at(edit->fd, bytes, edit->page_bytes, number * edit->page_bytes);
}

static int write_step(struct dit_tree_edit *edit, struct step *step)
{
	int r = step->is_changed ? write_page(edit, step->bytes, step->number) : 0;

	step->is_changed = false;
	return r;
}

/* DIT_E_CORRUPT: the file ends before. */
static int read_at(const struct dit_tree_edit *edit, char *bytes, size_t len,
                   uint64_t page)
{
	ssize_t n = dit_read_at(edit->fd, bytes, len, page * edit->page_bytes);

	if (n < 0) {
		return (int)n;
	}
	return (size_t)n == len ? 0 : DIT_E_CORRUPT;
}

static int read_step(struct dit_tree_edit *edit, unsigned height, uint64_t number)
{
	struct step *step = &edit->steps[height];
	unsigned kind = height == 0 ? DIT_PAGE_LEAF : DIT_PAGE_BRANCH;
	struct dit_page_view view;
	int r = 0;

	if (step->bytes == NULL) {
		step->bytes = malloc(edit->page_bytes);
	}
	if (step->bytes == NULL) {
		return -ENOMEM;
	}
	r = write_step(edit, step);
	step->number = DIT_PAGE_NONE;
	if (r == 0) {
		r = read_at(edit, step->bytes, edit->page_bytes, number);
	}
	if (r < 0) {
		return r;
	}
	view = view_of(edit, step->bytes);
	if (!dit_view_is_page(view, number) || dit_view_flags(view) != kind ||
	    dit_view_count(view) == 0) {
		return DIT_E_CORRUPT;
	}
	step->number = number;
	return 0;
}

static int load(struct dit_tree_edit *edit, unsigned height, uint64_t number)
{
	struct step *step = &edit->steps[height];
	int r = step->bytes != NULL && step->number == number
	                ? 0
	                : read_step(edit, height, number);

	if (r == 0) {
		step->level.view = view_of(edit, step->bytes);
		step->level.count = dit_view_count(step->level.view);
	}
	return r;
}

int dit_tree_edit_close(struct dit_tree_edit *edit, uint64_t **ret_spare, size_t *ret_n)
{
	int r = 0;

	for (unsigned i = 0; i < DIT_TREE_DEPTH_MAX; i++) {
		if (edit->steps[i].bytes != NULL && r == 0) {
			r = write_step(edit, &edit->steps[i]);
		}
		free(edit->steps[i].bytes);
	}
	*ret_spare = edit->spare;
	*ret_n = edit->nspare;
	free(edit->old);
	free(edit->right);
	free(edit->value);
	free(edit);
	return r;
}

/* ---- down the tree ---- */

/* To the leaf's slot of a key, or where it is to stand. 1; 0: no node has the key */
static int descend(struct dit_tree_edit *edit, uint64_t key, struct dit_node_view *ret)
{
	const struct dit_span wanted = {(const char *)&key, sizeof(key)};
	struct dit_tree_level *level = &edit->steps[0].level;
	uint64_t number = edit->tree->root;
	unsigned height = edit->tree->depth;
	int r = 0;

	if (number == DIT_PAGE_NONE) {
		return 0;
	}
	if (height == 0 || height > DIT_TREE_DEPTH_MAX) {
		return DIT_E_CORRUPT;
	}
	while (--height > 0 && r == 0) {
		struct dit_tree_level *branch = &edit->steps[height].level;

		r = load(edit, height, number);
		if (r == 0) {
			/* The first key of a branch page is empty, below all others. */
			r = dit_tree_level_skip(branch, 1, &by_number, wanted, true);
		}
		if (r == 0) {
			branch->slot--;
			r = dit_tree_level_node(branch, ret);
			number = ret->child;
		}
	}
	if (r == 0) {
		r = load(edit, 0, number);
	}
	if (r == 0) {
		r = dit_tree_level_skip(level, 0, &by_number, wanted, false);
	}
	if (r < 0 || level->slot == level->count) {
		return r;
	}
	r = dit_tree_level_node(level, ret);
	return r < 0 ? r : dit_span_eq(ret->key, wanted);
}

/* ---- values with pages of their own ---- */

static int make_room(struct dit_tree_edit *edit, size_t size)
{
	char *value = NULL;

	if (size <= edit->value_size) {
		return 0;
	}
	value = realloc(edit->value, size);
	if (value == NULL) {
		return -ENOMEM;
	}
	edit->value = value;
	edit->value_size = size;
	return 0;
}

static uint64_t run_of(const struct dit_tree_edit *edit, size_t len)
{
	return dit_overflow_pages(edit->format, len, edit->page_bytes);
}

static int find_run(const struct dit_tree_edit *edit, const struct dit_node_view *node,
                    struct dit_big_value *ret)
{
	if (node->value.len != edit->format->big_node_bytes) {
		return DIT_E_CORRUPT;
	}
	*ret = (struct dit_big_value){.first_page = 0};
	memcpy(ret, node->value.data, node->value.len);
	ret->npages = run_of(edit, node->value_len); /* as many as we have made */
	return 0;
}

static int read_long(struct dit_tree_edit *edit, const struct dit_node_view *node,
                     struct dit_span *ret)
{
	size_t header_bytes = edit->format->header_bytes;
	struct dit_big_value big = {.first_page = 0};
	int r = find_run(edit, node, &big);

	if (r == 0) {
		r = make_room(edit, header_bytes + node->value_len);
	}
	if (r == 0) {
		r = read_at(edit, edit->value, header_bytes + node->value_len,
		            big.first_page);
	}
	*ret = (struct dit_span){edit->value + header_bytes, node->value_len};
	return r;
}

int dit_tree_edit_find(struct dit_tree_edit *edit, uint64_t key, struct dit_span *ret)
{
	struct dit_node_view node = {.child = 0};
	int r = descend(edit, key, &node);

	if (r <= 0) {
		return r;
	}
	if ((node.flags & DIT_NODE_BIG) == 0) {
		*ret = node.value;
		return 1;
	}
	r = read_long(edit, &node, ret);
	return r < 0 ? r : 1;
}

static int spare_run(struct dit_tree_edit *edit, const struct dit_big_value *big)
{
	uint64_t *spare = dit_grow(edit->spare, &edit->spare_size,
	                           edit->nspare + big->npages, sizeof(*spare));

	if (spare == NULL) {
		return -ENOMEM;
	}
	edit->spare = spare;
	for (uint64_t i = 0; i < big->npages; i++) {
		spare[edit->nspare++] = big->first_page + i;
	}
	return 0;
}

static void begin_header(const struct dit_tree_edit *edit, char *page, uint64_t number)
{
	memcpy(page, &number, sizeof(number));
	if (edit->format->has_transactions) {
		memcpy(page + DIT_PAGE_TRANSACTION_AT, &edit->space->transaction,
		       sizeof(edit->space->transaction));
	}
}

/* @param big  tells where, and how many pages */
static int write_long(struct dit_tree_edit *edit, const struct dit_big_value *big,
                      struct dit_span value)
{
	size_t header_bytes = edit->format->header_bytes;
	size_t size = big->npages * edit->page_bytes;
	struct dit_page_words words = {
		.flags = DIT_PAGE_OVERFLOW,
		.lower = (uint16_t)big->npages,
		.upper = (uint16_t)(big->npages >> 16),
	};
	int r = make_room(edit, size);

	if (r < 0) {
		return r;
	}
	dit_page_set_words(edit->format, edit->value, &words);
	begin_header(edit, edit->value, big->first_page);
	memcpy(edit->value + header_bytes, value.data, value.len);
	memset(edit->value + header_bytes + value.len, 0,
	       size - header_bytes - value.len);
	return dit_write_at(edit->fd, edit->value, size,
	                    big->first_page * edit->page_bytes);
}

/*
 * Where a long value goes: into the pages of the old one, if that had as many; else into
 * new ones. The old ones are spare then.
 */
static int place_long(struct dit_tree_edit *edit, const struct dit_node_view *old,
                      size_t len, struct dit_big_value *ret)
{
	bool is_long = len > 0;
	uint64_t npages = is_long ? run_of(edit, len) : 0;
	struct dit_big_value old_run = {.first_page = 0};
	int r = 0;

	if ((old->flags & DIT_NODE_BIG) != 0) {
		r = find_run(edit, old, &old_run);
		if (r < 0) {
			return r;
		}
		if (npages == old_run.npages) {
			*ret = old_run;
			return 0;
		}
		r = spare_run(edit, &old_run);
		edit->tree->noverflow_pages -= old_run.npages;
	}
	if (r == 0 && is_long) {
		*ret = (struct dit_big_value){.first_page = take_pages(edit, npages),
		                              .transaction = edit->space->transaction,
		                              .npages = npages};
		edit->tree->noverflow_pages += npages;
	}
	return r;
}

/* ---- pages written again ---- */

static struct new_node node_at(struct dit_page_view view, unsigned slot)
{
	struct new_node ret = {.key = {NULL, 0}};
	struct dit_node_view node = {.at = 0};

	(void)dit_view_node(view, slot, &node); /* all of them were looked at */
	memcpy(&ret.header, view.bytes + node.at, sizeof(ret.header));
	ret.key = node.key;
	ret.value = node.value;
	return ret;
}

static bool are_nodes(struct dit_page_view view)
{
	struct dit_node_view node;

	for (unsigned i = 0; i < dit_view_count(view); i++) {
		if (dit_view_node(view, i, &node) != DIT_NODE_FITS) {
			return false;
		}
	}
	return true;
}

/* There must be room. */
static void append(const struct dit_tree_edit *edit, char *page,
                   const struct new_node *node)
{
	char *value = NULL;
	struct dit_node_header *header =
		dit_page_add_node(edit->format, page, node->key, node->value.len, &value);

	*header = node->header;
	header->key_len = (uint16_t)node->key.len;
	if (node->value.len > 0) {
		memcpy(value, node->value.data, node->value.len);
	}
}

static void begin_page(const struct dit_tree_edit *edit, char *page, uint64_t number,
                       unsigned flags)
{
	dit_page_begin(edit->format, page, edit->page_bytes, flags);
	begin_header(edit, page, number);
}

/* The nodes that a page is to have: its old ones, and a new one. */
struct new_page {
	struct dit_page_view old;
	unsigned slot;     /* of the new node */
	unsigned nskipped; /* 1: it takes the place of the one there; 0: it is one more */
	const struct new_node *node;
	unsigned count;
};

static struct new_node nth(const struct new_page *new_page, unsigned i)
{
	if (i == new_page->slot) {
		return *new_page->node;
	}
	return node_at(new_page->old,
	               i > new_page->slot ? i - 1 + new_page->nskipped : i);
}

static size_t bytes_of(const struct dit_tree_edit *edit, const struct new_page *new_page,
                       unsigned first, unsigned end)
{
	size_t bytes = 0;

	for (unsigned i = first; i < end; i++) {
		struct new_node node = nth(new_page, i);

		bytes += dit_slot_and_node_bytes(edit->format, node.key.len,
		                                 node.value.len);
	}
	return bytes;
}

/*
 * How many nodes the left part gets. It ends with the new node, or, if that has no room,
 * before it: keys come in ascending order, so the next one goes into the right part, and
 * the left one is as full as it will be. The right part always fits: two nodes of any
 * size fit a page. A branch page has two children at least; its nodes are all of one
 * size.
 */
static unsigned where_to_cut(const struct dit_tree_edit *edit,
                             const struct new_page *new_page, unsigned height)
{
	size_t room = edit->page_bytes - edit->format->header_bytes;
	unsigned n = new_page->slot + 1;

	if (bytes_of(edit, new_page, 0, new_page->count) <= room) {
		return new_page->count;
	}
	if (height == 0) {
		return bytes_of(edit, new_page, 0, n) <= room ? n : n - 1;
	}
	return n > new_page->count - 2 ? new_page->count - 2 : n;
}

static void fill(const struct dit_tree_edit *edit, char *page,
                 const struct new_page *new_page, unsigned first, unsigned end)
{
	bool is_branch =
		(dit_page_words(edit->format, page)->flags & DIT_PAGE_BRANCH) != 0;

	for (unsigned i = first; i < end; i++) {
		struct new_node node = nth(new_page, i);

		if (i == first && is_branch) {
			node.key.len = 0;
		}
		append(edit, page, &node);
	}
}

static int insert_child(struct dit_tree_edit *edit, unsigned height, uint64_t key,
                        uint64_t child);

/* Write a page again, or two in its place. */
static int change_page(struct dit_tree_edit *edit, unsigned height,
                       struct new_page *new_page)
{
	struct step *step = &edit->steps[height];
	unsigned flags = height == 0 ? DIT_PAGE_LEAF : DIT_PAGE_BRANCH;
	unsigned cut = 0;
	struct new_node first = {.key = {NULL, 0}};
	uint64_t key = 0;
	uint64_t number = 0;

	memcpy(edit->old, step->bytes, edit->page_bytes);
	new_page->old = view_of(edit, edit->old);
	if (!are_nodes(new_page->old)) {
		return DIT_E_CORRUPT;
	}
	new_page->count = dit_view_count(new_page->old) + 1 - new_page->nskipped;
	cut = where_to_cut(edit, new_page, height);
	begin_page(edit, step->bytes, step->number, flags);
	fill(edit, step->bytes, new_page, 0, cut);
	step->is_changed = true;
	if (cut == new_page->count) {
		return 0;
	}
	first = nth(new_page, cut);
	if (first.key.data == NULL || first.key.len != sizeof(key)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&key, first.key.data, sizeof(key));
	number = take_pages(edit, 1);
	begin_page(edit, edit->right, number, flags);
	fill(edit, edit->right, new_page, cut, new_page->count);
	return insert_child(edit, height, key, number);
}

static struct new_node node_of_child(uint64_t child, struct dit_span key)
{
	return (struct new_node){.header = {.low = (uint16_t)child,
	                                    .high = (uint16_t)(child >> 16),
	                                    .flags = (uint16_t)(child >> 32)},
	                         .key = key};
}

/* The root was cut in two: a branch page above both. */
static int grow_root(struct dit_tree_edit *edit, uint64_t key, uint64_t child)
{
	unsigned height = edit->tree->depth;
	struct step *step = &edit->steps[height];
	struct new_node first = node_of_child(edit->tree->root, DIT_SPAN(""));
	struct new_node second =
		node_of_child(child, (struct dit_span){(const char *)&key, sizeof(key)});

	if (height == DIT_TREE_DEPTH_MAX) {
		return DIT_E_TOOLONG;
	}
	step->bytes = malloc(edit->page_bytes);
	if (step->bytes == NULL) {
		return -ENOMEM;
	}
	step->number = take_pages(edit, 1);
	step->is_changed = true;
	begin_page(edit, step->bytes, step->number, DIT_PAGE_BRANCH);
	append(edit, step->bytes, &first);
	append(edit, step->bytes, &second);
	edit->tree->root = step->number;
	edit->tree->depth++;
	edit->tree->nbranch_pages++;
	return 0;
}

/* The page of this height was cut in two; its right part goes to the disk. */
static int insert_child(struct dit_tree_edit *edit, unsigned height, uint64_t key,
                        uint64_t child)
{
	struct new_node node =
		node_of_child(child, (struct dit_span){(const char *)&key, sizeof(key)});
	int r = write_page(edit, edit->right, child);

	if (r < 0) {
		return r;
	}
	if (height == 0) {
		edit->tree->nleaf_pages++;
	} else {
		edit->tree->nbranch_pages++;
	}
	if (height + 1u == edit->tree->depth) {
		return grow_root(edit, key, child);
	}
	return change_page(
		edit, height + 1,
		&(struct new_page){.slot = edit->steps[height + 1].level.slot + 1,
	                           .node = &node});
}

/* A tree without pages: an empty leaf. */
static int plant(struct dit_tree_edit *edit)
{
	struct step *leaf = &edit->steps[0];

	leaf->bytes = malloc(edit->page_bytes);
	if (leaf->bytes == NULL) {
		return -ENOMEM;
	}
	leaf->number = take_pages(edit, 1);
	leaf->level.slot = 0;
	begin_page(edit, leaf->bytes, leaf->number, DIT_PAGE_LEAF);
	edit->tree->root = leaf->number;
	edit->tree->depth = 1;
	edit->tree->nleaf_pages = 1;
	return 0;
}

/*
 * Where the node of a key is to stand.
 *
 * @param ret_old  the node that is there, if it has the key
 */
static int find_place(struct dit_tree_edit *edit, uint64_t key, struct new_page *ret,
                      struct dit_node_view *ret_old)
{
	struct dit_node_view node = {.child = 0};
	int r = edit->tree->root == DIT_PAGE_NONE ? plant(edit)
	                                          : descend(edit, key, &node);

	if (r < 0) {
		return r;
	}
	ret->slot = edit->steps[0].level.slot;
	ret->nskipped = (unsigned)r;
	if (r == 1) {
		*ret_old = node;
	} else {
		edit->tree->nitems++;
	}
	return 0;
}

int dit_tree_edit_put(struct dit_tree_edit *edit, uint64_t key, struct dit_span value)
{
	unsigned node_max = dit_node_max(edit->format, edit->page_bytes);
	bool is_long = dit_node_bytes(edit->format, KEY_BYTES, value.len) > node_max;
	struct dit_big_value big = {.first_page = 0};
	struct dit_node_view old = {.flags = 0};
	struct new_node node = {
		.header = {.low = (uint16_t)value.len,
	                   .high = (uint16_t)(value.len >> 16),
	                   .flags = is_long ? DIT_NODE_BIG : 0},
		.key = {(const char *)&key, sizeof(key)},
		.value = value,
	};
	struct new_page new_page = {.node = &node};
	int r = find_place(edit, key, &new_page, &old);

	if (r == 0) {
		r = place_long(edit, &old, is_long ? value.len : 0, &big);
	}
	if (r == 0 && is_long) {
		node.value = (struct dit_span){(const char *)&big,
		                               edit->format->big_node_bytes};
		r = write_long(edit, &big, value);
	}
	return r < 0 ? r : change_page(edit, 0, &new_page);
}
