/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tree checked record by record, after its sums did not agree (check_tree_sums.h):
 * dn2i against itself, and against the IDs of id2e.
 *
 * A node has a record of its own, which names its parent, and a record under its parent,
 * which names the node: both say the same. The record under the parent counts the nodes
 * of the subtree: one more than those of the node's children together. Each node has a
 * record in id2e, and each record there a node; an empty one is a hole, which is told as
 * a note.
 *
 *   dn2i ──▶ records under parents ──▶ sorted by the node's ID ─┐
 *   dn2i ──▶ nodes' own records, in the order of IDs ───────────┼─▶ compared
 *   id2e ──▶ IDs ───────────────────────────────────────────────┘
 *
 * Counts that agree everywhere leave no room for a circle of parents. Where something
 * else is wrong, circles are looked for, with 17 bytes of memory for each node.
 */
#include "check/check_content.h"

#include <stdio.h>
#include <string.h>

#include <xxhash.h>

#include "base/error.h"
#include "base/ids.h"
#include "check/check_loops.h"
#include "codec/name_codec.h"
#include "sort/sort.h"

#define ID_BYTES    sizeof(uint64_t)
#define ARENA_BYTES 4096

/* All records under one key. */
struct node {
	uint64_t id;
	bool has_self;
	struct dit_name self;
	uint64_t nbelow; /* nodes in the subtrees of its children */
};

/* A record under a parent, as it waits for its node. */
struct child {
	uint64_t parent;
	uint64_t nsubs;
	XXH128_hash_t digest; /* of both names */
};

struct tree_check {
	struct dit_check_member *member;
	struct dit_arena arena;      /* the own record of the node at hand */
	struct dit_sorter *children; /* by ID of the child */
	bool has_found;              /* something about the tree */

	/* The records of dn2i that are read. */
	struct dit_tree_cursor *nodes;
	bool is_first_pass;
	int state; /* 1: there is a record ahead; 0: end; an error */
	struct dit_span key;
	struct dit_span value;

	/* The records ahead in the second pass. */
	struct node node;
	int node_state;
	struct dit_sort_record child_record;
	int child_state;
	struct dit_tree_cursor *entries;
	struct dit_span entry_key;
	struct dit_span entry;
	int entry_state;
};

static XXH128_hash_t digest_of(const struct dit_name *name)
{
	/* The NUL between them is in the record. */
	size_t len = name->norm.len + 1 + name->pretty.len;

	return XXH3_128bits(name->norm.data, len);
}

/* ---- findings ---- */

#define FIND(check, kind, id, ...)                                                       \
 do {                                                                                    \
  (check)->has_found = true;                                                             \
  DIT_CHECK_FIND_AT((check)->member, (kind), "dn2i", (id), __VA_ARGS__);                 \
 } while (0)

static unsigned long long number(uint64_t n)
{
	return n;
}

/* ---- the records of a node ---- */

static void next_record(struct tree_check *check)
{
	check->state =
		dit_stop_is_set(check->member->content->stop)
			? DIT_E_STOPPED
			: dit_tree_cursor_next(check->nodes, &check->key, &check->value);
}

static int push_child(struct tree_check *check, uint64_t parent,
                      const struct dit_name *name)
{
	struct child child = {
		.parent = parent, .nsubs = name->nsubs, .digest = digest_of(name)};
	char key[ID_BYTES];

	dit_be_put(key, name->id, ID_BYTES);
	return dit_sorter_push(check->children, 0, (struct dit_span){key, sizeof(key)},
	                       (struct dit_span){(const char *)&child, sizeof(child)});
}

static void find_record(struct tree_check *check, uint64_t id)
{
	if (check->is_first_pass) {
		FIND(check, DIT_CHECK_NAME_RECORD, id,
		     "a record of %zu bytes is none of the tree's", check->value.len);
	}
}

