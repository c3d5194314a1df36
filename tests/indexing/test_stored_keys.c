/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Keys of a stored entry (stored_keys.h) are those of a new entry with the same
 * attributes: of normal values where they are stored, and of the others as they are.
 */
#include "indexing/stored_keys.h"

#include "builders_fixture.h"

struct text {
	char bytes[400];
	size_t len;
};

static int add_keys(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	struct text *text = ctx;

	for (size_t i = 0; i < nkeys; i++) {
		text->len += (size_t)snprintf(text->bytes + text->len,
		                              sizeof(text->bytes) - text->len, "%u:%llx ",
		                              db, (unsigned long long)ordinals[i]);
	}
	return 0;
}

static int add_wide(void *ctx, unsigned db, struct dit_span key)
{
	struct text *text = ctx;

	text->len +=
		(size_t)snprintf(text->bytes + text->len, sizeof(text->bytes) - text->len,
	                         "%u:wide%zu ", db, key.len);
	return 0;
}

static int refuse(void *ctx, unsigned db, const uint64_t *ordinals, size_t nkeys)
{
	(void)ctx, (void)db, (void)ordinals, (void)nkeys;
	return -ENOSPC;
}

/* The keys that a new entry has. */
static struct text keys_of_new(const struct dit_index_set *set, const struct dit_ad *ad,
                               struct dit_span *values, struct dit_span *normal)
{
	struct dit_attr attr = {
		.ad = ad, .values = values, .normal = normal, .nvalues = 2};
	struct dit_entry entry = {.attrs = &attr, .nattrs = 1};
	struct dit_index_work *work = NULL;
	struct text text = {.len = 0};

	assert_int_equal(dit_index_work_new(&work, set), 0);
	assert_int_equal(dit_index_entry(work, &entry, add_keys, add_wide, &text), 0);
	dit_index_work_free(work);
	return text;
}

TEST(keys_are_those_of_a_new_entry)
{
	struct fixture *f = *state;
	struct dit_index_set *set = five_databases(f);
	struct dit_span values[] = {DIT_SPAN("A  B"), DIT_SPAN("C")};
	struct dit_span normal[] = {DIT_SPAN("a b"), DIT_SPAN("c")};
	const struct dit_ad *cn = find_ad(f, "cn");
	struct dit_attr_view attrs[] = {
		{.ad = NULL, .nvalues = 2, .values = values},
		{.ad = cn, .nvalues = 2, .values = values, .normal = normal},
	};
	struct dit_entry_view view = {.id = 7, .nattrs = 2, .attrs = attrs};
	struct dit_stored_keys *keys = NULL;
	struct text text = {.len = 0};
	struct text raw = keys_of_new(set, cn, values, NULL);
	struct text want = keys_of_new(set, cn, values, normal);

	assert_int_equal(dit_stored_keys_new(&keys, set), 0);
	assert_int_equal(dit_stored_keys_make(keys, &view, add_keys, add_wide, &text), 0);
	assert_string_equal(text.bytes, want.bytes);
	assert_string_not_equal(want.bytes, raw.bytes);
	text = (struct text){.len = 0};
	attrs[1].normal = NULL;
	assert_int_equal(dit_stored_keys_make(keys, &view, add_keys, add_wide, &text), 0);
	assert_string_equal(text.bytes, raw.bytes);
	assert_int_equal(dit_stored_keys_make(keys, &view, refuse, add_wide, &text),
	                 -ENOSPC);
	/* Neither a hole nor the entry with the empty DN is indexed. */
	text = (struct text){.len = 0};
	view.is_hole = true;
	assert_int_equal(dit_stored_keys_make(keys, &view, add_keys, add_wide, &text), 0);
	view.is_hole = false;
	view.id = 0;
	assert_int_equal(dit_stored_keys_make(keys, &view, add_keys, add_wide, &text), 0);
	assert_string_equal(text.bytes, "");
	dit_stored_keys_free(keys);
	dit_index_set_free(set);
}

