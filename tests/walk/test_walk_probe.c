/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A probe (walk_probe.h) looks at the pages that a key leads to, and at no others: damage
 * is found where a key leads to it, and only there.
 */
#include "walk/walk_probe.h"

#include <fcntl.h>
#include <unistd.h>

#include <lmdb.h>

#include "base/error.h"
#include "page/lmdb_format.h"
#include "test.h"

#define PAGE  4096
#define NKEYS 4000u

static unsigned nfindings;

static void count(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	assert_true(strlen(finding->text) > 0);
	nfindings++;
}

/* A file with "numbers", whose leaves are many, and "lists", with one list of many. */
static int make_file(char **ret_dir)
{
	char path[4096];
	char *dir = test_scratch();
	int fd = -1;
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi numbers = 0;
	MDB_dbi lists = 0;

	(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 4), 0);
	assert_int_equal(mdb_env_set_mapsize(env, 64 << 20), 0);
	assert_int_equal(
		mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(
		mdb_dbi_open(txn, "numbers", MDB_CREATE | MDB_INTEGERKEY, &numbers), 0);
	assert_int_equal(mdb_dbi_open(txn, "lists",
	                              MDB_CREATE | MDB_INTEGERKEY | MDB_DUPSORT, &lists),
	                 0);
	for (uint64_t i = 0; i < NKEYS; i++) {
		char text[100] = {0};
		uint64_t one = 1;
		MDB_val key = {sizeof(i), &i};
		MDB_val value = {sizeof(text), text};
		MDB_val list = {sizeof(one), &one};

		(void)snprintf(text, sizeof(text), "%08llu", (unsigned long long)i);
		assert_int_equal(mdb_put(txn, numbers, &key, &value, 0), 0);
		assert_int_equal(mdb_put(txn, lists, &list, &value, 0), 0);
	}
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	*ret_dir = dir;
	return fd;
}

static int compare_texts(const void *ctx, struct dit_span key, struct dit_span a,
                         struct dit_span b)
{
	(void)ctx;
	(void)key;
	return memcmp(a.data, b.data, a.len < b.len ? a.len : b.len);
}

static void set_order(void *ctx, struct dit_span name, unsigned flags,
                      struct dit_key_orders *orders)
{
	(void)ctx;
	(void)name;
	if ((flags & MDB_DUPSORT) != 0 && (flags & MDB_DUPFIXED) == 0) {
		orders->items.kind = DIT_ORDER_CALL;
		orders->items.compare = compare_texts;
	}
}

static int open_probe(struct dit_probe **ret, int fd)
{
	struct dit_probe_opts opts = {.fd = fd, .order = set_order, .found = count};

	nfindings = 0;
	return dit_probe_open(ret, &opts);
}

static struct dit_span number_span(const uint64_t *number)
{
	return (struct dit_span){(const char *)number, sizeof(*number)};
}

/* A probe of "numbers", or of the list under 1 in "lists". */
static int look(struct dit_probe *probe, const char *database, uint64_t n)
{
	uint64_t one = 1;
	char text[100] = {0};
	bool is_list = strcmp(database, "lists") == 0;

	(void)snprintf(text, sizeof(text), "%08llu", (unsigned long long)n);
	return dit_probe_key(
		probe, dit_probe_find(probe, database),
		(struct dit_span){(const char *)(is_list ? &one : &n), sizeof(n)},
		(struct dit_span){text, sizeof(text)});
}

/* The first or the second leaf that holds the text of a number: each database has one. */
static uint64_t find_page(int fd, unsigned nth, uint64_t n)
{
	char page[PAGE];
	char text[16];
	uint64_t number = 0;

	(void)snprintf(text, sizeof(text), "%08llu", (unsigned long long)n);
	while (pread(fd, page, PAGE, (off_t)(number * PAGE)) == PAGE) {
		bool is_leaf = (page[10] & 0x02) != 0;

		if (is_leaf && memmem(page, PAGE, text, 8) != NULL && nth-- == 0) {
			return number;
		}
		number++;
	}
	fail_msg("no page has %s", text);
	return 0;
}

static void spoil(int fd, uint64_t page)
{
	static const uint16_t lower = 0xfff0;

	assert_int_equal(pwrite(fd, &lower, sizeof(lower), (off_t)(page * PAGE + 12)),
	                 sizeof(lower));
}

