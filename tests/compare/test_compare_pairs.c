/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two databases with the same entries are equal, of one format or of LMDB 0.9 and 1.0,
 * although IDs, numbers of descriptions, the order of attributes and hashes differ. Each
 * difference of content is found in both directions, and named.
 */

#include "base/ids.h"
#include "compare/compare.h"
#include "output/store_fixture.h"

#define NENTRIES  4 /* the suffix and cn=a, cn=b, cn=c below it */
#define NIDS      40
#define DOUBLE_ID 30

/* How a database is made. Zero: as an old one. */
struct site {
	bool is_new;    /* other IDs, numbers, order of attributes, hashes of 8 bytes */
	bool is_narrow; /* with is_new: hashes of 4 bytes */
	bool is_integerkey;  /* with hashes of 4 bytes */
	const char *sn;      /* of cn=b; NULL: "Roe" */
	const char *rdn;     /* pretty, of cn=c; NULL: "cn=c" */
	bool lacks_entry;    /* cn=c */
	bool has_double;     /* another cn=c, as damage leaves it */
	bool lacks_attr;     /* sn of cn=a */
	uint32_t oc_flags;   /* added to those of cn=a */
	bool lacks_index;    /* cn */
	bool lacks_posting;  /* cn=a in the index of cn, in one of two lists */
	bool lacks_listing;  /* in both lists */
	bool lacks_presence; /* the key of presence */
	bool has_other_key;  /* a key more, of IDs that are there */
	bool has_range;      /* all IDs in the index of sn are a range */
	bool lacks_in_range; /* the range ends before cn=c */
	bool has_stale_id;   /* an ID without an entry, in the index of sn */
	const char *index;   /* name of another index; NULL: none */
};

/* A reload makes cn=b before cn=a; the old database has lost some entries. */
static uint64_t id_of(const struct site *site, unsigned n)
{
	static const uint64_t old_ids[] = {1, 3, 4, 20};
	static const uint64_t new_ids[] = {1, 3, 2, 4};

	return site->is_new ? new_ids[n] : old_ids[n];
}

enum ad {
	OBJECT_CLASS,
	CN,
	SN,
	STREET,
	NADS,
};

static uint32_t ad_of(const struct site *site, enum ad ad)
{
	return site->is_new ? NADS - (uint32_t)ad : (uint32_t)ad + 1;
}

/* Names differ in case. */
static void put_ads(struct dit_record_output *staging, const struct site *site)
{
	const char *names[NADS] = {"objectClass", "cn", "sn", "internationaliSDNNumber"};

	if (site->is_new) {
		names[STREET] = "internationalISDNNumber";
	}
	for (uint32_t number = 1; number <= NADS; number++) {
		for (unsigned ad = 0; ad < NADS; ad++) {
			if (ad_of(site, ad) == number) {
				assert_int_equal(
					dit_output_put_ad(staging, number,
				                          dit_span_of(names[ad])),
					0);
			}
		}
	}
}

static size_t encode(const struct site *site, unsigned n, char *record)
{
	static const char *const names[] = {"suffix", "a", "b", "c"};
	const char *sn = n == 2 && site->sn != NULL ? site->sn : "Roe";
	struct fixture_attr attrs[] = {
		{ad_of(site, OBJECT_CLASS), "person", NULL},
		{ad_of(site, CN), names[n], names[n]},
		{ad_of(site, SN), sn, "roe"},
		{ad_of(site, STREET), "1", site->is_new ? "1" : NULL},
	};
	struct fixture_attr turned[NADS];
	uint32_t nattrs = NADS;

	if (n == 1 && site->lacks_attr) {
		attrs[2] = attrs[3];
		nattrs--;
	}
	for (uint32_t i = 0; i < nattrs; i++) {
		turned[i] = attrs[nattrs - 1 - i];
	}
	return fixture_entry(record, site->is_new ? turned : attrs, nattrs,
	                     0x100 + (n == 1 ? site->oc_flags : 0),
	                     site->is_new ? 'x' : '\0');
}