static int take_child(struct tree_check *check, struct node *node,
                      const struct dit_name *name)
{
	if (name->id == 0) {
		find_record(check, node->id);
		return 0;
	}
	node->nbelow += name->nsubs;
	return check->is_first_pass ? push_child(check, node->id, name) : 0;
}

/* The record, which was decoded before, is needed when the cursor has moved. */
static int take_self(struct tree_check *check, struct node *node)
{
	struct dit_span kept;

	if (node->has_self) {
		if (check->is_first_pass) {
			FIND(check, DIT_CHECK_NAME_SELF, node->id,
			     "the node has more than one record of its own");
		}
		return 0;
	}
	kept = dit_arena_copy(&check->arena, check->value);
	if (kept.data == NULL) {
		return -ENOMEM;
	}
	node->has_self = true;
	return dit_name_decode(kept, &node->self);
}

static int take_record(struct tree_check *check, struct node *node)
{
	struct dit_name name;

	if (node->id == 0 && dit_name_is_dummy(check->value)) {
		node->has_self = true;
		return 0;
	}
	if (dit_name_decode(check->value, &name) < 0 ||
	    (node->id == 0 && !name.is_child)) {
		find_record(check, node->id);
		return 0;
	}
	if (name.is_child) {
		return take_child(check, node, &name);
	}
	return take_self(check, node);
}

static void check_self(struct tree_check *check, const struct node *node)
{
	if (node->has_self || !check->is_first_pass) {
		return;
	}
	if (node->id == 0) {
		FIND(check, DIT_CHECK_NAME_ROOT, 0, "the root has no record of its own");
	} else {
		FIND(check, DIT_CHECK_NAME_SELF, node->id,
		     "the node has no record of its own");
	}
}

/* 1; 0: there is no further node; an error. */
static int next_node(struct tree_check *check, struct node *ret)
{
	struct dit_span key = {(const char *)&ret->id, ID_BYTES};
	int r = 0;

	if (check->state <= 0) {
		return check->state;
	}
	dit_arena_reset(&check->arena);
	*ret = (struct node){.id = 0};
	if (check->key.len != ID_BYTES) {
		return DIT_E_CORRUPT; /* the structure was checked before */
	}
	memcpy(&ret->id, check->key.data, ID_BYTES);
	while (r == 0 && check->state > 0 && dit_span_eq(check->key, key)) {
		r = take_record(check, ret);
		next_record(check);
	}
	check_self(check, ret);
	return r < 0 ? r : check->state < 0 ? check->state : 1;
}

static int open_cursor(const struct tree_check *check, struct dit_tree_cursor **ret,
                       const char *name)
{
	return dit_snapshot_cursor_open(ret, check->member->content->snapshot,
	                                check->member->reader, name);
}

static int begin_pass(struct tree_check *check, bool is_first)
{
	int r = 0;

	dit_tree_cursor_close(check->nodes);
	check->nodes = NULL;
	check->is_first_pass = is_first;
	r = open_cursor(check, &check->nodes, "dn2i");
	if (r == 0) {
		next_record(check);
	}
	return r;
}

static int read_children(struct tree_check *check)
{
	bool has_root = false;
	uint64_t last = 0;
	struct node node;
	int r = begin_pass(check, true);

	if (r < 0) {
		return r;
	}
	while ((r = next_node(check, &node)) > 0) {
		has_root = has_root || node.id == 0;
		last = node.id;
	}
	if (r == 0 && !has_root && last > 0) {
		FIND(check, DIT_CHECK_NAME_ROOT, 0, "there is no root");
	}
	return r < 0 ? r : dit_sorter_seal(check->children);
}

/* ---- a node, its record under its parent, its entry ---- */

static uint64_t child_id(const struct dit_sort_record *record)
{
	return dit_be_get(record->key.data, ID_BYTES);
}

static uint64_t entry_id(const struct tree_check *check)
{
	uint64_t id = 0;

	memcpy(&id, check->entry_key.data,
	       check->entry_key.len < ID_BYTES ? check->entry_key.len : ID_BYTES);
	return id;
}

