/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the tree:
 * - nodes get IDs in order, missing parents as holes before their children;
 * - a hole keeps the spelling of its first reference, and is told until it is filled;
 * - records come out in the order of dn2i, with subtree sizes;
 * - stored nodes are found, and their subtrees grow;
 * - fingerprints depend on the name and on the key, and two keys are never the same;
 * - many names are found again, also those whose slots collide;
 * - the writing can be stopped;
 * - a name that does not fit a record of dn2i is known before it is added;
 * - errors of the output, and missing memory, are passed on.
 */
#include "test.h"

#include "base/error.h"
#include "entry/entry_fixture.h"
#include "indexing/fake_output.h"
#include "load/dn_tree.h"
#include "nomem.h"

struct fixture {
	struct entry_fixture entry;
	struct fake_output fake;
	struct dit_fingerprint_key key;
	struct dit_dn_tree *tree;
	struct dit_stop stop;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (f == NULL || dit_fingerprint_key_make(&f->key) < 0 ||
	    entry_fixture_init(&f->entry) < 0) {
		free(f);
		return -1;
	}
	fake_init(&f->fake);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	dit_dn_tree_free(f->tree);
	entry_fixture_deinit(&f->entry);
	free(f);
	return 0;
}

static int new_tree(struct fixture *f, unsigned suffix_nrdns)
{
	const struct dit_shared shared = {
		.nthreads = 2, .tmpdir = test_tmp_dir(), .stop = &f->stop};

	return dit_dn_tree_new(&f->tree, &f->fake.output, suffix_nrdns, 1 << 20, &shared);
}

/* Has memory in every case. */
static struct dit_dn_tree_name name_of(struct fixture *f, const char *text)
{
	long saved = countdown;
	struct dit_dn *dn = NULL;
	struct dit_dn_tree_name name = {0};

	countdown = -1;
	dn = dit_arena_calloc(&f->entry.arena, 1, sizeof(*dn));
	assert_non_null(dn);
	assert_int_equal(dit_dn_parse(f->entry.schema, dit_span_of(text), &f->entry.arena,
	                              NULL, dn),
	                 0);
	dit_dn_tree_name_init(&name, &f->key, dn);
	countdown = saved;
	return name;
}

static uint32_t find(struct fixture *f, const char *text)
{
	struct dit_dn_tree_name name = name_of(f, text);
	struct dit_dn_tree_node node;

	assert_int_equal(dit_dn_tree_find(f->tree, &name, &node), 0);
	return node.id;
}

/* Adds a name that is not there; 0 and its ID, or an error. */
static int add(struct fixture *f, const char *text, uint32_t *ret_id)
{
	struct dit_dn_tree_name name = name_of(f, text);
	struct dit_dn_tree_node node = {0};
	int r = dit_dn_tree_find(f->tree, &name, &node);

	if (r < 0) {
		return r;
	}
	assert_true(dit_dn_tree_fits(f->tree, &name, &node));
	r = dit_dn_tree_add(f->tree, &name, &node);
	*ret_id = node.id;
	return r < 0 ? r : dit_dn_tree_push(f->tree, node.id % 2, &name, &node);
}

static void assert_added(struct fixture *f, const char *text, uint32_t want)
{
	uint32_t id = 0;

	assert_int_equal(find(f, text), 0);
	assert_int_equal(add(f, text, &id), 0);
	assert_int_equal(id, want);
	assert_int_equal(find(f, text), want);
	assert_int_equal(dit_dn_tree_next_id(f->tree), want + 1);
}

/* Lengths for which XXH3 has code of its own: up to 16 bytes, 128, 240, and more. */
FIXTURE_TEST(fingerprints_depend_on_the_key)
{
	static const size_t lengths[] = {1, 4, 9, 16, 17, 128, 129, 240, 241, 5000};
	const struct fixture *f = *state;
	struct dit_fingerprint_key other = {0};
	char text[5000];

	assert_int_equal(dit_fingerprint_key_make(&other), 0);
	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const struct dit_dn dn = {.norm = {text, lengths[i]}, .nrdns = 1};
		struct dit_dn_tree_name a;
		struct dit_dn_tree_name b;

		dit_dn_tree_name_init(&a, &f->key, &dn);
		dit_dn_tree_name_init(&b, &f->key, &dn);
		assert_memory_equal(&a.self, &b.self, sizeof(a.self));
		dit_dn_tree_name_init(&b, &other, &dn);
		assert_memory_not_equal(&a.self, &b.self, sizeof(a.self));
		text[lengths[i] / 2] ^= 1;
		dit_dn_tree_name_init(&b, &f->key, &dn);
		assert_memory_not_equal(&a.self, &b.self, sizeof(a.self));
	}
}