static void put_entries(struct dit_record_output *staging, const struct site *site)
{
	char record[1000];

	for (uint64_t id = 1; id < NIDS; id++) {
		for (unsigned n = 0; n < NENTRIES; n++) {
			if ((id_of(site, n) == id && !(n == 3 && site->lacks_entry)) ||
			    (n == 3 && id == DOUBLE_ID && site->has_double)) {
				size_t len = encode(site, n, record);

				fixture_put_entry(staging, id, record, len);
			}
		}
	}
}

static void put_child(uint64_t parent, const char *norm, const char *pretty, uint64_t id)
{
	char record[DIT_NAME_RECORD_MAX];
	int len = encode_child(record, dit_span_of(norm), dit_span_of(pretty), id, 1);

	fixture_put_name(parent, record, (size_t)len);
}

static void put_self(uint64_t id, const char *norm, const char *pretty, uint64_t parent)
{
	char record[DIT_NAME_RECORD_MAX];
	int len = encode_self(record, dit_span_of(norm), dit_span_of(pretty), parent);

	fixture_put_name(id, record, (size_t)len);
}

static void put_names(const struct site *site)
{
	const char *last = site->rdn == NULL ? "cn=c" : site->rdn;
	const char *const norms[] = {NULL, "cn=a", "cn=b", "cn=c"};
	const char *const pretty[] = {NULL, "cn=a", "cn=b", last};

	fixture_put_name(0, "\0\0\0\0\0\0\0\0\0\0\0", 12);
	fixture_put_child(0, "cn=suffix", 1, 4);
	fixture_put_self(1, "cn=suffix", 0);
	for (unsigned n = 1; n < NENTRIES; n++) {
		put_child(1, norms[n], pretty[n], id_of(site, n));
	}
	for (uint64_t id = 2; id < NIDS; id++) {
		for (unsigned n = 1; n < NENTRIES; n++) {
			if (id_of(site, n) == id) {
				put_self(id, norms[n], pretty[n], 1);
			}
		}
		if (id == DOUBLE_ID && site->has_double) {
			put_self(id, norms[3], pretty[3], 1);
		}
	}
}

/* The key @p name as a hash of this site's width; 0: presence. */
static void put_list(const struct site *site, char name, const unsigned *entries,
                     size_t n)
{
	bool is_wide = site->is_new && !site->is_narrow;
	char key[8] = {0};
	uint64_t ids[NENTRIES];

	for (size_t i = 0; i < n; i++) {
		ids[i] = id_of(site, entries[i]);
	}
	qsort(ids, n, sizeof(*ids), dit_compare_ids);
	key[0] = name;
	fixture_put_key(key, is_wide && name != '\0' ? 8 : 4, ids, n);
}

static void put_cn(struct dit_record_output *staging, const struct site *site)
{
	const unsigned all[] = {1, 2, 3};
	const unsigned some[] = {2, 3};
	const unsigned *list = site->lacks_listing ? some : all;
	size_t n = site->lacks_listing ? 2 : 3;

	fixture_begin_index(staging, "cn", site->is_integerkey);
	if (!site->lacks_presence) {
		put_list(site, '\0', all, 3);
	}
	put_list(site, 'p', list, n);
	put_list(site, 'q', site->lacks_posting ? some : list,
	         site->lacks_posting ? 2 : n);
	if (site->has_other_key) {
		put_list(site, 'r', some, 2);
	}
}

static void put_sn(struct dit_record_output *staging, const struct site *site)
{
	const uint64_t end =
		site->lacks_in_range ? id_of(site, 3) - 1 : id_of(site, 3) + 9;
	const uint64_t range[] = {0, id_of(site, 0), end};
	const uint64_t stale[] = {NIDS};

	fixture_begin_index(staging, "sn", false);
	if (site->has_range) {
		fixture_put_key("abc", 3, range, 3);
	} else {
		uint64_t ids[3] = {id_of(site, 1), id_of(site, 2), id_of(site, 3)};

		qsort(ids, 3, sizeof(*ids), dit_compare_ids);
		fixture_put_key("abc", 3, ids, 3);
	}
	if (site->has_stale_id) {
		fixture_put_key("abd", 3, stale, 1);
	}
}

