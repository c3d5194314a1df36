/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records put into a staging environment are those that LMDB finds in the published one,
 * and transactions and map are large enough for it.
 */
#include "base/error.h"
#include "store_fixture.h"

/* ---- reading with LMDB itself ---- */

struct reading {
	MDB_env *env;
	MDB_txn *txn;
	MDB_cursor *cursor; /* one at a time */
};

static struct reading reading_begin(const char *directory)
{
	struct reading reading = {.cursor = NULL};

	reading.env = test_env(directory, MDB_RDONLY, 0);
	reading.txn = test_txn(reading.env, MDB_RDONLY);
	return reading;
}

static void reading_end(struct reading *reading)
{
	if (reading->cursor != NULL) {
		mdb_cursor_close(reading->cursor);
	}
	mdb_txn_abort(reading->txn);
	mdb_env_close(reading->env);
}

static MDB_cursor *reading_open(struct reading *reading, const char *name)
{
	MDB_dbi dbi = test_dbi(reading->txn, name, 0);

	reading->cursor = test_cursor(reading->txn, dbi);
	return reading->cursor;
}

/* ---- what is put comes back ---- */

TEST(fixed_databases_exist_with_slapds_flags_even_if_empty)
{
	const struct {
		const char *name;
		unsigned flags;
	} expected[] = {
		{"ad2i", 0x08}, {"dn2i", 0x0c}, {"id2e", 0x08},
		{"id2v", 0x04}, {"cn", 0x34},   {"sn", 0x3c},
	};
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct reading reading;

	fixture_begin_index(staging, "cn", false);
	fixture_begin_index(staging, "sn", true);
	(void)fixture_publish(staging);

	reading = reading_begin(dir);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		MDB_dbi dbi = test_dbi(reading.txn, expected[i].name, 0);
		MDB_stat stat;
		unsigned flags = 0;

		assert_int_equal(mdb_dbi_flags(reading.txn, dbi, &flags), 0);
		assert_int_equal(flags, expected[i].flags);
		assert_int_equal(mdb_stat(reading.txn, dbi, &stat), 0);
		assert_int_equal(stat.ms_depth, 0);
	}
	reading_end(&reading);
}

TEST(attribute_numbers_count_from_one)
{
	char *dir = fixture_published();
	struct reading reading = reading_begin(dir);
	MDB_cursor *cursor = reading_open(&reading, "ad2i");
	MDB_val key;
	MDB_val value;
	uint32_t number = 0;

	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_FIRST), 0);
	assert_int_equal(key.mv_size, sizeof(number));
	memcpy(&number, key.mv_data, sizeof(number));
	assert_int_equal(number, 1);
	assert_int_equal(value.mv_size, 11);
	assert_memory_equal(value.mv_data, "objectClass", 11);
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_LAST), 0);
	memcpy(&number, key.mv_data, sizeof(number));
	assert_int_equal(number, 6);

	reading_end(&reading);
}

/* Bytes of an entry that tell where they belong. */
static void fill(unsigned char *bytes, size_t len, uint64_t id)
{
	for (size_t i = 0; i < len; i++) {
		bytes[i] = (unsigned char)(id * 31 + i * 7 + (i >> 8));
	}
}

