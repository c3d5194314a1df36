/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Probes: a walk (walk_private.h) that visits pages one at a time, as they are asked for.
 * Pages that were checked are read where the system has mapped them.
 */
#include "walk/walk_probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "walk/walk_private.h"

/* The leaf that was probed last: keys from its lowest on and below its highest are in
 * it. */
struct last_leaf {
	bool is_set;
	struct walk_place place;
};

struct dit_probe {
	struct dit_walk_opts opts;
	struct walk walk;
	struct walk_member *member;
	const char *map; /* of all pages; NULL: none yet */
	/* For each page that was visited: the page and the node that refer to it. Tree,
	 * level and bounds follow from that. A page that is referred to twice is a
	 * finding, so no descent is endless. 0: not visited */
	uint64_t *places;
	/* A bit for each page: a leaf, and so is the one after it; a list's root, and so
	 * is its first leaf; a database's root, and so is all below it. */
	_Atomic uint64_t *is_done;
	struct last_leaf *last; /* of each database */
};

/* ---- pages ---- */

static struct dit_page_view page_at(const struct dit_probe *probe, uint64_t page)
{
	const struct walk *walk = &probe->walk;

	return (struct dit_page_view){
		.bytes = probe->map + page * walk->page_bytes,
		.len = walk->page_bytes,
		.format = walk->format,
	};
}

static int result(struct dit_probe *probe)
{
	int r = atomic_load(&probe->walk.error);

	return r < 0 ? r : probe->walk.nfindings > 0 ? DIT_E_CORRUPT : 0;
}

/* Check a page, but not what is below it. */
static int visit(struct dit_probe *probe, const struct walk_place *place)
{
	struct walk *walk = &probe->walk;
	uint64_t from = place->parent << 16 | (uint16_t)place->parent_node;

	if (dit_walk_is_over(walk) ||
	    (place->page < walk->npages && probe->places[place->page] == from)) {
		return result(probe);
	}
	/* If the page was visited from elsewhere, it is in use: a finding. */
	dit_walk_visit(probe->member, place);
	if (result(probe) == 0) {
		probe->places[place->page] = from;
	}
	return result(probe);
}

/* ---- from the root to a leaf ---- */

static bool is_above(const struct walk_tree *tree, struct dit_span key,
                     struct dit_span other)
{
	if (key.data == NULL) {
		return key.len != 0;
	}
	return dit_key_compare(walk_order_of(tree), tree->list_key, key, other) >= 0;
}

static struct dit_span key_of(struct dit_page_view view, unsigned slot)
{
	struct dit_node_view node;

	return dit_view_node(view, slot, &node) == DIT_NODE_FITS ? node.key
	                                                         : DIT_SPAN("");
}

/* The child that has the key: the last one whose own key is not above it. */
static unsigned find_slot(const struct walk_tree *tree, struct dit_page_view view,
                          struct dit_span key)
{
	unsigned low = 0;
	unsigned high = dit_view_count(view) - 1;

	while (low < high) {
		unsigned middle = (low + high + 1) / 2;

		if (is_above(tree, key, key_of(view, middle))) {
			low = middle;
		} else {
			high = middle - 1;
		}
	}
	return low;
}

static struct walk_place child_of(const struct walk_place *place,
                                  struct dit_page_view view, unsigned slot)
{
	struct walk_place child = *place;
	struct dit_node_view node;

	child.level++;
	child.parent = place->page;
	child.parent_node = slot;
	child.page = dit_view_node(view, slot, &node) == DIT_NODE_FITS ? node.child : 0;
	if (slot > 0) {
		child.lowest = (struct walk_bound){true, key_of(view, slot)};
	}
	if (slot + 1 < dit_view_count(view)) {
		child.highest = (struct walk_bound){true, key_of(view, slot + 1)};
	}
	return child;
}

/* liblmdb's cursors count on the number of levels. */
static int check_depth(struct dit_probe *probe, const struct walk_tree *tree,
                       unsigned nlevels)
{
	if (nlevels != tree->record.depth) {
		dit_walk_find(&probe->walk, DIT_WALK_TREE_DEPTH, tree, tree->at_page,
		              tree->at_node,
		              "the record of the %s says that it has %u levels; it has "
		              "%u",
		              tree->role == WALK_LIST ? "list" : "tree",
		              tree->record.depth, nlevels);
	}
	return result(probe);
}

/** @param ret  the leaf */
static int descend(struct dit_probe *probe, struct walk_tree *tree, struct dit_span key,
                   struct walk_place *ret)
{
	struct walk_place place = {
		.tree = tree,
		.page = tree->record.root,
		.level = 1,
		.run = 1,
		.parent = tree->at_page,
		.parent_node = tree->at_node,
	};
	int r = visit(probe, &place);

	while (r == 0) {
		struct dit_page_view view = page_at(probe, place.page);

		if (dit_view_flags(view) != DIT_PAGE_BRANCH) {
			break;
		}
		place = child_of(&place, view, find_slot(tree, view, key));
		r = visit(probe, &place);
	}
	*ret = place;
	return r < 0 ? r : check_depth(probe, tree, place.level);
}