static void sound_file_has_no_findings(void **state)
{
	char *dir = NULL;
	int fd = make_file(&dir);
	struct dit_probe *probe = NULL;

	(void)state;
	assert_int_equal(open_probe(&probe, fd), 0);
	assert_int_equal(dit_probe_count(probe), 2 * NKEYS);
	assert_true(dit_probe_find(probe, "none") == DIT_PROBE_NONE);
	assert_int_equal(
		dit_probe_key(probe, DIT_PROBE_NONE, DIT_PROBE_FIRST, DIT_PROBE_FIRST),
		0);
	for (uint64_t i = 0; i < NKEYS + 10; i += 7) {
		assert_int_equal(look(probe, "numbers", i), 0);
		assert_int_equal(look(probe, "lists", NKEYS + 10 - i), 0);
	}
	assert_int_equal(dit_probe_key(probe, dit_probe_find(probe, "numbers"),
	                               DIT_PROBE_LAST, DIT_PROBE_FIRST),
	                 0);
	assert_int_equal(dit_probe_all(probe, dit_probe_find(probe, "numbers")), 0);
	assert_int_equal(nfindings, 0);
	dit_probe_close(probe);
	assert_int_equal(close(fd), 0);
	test_scratch_remove(dir);
}

static void damage_is_found_where_a_key_leads_to_it(void **state)
{
	static const char *const databases[] = {"numbers", "lists"};

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		char *dir = NULL;
		int fd = make_file(&dir);
		struct dit_probe *probe = NULL;
		uint64_t first = find_page(fd, 0, 2000);
		uint64_t second = find_page(fd, 1, 2000);

		assert_int_equal(open_probe(&probe, fd), 0);
		spoil(fd, first);
		spoil(fd, second);
		assert_int_equal(look(probe, databases[i], 100), 0);
		assert_int_equal(look(probe, databases[i], 3900), 0);
		assert_int_equal(nfindings, 0);
		assert_int_equal(look(probe, databases[i], 2000), DIT_E_CORRUPT);
		assert_true(nfindings > 0);
		/* From then on nothing is right any more. */
		assert_int_equal(look(probe, databases[i], 100), DIT_E_CORRUPT);
		dit_probe_close(probe);
		assert_int_equal(open_probe(&probe, fd), 0);
		assert_int_equal(dit_probe_all(probe, dit_probe_find(probe, "numbers")),
		                 DIT_E_CORRUPT);
		dit_probe_close(probe);
		assert_int_equal(close(fd), 0);
		test_scratch_remove(dir);
	}
}

/* It is, if no key of the leaf is higher; liblmdb goes there. */
static void the_leaf_after_a_key_is_checked(void **state)
{
	char *dir = NULL;
	int fd = make_file(&dir);
	struct dit_probe *probe = NULL;
	uint64_t first = find_page(fd, 0, 2000);
	uint64_t second = find_page(fd, 1, 2000);
	uint64_t direct = 0;

	(void)state;
	spoil(fd, first);
	spoil(fd, second);
	/* Some 30 numbers are in a leaf. */
	for (uint64_t i = 1900; i <= 2000 && direct == 0; i++) {
		assert_int_equal(open_probe(&probe, fd), 0);
		/* All in one probe, too: the leaf of the key before is remembered. */
		assert_int_equal(look(probe, "numbers", i - 1), 0);
		if (look(probe, "numbers", i) == DIT_E_CORRUPT) {
			direct = i;
		}
		dit_probe_close(probe);
	}
	assert_true(direct > 1900 && direct < 2000);
	assert_int_equal(close(fd), 0);
	test_scratch_remove(dir);
}

/* ---- pages in two places ---- */

static uint64_t read_word(int fd, uint64_t page, unsigned at, unsigned len)
{
	uint64_t word = 0;

	assert_int_equal(pread(fd, &word, len, (off_t)(page * PAGE + at)), len);
	return word;
}

/* The branch page that refers to a page, and where its node is; 0: none does. */
static uint64_t find_parent(int fd, uint64_t child, off_t *ret_at)
{
	for (uint64_t page = 2; read_word(fd, page, 0, 8) == page; page++) {
		unsigned nslots = (unsigned)(read_word(fd, page, 12, 2) - 16) / 2;

		for (unsigned i = 0;
		     i < nslots && read_word(fd, page, 10, 2) == DIT_PAGE_BRANCH; i++) {
			unsigned at = (unsigned)read_word(fd, page, 16 + 2 * i, 2);

			if (read_word(fd, page, at, 6) == child) {
				*ret_at = (off_t)(page * PAGE + at);
				return page;
			}
		}
	}
	return 0;
}