TEST(entries_of_any_size_come_back)
{
	/* Around LMDB's border between pages and overflow pages, and across both. */
	static const size_t sizes[] = {
		0,      8,    480,      1984, 2000,   2016,   2021,
		2022,   2023, 2024,     2032, 4064,   4080,   4081,
		100000, 0,    24 << 20, 16,   524272, 524273, 12,
	};
	const size_t n = sizeof(sizes) / sizeof(sizes[0]);
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct reading reading;
	MDB_cursor *cursor = NULL;
	unsigned char *bytes = malloc(24 << 20);
	MDB_val key;
	MDB_val value;

	assert_non_null(bytes);
	for (uint64_t id = 1; id <= 20 * n; id++) {
		size_t len = sizes[id % n] > 1 << 20 && id > n ? 8 : sizes[id % n];

		fill(bytes, len, id);
		fixture_put_entry(staging, id, bytes, len);
	}
	(void)fixture_publish(staging);

	reading = reading_begin(dir);
	cursor = reading_open(&reading, "id2e");
	for (uint64_t id = 1; id <= 20 * n; id++) {
		size_t len = sizes[id % n] > 1 << 20 && id > n ? 8 : sizes[id % n];

		assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
		assert_int_equal(key.mv_size, sizeof(id));
		assert_memory_equal(key.mv_data, &id, sizeof(id));
		assert_int_equal(value.mv_size, len);
		fill(bytes, len, id);
		assert_true(len == 0 || memcmp(value.mv_data, bytes, len) == 0);
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), MDB_NOTFOUND);
	reading_end(&reading);
	free(bytes);
}

TEST(hole_is_replaced_by_its_entry)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct reading reading;
	MDB_cursor *cursor = NULL;
	unsigned char bytes[3000];
	MDB_val key;
	MDB_val value;
	uint64_t published = 0;

	for (uint64_t id = 1; id <= 3000; id++) {
		fill(bytes, 600, id);
		fixture_put_entry(staging, id, bytes, id % 3 == 0 ? 0 : 600);
	}
	fixture_put_entry(staging, 3001, "last", 4);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	/* ID 0 is the entry with the empty DN (storage.md 3.3). */
	assert_int_equal(dit_output_replace_entry(staging, 0, DIT_SPAN("zero")), 0);
	for (uint64_t id = 2997; id > 3; id -= 3) {
		struct dit_span record = {(const char *)bytes, id};

		fill(bytes, id, id);
		assert_int_equal(dit_output_replace_entry(staging, id, record), 0);
	}
	assert_int_equal(fixture_end(staging, &published), 0);

	reading = reading_begin(dir);
	cursor = reading_open(&reading, "id2e");
	for (uint64_t id = 0; id <= 3001; id++) {
		size_t len = id % 3 != 0 ? 600 : id == 3 || id == 3000 ? 0 : id;

		assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
		assert_memory_equal(key.mv_data, &id, sizeof(id));
		if (id == 0 || id == 3001) {
			assert_int_equal(value.mv_size, 4);
			continue;
		}
		assert_int_equal(value.mv_size, len);
		fill(bytes, len, id);
		assert_true(len == 0 || memcmp(value.mv_data, bytes, len) == 0);
	}
	reading_end(&reading);
}

TEST(node_with_many_children_keeps_their_order)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct reading reading;
	MDB_cursor *cursor = NULL;
	MDB_val key;
	MDB_val value;
	char rdn[300];
	uint64_t parent = 7;

	fixture_put_self(parent, "ou=many", 1);
	for (uint64_t id = 0; id < 20000; id++) {
		/* Equal lengths within a block, so byte order is number order. */
		(void)snprintf(rdn, sizeof(rdn), "cn=%0*llu", id < 10000 ? 20 : 230,
		               (unsigned long long)id);
		fixture_put_child(parent, rdn, id + 8, 1);
	}
	fixture_put_self(parent + 1, "cn=x", parent);
	(void)fixture_publish(staging);

	reading = reading_begin(dir);
	cursor = reading_open(&reading, "dn2i");
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_FIRST), 0);
	for (uint64_t id = 0; id < 20000; id++) {
		struct dit_name name;

		assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
		assert_memory_equal(key.mv_data, &parent, sizeof(parent));
		assert_int_equal(
			dit_name_decode((struct dit_span){value.mv_data, value.mv_size},
		                        &name),
			0);
		assert_int_equal(name.id, id + 8);
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
	assert_int_equal(*(const unsigned char *)key.mv_data, 8);
	reading_end(&reading);
}

