/* SPDX-License-Identifier: BSD-2-Clause */
/* DNs are put together from RDNs, in any order of IDs; damaged trees are told. */
#include <fcntl.h>
#include <sys/time.h>

#include "base/error.h"
#include "output/store_fixture.h"
#include "page/page_source.h"
#include "reader/dn_reader.h"

#define NCHILDREN 3000
#define DEPTH     40
#define NCHAIN    ((uint64_t)12000)
#define NHIDDEN   7
#define NCIRCLE   ((uint64_t)20000)

/* End the program once it has used so many seconds of processor time, which other
 * processes do not use up. 0: no limit. */
static void limit_cpu(unsigned seconds)
{
	const struct itimerval limit = {.it_value = {.tv_sec = seconds}};

	assert_int_equal(setitimer(ITIMER_PROF, &limit, NULL), 0);
}

static void put_self(uint64_t id, const char *norm, const char *pretty, uint64_t parent)
{
	char record[DIT_NAME_RECORD_MAX];
	int len = encode_self(record, dit_span_of(norm), dit_span_of(pretty), parent);

	assert_true(len > 0);
	fixture_put_name(id, record, (size_t)len);
}

/*
 * dc=x is 1, ou=Even and ou=Odd are 2 and 3, below them in turn cn=4, cn=5, ...; then a
 * chain of OU=N under each other.
 */
static void put_nodes(void)
{
	char rdn[32];
	char pretty[32];
	uint64_t id = 4;

	put_self(1, "dc=x,dc=y", "dc=X,dc=Y", 0);
	put_self(2, "ou=even", "ou=Even", 1);
	put_self(3, "ou=odd", "ou=Odd", 1);
	for (; id < 4 + NCHILDREN; id++) {
		(void)snprintf(rdn, sizeof(rdn), "cn=%u", (unsigned)id);
		put_self(id, rdn, rdn, 2 + id % 2);
	}
	for (unsigned i = 0; i < DEPTH; i++, id++) {
		(void)snprintf(rdn, sizeof(rdn), "ou=%u", i);
		(void)snprintf(pretty, sizeof(pretty), "OU=%u", i);
		put_self(id, rdn, pretty, i == 0 ? 1 : id - 1);
	}
}

/* A directory whose database is made, then read. */
struct tree {
	char *dir;
	struct dit_record_output *staging; /* until tree_open() */
	struct dit_snapshot *snapshot;
	struct dit_dn_reader *reader;
};

static struct tree tree_make(void)
{
	struct tree tree = {.dir = test_scratch()};

	tree.staging = fixture_open(tree.dir);
	return tree;
}

static struct dit_dn_reader *new_reader(const struct tree *tree)
{
	struct dit_dn_reader *reader = NULL;

	assert_int_equal(dit_dn_reader_new(&reader, tree->snapshot, 0), 0);
	return reader;
}

static void tree_publish(struct tree *tree)
{
	(void)fixture_publish(tree->staging);
	tree->staging = NULL;
}

static void tree_open(struct tree *tree)
{
	assert_int_equal(fixture_open_snapshot(&tree->snapshot, tree->dir), 0);
	tree->reader = new_reader(tree);
}

static void tree_remove(struct tree *tree)
{
	dit_dn_reader_free(tree->reader);
	dit_snapshot_close(tree->snapshot);
	test_scratch_remove(tree->dir);
}

static struct tree open_nodes(void)
{
	struct tree tree = tree_make();

	put_nodes();
	tree_publish(&tree);
	tree_open(&tree);
	return tree;
}

static void assert_dn(struct dit_dn_reader *reader, uint64_t id, const char *pretty,
                      const char *norm, uint64_t parent)
{
	struct dit_dn_text dn;

	assert_int_equal(dit_dn_reader_get(reader, id, &dn), 0);
	assert_span_equal(dn.pretty, pretty);
	assert_span_equal(dn.norm, norm);
	assert_int_equal(dn.parent, parent);
}

