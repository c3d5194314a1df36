/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * liblmdb changes tables that we have written: lists of IDs, lists of records, and
 * entries, at random, until they are many times as large, and until they are empty.
 */

#include "output/record_output.h"
#include "table_fixture.h"

/* ---- liblmdb goes on with what we wrote ---- */

#define MODEL_KEYS 60
#define MODEL_IDS  3000

/* Which IDs each key has; 0 is no ID. */
static bool model[MODEL_KEYS][MODEL_IDS];
static uint64_t seed;

static uint64_t random_number(uint64_t below)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return (seed >> 33) % below;
}

static void put_model(struct dit_record_output *staging, size_t key_len)
{
	memset(model, 0, sizeof(model));
	fixture_begin_index(staging, "cn", false);
	for (unsigned k = 0; k < MODEL_KEYS; k++) {
		uint64_t ids[MODEL_IDS];
		char key[FIXTURE_KEY_MAX];
		size_t nids = 0;
		uint64_t of = 1 + random_number(k % 3 == 0 ? MODEL_IDS : 40);

		for (uint64_t id = 1; id < MODEL_IDS; id++) {
			if (random_number(of) == 0) {
				model[k][id] = true;
				ids[nids++] = id;
			}
		}
		number_key(key, key_len, k);
		fixture_put_key(key, key_len, ids, nids);
	}
}

static void change_randomly(MDB_txn *txn, MDB_dbi dbi, size_t key_len, bool shrink)
{
	for (int i = 0; i < 4000; i++) {
		unsigned k = (unsigned)random_number(MODEL_KEYS);
		uint64_t id = 1 + random_number(MODEL_IDS - 1);
		char bytes[FIXTURE_KEY_MAX];
		MDB_val key = {key_len, bytes};
		MDB_val value = {sizeof(id), &id};

		number_key(bytes, key_len, k);
		if (random_number(10) < (shrink ? 8 : 3)) {
			assert_int_equal(mdb_del(txn, dbi, &key, &value),
			                 model[k][id] ? 0 : MDB_NOTFOUND);
			model[k][id] = false;
		} else {
			assert_int_equal(mdb_put(txn, dbi, &key, &value, MDB_NODUPDATA),
			                 model[k][id] ? MDB_KEYEXIST : 0);
			model[k][id] = true;
		}
	}
}

static void check_model(MDB_txn *txn, MDB_dbi dbi, size_t key_len)
{
	MDB_cursor *cursor = test_cursor(txn, dbi);
	MDB_val key;
	MDB_val value;

	for (unsigned k = 0; k < MODEL_KEYS; k++) {
		char bytes[FIXTURE_KEY_MAX];

		number_key(bytes, key_len, k);
		for (uint64_t id = 1; id < MODEL_IDS; id++) {
			if (!model[k][id]) {
				continue;
			}
			assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT),
			                 0);
			assert_int_equal(key.mv_size, key_len);
			assert_memory_equal(key.mv_data, bytes, key_len);
			assert_memory_equal(value.mv_data, &id, sizeof(id));
		}
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), MDB_NOTFOUND);
	mdb_cursor_close(cursor);
}

static void delete_everything(MDB_txn *txn, MDB_dbi dbi, size_t key_len)
{
	for (unsigned k = 0; k < MODEL_KEYS; k++) {
		char bytes[FIXTURE_KEY_MAX];
		MDB_val key = {key_len, bytes};

		number_key(bytes, key_len, k);
		for (uint64_t id = 1; id < MODEL_IDS; id++) {
			MDB_val value = {sizeof(id), &id};

			if (model[k][id]) {
				assert_int_equal(mdb_del(txn, dbi, &key, &value), 0);
				model[k][id] = false;
			}
		}
	}
}

static void change_with_liblmdb(const char *dir, size_t key_len)
{
	MDB_env *env = test_env(dir, MDB_NOSYNC, 0);

	for (int round = 0; round < 12; round++) {
		MDB_txn *txn = test_txn(env, 0);
		MDB_dbi dbi = test_dbi(txn, "cn", 0);

		change_randomly(txn, dbi, key_len, round % 4 >= 2);
		check_model(txn, dbi, key_len);
		if (round == 11) {
			delete_everything(txn, dbi, key_len);
			check_model(txn, dbi, key_len);
		}
		assert_int_equal(mdb_txn_commit(txn), 0);
	}
	mdb_env_close(env);
}