/* Lists around the borders: one item, a page in a node, a tree, several puts. */
static const size_t list_sizes[] = {
	1,    2,     3,     4,     5,     10,     11,     100, 246, 247,
	248,  249,   250,   253,   254,   255,    256,    509, 510, 511,
	2000, 65535, 65536, 65537, 70000, 131072, 200001, 1,
};
#define NLISTS    (sizeof(list_sizes) / sizeof(list_sizes[0]))
#define LIST_KEYS (NLISTS * 12)

static size_t list_size(size_t k)
{
	/* The long ones once are enough. */
	return list_sizes[k % NLISTS] > 2000 && k >= NLISTS ? 3 : list_sizes[k % NLISTS];
}

static void check_lists(const char *dir, const char *name, bool is_integerkey)
{
	struct reading reading = reading_begin(dir);
	MDB_cursor *cursor = reading_open(&reading, name);
	MDB_val key;
	MDB_val value;

	for (size_t k = 0; k < LIST_KEYS; k++) {
		uint32_t number = (uint32_t)(k * 1000);
		uint32_t stored = is_integerkey ? number : __builtin_bswap32(number);

		for (uint64_t i = 0; i < list_size(k); i++) {
			uint64_t id = k + 1 + i * 2;

			assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT),
			                 0);
			assert_int_equal(key.mv_size, sizeof(stored));
			assert_memory_equal(key.mv_data, &stored, sizeof(stored));
			assert_int_equal(value.mv_size, sizeof(id));
			assert_memory_equal(value.mv_data, &id, sizeof(id));
		}
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), MDB_NOTFOUND);
	reading_end(&reading);
}

TEST(lists_of_any_length_come_back)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	uint64_t *ids = test_alloc(200001 * sizeof(*ids));

	for (int is_integerkey = 0; is_integerkey < 2; is_integerkey++) {
		fixture_begin_index(staging, is_integerkey ? "i" : "b", is_integerkey);
		for (size_t k = 0; k < LIST_KEYS; k++) {
			uint32_t number = (uint32_t)(k * 1000);
			char key[5];

			number = is_integerkey ? number : __builtin_bswap32(number);
			memcpy(key + 1, &number, sizeof(number)); /* not aligned */
			for (uint64_t i = 0; i < list_size(k); i++) {
				ids[i] = k + 1 + i * 2;
			}
			fixture_put_key(key + 1, 4, ids, list_size(k));
		}
	}
	(void)fixture_publish(staging);

	check_lists(dir, "b", false);
	check_lists(dir, "i", true);
}

static void next_letters(void *ctx, char *out, size_t len)
{
	size_t *left = ctx;
	size_t n = len < *left ? len : *left;

	memset(out, 'v', n);
	*left -= n;
}

static size_t longest_row(const char *path, char byte)
{
	size_t len = 0;
	char *bytes = test_read_file(path, &len);
	size_t longest = 0;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		n = bytes[i] == byte ? n + 1 : 0;
		longest = n > longest ? n : longest;
	}
	free(bytes);
	return longest;
}

/* In the tails of pages of nodes, of lists, of values; and of a value in pieces, which
 * has the memory of its own beginning. */
TEST(no_page_has_what_stood_in_memory)
{
	static const size_t sizes[] = {8, 2021, 4000, 4081, 100000};
	static const size_t n = sizeof(sizes) / sizeof(sizes[0]);
	static const char zeros[100000];
	const size_t huge = DIT_CHUNK_BYTES + 100;
	uint64_t ids[1000] = {0};

	test_fill_memory(true);
	for (size_t i = 0; i < 1000; i++) {
		ids[i] = i + 1;
	}
	for (int round = 0; round < 2; round++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = NULL;
		size_t left = huge;
		const struct dit_pieces pieces = {.next = next_letters, .ctx = &left};

		fixture_is_lmdb_10 = round == 1;
		staging = fixture_open(dir);
		for (uint64_t id = 1; id <= n; id++) {
			fixture_put_entry(staging, id, zeros, sizes[id - 1]);
		}
		assert_int_equal(
			dit_output_put_entry_pieces(staging, n + 1, huge, &pieces), 0);
		fixture_begin_index(staging, "cn", false);
		fixture_put_key("long", 4, ids, 1000);
		fixture_put_key("short", 5, ids, 3);
		(void)fixture_publish(staging);
		test_assert_no_old_bytes(fixture_path(dir, "data.mdb"));
		assert_int_equal(longest_row(fixture_path(dir, "data.mdb"), 'v'), huge);
		test_scratch_remove(dir);
	}
	fixture_is_lmdb_10 = false;
	test_fill_memory(false);
}