struct versions {
	const struct dit_index_set *set;
	struct dit_stored_keys *keys;
	struct text text;
};

/* The database of each key */
static void add_names(struct versions *versions, const struct dit_builders *builders)
{
	struct text *text = &versions->text;

	for (size_t db = 0; db < dit_index_set_ndbs(versions->set); db++) {
		const char *name = dit_index_set_db(versions->set, db)->name;

		for (uint64_t n = dit_builders_npushed(builders, db); n > 0; n--) {
			text->len += (size_t)snprintf(text->bytes + text->len,
			                              sizeof(text->bytes) - text->len,
			                              "%s ", name);
		}
	}
}

/* The databases of the keys that are made of both versions: "cn sn | cn " */
static const char *make_both(struct versions *versions,
                             const struct dit_entry_view views[2])
{
	struct dit_view_attrs lists[2] = {{.size = 0}, {.size = 0}};
	struct dit_builders *builders = NULL;
	struct dit_entry entries[2];

	versions->text = (struct text){.len = 0};
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(dit_view_attrs_take(&lists[i], &views[i], &entries[i]),
		                 0);
	}
	assert_int_equal(
		dit_stored_keys_compare(versions->keys, &entries[0], &entries[1]), 0);
	for (size_t i = 0; i < 2; i++) {
		if (i == 1) {
			versions->text.len += (size_t)snprintf(
				versions->text.bytes + versions->text.len, 3, "| ");
		}
		builders = new_builders(versions->set, test_tmp_dir(), 1);
		assert_int_equal(dit_stored_keys_push_changed(versions->keys, &entries[i],
		                                              builders, 0, 7),
		                 0);
		add_names(versions, builders);
		dit_builders_free(builders);
		free(lists[i].attrs);
	}
	return versions->text.bytes;
}

/*
 * tGT, tINT and cn have databases of their own. The rest of both versions makes
 * other keys.
 */
TEST(attributes_that_are_the_same_are_left_out)
{
	struct fixture *f = *state;
	struct dit_index_set *set = five_databases(f);
	struct dit_span a[] = {DIT_SPAN("20260101000000Z"), DIT_SPAN("b")};
	struct dit_span same[] = {DIT_SPAN("20260101000000Z"), DIT_SPAN("b")};
	struct dit_span b[] = {DIT_SPAN("20270101000000Z"), DIT_SPAN("b")};
	const struct dit_attr_view time = {
		.number = 1, .ad = find_ad(f, "tGT"), .nvalues = 1, .values = a};
	const struct dit_attr_view cn = {
		.number = 2, .ad = find_ad(f, "cn"), .nvalues = 2, .values = a};
	struct dit_span n[] = {DIT_SPAN("7")};
	const struct dit_attr_view number = {
		.number = 3, .ad = find_ad(f, "tINT"), .nvalues = 1, .values = n};
	const struct dit_attr_view unknown = {.number = 4, .nvalues = 1, .values = a};
	struct dit_attr_view older[] = {time, cn, number, unknown};
	const struct dit_entry_view before = {.id = 7, .nattrs = 4, .attrs = older};
	struct dit_attr_view newer[4];
	const struct {
		size_t attr; /* that changes */
		struct dit_attr_view to;
		const char *made;
	} cases[] = {
		{0, {.number = 1, .ad = time.ad, .nvalues = 1, .values = same}, "| "},
		{0,
	         {.number = 1, .ad = time.ad, .nvalues = 1, .values = b},
	         "tGT | tGT "},
		{1, {.number = 2, .ad = cn.ad, .nvalues = 1, .values = a}, "cn cn | cn "},
		{1,
	         {.number = 2, .ad = cn.ad, .nvalues = 2, .values = a, .normal = a},
	         "cn cn | cn cn "},
		{3, {.number = 4, .nvalues = 1, .values = b}, "| "},
	};
	struct versions versions = {.set = set};
	struct dit_entry_view views[2];

	assert_int_equal(dit_stored_keys_new(&versions.keys, set), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		views[0] = before;
		views[1] = before;
		memcpy(newer, older, sizeof(newer));
		newer[cases[i].attr] = cases[i].to;
		views[1].attrs = newer;
		assert_string_equal(make_both(&versions, views), cases[i].made);
	}
	/* It came, or it goes: all that have keys. */
	views[0] = before;
	views[1] = (struct dit_entry_view){.id = 7};
	assert_string_equal(make_both(&versions, views), "cn cn tGT tINT | ");
	dit_stored_keys_free(versions.keys);
	dit_index_set_free(set);
}