/* The lowest ID of what is ahead. */
static uint64_t lowest_id(const struct tree_check *check)
{
	uint64_t id = UINT64_MAX;

	if (check->node_state > 0) {
		id = check->node.id;
	}
	if (check->child_state > 0 && child_id(&check->child_record) < id) {
		id = child_id(&check->child_record);
	}
	if (check->entry_state > 0 && entry_id(check) < id) {
		id = entry_id(check);
	}
	return id;
}

static void compare_names(struct tree_check *check, const struct node *node,
                          const struct child *child)
{
	XXH128_hash_t digest = digest_of(&node->self);

	if (node->self.id != child->parent) {
		FIND(check, DIT_CHECK_NAME_PARENT, node->id,
		     "its parent is the node with ID %llu, but it stands below ID %llu",
		     number(node->self.id), number(child->parent));
		return;
	}
	if (!XXH128_isEqual(digest, child->digest)) {
		FIND(check, DIT_CHECK_NAME_DIFFERS, node->id,
		     "the node's own record has another name than the one below its "
		     "parent, ID %llu",
		     number(child->parent));
	}
	if (child->nsubs != node->nbelow + 1) {
		FIND(check, DIT_CHECK_NAME_COUNT, node->id,
		     "the record below its parent counts %llu nodes in its subtree; "
		     "those of its children count %llu with it",
		     number(child->nsubs), number(node->nbelow + 1));
	}
}

/* All records under parents that name this ID; the first one counts. */
static int take_children(struct tree_check *check, uint64_t id, struct child *ret)
{
	unsigned n = 0;

	while (check->child_state > 0 && child_id(&check->child_record) == id) {
		struct child child;

		memcpy(&child, check->child_record.value.data, sizeof(child));
		if (n++ == 0) {
			*ret = child;
		} else {
			FIND(check, DIT_CHECK_NAME_TWICE, id,
			     "two records below parents name the node, ID %llu and %llu",
			     number(ret->parent), number(child.parent));
		}
		check->child_state =
			dit_sorter_next(check->children, &check->child_record);
	}
	return check->child_state < 0 ? check->child_state : n > 0;
}

static void check_suffix(struct tree_check *check, const struct node *node)
{
	struct dit_span suffix = check->member->content->database->suffix_norm;

	if (node->self.id == 0 && suffix.len > 0 &&
	    !dit_span_eq(node->self.norm, suffix)) {
		FIND(check, DIT_CHECK_NAME_SUFFIX, node->id,
		     "the topmost node is not the suffix, \"%.*s\"",
		     DIT_SPAN_ARGS(suffix));
	}
}

static void check_name(struct tree_check *check, uint64_t id, const struct node *node,
                       const struct child *child)
{
	if (node == NULL && child != NULL) {
		FIND(check, DIT_CHECK_NAME_SELF, id,
		     "a record below ID %llu names the node, which has none of its own",
		     number(child->parent));
		return;
	}
	if (node == NULL || !node->has_self) {
		return;
	}
	if (child == NULL) {
		FIND(check, DIT_CHECK_NAME_PARENT, id,
		     "its parent, ID %llu, does not have the node below it",
		     number(node->self.id));
	} else {
		compare_names(check, node, child);
	}
	check_suffix(check, node);
}

static void check_entry(struct tree_check *check, uint64_t id, bool has_node,
                        const struct dit_span *entry)
{
	if (entry == NULL) {
		FIND(check, DIT_CHECK_NAME_ENTRY, id,
		     "the node has no record in id2e, not even an empty one");
	} else if (!has_node) {
		DIT_CHECK_FIND_AT(check->member, DIT_CHECK_ENTRY_NODE, "id2e", id,
		                  "the entry has no node in the tree");
	} else if (entry->len == 0) {
		DIT_CHECK_FIND_AT(check->member, DIT_CHECK_HOLE, "id2e", id,
		                  "a node without an entry: it was never added");
	}
}