TEST(key_without_ids_is_not_stored)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	struct reading reading;
	MDB_val key;

	fixture_begin_index(staging, "cn", false);
	fixture_put_key("key", 3, NULL, 0);
	(void)fixture_publish(staging);

	reading = reading_begin(dir);
	assert_int_equal(
		mdb_cursor_get(reading_open(&reading, "cn"), &key, NULL, MDB_FIRST),
		MDB_NOTFOUND);
	reading_end(&reading);
}

/* ---- the size of transactions and of the map ---- */

#define NHOLES 60000

enum change_kind {
	SMALL_ENTRIES,
	HALF_PAGE_ENTRIES,
	MIXED_ENTRIES,
	OVERFLOW_ENTRIES,
	SCATTERED_ENTRIES,
	SHORT_LISTS,
	LONG_LISTS,
	NKINDS,
};

static int replace(struct dit_record_output *staging, uint64_t id, size_t len)
{
	static const char bytes[5000];

	return dit_output_replace_entry(staging, id, (struct dit_span){bytes, len});
}

/* Change number n of the kind. */
static int change(struct dit_record_output *staging, enum change_kind kind, uint64_t n)
{
	char value[300];

	(void)snprintf(value, sizeof(value), "%0299llu", (unsigned long long)n);
	switch (kind) {
	case SMALL_ENTRIES:
		return replace(staging, n, 24);
	case HALF_PAGE_ENTRIES:
		return replace(staging, n, 2016);
	case MIXED_ENTRIES:
		return replace(staging, n, n % 2 == 0 ? 1360 : 2016);
	case OVERFLOW_ENTRIES:
		return replace(staging, n, n % 2 == 0 ? 2032 : 4096);
	case SCATTERED_ENTRIES:
		return replace(staging, n * 7919 % NHOLES + 1, 2016);
	case SHORT_LISTS:
		return fixture_put_split(staging, n / 2, 1, dit_span_of(value));
	case LONG_LISTS:
		return fixture_put_split(staging, n / 20, 1, dit_span_of(value));
	case NKINDS:
		break;
	}
	return -EINVAL;
}

static struct dit_record_output *open_holes_with(struct dit_output_opts *opts,
                                                 enum dit_output_writer kind, uint64_t n)
{
	struct dit_record_output *staging = NULL;
	void *space = NULL;

	opts->writer = kind;
	assert_int_equal(dit_output_new_open(&staging, opts), 0);
	for (uint64_t id = 1; id <= n; id++) {
		assert_int_equal(dit_output_reserve_entry(staging, id, 0, &space), 0);
	}
	assert_int_equal(dit_output_begin_changes(staging), 0);
	return staging;
}

static struct dit_record_output *open_holes(const char *dir, enum dit_output_writer kind)
{
	struct dit_output_opts opts = fixture_opts(dir);

	return open_holes_with(&opts, kind, NHOLES);
}

static uint64_t file_bytes(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (uint64_t)st.st_size;
}

/* The append writer: bytes of the last commit, and what was charged since. */
TEST(transactions_need_no_more_than_they_are_charged)
{
	for (int kind = 0; kind < NKINDS; kind++) {
		char *dir = test_scratch();
		struct dit_record_output *output = open_holes(dir, DIT_WRITER_APPEND);
		int fd = output->base.target.data_fd;
		uint64_t n = 1;

		for (int round = 0; round < 3; round++) {
			uint64_t before = file_bytes(fd);
			uint64_t charged = 0;

			while (file_bytes(fd) == before) {
				charged = fixture_used_bytes(output) - before;
				assert_int_equal(change(output, kind, n++), 0);
			}
			assert_true(charged > 0);
			if (file_bytes(fd) - before > charged * 3) {
				print_error(
					"kind %d: charged %llu, used %llu\n", kind,
					(unsigned long long)charged,
					(unsigned long long)(file_bytes(fd) - before));
				fail();
			}
		}
		fixture_abandon(output);
		test_scratch_remove(dir);
	}
}