static char *make(const struct site *site, bool is_lmdb_10)
{
	char *dir = test_scratch();
	struct dit_record_output *staging = NULL;
	struct dit_output_opts opts = fixture_opts(dir);

	opts.is_lmdb_10 = is_lmdb_10;
	fixture_forget_tables();
	assert_int_equal(dit_output_new_open(&staging, &opts), 0);
	put_ads(staging, site);
	put_entries(staging, site);
	put_names(site);
	if (!site->lacks_index) {
		put_cn(staging, site);
	}
	put_sn(staging, site);
	if (site->index != NULL) {
		fixture_begin_index(staging, site->index, false);
	}
	(void)fixture_publish(staging);
	return dir;
}

/* ---- comparisons ---- */

struct lines {
	char text[20000];
	size_t len;
};

static void collect(void *ctx, const struct dit_report *report)
{
	struct lines *lines = ctx;

	lines->len +=
		(size_t)snprintf(lines->text + lines->len,
	                         sizeof(lines->text) - lines->len, "%s\n", report->text);
	assert_true(lines->len < sizeof(lines->text));
}

static uint64_t compare_dirs(const char *first, const char *second, struct lines *lines)
{
	const struct dit_compare_opts opts = {
		.size = sizeof(opts), .first = first, .second = second};
	uint64_t n = 99;

	lines->len = 0;
	lines->text[0] = '\0';
	assert_int_equal(dit_compare(&opts, collect, lines, &n), 0);
	return n;
}

/* Both ways round. */
static void check_formats(const char *name, const struct site sites[2],
                          const bool are_lmdb_10[2], uint64_t ndifferences,
                          const char *line)
{
	char *old_dir = make(&sites[0], are_lmdb_10[0]);
	char *new_dir = make(&sites[1], are_lmdb_10[1]);
	struct lines lines;
	uint64_t n = compare_dirs(old_dir, new_dir, &lines);

	if (n != ndifferences || (line != NULL && strstr(lines.text, line) == NULL)) {
		fail_msg("%s: %d differences:\n%s", name, (int)n, lines.text);
	}
	assert_int_equal(compare_dirs(new_dir, old_dir, &lines), ndifferences);
	test_scratch_remove(old_dir);
	test_scratch_remove(new_dir);
}

/* Both of one format, and the old one of LMDB 0.9. */
static void check(const char *name, const struct site *old_site,
                  const struct site *new_site, uint64_t ndifferences, const char *line)
{
	const struct site sites[2] = {*old_site, *new_site};

	check_formats(name, sites, (const bool[2]){false, true}, ndifferences, line);
	check_formats(name, sites, (const bool[2]){false, false}, ndifferences, line);
	check_formats(name, sites, (const bool[2]){true, true}, ndifferences, line);
}

TEST(what_has_to_differ_is_passed_over)
{
	const struct site old_site = {.is_new = false};
	const struct site integers = {.is_integerkey = true};
	const struct site range = {.has_range = true};
	const struct site new_site = {.is_new = true};
	const struct site narrow = {.is_new = true, .is_narrow = true};
	const struct site narrow_integers = {
		.is_new = true, .is_narrow = true, .is_integerkey = true};
	const struct site added[2] = {{.is_new = false},
	                              {.is_new = true, .index = "objectClass"}};
	const struct site new_range = {.is_new = true, .has_range = true};

	check("nothing", &old_site, &old_site, 0, NULL);
	check("IDs, numbers, hashes", &old_site, &new_site, 0, NULL);
	check("IDs, numbers", &old_site, &narrow, 0, NULL);
	check("integer keys", &integers, &new_site, 0, NULL);
	check("integer keys, narrow", &integers, &narrow, 0, NULL);
	check("integer keys, new", &old_site, &narrow_integers, 0, NULL);
	check_formats("the added index", added, (const bool[2]){false, true}, 0, NULL);
	check("an old range", &range, &new_site, 0, NULL);
	check("a new range", &old_site, &new_range, 0, NULL);
	check("two ranges", &range, &new_range, 0, NULL);
}

