/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Nodes whose sums do not agree (check_tree_sums.h): dn2i against itself, and against the
 * IDs of id2e.
 *
 * A node has a record of its own, which names its parent, and a record under its parent,
 * which names the node: both say the same. The record under the parent counts the nodes
 * of the subtree: one more than those of the node's children together. Each node has a
 * record in id2e, and each record there a node; an empty one is a hole, which is told as
 * a note.
 *
 *   dn2i ──▶ facts about nodes ─┐
 *   id2e ──▶ IDs ───────────────┴─▶ sorted in memory by node ──▶ a node's facts compared
 *
 * For example, the leaf 2 below the suffix 1 has four facts:
 *
 *   key    2: its children count 0
 *   self   2: parent 1, the name's digest
 *   below  2: parent 1, the same digest, counts 1
 *   entry  2: not empty
 *
 * Counts that agree everywhere leave no room for a circle of parents. Where something
 * else is wrong, circles are looked for, with 24 bytes of memory for each node.
 */
#include "check/check_content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "codec/name_codec.h"

#define ID_BYTES   sizeof(uint64_t)
#define LOOP_SHOWN 10 /* nodes of a circle */
#define LOOP_TEXT  300

/* Kinds of facts about a node, and what the words of a piece are. */
enum kind {
	FACT_RECORD, /* a record that is none of the tree's: its bytes */
	FACT_KEY,    /* there are records under the ID: 0; what its children count */
	FACT_SELF,   /* the node's own record: the parent; 0; the digest of both names */
	FACT_SUFFIX, /* it is the topmost one and not the suffix */
	FACT_BELOW,  /* the record under the parent: the parent, the count, the digest */
	FACT_ENTRY,  /* a record of id2e: its bytes */
	NFACTS,
};
#define KIND_SHIFT 56 /* in the rank of a piece; below it the number of the record */

enum {
	WORD_PARENT,
	WORD_COUNT,
	WORD_DIGEST,
};

struct parent;

struct tree_check {
	struct dit_check_content *content;
	const struct dit_check_tree_sums *sums;
	struct dit_check_pieces facts;
	uint64_t nfacts; /* so far, in this pass */
	bool has_key;    /* one is read: */
	uint64_t key;    /* its ID */
	uint64_t nbelow; /* what its children count so far */
	bool has_root;
	bool has_found;         /* something about the tree */
	struct parent *parents; /* for circles; owned */
	size_t nparents;
	size_t parents_size;
};

/* ---- findings ---- */

#define FIND(check, kind, id, ...)                                                       \
 do {                                                                                    \
  (check)->has_found = true;                                                             \
  DIT_CHECK_REPORT_AT((check)->content, (kind), "dn2i", (id), __VA_ARGS__);              \
 } while (0)

/* ---- records ---- */

typedef int (*take_fn)(struct tree_check *check, uint64_t id, struct dit_span record);

static int read_records(struct tree_check *check, const char *name, take_fn take)
{
	const struct dit_check_content *content = check->content;
	struct dit_tree_cursor *cursor = NULL;
	struct dit_span key;
	struct dit_span record;
	uint64_t id = 0;
	int r = dit_snapshot_cursor_open(&cursor, content->snapshot, 0, name);

	while (r >= 0 && (r = dit_tree_cursor_next(cursor, &key, &record)) > 0) {
		if (dit_stop_is_set(content->stop)) {
			r = DIT_E_STOPPED;
		} else if (key.len != ID_BYTES) {
			r = DIT_E_CORRUPT; /* the structure was checked before */
		} else {
			memcpy(&id, key.data, ID_BYTES);
			r = take(check, id, record);
		}
	}
	dit_tree_cursor_close(cursor);
	return r;
}

/* ---- facts ---- */