static void assert_child(struct dit_dn_reader *reader, uint64_t id)
{
	char pretty[64];
	char norm[64];

	(void)snprintf(pretty, sizeof(pretty), "cn=%u,ou=%s,dc=X,dc=Y", (unsigned)id,
	               id % 2 == 0 ? "Even" : "Odd");
	(void)snprintf(norm, sizeof(norm), "cn=%u,ou=%s,dc=x,dc=y", (unsigned)id,
	               id % 2 == 0 ? "even" : "odd");
	assert_dn(reader, id, pretty, norm, 2 + id % 2);
}

TEST(dns_come_in_any_order)
{
	struct tree tree = open_nodes();

	assert_child(tree.reader, 4);
	assert_dn(tree.reader, 1, "dc=X,dc=Y", "dc=x,dc=y", 0);
	assert_dn(tree.reader, 3, "ou=Odd,dc=X,dc=Y", "ou=odd,dc=x,dc=y", 1);
	for (uint64_t id = 4; id < 4 + NCHILDREN; id++) {
		assert_child(tree.reader, id);
	}
	for (uint64_t id = 4 + NCHILDREN - 1; id >= 4; id--) {
		assert_child(tree.reader, id);
	}
	for (uint64_t id = 4; id < 4 + NCHILDREN; id += 7) {
		assert_child(tree.reader, id);
	}
	tree_remove(&tree);
}

TEST(deep_dns_are_whole)
{
	struct tree tree = open_nodes();
	char expected[DEPTH * 8 + 64] = "dc=X,dc=Y";
	struct dit_dn_text dn;

	for (unsigned i = 0; i < DEPTH; i++) {
		char longer[sizeof(expected)];

		(void)snprintf(longer, sizeof(longer), "OU=%u,%.300s", i, expected);
		strcpy(expected, longer);
	}
	for (int round = 0; round < 2; round++) {
		assert_int_equal(
			dit_dn_reader_get(tree.reader, 4 + NCHILDREN + DEPTH - 1, &dn),
			0);
		assert_span_equal(dn.pretty, expected);
	}
	tree_remove(&tree);
}

TEST(unknown_nodes_are_told)
{
	struct tree tree = open_nodes();
	struct dit_dn_text dn;

	assert_int_equal(dit_dn_reader_get(tree.reader, 1u << 30, &dn), DIT_E_UNKNOWN);
	assert_child(tree.reader, 5);
	tree_remove(&tree);
}

/* A parent that is not there, two that are each other's, a child's record alone. */
TEST(damaged_trees_are_told)
{
	struct tree tree = tree_make();
	struct dit_dn_text dn;

	put_self(1, "dc=x", "dc=x", 0);
	put_self(2, "ou=a", "ou=a", 99);
	put_self(3, "ou=b", "ou=b", 4);
	put_self(4, "ou=c", "ou=c", 3);
	fixture_put_child(5, "ou=d", 6, 1);
	fixture_put_name(6, "\0\x40xx", 4);
	tree_publish(&tree);
	tree_open(&tree);

	for (uint64_t id = 2; id <= 6; id++) {
		assert_int_equal(dit_dn_reader_get(tree.reader, id, &dn), DIT_E_CORRUPT);
	}
	assert_dn(tree.reader, 1, "dc=x", "dc=x", 0);
	tree_remove(&tree);
}

/* 3000 nodes below a circle: each is told after some steps, not after thousands. */
TEST(circles_are_seen_soon)
{
	struct tree tree = tree_make();
	struct dit_dn_text dn;

	put_self(1, "dc=x", "dc=x", 3);
	put_self(2, "ou=a", "ou=a", 1);
	put_self(3, "ou=b", "ou=b", 2);
	for (uint64_t id = 4; id < NCHILDREN; id++) {
		put_self(id, "cn=a", "cn=a", 1 + id % 3);
	}
	tree_publish(&tree);
	tree_open(&tree);
	limit_cpu(120);
	for (uint64_t id = 1; id < NCHILDREN; id++) {
		assert_int_equal(dit_dn_reader_get(tree.reader, id, &dn), DIT_E_CORRUPT);
	}
	limit_cpu(0);
	tree_remove(&tree);
}

