/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Changes of keys (key_changes.h) are the IDs of entries of which one version alone has
 * the key, key by key in the order of the database. Random entries of several producers
 * have keys of all formats; the model has a list of all changes.
 */
#include "indexing/key_changes.h"

#include "base/error.h"
#include "builders_fixture.h"
#include "posting_changes.h"

#define NPRODUCERS  3u
#define HIGH_ID     ((uint64_t)1 << 40)
#define NENTRIES    4000u
#define CHANGES_MAX 100000u

/* Keys of both versions of all entries. */
static struct {
	const struct dit_index_set *set;
	unsigned db; /* the one that is looked at */
	uint64_t id;
	bool is_newer;
	struct posting_change list[CHANGES_MAX];
	char bytes[CHANGES_MAX][40];
	size_t n;
} model;

static int note_wide(void *ctx, unsigned db, struct dit_span key)
{
	(void)ctx;
	if (db != model.db) {
		return 0;
	}
	assert_true(model.n < CHANGES_MAX && key.len <= sizeof(model.bytes[0]));
	memcpy(model.bytes[model.n], key.data, key.len);
	model.list[model.n] = (struct posting_change){
		{model.bytes[model.n], key.len}, model.id, model.is_newer};
	model.n++;
	return 0;
}

static int note(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	for (size_t i = 0; i < nkeys; i++) {
		const struct dit_index_db *index = dit_index_set_db(model.set, db);
		char key[sizeof(uint64_t)];
		size_t len = dit_index_key_bytes(index, ordinals[i], key);

		(void)note_wide(ctx, db, (struct dit_span){key, len});
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	struct dit_key_orders orders;
	const struct posting_change *x = a;
	const struct posting_change *y = b;
	bool is_integerkey = dit_index_set_db(model.set, model.db)->is_integerkey;
	int order = 0;

	dit_key_default_orders(is_integerkey ? DIT_DB_INTEGERKEY : 0u, &orders);
	order = posting_change_compare(&orders.keys, x, y);
	return order != 0 ? order : x->is_added - y->is_added;
}

/* Those of one version alone, each once. */
static void reduce_model(void)
{
	size_t n = 0;
	size_t end = 0;

	qsort(model.list, model.n, sizeof(model.list[0]), compare);
	for (size_t i = 0; i < model.n; i = end) {
		const struct posting_change *first = &model.list[i];

		for (end = i + 1; end < model.n && model.list[end].id == first->id &&
		                  dit_span_eq(model.list[end].key, first->key);
		     end++) {
		}
		if (first->is_added == model.list[end - 1].is_added) {
			model.list[n++] = *first;
		}
	}
	model.n = n;
}

/* ---- entries ---- */

struct version {
	struct dit_entry entry;
	struct dit_attr attrs[NDBS];
	struct dit_span values[NDBS][2];
	char bytes[NDBS][2][40];
};

static const struct dit_ad *ads[NDBS];

static void make_value(unsigned db, char bytes[40], struct dit_span *ret)
{
	static const char *const forms[NDBS] = {
		[INT32] = "n%d",
		[BYTES32] = "s%d",
		[SHORT] = "20%02d0101000000Z",
		[WIDE] = "12345678901234567890123%02d",
		[OTHER_WIDE] = "%d",
	};
	int n = db == OTHER_WIDE ? rand() % 1000 - 500 : 10 + rand() % 40;

	*ret = (struct dit_span){bytes, (size_t)snprintf(bytes, 40, forms[db], n)};
}

static void make_version(struct version *ret)
{
	ret->entry = (struct dit_entry){.attrs = ret->attrs};
	for (unsigned db = 0; db < NDBS; db++) {
		struct dit_attr *attr = &ret->attrs[ret->entry.nattrs];

		if (rand() % 3 == 0) {
			continue;
		}
		*attr = (struct dit_attr){.ad = ads[db],
		                          .values = ret->values[db],
		                          .nvalues = 1 + (uint32_t)rand() % 2};
		for (uint32_t i = 0; i < attr->nvalues; i++) {
			make_value(db, ret->bytes[db][i], &ret->values[db][i]);
		}
		ret->entry.nattrs++;
	}
}

/* Entries of all producers, again the same. */
static void take_entries(struct dit_key_changes *changes)
{
	static struct version versions[2];
	struct dit_index_work *work = NULL;

	assert_int_equal(dit_index_work_new(&work, model.set), 0);
	srand(7);
	for (unsigned n = 0; n < NENTRIES; n++) {
		uint64_t id = n + (n < NENTRIES / 2 ? 1 : HIGH_ID);

		for (unsigned i = 0; i < 2; i++) {
			make_version(&versions[i]);
			model.id = id;
			model.is_newer = i == 1;
			assert_int_equal(dit_index_entry(work, &versions[i].entry, note,
			                                 note_wide, NULL),
			                 0);
		}
		if (changes != NULL) {
			assert_int_equal(dit_key_changes_take(changes, n % NPRODUCERS, id,
			                                      &versions[0].entry,
			                                      &versions[1].entry),
			                 0);
		}
	}
	dit_index_work_free(work);
}

/* The IDs of a key whose first change is @p at. @return the number of its changes */
static size_t assert_ids(const struct dit_ids_change *change, struct dit_span key,
                         size_t at)
{
	size_t nadded = 0;
	size_t n = 0;

	for (; at + n < model.n && dit_span_eq(model.list[at + n].key, key); n++) {
		const struct posting_change *wanted = &model.list[at + n];

		if (wanted->is_added) {
			assert_true(nadded < change->nadded);
			assert_int_equal(change->added[nadded++], wanted->id);
		} else {
			assert_true(n - nadded < change->nremoved);
			assert_int_equal(change->removed[n - nadded], wanted->id);
		}
	}
	assert_int_equal(change->nadded, nadded);
	assert_int_equal(change->nremoved, n - nadded);
	return n;
}

static void assert_lists(struct dit_changed_lists *lists)
{
	struct dit_ids_change change;
	struct dit_span key;
	size_t at = 0;

	while (dit_changed_lists_next(lists, &key, &change) > 0) {
		at += assert_ids(&change, key, at);
	}
	assert_int_equal(at, model.n);
	assert_int_equal(lists->n, model.n);
}

TEST(lists_are_those_of_the_model)
{
	struct fixture *f = *state;
	struct dit_index_set *set = five_databases(f);
	const struct dit_builders_opts opts = {
		.indexes = set,
		.shared = {.nthreads = NPRODUCERS, .tmpdir = test_tmp_dir()}};
	struct dit_key_changes *changes = NULL;

	for (unsigned db = 0; db < NDBS; db++) {
		ads[db] = find_ad(f, (const char *const[]){"cn", "sn", "tGT", "tINT",
		                                           "uidNumber"}[db]);
	}
	model.set = set;
	assert_int_equal(dit_key_changes_new(&changes, &opts), 0);
	assert_int_equal(dit_key_changes_begin(changes), 0);
	take_entries(changes);
	assert_int_equal(dit_key_changes_finish(changes), 0);
	/* Some of them do not fit into memory. */
	assert_true(dit_builders_run_bytes(changes->builders[0]) > 0);
	for (unsigned db = 0; db < NDBS; db++) {
		struct dit_changed_lists lists;

		model.db = db;
		model.n = 0;
		take_entries(NULL);
		reduce_model();
		assert_true(model.n > NENTRIES / 4);
		assert_int_equal(dit_changed_lists_open(&lists, changes, db), 0);
		assert_lists(&lists);
		dit_changed_lists_close(&lists);
	}
	assert_int_equal(dit_key_changes_begin(changes), 0);
	assert_int_equal(dit_key_changes_finish(changes), 0);
	/* There are none any more. */
	for (unsigned db = 0; db < NDBS; db++) {
		struct dit_changed_lists lists;

		model.n = 0;
		assert_int_equal(dit_changed_lists_open(&lists, changes, db), 0);
		assert_lists(&lists);
		dit_changed_lists_close(&lists);
	}
	dit_key_changes_free(changes);
	dit_index_set_free(set);
}

MAIN_WITH(setup, NULL)