static int add_fact(struct tree_check *check, enum kind kind, uint64_t id,
                    const uint64_t words[3])
{
	const struct dit_check_piece fact = {.hash = dit_check_hash(id),
	                                     .rank = (uint64_t)kind << KIND_SHIFT |
	                                             check->nfacts++,
	                                     .words = {words[0], words[1], words[2]}};

	return dit_check_tree_sums_is_wanted(check->sums, id) &&
	                       dit_check_pieces_want(&check->facts, fact.hash)
	               ? dit_check_pieces_add(&check->facts, &fact)
	               : 0;
}

static int end_key(struct tree_check *check)
{
	const uint64_t words[3] = {[WORD_COUNT] = check->nbelow};

	return check->has_key ? add_fact(check, FACT_KEY, check->key, words) : 0;
}

static int begin_key(struct tree_check *check, uint64_t id)
{
	int r = end_key(check);

	check->has_key = true;
	check->key = id;
	check->nbelow = 0;
	check->has_root |= id == 0;
	return r;
}

static int take_child(struct tree_check *check, uint64_t id, const struct dit_name *name)
{
	const uint64_t words[] = {id, name->nsubs,
	                          dit_check_tree_sums_digest(check->sums, name)};

	/* More than there are numbers cannot be right. */
	check->nbelow = check->nbelow > UINT64_MAX - name->nsubs
	                        ? UINT64_MAX
	                        : check->nbelow + name->nsubs;
	return add_fact(check, FACT_BELOW, name->id, words);
}

static int take_self(struct tree_check *check, uint64_t id, const struct dit_name *name)
{
	const uint64_t words[] = {name->id, 0,
	                          dit_check_tree_sums_digest(check->sums, name)};
	struct dit_span suffix = check->content->database->suffix_norm;
	int r = add_fact(check, FACT_SELF, id, words);

	return r == 0 && name->id == 0 && suffix.len > 0 &&
	                       !dit_span_eq(name->norm, suffix)
	               ? add_fact(check, FACT_SUFFIX, id, words)
	               : r;
}

static int take_record(struct tree_check *check, uint64_t id, struct dit_span record)
{
	const uint64_t words[3] = {record.len};
	struct dit_name name;
	int r = check->has_key && check->key == id ? 0 : begin_key(check, id);

	if (r < 0) {
		return r;
	}
	if (id == 0 && dit_name_is_dummy(record)) {
		return add_fact(check, FACT_SELF, id, words);
	}
	if (dit_name_decode(record, &name) < 0 ||
	    (name.is_child ? name.id == 0 : id == 0)) {
		return add_fact(check, FACT_RECORD, id, words);
	}
	return name.is_child ? take_child(check, id, &name) : take_self(check, id, &name);
}

static int take_entry(struct tree_check *check, uint64_t id, struct dit_span record)
{
	const uint64_t words[3] = {record.len};

	return add_fact(check, FACT_ENTRY, id, words);
}

static int collect(struct tree_check *check)
{
	int r = 0;

	check->nfacts = 0;
	check->has_key = false;
	r = read_records(check, "dn2i", take_record);
	r = r < 0 ? r : end_key(check);
	return r < 0 ? r : read_records(check, "id2e", take_entry);
}

/* ---- the facts of a node ---- */

struct node {
	uint64_t id;
	/* The words of the first fact of each kind; NULL: there is none. */
	const uint64_t *facts[NFACTS];
};

static void take_fact(struct tree_check *check, struct node *node,
                      const struct dit_check_piece *fact)
{
	enum kind kind = fact->rank >> KIND_SHIFT;
	const uint64_t *before = node->facts[kind];

	if (kind == FACT_RECORD) {
		FIND(check, DIT_CHECK_NAME_RECORD, node->id,
		     "a record of %lu bytes is none of the tree's", fact->words[0]);
	} else if (before == NULL) {
		node->facts[kind] = fact->words;
	} else if (kind == FACT_SELF) {
		FIND(check, DIT_CHECK_NAME_SELF, node->id,
		     "the node has more than one record of its own");
	} else if (kind == FACT_BELOW) {
		FIND(check, DIT_CHECK_NAME_TWICE, node->id,
		     "two records below parents name the node, ID %lu and %lu",
		     before[WORD_PARENT], fact->words[WORD_PARENT]);
	}
}