TEST(liblmdb_extends_and_shrinks_our_pages)
{
	static const size_t key_lens[] = {2, 4, 9, 300, 511};

	for (size_t i = 0; i < 20; i++) {
		size_t key_len = key_lens[i % (sizeof(key_lens) / sizeof(key_lens[0]))];
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open(dir);

		seed = i + 1;
		put_model(staging, key_len);
		(void)fixture_publish(staging);
		assert_no_page_is_lost(dir);
		change_with_liblmdb(dir, key_len);
		assert_no_page_is_lost(dir);
		test_scratch_remove(dir);
	}
}

/* ---- records ---- */

/* Records are numbered; the number tells the length, so that every length occurs. */
static size_t number_record(char *record, unsigned number)
{
	size_t len = 4 + (number * 7919u) % (number % 3 == 0 ? 507 : 60);

	memset(record, 'r', len);
	record[0] = (char)(number >> 8);
	record[1] = (char)number;
	return len;
}

static void put_record_model(void)
{
	memset(model, 0, sizeof(model));
	for (unsigned k = 0; k < MODEL_KEYS; k++) {
		/* From one record to three levels of pages. */
		uint64_t of = k % 7 == 0 ? 1 : 1 + random_number(MODEL_IDS);

		for (unsigned number = 0; number < MODEL_IDS; number++) {
			char record[FIXTURE_KEY_MAX];

			if (number == k || random_number(of) == 0) {
				model[k][number] = true;
				fixture_put_name(k, record,
				                 number_record(record, number));
			}
		}
	}
}

static void check_record_model(MDB_txn *txn, MDB_dbi dbi)
{
	MDB_cursor *cursor = test_cursor(txn, dbi);
	MDB_val key;
	MDB_val value;

	for (uint64_t k = 0; k < MODEL_KEYS; k++) {
		for (unsigned number = 0; number < MODEL_IDS; number++) {
			char record[FIXTURE_KEY_MAX];
			size_t len = number_record(record, number);

			if (!model[k][number]) {
				continue;
			}
			assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT),
			                 0);
			assert_memory_equal(key.mv_data, &k, sizeof(k));
			assert_int_equal(value.mv_size, len);
			assert_memory_equal(value.mv_data, record, len);
		}
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), MDB_NOTFOUND);
	mdb_cursor_close(cursor);
}

static void change_records_randomly(MDB_txn *txn, MDB_dbi dbi, bool shrink)
{
	for (int i = 0; i < 6000; i++) {
		uint64_t k = random_number(MODEL_KEYS);
		unsigned number = (unsigned)random_number(MODEL_IDS);
		char record[FIXTURE_KEY_MAX];
		MDB_val key = {sizeof(k), &k};
		MDB_val value = {number_record(record, number), record};

		if (random_number(10) < (shrink ? 9 : 2)) {
			assert_int_equal(mdb_del(txn, dbi, &key, &value),
			                 model[k][number] ? 0 : MDB_NOTFOUND);
			model[k][number] = false;
		} else {
			assert_int_equal(mdb_put(txn, dbi, &key, &value, MDB_NODUPDATA),
			                 model[k][number] ? MDB_KEYEXIST : 0);
			model[k][number] = true;
		}
	}
}

/* Eight transactions, the first @p ngrowing of which add more than they take away. */
static void change_and_check(const char *dir, const char *db, int ngrowing,
                             void (*change)(MDB_txn *, MDB_dbi, bool),
                             void (*check)(MDB_txn *, MDB_dbi))
{
	MDB_env *env = NULL;

	assert_no_page_is_lost(dir);
	env = test_env(dir, MDB_NOSYNC, 0);
	for (int round = 0; round < 8; round++) {
		MDB_txn *txn = test_txn(env, 0);
		MDB_dbi dbi = test_dbi(txn, db, 0);

		check(txn, dbi);
		change(txn, dbi, round >= ngrowing);
		check(txn, dbi);
		assert_int_equal(mdb_txn_commit(txn), 0);
	}
	mdb_env_close(env);
	assert_no_page_is_lost(dir);
}

TEST(liblmdb_extends_and_shrinks_our_lists_of_records)
{
	for (unsigned i = 0; i < 4; i++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open(dir);

		seed = i + 100;
		put_record_model();
		(void)fixture_publish(staging);
		change_and_check(dir, "dn2i", 3, change_records_randomly,
		                 check_record_model);
		test_scratch_remove(dir);
	}
}