/* Is the key not below the last one of a leaf? */
static bool is_behind(const struct walk_tree *tree, struct dit_page_view view,
                      struct dit_span key)
{
	unsigned last = dit_view_count(view) - 1;

	return is_above(tree, key,
	                (dit_view_flags(view) & DIT_PAGE_LEAF2) != 0
	                        ? dit_view_item(view, last, tree->record.item_bytes)
	                        : key_of(view, last));
}

/* The leaf after one, which liblmdb looks at when all keys of that one are lower. */
static int look_behind(struct dit_probe *probe, struct walk_tree *tree,
                       struct dit_span key, const struct walk_place *leaf)
{
	struct walk_place next;

	if (!leaf->highest.is_set || !is_behind(tree, page_at(probe, leaf->page), key) ||
	    !dit_walk_mark(probe->is_done, leaf->page)) {
		return 0;
	}
	return descend(probe, tree, leaf->highest.key, &next);
}

/* ---- lists ---- */

/* Does the key stand in the slot of a leaf where it would have to be? */
static bool is_at(const struct walk_tree *tree, struct dit_page_view view,
                  struct dit_span key, unsigned slot)
{
	return key.data != NULL && dit_key_compare(walk_order_of(tree), tree->list_key,
	                                           key_of(view, slot), key) == 0;
}

/* All leaves of a list. */
static int descend_all(struct dit_probe *probe, struct walk_tree *list)
{
	struct walk_place leaf = {.highest = {true, DIT_PROBE_FIRST}};
	int r = 0;

	while (r == 0 && leaf.highest.is_set) {
		r = descend(probe, list, leaf.highest.key, &leaf);
	}
	return r;
}

/* Has the node a list with a tree, which can be looked at in part? */
static bool begin_list(struct dit_probe *probe, struct walk_tree *tree, uint64_t page,
                       unsigned slot, struct walk_tree *ret)
{
	const unsigned wanted = DIT_NODE_LIST | DIT_NODE_TREE;
	struct dit_tree_record record;
	struct dit_node_view node;

	if (!walk_knows_items(tree) ||
	    dit_view_node(page_at(probe, page), slot, &node) != DIT_NODE_FITS ||
	    (node.flags & wanted) != wanted || node.value.len != sizeof(record)) {
		return false;
	}
	memcpy(&record, node.value.data, sizeof(record));
	dit_walk_list_init(&probe->walk, ret, tree, &record, page, slot);
	ret->list_key = node.key;
	return true;
}

/* The way to an item in a list that has a tree of its own. */
static int probe_item(struct dit_probe *probe, struct walk_tree *tree,
                      const struct walk_place *leaf, struct dit_span key,
                      struct dit_span item)
{
	struct dit_page_view view = page_at(probe, leaf->page);
	unsigned slot = find_slot(tree, view, key);
	struct walk_tree list;
	struct walk_place place;
	int r = 0;

	if (!is_at(tree, view, key, slot) ||
	    !begin_list(probe, tree, leaf->page, slot, &list)) {
		return 0;
	}
	r = descend(probe, &list, item, &place);
	if (r == 0) {
		r = look_behind(probe, &list, item, &place);
	}
	if (r == 0 && dit_walk_mark(probe->is_done, list.record.root)) {
		r = descend(probe, &list, DIT_PROBE_FIRST, &place);
	}
	return r;
}

/* All lists of a leaf. */
static int probe_lists(struct dit_probe *probe, struct walk_tree *tree, uint64_t page)
{
	unsigned count = dit_view_count(page_at(probe, page));
	int r = 0;

	for (unsigned i = 0; i < count && r == 0; i++) {
		struct walk_tree list;

		if (begin_list(probe, tree, page, i, &list)) {
			r = descend_all(probe, &list);
		}
	}
	return r;
}

/* ---- the interface ---- */

static bool is_in_last(const struct walk_tree *tree, const struct last_leaf *last,
                       struct dit_span key)
{
	const struct walk_place *place = &last->place;

	if (!last->is_set || key.data == NULL) {
		return false;
	}
	return (!place->lowest.is_set || is_above(tree, key, place->lowest.key)) &&
	       (!place->highest.is_set || !is_above(tree, key, place->highest.key));
}

int dit_probe_key(struct dit_probe *probe, size_t database, struct dit_span key,
                  struct dit_span item)
{
	struct walk_tree *tree = NULL;
	struct last_leaf *last = NULL;
	int r = result(probe);

	if (r < 0 || database == DIT_PROBE_NONE) {
		return r;
	}
	tree = probe->walk.databases[database];
	last = &probe->last[database];
	if (tree->record.root == DIT_PAGE_NONE) {
		return 0;
	}
	if (!is_in_last(tree, last, key)) {
		last->is_set = false;
		r = descend(probe, tree, key, &last->place);
	}
	if (r == 0) {
		r = look_behind(probe, tree, key, &last->place);
	}
	if (r == 0) {
		last->is_set = true;
		r = probe_item(probe, tree, &last->place, key, item);
	}
	return r;
}