static void a_page_with_two_owners_is_found(void **state)
{
	static const char *const names[] = {"the page itself", "a neighbour",
	                                    "a leaf of another tree",
	                                    "the root of another tree"};

	(void)state;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *dir = NULL;
		int fd = make_file(&dir);
		struct dit_probe *probe = NULL;
		/* One is of "numbers", the other one of the list. */
		uint64_t leaves[] = {find_page(fd, 0, 2000), find_page(fd, 1, 2000)};
		off_t at = 0;
		off_t ignored = 0;
		uint64_t parent = find_parent(fd, leaves[0], &at);
		uint64_t forged[] = {parent, find_page(fd, 0, 1000), leaves[1],
		                     find_parent(fd, leaves[1], &ignored)};

		assert_true(parent != 0 && forged[3] != 0 && forged[3] != parent);
		assert_int_equal(pwrite(fd, &forged[i], 6, at), 6);
		assert_int_equal(open_probe(&probe, fd), 0);
		for (uint64_t n = 0; n < NKEYS && nfindings == 0; n++) {
			(void)look(probe, "numbers", n);
			(void)look(probe, "lists", n);
		}
		if (look(probe, "numbers", 0) != DIT_E_CORRUPT) {
			fail_msg("%s: no finding", names[i]);
		}
		dit_probe_close(probe);
		assert_int_equal(close(fd), 0);
		test_scratch_remove(dir);
	}
}

static void set_unknown(void *ctx, struct dit_span name, unsigned flags,
                        struct dit_key_orders *orders)
{
	(void)ctx;
	(void)name;
	(void)flags;
	orders->items.kind = DIT_ORDER_UNKNOWN;
}

/* It has three levels: a walk of the file makes tasks of such a list. */
static void a_list_without_an_order_is_checked_as_a_whole(void **state)
{
	char *dir = NULL;
	int fd = make_file(&dir);
	struct dit_probe_opts opts = {.fd = fd, .order = set_unknown, .found = count};
	struct dit_probe *probe = NULL;

	(void)state;
	nfindings = 0;
	assert_int_equal(dit_probe_open(&probe, &opts), 0);
	assert_int_equal(look(probe, "lists", 0), 0);
	dit_probe_close(probe);
	spoil(fd, find_page(fd, 1, 2000));
	assert_int_equal(dit_probe_open(&probe, &opts), 0);
	assert_int_equal(look(probe, "lists", 0), DIT_E_CORRUPT);
	dit_probe_close(probe);
	assert_int_equal(close(fd), 0);
	test_scratch_remove(dir);
}

static void a_probe_stops(void **state)
{
	static const volatile sig_atomic_t stop = 1;
	char *dir = NULL;
	int fd = make_file(&dir);
	struct dit_probe_opts opts = {.fd = fd, .found = count, .stop = &stop};
	struct dit_probe *probe = NULL;

	(void)state;
	assert_int_equal(dit_probe_open(&probe, &opts), DIT_E_STOPPED);
	assert_int_equal(close(fd), 0);
	test_scratch_remove(dir);
}

#define NITEMS 6000u

/* "packed": keys 0 to 2, each with a list of many numbers. */
static int make_packed(char **ret_dir)
{
	char path[4096];
	char *dir = test_scratch();
	MDB_env *env = NULL;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;
	int fd = -1;

	(void)snprintf(path, sizeof(path), "%s/data.mdb", dir);
	assert_int_equal(mdb_env_create(&env), 0);
	assert_int_equal(mdb_env_set_maxdbs(env, 4), 0);
	assert_int_equal(
		mdb_env_open(env, path, MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0600), 0);
	assert_int_equal(mdb_txn_begin(env, NULL, 0, &txn), 0);
	assert_int_equal(mdb_dbi_open(txn, "packed",
	                              MDB_CREATE | MDB_INTEGERKEY | MDB_DUPSORT |
	                                      MDB_DUPFIXED | MDB_INTEGERDUP,
	                              &dbi),
	                 0);
	for (uint64_t i = 0; i < 3 * (uint64_t)NITEMS; i++) {
		uint64_t number = i / NITEMS;
		MDB_val key = {sizeof(number), &number};
		MDB_val value = {sizeof(i), &i};

		assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
	}
	assert_int_equal(mdb_txn_commit(txn), 0);
	mdb_env_close(env);
	fd = open(path, O_RDWR);
	assert_true(fd >= 0);
	*ret_dir = dir;
	return fd;
}

/* An item, the first one or the last one of key @p number. */
static int look_packed(struct dit_probe *probe, uint64_t number, struct dit_span item)
{
	return dit_probe_key(probe, dit_probe_find(probe, "packed"), number_span(&number),
	                     item);
}