/* ---- liblmdb goes on with our entries ---- */

static size_t entry_lens[MODEL_IDS]; /* 1 more than the length; 0: there is none */

static size_t random_len(void)
{
	/* Small ones, around half a page, overflow pages. */
	switch (random_number(3)) {
	case 0:
		return random_number(300);
	case 1:
		return 1990 + random_number(60);
	default:
		return random_number(20000);
	}
}

static void put_entries(struct dit_record_output *staging)
{
	static char bytes[20000];

	memset(entry_lens, 0, sizeof(entry_lens));
	for (uint64_t id = 0; id < MODEL_IDS; id += 1 + random_number(3)) {
		size_t len = random_len();

		memset(bytes, (int)id, len);
		fixture_put_entry(staging, id, bytes, len);
		entry_lens[id] = len + 1;
	}
}

static void check_entries(MDB_txn *txn, MDB_dbi dbi)
{
	MDB_cursor *cursor = test_cursor(txn, dbi);
	MDB_val key;
	MDB_val value;

	for (uint64_t id = 0; id < MODEL_IDS; id++) {
		const char *bytes = NULL;

		if (entry_lens[id] == 0) {
			continue;
		}
		assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), 0);
		assert_memory_equal(key.mv_data, &id, sizeof(id));
		assert_int_equal(value.mv_size, entry_lens[id] - 1);
		bytes = value.mv_data;
		for (size_t i = 0; i < value.mv_size; i++) {
			if (bytes[i] != (char)id) {
				fail();
			}
		}
	}
	assert_int_equal(mdb_cursor_get(cursor, &key, &value, MDB_NEXT), MDB_NOTFOUND);
	mdb_cursor_close(cursor);
}

static void change_entries_randomly(MDB_txn *txn, MDB_dbi dbi, bool shrink)
{
	static char bytes[20000];

	for (int i = 0; i < 2000; i++) {
		uint64_t id = random_number(MODEL_IDS);
		size_t len = random_len();
		MDB_val key = {sizeof(id), &id};
		MDB_val value = {len, bytes};

		if (random_number(10) < (shrink ? 9 : 3)) {
			assert_int_equal(mdb_del(txn, dbi, &key, NULL),
			                 entry_lens[id] > 0 ? 0 : MDB_NOTFOUND);
			entry_lens[id] = 0;
		} else {
			memset(bytes, (int)id, len);
			assert_int_equal(mdb_put(txn, dbi, &key, &value, 0), 0);
			entry_lens[id] = len + 1;
		}
	}
}

TEST(liblmdb_extends_and_shrinks_our_entries)
{
	for (unsigned i = 0; i < 4; i++) {
		char *dir = test_scratch();
		struct dit_record_output *staging = fixture_open(dir);

		seed = i + 200;
		put_entries(staging);
		(void)fixture_publish(staging);
		change_and_check(dir, "id2e", 4, change_entries_randomly, check_entries);
		test_scratch_remove(dir);
	}
}

/* Tables, then changes in them, in the same load. */
TEST(changes_lose_no_page)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = fixture_open(dir);
	static const char bytes[9000];
	uint64_t published = 0;
	MDB_txn *txn = NULL;
	MDB_dbi dbi = 0;

	seed = 300;
	put_entries(staging);
	assert_int_equal(dit_output_begin_changes(staging), 0);
	for (uint64_t id = 0; id < MODEL_IDS; id += 5) {
		size_t len = id * 3 % sizeof(bytes);

		assert_int_equal(dit_output_replace_entry(staging, id,
		                                          (struct dit_span){bytes, len}),
		                 0);
		assert_int_equal(fixture_put_split(staging, id, 1, DIT_SPAN("value")), 0);
	}
	assert_int_equal(fixture_end(staging, &published), 0);
	assert_no_page_is_lost(dir);
	txn = test_begin(dir, MDB_RDONLY);
	dbi = test_dbi(txn, "id2e", 0);
	for (uint64_t id = 0; id < MODEL_IDS; id += 5) {
		MDB_val key = {sizeof(id), &id};
		MDB_val value;

		assert_int_equal(mdb_get(txn, dbi, &key, &value), 0);
		assert_int_equal(value.mv_size, id * 3 % sizeof(bytes));
	}
	test_abort(txn);
}