static void compare_names(struct tree_check *check, const struct node *node)
{
	const uint64_t *self = node->facts[FACT_SELF];
	const uint64_t *below = node->facts[FACT_BELOW];
	uint64_t nbelow = node->facts[FACT_KEY][WORD_COUNT];

	if (self[WORD_PARENT] != below[WORD_PARENT]) {
		FIND(check, DIT_CHECK_NAME_PARENT, node->id,
		     "its parent is the node with ID %lu, but it stands below ID %lu",
		     self[WORD_PARENT], below[WORD_PARENT]);
		return;
	}
	if (self[WORD_DIGEST] != below[WORD_DIGEST]) {
		FIND(check, DIT_CHECK_NAME_DIFFERS, node->id,
		     "the node's own record has another name than the one below its "
		     "parent, ID %lu",
		     below[WORD_PARENT]);
	}
	if (below[WORD_COUNT] == 0 || below[WORD_COUNT] - 1 != nbelow) {
		FIND(check, DIT_CHECK_NAME_COUNT, node->id,
		     "the record below its parent counts %lu node%s in its subtree; "
		     "those of its children count %lu with it",
		     below[WORD_COUNT], below[WORD_COUNT] == 1 ? "" : "s", nbelow + 1);
	}
}

static void check_self(struct tree_check *check, const struct node *node)
{
	const uint64_t *self = node->facts[FACT_SELF];

	if (self == NULL) {
		FIND(check, DIT_CHECK_NAME_SELF, node->id,
		     "the node has no record of its own");
		return;
	}
	if (node->facts[FACT_BELOW] == NULL) {
		FIND(check, DIT_CHECK_NAME_PARENT, node->id,
		     "its parent, ID %lu, does not have the node below it",
		     self[WORD_PARENT]);
	} else {
		compare_names(check, node);
	}
	if (node->facts[FACT_SUFFIX] != NULL) {
		FIND(check, DIT_CHECK_NAME_SUFFIX, node->id,
		     "the topmost node is not the suffix, \"%.*s\"",
		     DIT_SPAN_ARGS(check->content->database->suffix_norm));
	}
}

static void check_node(struct tree_check *check, const struct node *node)
{
	const uint64_t *below = node->facts[FACT_BELOW];
	const uint64_t *entry = node->facts[FACT_ENTRY];
	bool has_key = node->facts[FACT_KEY] != NULL;

	if (has_key) {
		check_self(check, node);
	} else if (below != NULL) {
		FIND(check, DIT_CHECK_NAME_SELF, node->id,
		     "a record below ID %lu names the node, which has none of its own",
		     below[WORD_PARENT]);
	}
	if (entry == NULL) {
		FIND(check, DIT_CHECK_NAME_ENTRY, node->id,
		     "the node has no record in id2e, not even an empty one");
	} else if (!has_key && below == NULL) {
		DIT_CHECK_REPORT_AT(check->content, DIT_CHECK_ENTRY_NODE, "id2e",
		                    node->id, "the entry has no node in the tree");
	} else if (entry[0] == 0) {
		DIT_CHECK_REPORT_AT(check->content, DIT_CHECK_HOLE, "id2e", node->id,
		                    "a node without an entry: it was never added");
	}
}

/* The root has no name, and with the empty suffix an entry of its own perhaps. */
static void check_root(struct tree_check *check, const struct node *node)
{
	struct dit_check_content *content = check->content;

	if (node->facts[FACT_KEY] != NULL && node->facts[FACT_SELF] == NULL) {
		FIND(check, DIT_CHECK_NAME_ROOT, 0, "the root has no record of its own");
	}
	if (node->facts[FACT_ENTRY] != NULL && content->database->suffix_norm.len > 0) {
		DIT_CHECK_REPORT_AT(
			content, DIT_CHECK_ENTRY_NODE, "id2e", 0,
			"there is an entry with ID 0, which only the empty suffix has");
	}
}