/* The root has no name, and with the empty suffix an entry of its own perhaps. */
static void check_root(struct tree_check *check, bool has_entry)
{
	const struct dit_check_content *content = check->member->content;
	const struct dit_check_finding place = DIT_CHECK_PLACE("id2e");

	if (has_entry && content->database->suffix_norm.len > 0) {
		dit_check_find(content->findings, DIT_CHECK_ENTRY_NODE, &place,
		               "there is an entry with ID 0, which only the empty suffix "
		               "has");
	}
}

static void next_entry(struct tree_check *check)
{
	check->entry_state =
		dit_tree_cursor_next(check->entries, &check->entry_key, &check->entry);
}

static int check_id(struct tree_check *check, uint64_t id)
{
	bool has_node = check->node_state > 0 && check->node.id == id;
	bool has_entry = check->entry_state > 0 && entry_id(check) == id;
	struct child child;
	int r = take_children(check, id, &child);

	if (r < 0) {
		return r;
	}
	if (id == 0) {
		check_root(check, has_entry);
	} else {
		check_name(check, id, has_node ? &check->node : NULL,
		           r > 0 ? &child : NULL);
		check_entry(check, id, has_node || r > 0,
		            has_entry ? &check->entry : NULL);
	}
	if (has_entry) {
		next_entry(check);
	}
	if (has_node) {
		check->node_state = next_node(check, &check->node);
	}
	return 0;
}

static int compare(struct tree_check *check)
{
	int r = begin_pass(check, false);

	if (r == 0) {
		r = open_cursor(check, &check->entries, "id2e");
	}
	if (r < 0) {
		return r;
	}
	check->node_state = next_node(check, &check->node);
	check->child_state = dit_sorter_next(check->children, &check->child_record);
	next_entry(check);
	while (r == 0 &&
	       (check->node_state > 0 || check->child_state > 0 ||
	        check->entry_state > 0) &&
	       check->node_state >= 0 && check->child_state >= 0 &&
	       check->entry_state >= 0) {
		r = check_id(check, lowest_id(check));
	}
	if (r == 0) {
		r = check->node_state < 0    ? check->node_state
		    : check->child_state < 0 ? check->child_state
		    : check->entry_state < 0 ? check->entry_state
		                             : 0;
	}
	return r;
}

/* ---- circles ---- */

static void find_loop(void *ctx, const char *ids, uint64_t lowest)
{
	struct tree_check *check = ctx;

	FIND(check, DIT_CHECK_NAME_LOOP, lowest, "the parents form a circle: %s", ids);
}

static int find_loops(struct tree_check *check)
{
	struct dit_loops loops = {.n = 0};
	struct node node;
	int r = begin_pass(check, false);

	while (r >= 0 && (r = next_node(check, &node)) > 0) {
		if (node.id != 0 && node.has_self) {
			r = dit_loops_add(&loops, node.id, node.self.id);
		}
	}
	if (r == 0) {
		r = dit_loops_find(&loops, find_loop, check);
	}
	dit_loops_deinit(&loops);
	return r;
}

/* ---- the whole ---- */

static int check_all(struct tree_check *check)
{
	int r = read_children(check);

	if (r == 0) {
		r = compare(check);
	}
	if (r == 0 && check->has_found) {
		r = find_loops(check);
	}
	return r;
}

int dit_check_tree(struct dit_check_member *member)
{
	struct tree_check check = {.member = member};
	struct dit_sorter_opts sorter = DIT_SORTER_OPTS_INIT;
	int r = 0;

	dit_arena_init(&check.arena, ARENA_BYTES);
	sorter.memory_bytes = member->content->tree_bytes;
	sorter.tmpdir = member->content->tmpdir;
	sorter.cipher = member->content->cipher;
	r = dit_sorter_new(&check.children, &sorter);
	if (r == 0) {
		r = check_all(&check);
	}
	dit_tree_cursor_close(check.nodes);
	dit_tree_cursor_close(check.entries);
	dit_sorter_free(check.children);
	dit_arena_deinit(&check.arena);
	return r;
}