TEST(differences_of_entries_are_named)
{
	const struct site old_site = {.is_new = false};
	const struct {
		const char *name;
		struct site site;
		uint64_t n;
		const char *line;
	} cases[] = {
		{"a value",
	         {.is_new = true, .sn = "Rue"},
	         1,
	         "id2e: \"cn=b,cn=suffix\", sn: \"Roe\" | \"Rue\"\n"},
		{"a name",
	         {.is_new = true, .rdn = "CN=c"},
	         1,
	         "id2e: \"cn=c,cn=suffix\" | \"CN=c,cn=suffix\"\n"},
		{"a second of the name",
	         {.is_new = true, .has_double = true},
	         1,
	         "id2e: \"cn=c,cn=suffix\", only in the second\n"},
		{"an attribute",
	         {.is_new = true, .lacks_attr = true},
	         1,
	         "id2e: \"cn=a,cn=suffix\", sn, only in the first: \"Roe\"\n"},
		{"flags",
	         {.is_new = true, .oc_flags = 1},
	         1,
	         "id2e: \"cn=a,cn=suffix\", the flags of object classes differ\n"},
		/* Its ID is in both indexes all the same. */
		{"an entry",
	         {.is_new = true, .is_narrow = true, .lacks_entry = true},
	         3,
	         "id2e: \"cn=c,cn=suffix\", only in the first\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check(cases[i].name, &old_site, &cases[i].site, cases[i].n,
		      cases[i].line);
	}
}

TEST(differences_of_indexes_are_named)
{
	const struct site old_site = {.is_new = false};
	const struct site range = {.has_range = true, .lacks_in_range = true};
	const struct site new_site = {.is_new = true};
	const struct {
		const char *name;
		struct site site;
		uint64_t n;
		const char *line;
	} cases[] = {
		{"no index",
	         {.is_new = true, .lacks_index = true},
	         1,
	         "cn: this database is only in the first\n"},
		{"another index",
	         {.is_new = true, .index = "mail"},
	         1,
	         "mail: this database is only in the second\n"},
		{"a posting, narrow",
	         {.is_new = true, .is_narrow = true, .lacks_posting = true},
	         1,
	         "cn: \"cn=a,cn=suffix\", keys only in the first\n"},
		{"an entry without keys",
	         {.is_new = true, .lacks_listing = true, .lacks_presence = true},
	         3,
	         "cn: \"cn=a,cn=suffix\", keys only in the first\n"},
		{"no presence",
	         {.is_new = true, .lacks_presence = true},
	         3,
	         "cn: \"cn=b,cn=suffix\", keys only in the first\n"},
		{"a key, narrow",
	         {.is_new = true, .is_narrow = true, .has_other_key = true},
	         2,
	         "cn: \"cn=b,cn=suffix\", keys only in the second\n"},
		{"an ID of nobody",
	         {.is_new = true, .has_stale_id = true},
	         1,
	         "sn: 1 IDs without an entry, as 40, only in the second\n"},
		{"a range that ends early",
	         {.is_new = true, .has_range = true, .lacks_in_range = true},
	         1,
	         "sn: \"cn=c,cn=suffix\", keys only in the first\n"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check(cases[i].name, &old_site, &cases[i].site, cases[i].n,
		      cases[i].line);
	}
	check("an old range that ends early", &range, &new_site, 1,
	      "sn: \"cn=c,cn=suffix\", keys only in the second\n");
}

TEST(an_id_of_nobody_is_told_with_its_side)
{
	const struct site old_site = {.has_stale_id = true};
	const struct site new_site = {.is_new = true};

	check("in the first", &old_site, &new_site, 1,
	      "sn: 1 IDs without an entry, as 40, only in the first\n");
}

/* The index of objectClass is that of slapd 2.7. */
TEST(an_old_index_of_object_class_counts)
{
	const struct site old_site = {.index = "objectClass"};
	const struct site new_site = {.is_new = true};

	check("it is lost", &old_site, &new_site, 1,
	      "objectClass: this database is only in the first\n");
}

TEST(generated_values_can_be_ignored)
{
	const struct site old_site = {.index = "entryUUID"};
	const struct site new_site = {.is_new = true};
	struct dit_compare_opts opts = {.size = sizeof(opts), .ignore_generated = true};
	uint64_t n = 99;

	opts.first = make(&old_site, false);
	opts.second = make(&new_site, true);
	assert_int_equal(dit_compare(&opts, NULL, NULL, &n), 0);
	assert_int_equal(n, 1); /* the database itself is missing */
	test_scratch_remove((char *)opts.first);
	test_scratch_remove((char *)opts.second);
}