static void compare(struct tree_check *check)
{
	const struct dit_check_pieces *facts = &check->facts;
	size_t i = 0;

	while (i < facts->n) {
		size_t end = i + dit_check_pieces_same(facts, i);
		struct node node = {.id = dit_check_unhash(facts->list[i].hash)};

		while (i < end) {
			take_fact(check, &node, &facts->list[i++]);
		}
		if (node.id == 0) {
			check_root(check, &node);
		} else {
			check_node(check, &node);
		}
	}
}

/* ---- circles ---- */

/* Each node is followed upwards until the way meets one that was followed before. */
enum mark {
	MARK_NEW,
	MARK_ON_WAY, /* of the node that is followed */
	MARK_DONE,
};

struct parent {
	uint64_t id; /* of the node; ascending */
	uint64_t parent;
	enum mark mark;
};

/* The first record of a node's own counts. */
static int take_parent(struct tree_check *check, uint64_t id, struct dit_span record)
{
	struct dit_name name;

	if (id == 0 || dit_name_decode(record, &name) < 0 || name.is_child ||
	    (check->nparents > 0 && check->parents[check->nparents - 1].id >= id)) {
		return 0;
	}
	return DIT_APPEND(check->parents, check->parents_size, check->nparents,
	                  (struct parent){id, name.id, MARK_NEW});
}

static struct parent *parent_of(const struct tree_check *check, const struct parent *node)
{
	return bsearch(&node->parent, check->parents, check->nparents, sizeof(*node),
	               dit_compare_ids);
}

static void find_loop(struct tree_check *check, const struct parent *node)
{
	char text[LOOP_TEXT] = "";
	const struct parent *lowest = node;
	const struct parent *way = parent_of(check, node);
	size_t n = 0;
	size_t len = 0;

	for (; way != node; way = parent_of(check, way)) {
		lowest = way->id < lowest->id ? way : lowest;
	}
	way = lowest;
	do {
		if (n++ < LOOP_SHOWN) {
			len += (size_t)snprintf(text + len, sizeof(text) - len, "%lu, ",
			                        way->id);
		}
		way = parent_of(check, way);
	} while (way != lowest);
	FIND(check, DIT_CHECK_NAME_LOOP, lowest->id, "the parents form a circle: %s%s%lu",
	     text, n > LOOP_SHOWN ? "..., " : "", lowest->id);
}

static int find_loops(struct tree_check *check)
{
	int r = read_records(check, "dn2i", take_parent);

	for (size_t i = 0; i < check->nparents && r == 0; i++) {
		struct parent *first = &check->parents[i];
		struct parent *at = first;

		while (at != NULL && at->mark == MARK_NEW) {
			at->mark = MARK_ON_WAY;
			at = parent_of(check, at);
		}
		if (at != NULL && at->mark == MARK_ON_WAY) {
			find_loop(check, at);
		}
		for (at = first; at != NULL && at->mark == MARK_ON_WAY;
		     at = parent_of(check, at)) {
			at->mark = MARK_DONE;
		}
	}
	return r;
}

/* ---- the whole ---- */

static int check_all(struct tree_check *check)
{
	int r = 0;

	do {
		while ((r = collect(check)) == DIT_E_FULL) {
			dit_check_pieces_narrow(&check->facts);
		}
		dit_check_pieces_sort(&check->facts);
		if (r == 0) {
			compare(check);
		}
	} while (dit_check_pieces_next(&check->facts) && r == 0);
	if (r == 0 && check->has_key && !check->has_root) {
		FIND(check, DIT_CHECK_NAME_ROOT, 0, "there is no root");
	}
	return r < 0 || !check->has_found ? r : find_loops(check);
}

int dit_check_tree(struct dit_check_content *content)
{
	struct tree_check check = {.content = content,
	                           .sums = dit_check_sums_tree(content->sums)};
	int r = 0;

	dit_check_pieces_init(&check.facts, content->memory_bytes / 4 * 3, SIZE_MAX);
	r = check_all(&check);
	free(check.parents);
	dit_check_pieces_deinit(&check.facts);
	return r;
}