#define MANY 200000 /* several doublings */

/* Fingerprints 1 to MANY in a word; in the last one all of them want the same slot. */
static void assert_found_again(struct fixture *f, unsigned word, uint32_t n)
{
	struct dit_dn_tree_name name = name_of(f, "dc=x");
	struct dit_dn_tree_node node;

	memset(&name.self, 7, sizeof(name.self));
	assert_int_equal(new_tree(f, 1), 0);
	for (uint32_t i = 1; i <= n; i++) {
		name.self.word[word] = i;
		assert_int_equal(dit_dn_tree_find(f->tree, &name, &node), 0);
		assert_int_equal(node.id, 0);
		assert_int_equal(dit_dn_tree_add(f->tree, &name, &node), 0);
		assert_int_equal(node.id, i);
	}
	for (uint32_t i = 1; i <= n; i++) {
		name.self.word[word] = i;
		assert_int_equal(dit_dn_tree_find(f->tree, &name, &node), 0);
		assert_int_equal(node.id, i);
	}
	assert_int_equal(f->tree->nnodes, n);
	dit_dn_tree_free(f->tree);
	f->tree = NULL;
}

FIXTURE_TEST(many_names_are_found_again)
{
	assert_found_again(*state, 0, MANY);
	assert_found_again(*state, 2, 300);
}

FIXTURE_TEST(missing_parents_are_holes)
{
	struct fixture *f = *state;

	assert_int_equal(new_tree(f, 1), 0);
	assert_added(f, "dc=X", 1);
	assert_added(f, "cn=C,ou=B,ou=A,dc=x", 4);
	assert_int_equal(f->tree->nnodes, 4);
	assert_int_equal(dit_dn_tree_find_hole(f->tree, 1), 0);
	assert_int_equal(dit_dn_tree_find_hole(f->tree, 2), 1);

	assert_int_equal(f->tree->nholes, 2);
	assert_int_equal(f->tree->holes[0].id, 2);
	assert_string_equal(f->tree->holes[0].norm, "ou=a,dc=x");
	assert_int_equal(f->tree->holes[1].id, 3);

	assert_int_equal(find(f, "OU=a,dc=x"), 2);
	dit_dn_tree_fill(f->tree, 2);
	assert_int_equal(dit_dn_tree_find_hole(f->tree, 2), 0);
	assert_true(f->tree->holes[0].is_filled);
	assert_false(f->tree->holes[1].is_filled);

	assert_int_equal(dit_dn_tree_write(f->tree), 0);
	fake_assert(&f->fake, "self 0   0\n"
	                      "child 0 dc=x dc=X 1 4\n"
	                      "self 1 dc=x dc=X 0\n"
	                      "child 1 ou=a ou=A 2 3\n"
	                      "self 2 ou=a ou=A 1\n"
	                      "child 2 ou=b ou=B 3 2\n"
	                      "self 3 ou=b ou=B 2\n"
	                      "child 3 cn=c cn=C 4 1\n"
	                      "self 4 cn=c cn=C 3\n");
}