/* sn has keys in name's database as cn has: who of them has not changed is asked, too. */
TEST(attributes_that_share_a_database_stay_together)
{
	struct fixture *f = *state;
	const struct dit_index_spec specs[] = {
		{find_ad(f, "name"), DIT_INDEX_EQ},
		{find_ad(f, "tINT"), DIT_INDEX_EQ},
	};
	struct dit_span a[] = {DIT_SPAN("1")};
	struct dit_span b[] = {DIT_SPAN("2")};
	struct dit_attr_view older[] = {
		{.number = 1, .ad = find_ad(f, "cn"), .nvalues = 1, .values = a},
		{.number = 2, .ad = find_ad(f, "sn"), .nvalues = 1, .values = a},
		{.number = 3, .ad = find_ad(f, "tINT"), .nvalues = 1, .values = a},
	};
	struct dit_attr_view newer[3];
	struct dit_entry_view views[2] = {{.id = 7, .nattrs = 3, .attrs = older},
	                                  {.id = 7, .nattrs = 3, .attrs = newer}};
	struct dit_index_set *set = new_set(f, specs, 2, &usual_params, true);
	struct versions versions = {.set = set};

	assert_int_equal(dit_stored_keys_new(&versions.keys, set), 0);
	memcpy(newer, older, sizeof(newer));
	newer[1].values = b;
	assert_string_equal(make_both(&versions, views), "name name | name name ");
	dit_stored_keys_free(versions.keys);
	dit_index_set_free(set);
}

TEST(builders_take_stored_keys)
{
	struct fixture *f = *state;
	char *dir = test_scratch();
	struct dit_index_set *set = five_databases(f);
	struct dit_builders *builders = new_builders(set, dir, 2);
	struct dit_span time[] = {DIT_SPAN("20260101000000Z")};
	struct dit_span number[] = {DIT_SPAN("1234567890123456789012345")};
	struct dit_attr_view attrs[] = {
		{.ad = find_ad(f, "tGT"), .nvalues = 1, .values = time},
		{.ad = find_ad(f, "tINT"), .nvalues = 1, .values = number},
	};
	struct dit_entry_view view = {.id = 7, .nattrs = 2, .attrs = attrs};
	struct dit_index_cursor *cursor = NULL;
	struct dit_stored_keys *keys = NULL;
	const struct dit_posting_list *lists = NULL;
	struct dit_index_refusal refusal;

	assert_int_equal(dit_stored_keys_new(&keys, set), 0);
	assert_int_equal(dit_stored_keys_push(keys, &view, builders, 1, &refusal), 0);
	assert_int_equal(dit_builders_npostings(builders), WIDE - SHORT + 1);
	assert_int_equal(dit_builders_finish(builders), 0);
	for (size_t db = SHORT; db <= WIDE; db++) {
		assert_int_equal(dit_index_cursor_open(&cursor, builders, db, 0), 0);
		assert_int_equal(dit_index_cursor_next(cursor, &lists), 1);
		assert_int_equal(lists[0].nids, 1);
		assert_int_equal(lists[0].ids[0], 7);
		assert_int_equal(dit_index_cursor_next(cursor, &lists), 0);
		dit_index_cursor_close(cursor);
	}
	dit_stored_keys_free(keys);
	dit_builders_free(builders);
	dit_index_set_free(set);
}

MAIN_WITH(setup, NULL)