/* Each node of a circle of many, in both directions. */
TEST(long_circles_are_seen_soon)
{
	struct tree tree = tree_make();
	struct dit_dn_text dn;

	put_self(1, "dc=x", "dc=x", 0);
	for (uint64_t i = 0; i < NCIRCLE; i++) {
		put_self(2 + i, "o=a", "o=a", 2 + (i + 1) % NCIRCLE);
	}
	for (uint64_t i = 0; i < NCIRCLE; i++) {
		put_self(2 + NCIRCLE + i, "o=a", "o=a",
		         2 + NCIRCLE + (i + NCIRCLE - 1) % NCIRCLE);
	}
	tree_publish(&tree);
	tree_open(&tree);
	limit_cpu(120);
	for (uint64_t id = 2; id < 2 + 2 * NCIRCLE; id++) {
		assert_true(dit_dn_reader_get(tree.reader, id, &dn) < 0);
	}
	limit_cpu(0);
	assert_dn(tree.reader, 1, "dc=x", "dc=x", 0);
	tree_remove(&tree);
}

/*
 * A chain of RDNs of 200 bytes: a DN has 64 KiB in each form at most, in whatever order
 * the nodes come. The memory for it stays small.
 */
TEST(dns_that_are_too_long_are_told)
{
	struct tree tree = tree_make();
	struct dit_dn_text dn;
	char rdn[201];

	memset(rdn, 'x', sizeof(rdn) - 1);
	memcpy(rdn, "cn=", 3);
	rdn[sizeof(rdn) - 1] = '\0';
	for (uint64_t id = 1; id <= NCHILDREN; id++) {
		put_self(id, rdn, rdn, id - 1);
	}
	tree_publish(&tree);
	tree_open(&tree);
	for (int round = 0; round < 3; round++) {
		struct dit_dn_reader *reader = new_reader(&tree);

		for (uint64_t i = 1; i <= NCHILDREN; i++) {
			uint64_t id = round == 0   ? i
			              : round == 1 ? NCHILDREN + 1 - i
			                           : 1 + i * 1009 % NCHILDREN;
			bool is_long = id * sizeof(rdn) - 1 > (64u << 10);

			assert_int_equal(dit_dn_reader_get(reader, id, &dn),
			                 is_long ? DIT_E_TOOLONG : 0);
			assert_true(is_long || dn.pretty.len == id * sizeof(rdn) - 1);
		}
		dit_dn_reader_free(reader);
	}
	tree_remove(&tree);
}

/* The children come before their parents, so that the parent of each is new. */
TEST(long_chains_take_no_time_out_of_proportion)
{
	struct tree tree = tree_make();
	struct dit_dn_text dn;

	put_self(1, "o", "o", 0);
	for (uint64_t id = 2; id <= NCHAIN; id++) {
		put_self(id, "a", "a", id < NCHAIN ? id + 1 : 1);
	}
	tree_publish(&tree);
	tree_open(&tree);
	limit_cpu(60);
	for (uint64_t id = 2; id <= NCHAIN; id++) {
		assert_int_equal(dit_dn_reader_get(tree.reader, id, &dn), 0);
		assert_int_equal(dn.pretty.len, 2 * (NCHAIN - id) + 3);
		assert_int_equal(dn.norm.len, dn.pretty.len);
		assert_memory_equal(dn.norm.data + dn.norm.len - 3, "a,o", 3);
	}
	limit_cpu(0);
	tree_remove(&tree);
}

/*
 * A long chain leads to a circle: from afar the way there is too long, from nearby it is
 * not. That does not depend on what was read before.
 */