TEST(replaced_entries_are_read_back)
{
	static const enum dit_output_writer kinds[] = {DIT_WRITER_PAGES,
	                                               DIT_WRITER_APPEND};

	for (size_t i = 0; i < 2; i++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = open_holes(dir, kinds[i]);
		struct dit_span record = {0};

		assert_int_equal(dit_output_find_entry(staging, 5, &record), 0);
		assert_int_equal(record.len, 0);
		for (uint64_t id = 1; id <= NHOLES; id += 3) {
			assert_int_equal(replace(staging, id, id % 4100), 0);
		}
		assert_int_equal(replace(staging, 1, 4500), 0);
		assert_int_equal(dit_output_find_entry(staging, 1, &record), 1);
		assert_int_equal(record.len, 4500);
		assert_int_equal(dit_output_find_entry(staging, NHOLES + 1, &record), 0);
		fixture_abandon(staging);
		test_scratch_remove(dir);
	}
}

TEST(map_grows_with_the_content)
{
	static const enum dit_output_writer kinds[] = {DIT_WRITER_PAGES,
	                                               DIT_WRITER_APPEND};

	for (size_t i = 0; i < 2; i++) {
		char *dir = test_scratch();
		struct dit_output_opts opts = fixture_opts(dir);
		struct dit_record_output *staging = NULL;
		uint64_t bytes = 0;

		opts.may_grow = true;
		opts.maxsize_bytes = 10 << 20;
		staging = open_holes_with(&opts, kinds[i], 40000);
		for (uint64_t id = 1; id <= 40000; id++) {
			assert_int_equal(replace(staging, id, 4000), 0);
		}
		assert_true(fixture_used_bytes(staging) > 150u << 20);
		assert_int_equal(fixture_end(staging, &bytes), 0);

		assert_true(bytes > 150u << 20);
		assert_int_equal(fixture_count(dir), 40000);
		test_scratch_remove(dir);
	}
}

/* ---- the published file ---- */

TEST(file_ends_at_its_last_page_and_records_the_map_size)
{
	static const uint64_t maxsizes[] = {FIXTURE_MAXSIZE, FIXTURE_MAXSIZE + 4095, 0};
	static const uint64_t recorded[] = {FIXTURE_MAXSIZE, FIXTURE_MAXSIZE, 1048576};

	for (size_t i = 0; i < 3; i++) {
		char *dir = test_scratch();
		struct dit_output_opts opts = fixture_opts(dir);
		struct dit_record_output *staging = NULL;
		struct reading reading;
		MDB_envinfo info;
		struct stat st;
		uint64_t bytes = 0;
		uint64_t mapsizes[2] = {0, 0};
		int fd = -1;

		opts.maxsize_bytes = maxsizes[i];
		assert_int_equal(dit_output_new_open(&staging, &opts), 0);
		fixture_put_tree(staging, FIXTURE_VARIANT);
		bytes = fixture_publish(staging);

		fd = open(fixture_path(dir, "data.mdb"), O_RDONLY);
		assert_int_equal(pread(fd, &mapsizes[0], 8, 0x20), 8);
		assert_int_equal(pread(fd, &mapsizes[1], 8, 0x20 + 4096), 8);
		assert_int_equal(fstat(fd, &st), 0);
		assert_int_equal(close(fd), 0);
		reading = reading_begin(dir);
		assert_int_equal(mdb_env_info(reading.env, &info), 0);
		assert_int_equal(info.me_mapsize, recorded[i]);
		assert_int_equal(mapsizes[0], recorded[i]);
		assert_int_equal(mapsizes[1], recorded[i]);
		assert_int_equal(st.st_size, (info.me_last_pgno + 1) * 4096);
		assert_int_equal(st.st_size, bytes);
		reading_end(&reading);
		test_scratch_remove(dir);
	}
}