int dit_probe_all(struct dit_probe *probe, size_t database)
{
	struct walk_place leaf = {.highest = {true, DIT_PROBE_FIRST}};
	struct walk_tree *tree = NULL;
	uint64_t root = 0;
	int r = result(probe);

	if (database == DIT_PROBE_NONE) {
		return r;
	}
	tree = probe->walk.databases[database];
	root = tree->record.root;
	if (root == DIT_PAGE_NONE ||
	    (root < probe->walk.npages && dit_walk_is_marked(probe->is_done, root))) {
		return r;
	}
	while (r == 0 && leaf.highest.is_set) {
		r = descend(probe, tree, leaf.highest.key, &leaf);
		if (r == 0) {
			r = probe_lists(probe, tree, leaf.page);
		}
	}
	if (r == 0) {
		(void)dit_walk_mark(probe->is_done, root);
	}
	return r;
}

size_t dit_probe_find(const struct dit_probe *probe, const char *name)
{
	for (size_t i = 0; i < probe->walk.ndatabases; i++) {
		if (strcmp(probe->walk.databases[i]->name, name) == 0) {
			return i;
		}
	}
	return DIT_PROBE_NONE;
}

uint64_t dit_probe_count(const struct dit_probe *probe)
{
	uint64_t n = 0;

	for (size_t i = 0; i < probe->walk.ndatabases; i++) {
		n += probe->walk.databases[i]->record.nitems;
	}
	return n;
}

/* The trees that the meta page knows, and what the main tree says of the others. */
static int walk_beginning(struct dit_probe *probe)
{
	struct walk *walk = &probe->walk;
	size_t nbytes = (size_t)walk->npages * walk->page_bytes;
	size_t nwords = (size_t)(walk->npages / 64 + 1);
	int r = dit_walk_begin(walk, false);

	if (r == 0) {
		probe->places = calloc((size_t)walk->npages, sizeof(*probe->places));
		probe->is_done = calloc(nwords, sizeof(*probe->is_done));
		r = probe->places == NULL || probe->is_done == NULL
		            ? -ENOMEM
		            : dit_walk_free_tree(walk);
	}
	if (r == 0) {
		r = dit_walk_main_tree(walk);
	}
	if (r < 0) {
		return r;
	}
	for (size_t i = 0; i < walk->ndatabases; i++) {
		dit_walk_database_init(walk, walk->databases[i]);
	}
	probe->last = calloc(walk->ndatabases + 1, sizeof(*probe->last));
	probe->map = mmap(NULL, nbytes, PROT_READ, MAP_SHARED, walk->opts->fd, 0);
	if (probe->map == MAP_FAILED) {
		probe->map = NULL;
		return -errno;
	}
	walk->map = probe->map;
	walk->is_probe = true;
	return probe->last == NULL ? -ENOMEM : result(probe);
}

int dit_probe_open(struct dit_probe **ret, const struct dit_probe_opts *opts)
{
	struct dit_probe *probe = calloc(1, sizeof(*probe));
	bool is_usable = false;
	int r = 0;

	if (probe == NULL) {
		return -ENOMEM;
	}
	probe->opts = (struct dit_walk_opts){
		.fd = opts->fd,
		.transaction = DIT_WALK_NEWEST,
		.nthreads = 1,
		.order = opts->order,
		.order_ctx = opts->order_ctx,
		.found = opts->found,
		.found_ctx = opts->found_ctx,
		.stop = opts->stop,
	};
	probe->walk.opts = &probe->opts;
	r = -pthread_mutex_init(&probe->walk.lock, NULL);
	if (r < 0) {
		free(probe);
		return r;
	}
	probe->member = calloc(1, sizeof(*probe->member));
	r = probe->member == NULL ? -ENOMEM : dit_walk_metas(&probe->walk, &is_usable);
	if (r == 0) {
		r = is_usable ? walk_beginning(probe) : DIT_E_CORRUPT;
	}
	if (r < 0) {
		dit_probe_close(probe);
		return r;
	}
	probe->member->walk = &probe->walk;
	*ret = probe;
	return 0;
}

void dit_probe_close(struct dit_probe *probe)
{
	if (probe == NULL) {
		return;
	}
	if (probe->map != NULL) {
		(void)munmap((void *)probe->map,
		             (size_t)probe->walk.npages * probe->walk.page_bytes);
	}
	if (probe->walk.source.page_bytes != 0) {
		dit_page_source_deinit(&probe->walk.source);
	}
	if (probe->member != NULL) {
		dit_walk_member_deinit(probe->member);
	}
	free(probe->member);
	free(probe->places);
	free((void *)probe->is_done);
	free(probe->last);
	dit_walk_end(&probe->walk);
	free(probe);
}