TEST(errors_do_not_depend_on_what_was_read)
{
	struct tree tree = tree_make();
	const char *rdn = "a=12345678";

	put_self(1, "dc=x", "dc=x", 3);
	put_self(2, "ou=a", "ou=a", 1);
	put_self(3, "ou=b", "ou=b", 2);
	for (uint64_t id = 4; id < NCHAIN; id++) {
		put_self(id, rdn, rdn, id - 1);
	}
	tree_publish(&tree);
	tree_open(&tree);
	for (uint64_t id = 4; id < NCHAIN; id++) {
		struct dit_dn_reader *fresh = NULL;
		struct dit_dn_text dn;
		int r = dit_dn_reader_get(tree.reader, id, &dn);

		if (id % 1000 != 0) {
			continue;
		}
		dit_dn_reader_restart(tree.reader);
		r = dit_dn_reader_get(tree.reader, id, &dn);
		fresh = new_reader(&tree);
		assert_int_equal(dit_dn_reader_get(fresh, id, &dn), r);
		dit_dn_reader_free(fresh);
		assert_int_equal(r, id < 5000   ? DIT_E_CORRUPT
		                    : id > 8000 ? DIT_E_TOOLONG
		                                : r);
	}
	tree_remove(&tree);
}

/*
 * Raise the first key that a branch page of dn2i compares: the way from the root to that
 * node and some after it leads to the leaf before. A cursor there looks at one key more.
 *
 * @return the ID of the first one that is hidden; there are NHIDDEN
 */
static uint64_t hide_nodes(const char *dir)
{
	const struct dit_page_format *format =
		fixture_is_lmdb_10 ? &dit_lmdb_10 : &dit_lmdb_09;
	int fd = open(fixture_path(dir, "data.mdb"), O_RDWR | O_CLOEXEC);
	struct dit_page_source map;
	struct dit_node_view node = {.at = 0};
	uint64_t id = 0;

	assert_int_equal(dit_page_source_open(&map, fd, format, NULL), 0);
	for (uint64_t number = 0; number < map.npages && node.key.len == 0; number++) {
		const struct dit_page_view view = {map.map + number * map.page_bytes,
		                                   map.page_bytes, format};

		if (dit_view_is_page(view, number) &&
		    (dit_view_flags(view) & DIT_PAGE_BRANCH) != 0 &&
		    dit_view_node(view, 1, &node) == DIT_NODE_FITS &&
		    node.key.len != sizeof(id)) {
			node.key.len = 0;
		}
	}
	assert_int_equal(node.key.len, sizeof(id));
	memcpy(&id, node.key.data, sizeof(id));
	id += NHIDDEN + 1;
	assert_int_equal(pwrite(fd, &id, sizeof(id), node.key.data - map.map),
	                 sizeof(id));
	dit_page_source_close(&map);
	assert_int_equal(close(fd), 0);
	return id - NHIDDEN;
}

/* A walk from the neighbour finds a node that is hidden from the root. */
TEST(restarts_read_what_new_readers_read)
{
	struct tree tree = tree_make();
	uint64_t hidden = 0;

	put_nodes();
	tree_publish(&tree);
	hidden = hide_nodes(tree.dir);
	tree_open(&tree);
	assert_child(tree.reader, hidden - 1);
	assert_child(tree.reader, hidden);
	for (uint64_t id = hidden - 1; id < hidden + 10; id++) {
		struct dit_dn_reader *fresh = new_reader(&tree);
		struct dit_dn_text dn;
		int r = id < hidden || id >= hidden + NHIDDEN ? 0 : DIT_E_UNKNOWN;

		assert_int_equal(dit_dn_reader_get(fresh, id, &dn), r);
		dit_dn_reader_free(fresh);
		dit_dn_reader_restart(tree.reader);
		assert_int_equal(dit_dn_reader_get(tree.reader, id, &dn), r);
		if (r < 0) {
			assert_child(tree.reader, hidden - 1);
		}
	}
	tree_remove(&tree);
}

MAIN_OF_BOTH_LMDB