/* The packed page with this item. */
static uint64_t find_packed(int fd, uint64_t item)
{
	char page[PAGE];

	for (uint64_t number = 2;; number++) {
		uint16_t lower = 0; /* the header's end, and two bytes for each item */

		assert_int_equal(pread(fd, page, PAGE, (off_t)(number * PAGE)), PAGE);
		memcpy(&lower, page + 12, sizeof(lower));
		/* After the items may be those that a neighbour has got. */
		if ((page[10] & 0x20) != 0 &&
		    memmem(page + 16, (lower - 16u) * 4u, &item, sizeof(item)) != NULL) {
			return number;
		}
	}
}

static void the_path_to_an_item_of_a_long_list_is_checked(void **state)
{
	char *dir = NULL;
	int fd = make_packed(&dir);
	const uint64_t item = NITEMS + NITEMS / 2; /* in the list of key 1 */
	struct dit_probe *probe = NULL;

	(void)state;
	assert_int_equal(open_probe(&probe, fd), 0);
	for (uint64_t i = 0; i < 3; i++) {
		assert_int_equal(look_packed(probe, i, number_span(&item)), 0);
		assert_int_equal(look_packed(probe, i, DIT_PROBE_LAST), 0);
	}
	assert_int_equal(look_packed(probe, 77, DIT_PROBE_LAST), 0); /* there is none */
	assert_int_equal(dit_probe_all(probe, dit_probe_find(probe, "packed")), 0);
	dit_probe_close(probe);

	spoil(fd, find_packed(fd, item));
	assert_int_equal(open_probe(&probe, fd), 0);
	assert_int_equal(look_packed(probe, 1, DIT_PROBE_FIRST), 0);
	assert_int_equal(look_packed(probe, 1, DIT_PROBE_LAST), 0);
	assert_int_equal(nfindings, 0);
	assert_int_equal(look_packed(probe, 1, number_span(&item)), DIT_E_CORRUPT);
	dit_probe_close(probe);
	assert_int_equal(open_probe(&probe, fd), 0);
	assert_int_equal(dit_probe_all(probe, dit_probe_find(probe, "packed")),
	                 DIT_E_CORRUPT);
	dit_probe_close(probe);
	assert_int_equal(close(fd), 0);
	test_scratch_remove(dir);
}

/* Its record lies in the database's leaf, after the key: flags, then the depth. */
static void the_number_of_levels_of_a_list_is_checked(void **state)
{
	static const char record[] = "\10\0\0\0\30\0";
	char *dir = NULL;
	int fd = make_packed(&dir);
	struct dit_probe *probe = NULL;
	char page[PAGE];
	const char *at = NULL;
	off_t place = 0;

	(void)state;
	for (place = 2 * PAGE; at == NULL; place += PAGE) {
		assert_int_equal(pread(fd, page, PAGE, place), PAGE);
		at = (page[10] & 0x02) == 0
		             ? NULL
		             : memmem(page, PAGE, record, sizeof(record) - 1);
	}
	place += at - page - PAGE + 6;
	assert_int_equal(pwrite(fd, "\3", 1, place), 1);
	assert_int_equal(open_probe(&probe, fd), 0);
	/* One of the three. */
	(void)look_packed(probe, 0, DIT_PROBE_FIRST);
	(void)look_packed(probe, 1, DIT_PROBE_FIRST);
	assert_int_equal(look_packed(probe, 2, DIT_PROBE_FIRST), DIT_E_CORRUPT);
	assert_int_equal(nfindings, 1);
	dit_probe_close(probe);
	assert_int_equal(close(fd), 0);
	test_scratch_remove(dir);
}

static void meta_pages_and_main_tree_come_first(void **state)
{
	char *dir = NULL;
	int fd = make_file(&dir);
	struct dit_probe *probe = NULL;
	char zeros[2 * PAGE] = {0};

	(void)state;
	assert_int_equal(pwrite(fd, zeros, sizeof(zeros), 0), sizeof(zeros));
	assert_int_equal(open_probe(&probe, fd), DIT_E_CORRUPT);
	assert_true(nfindings > 0);
	assert_int_equal(ftruncate(fd, PAGE), 0);
	assert_int_equal(open_probe(&probe, fd), DIT_E_CORRUPT);
	dit_probe_close(NULL);
	assert_int_equal(close(fd), 0);
	test_scratch_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_file_has_no_findings),
		cmocka_unit_test(damage_is_found_where_a_key_leads_to_it),
		cmocka_unit_test(the_leaf_after_a_key_is_checked),
		cmocka_unit_test(a_page_with_two_owners_is_found),
		cmocka_unit_test(a_list_without_an_order_is_checked_as_a_whole),
		cmocka_unit_test(a_probe_stops),
		cmocka_unit_test(the_path_to_an_item_of_a_long_list_is_checked),
		cmocka_unit_test(the_number_of_levels_of_a_list_is_checked),
		cmocka_unit_test(meta_pages_and_main_tree_come_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