FIXTURE_TEST(records_lie_in_the_order_of_dn2i)
{
	struct fixture *f = *state;

	assert_int_equal(new_tree(f, 2), 0);
	assert_added(f, "ou=b,dc=x", 1);
	assert_added(f, "cn=long,ou=b,dc=x", 2);
	assert_added(f, "cn=z,ou=b,dc=x", 3);
	assert_added(f, "cn=a,ou=b,dc=x", 4);
	assert_int_equal(dit_dn_tree_write(f->tree), 0);
	/* The suffix is one RDN; short names come before long ones. */
	fake_assert(&f->fake, "self 0   0\n"
	                      "child 0 ou=b,dc=x ou=b,dc=x 1 4\n"
	                      "self 1 ou=b,dc=x ou=b,dc=x 0\n"
	                      "child 1 cn=a cn=a 4 1\n"
	                      "child 1 cn=z cn=z 3 1\n"
	                      "child 1 cn=long cn=long 2 1\n"
	                      "self 2 cn=long cn=long 1\n"
	                      "self 3 cn=z cn=z 1\n"
	                      "self 4 cn=a cn=a 1\n");
	assert_int_equal(dit_sorter_run_bytes(f->tree->records), 0);
}

FIXTURE_TEST(an_empty_tree_has_no_records)
{
	struct fixture *f = *state;

	assert_int_equal(new_tree(f, 0), 0);
	assert_int_equal(dit_dn_tree_write(f->tree), 0);
	fake_assert(&f->fake, "");
	dit_dn_tree_free(NULL);
}

FIXTURE_TEST(without_a_suffix_there_are_several_topmost_nodes)
{
	struct fixture *f = *state;

	assert_int_equal(new_tree(f, 0), 0);
	assert_added(f, "dc=x", 1);
	assert_added(f, "cn=a,dc=y", 3);
	assert_int_equal(dit_dn_tree_write(f->tree), 0);
	fake_assert(&f->fake, "self 0   0\n"
	                      "child 0 dc=x dc=x 1 1\n"
	                      "child 0 dc=y dc=y 2 2\n"
	                      "self 1 dc=x dc=x 0\n"
	                      "self 2 dc=y dc=y 0\n"
	                      "child 2 cn=a cn=a 3 1\n"
	                      "self 3 cn=a cn=a 2\n");
}

FIXTURE_TEST(writing_can_be_stopped)
{
	struct fixture *f = *state;

	assert_int_equal(new_tree(f, 1), 0);
	assert_added(f, "dc=x", 1);
	dit_stop_end(&f->stop);
	assert_int_equal(dit_dn_tree_write(f->tree), DIT_E_STOPPED);
	fake_assert(&f->fake, "self 0   0\nchild 0 dc=x dc=x 1 1\n");
}

static const struct fake_node stored[] = {{0, "dc=x", 1, 5},     {1, "ou=a", 2, 2},
                                          {1, "ou=alone", 3, 1}, {1, "ou=other", 4, 1},
                                          {2, "cn=old", 5, 1},   {1, "ou=bad", 9, 1}};

static void store_nodes(struct fixture *f)
{
	f->fake.nodes = stored;
	f->fake.nnodes = sizeof(stored) / sizeof(stored[0]);
	f->fake.output.stored.last_id = 5;
	f->fake.output.stored.has_names = true;
	f->fake.entries[1].len = 8;
	f->fake.entries[5].len = 8;
}

FIXTURE_TEST(stored_nodes_are_found_and_grow)
{
	struct fixture *f = *state;

	store_nodes(f);
	assert_int_equal(new_tree(f, 1), 0);
	assert_int_equal(find(f, "dc=x"), 1);
	assert_int_equal(find(f, "ou=A,dc=x"), 2);
	assert_int_equal(find(f, "cn=old,ou=a,dc=x"), 5);
	assert_int_equal(find(f, "cn=b,cn=none,dc=x"), 0);
	assert_int_equal(dit_dn_tree_find_hole(f->tree, 2), 1);
	assert_int_equal(dit_dn_tree_find_hole(f->tree, 5), 0);
	dit_dn_tree_fill(f->tree,
	                 2); /* changes nothing here: the output gets the record */

	assert_added(f, "cn=n,ou=a,dc=x", 6);
	assert_added(f, "cn=m,ou=a,dc=x", 7);
	assert_added(f, "cn=x,ou=new,dc=x", 9);
	assert_int_equal(dit_dn_tree_find_hole(f->tree, 6), 0);
	assert_int_equal(dit_dn_tree_find_hole(f->tree, 8), 1);
	assert_int_equal(dit_dn_tree_write(f->tree), 0);
	/* Records of grown nodes lie under their parents, among the new ones. */
	fake_assert(&f->fake, "child 0 dc=x dc=x 1 9\n"
	                      "child 1 ou=a ou=a 2 4\n"
	                      "child 1 ou=new ou=new 8 2\n"
	                      "child 2 cn=m cn=m 7 1\n"
	                      "child 2 cn=n cn=n 6 1\n"
	                      "self 6 cn=n cn=n 2\n"
	                      "self 7 cn=m cn=m 2\n"
	                      "self 8 ou=new ou=new 1\n"
	                      "child 8 cn=x cn=x 9 1\n"
	                      "self 9 cn=x cn=x 8\n");
}