TEST(too_large_a_result_is_refused_with_the_size_it_needs)
{
	char *dir = test_scratch();
	struct dit_output_opts opts = fixture_opts(dir);
	uint64_t needed = 0;

	/* One page too few, just enough, and too few with leave to grow. */
	for (int round = 0; round < 4; round++) {
		struct dit_record_output *staging = NULL;
		struct reading reading;
		MDB_envinfo info;
		uint64_t bytes = 0;

		opts.maxsize_bytes = round == 0 ? FIXTURE_MAXSIZE : needed - (round != 2);
		opts.may_grow = round == 3;
		assert_int_equal(dit_output_new_open(&staging, &opts), 0);
		fixture_put_entry(staging, 1, opts.directory, 1);
		if (round == 1) {
			assert_int_equal(fixture_end(staging, &bytes), DIT_E_FULL);
			assert_int_equal(bytes, needed);
			assert_directory_holds(dir, "");
			continue;
		}
		needed = fixture_publish(staging);
		reading = reading_begin(dir);
		assert_int_equal(mdb_env_info(reading.env, &info), 0);
		assert_int_equal(info.me_mapsize, round == 0 ? FIXTURE_MAXSIZE : needed);
		reading_end(&reading);
		assert_int_equal(unlink(fixture_path(dir, "data.mdb")), 0);
		assert_int_equal(unlink(fixture_path(dir, "lock.mdb")), 0);
	}
}

TEST(files_get_the_mode_less_the_umask)
{
	static const struct {
		mode_t mode;
		mode_t mask;
		mode_t result;
	} cases[] = {
		{0600, 022, 0600}, {0666, 022, 0644}, {0640, 077, 0600},
		{0440, 022, 0440}, {0660, 0, 0660},
	};
	static const char *const names[] = {"data.mdb", "lock.mdb"};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *dir = test_scratch();
		struct dit_output_opts opts = fixture_opts(dir);
		struct dit_record_output *staging = NULL;
		mode_t before = umask(cases[i].mask);
		struct stat st;

		opts.mode = cases[i].mode;
		assert_int_equal(dit_output_new_open(&staging, &opts), 0);
		(void)fixture_publish(staging);
		(void)umask(before);

		for (size_t f = 0; f < 2; f++) {
			assert_int_equal(stat(fixture_path(dir, names[f]), &st), 0);
			assert_int_equal(st.st_mode & 07777, cases[i].result);
		}
		test_scratch_remove(dir);
	}
}

TEST(slapcat_reads_the_tree)
{
	char *dir = fixture_published();
	char command[9000];

	if (system("command -v /usr/sbin/slapcat >/dev/null && "
	           "test -r /etc/ldap/schema/core.schema") != 0) {
		test_scratch_remove(dir);
		skip_because("slapcat and its schema are not installed (Debian: slapd)");
	}
	(void)snprintf(
		command, sizeof(command),
		"cd '%s' && mkdir conf && "
		"printf 'include /etc/ldap/schema/core.schema\\n"
		"modulepath /usr/lib/ldap\\nmoduleload back_mdb\\ndatabase mdb\\n"
		"suffix dc=example,dc=com\\ndirectory %s\\n' >conf/slapd.conf && "
		"/usr/sbin/slapcat -f conf/slapd.conf >conf/out 2>conf/err && "
		"grep -v '^$' conf/out | tr '\\n' ';' >conf/line && "
		"test \"$(cat conf/line)\" = '"
		"dn: dc=example,dc=com;objectClass: organization;o: example;dc: example;"
		"dn: cn=a,dc=example,dc=com;objectClass: person;cn: a;sn: Doe;"
		"dn: cn=b,dc=example,dc=com;objectClass: person;cn: b;sn: Roe;'",
		dir, dir);
	assert_int_equal(system(command), 0);
}