/* Nodes at several depths, of which one is above the other. */
FIXTURE_TEST(each_node_above_a_new_one_grows)
{
	struct fixture *f = *state;

	store_nodes(f);
	assert_int_equal(new_tree(f, 1), 0);
	assert_added(f, "cn=n,cn=old,ou=a,dc=x", 6);
	assert_added(f, "cn=n,ou=other,dc=x", 7);
	assert_added(f, "cn=n,ou=a,dc=x", 8);
	assert_added(f, "cn=m,cn=old,ou=a,dc=x", 9);
	assert_added(f, "cn=m,cn=n,ou=a,dc=x", 10);
	assert_int_equal(dit_dn_tree_write(f->tree), 0);
	fake_assert(&f->fake, "child 0 dc=x dc=x 1 10\n"
	                      "child 1 ou=a ou=a 2 6\n"
	                      "child 1 ou=other ou=other 4 2\n"
	                      "child 2 cn=n cn=n 8 2\n"
	                      "child 2 cn=old cn=old 5 3\n"
	                      "child 4 cn=n cn=n 7 1\n"
	                      "child 5 cn=m cn=m 9 1\n"
	                      "child 5 cn=n cn=n 6 1\n"
	                      "self 6 cn=n cn=n 5\n"
	                      "self 7 cn=n cn=n 4\n"
	                      "self 8 cn=n cn=n 2\n"
	                      "child 8 cn=m cn=m 10 1\n"
	                      "self 9 cn=m cn=m 5\n"
	                      "self 10 cn=m cn=m 8\n");
}

FIXTURE_TEST(stored_nodes_that_do_not_hang_together_are_corrupt)
{
	static const struct {
		struct fake_node nodes[3]; /* the last one gets a child */
	} cases[] = {
		/* a parent that has no record of its own */
		{{{0, "dc=x", 1, 3}, {1, "ou=a", 2, 2}, {3, "cn=old", 5, 1}}},
		/* a parent above the highest ID */
		{{{0, "dc=x", 1, 3}, {1, "ou=a", 2, 2}, {9, "cn=old", 5, 1}}},
		/* its parent has another node of that name */
		{{{0, "dc=x", 1, 3}, {1, "cn=old", 2, 2}, {1, "cn=old", 5, 1}}},
		/* two nodes, each below the other */
		{{{5, "dc=x", 1, 3}, {5, "ou=a", 2, 2}, {2, "cn=old", 5, 1}}},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_dn_tree_name name = name_of(f, "cn=n,dc=x");
		struct dit_dn_tree_node node = {.nnodes = 1, .parent = 5};

		fake_init(&f->fake);
		f->fake.nodes = cases[i].nodes;
		f->fake.nnodes = 3;
		f->fake.output.stored.last_id = 5;
		f->fake.output.stored.has_names = true;
		assert_int_equal(new_tree(f, 1), 0);
		assert_int_equal(dit_dn_tree_add(f->tree, &name, &node), 0);
		assert_int_equal(dit_dn_tree_push(f->tree, 0, &name, &node), 0);
		assert_int_equal(dit_dn_tree_write(f->tree), DIT_E_CORRUPT);
		dit_dn_tree_free(f->tree);
		f->tree = NULL;
	}
}

FIXTURE_TEST(a_stored_node_above_the_highest_id_is_corrupt)
{
	struct fixture *f = *state;
	struct dit_dn_tree_name bad = name_of(f, "ou=bad,dc=x");
	struct dit_dn_tree_name child = name_of(f, "cn=a,ou=bad,dc=x");
	struct dit_dn_tree_node node;

	store_nodes(f);
	assert_int_equal(new_tree(f, 1), 0);
	assert_int_equal(dit_dn_tree_find(f->tree, &bad, &node), DIT_E_CORRUPT);
	assert_int_equal(dit_dn_tree_find(f->tree, &child, &node), DIT_E_CORRUPT);
}

FIXTURE_TEST(more_ids_than_the_table_has_are_refused)
{
	struct fixture *f = *state;
	uint32_t id = 0;

	f->fake.output.stored.last_id = (uint64_t)DIT_DN_TREE_ID_MAX + 1;
	assert_int_equal(new_tree(f, 1), DIT_E_TOOLONG);
	f->fake.output.stored.last_id = DIT_DN_TREE_ID_MAX;
	assert_int_equal(new_tree(f, 1), 0);
	assert_int_equal(add(f, "dc=x", &id), DIT_E_TOOLONG);
}

FIXTURE_TEST(names_that_are_too_long_do_not_fit)
{
	struct fixture *f = *state;
	char text[1024];

	assert_int_equal(new_tree(f, 1), 0);
	/* "cn=" and n letters, twice: 2 (3 + n) <= 491 */
	for (int n = 242; n <= 243; n++) {
		struct dit_dn_tree_name name = {0};
		struct dit_dn_tree_node node;

		(void)snprintf(text, sizeof(text), "ou=a,cn=%0*d,dc=x", n, 7);
		name = name_of(f, text);
		assert_int_equal(dit_dn_tree_find(f->tree, &name, &node), 0);
		assert_int_equal(node.parent, 0);
		assert_int_equal(node.nnodes, 3);
		assert_int_equal(dit_dn_tree_fits(f->tree, &name, &node), n == 242);
	}
}

FIXTURE_TEST(long_names_fit_where_the_output_takes_them)
{
	struct fixture *f = *state;
	char text[1024];

	/* LMDB 1.0, pages of 4096 bytes: 2 (3 + n) <= 1958 */
	f->fake.output.base.key_max = 1978;
	assert_int_equal(new_tree(f, 1), 0);
	for (int n = 976; n <= 977; n++) {
		struct dit_dn_tree_name name = {0};
		struct dit_dn_tree_node node;

		(void)snprintf(text, sizeof(text), "ou=a,cn=%0*d,dc=x", n, 7);
		name = name_of(f, text);
		assert_int_equal(dit_dn_tree_find(f->tree, &name, &node), 0);
		assert_int_equal(dit_dn_tree_fits(f->tree, &name, &node), n == 976);
	}
}

/* All that a load does with a tree, up to the first error. */
static int use(struct fixture *f, int fail_at)
{
	struct dit_dn_tree_name known = name_of(f, "cn=old,ou=a,dc=x");
	struct dit_dn_tree_node node;
	uint32_t id = 0;
	int r = 0;

	fake_init(&f->fake);
	store_nodes(f);
	f->fake.fail_at = fail_at;
	r = new_tree(f, 1);
	r = r ?: dit_dn_tree_find(f->tree, &known, &node);
	if (r == 0) {
		r = dit_dn_tree_find_hole(f->tree, 2);
		r = r < 0 ? r : 0;
	}
	r = r ?: add(f, "cn=n,ou=a,dc=x", &id);
	r = r ?: add(f, "cn=x,ou=new,dc=x", &id);
	r = r < 0 ? r : dit_dn_tree_write(f->tree);
	dit_dn_tree_free(f->tree);
	f->tree = NULL;
	return r;
}

FIXTURE_TEST(errors_of_the_output_are_passed_on)
{
	struct fixture *f = *state;
	int r = -EIO;

	for (int n = 1; r < 0; n++) {
		r = use(f, n);
		if (r == 0) {
			assert_true(n > 15);
		} else {
			assert_int_equal(r, -EIO);
		}
	}
}

FIXTURE_TEST(a_tree_without_memory_says_so)
{
	struct fixture *f = *state;

	assert_true(calls_until_memory(use(f, 0)) > 6);
}
