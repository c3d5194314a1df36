/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of contextCSN:
 * - of each server the highest entryCSN counts; values without a server ID do not;
 * - what is stored is changed, all values together, if one of them is exceeded;
 * - a stored entry is changed when the output takes changes;
 * - a subentry is made if there is none; a missing suffix entry is told; a hole stays
 * one;
 * - errors of the objects below, and missing memory, are passed on.
 */
#include "test.h"

#include "base/error.h"
#include "entry/entry_fixture.h"
#include "indexing/fake_output.h"
#include "load/loader.h"
#include "nomem.h"
#include "sort/sort.h"

#define MODIFIED(id)     "modified: \"(null)\" (0000000" id ")\n"
#define CSN(second, sid) "202301010000" second ".000000Z#000000#" sid "#000000"

struct fixture {
	struct entry_fixture entry;
	struct fake_output fake;
	struct loader loader;
	struct load_target target;
	struct dit_load_opts opts;
	struct dit_load_stats stats;
	struct dit_load_database_stats database_stats;
	struct dit_settings settings;
	struct dit_database db;
	struct load_member member; /* makes the keys of a subentry: there are none */
	struct dit_index_work *keys;
	struct dit_index_set *indexes;
	const struct dit_sid_set *removed; /* of the next start() */
	char reports[1024];                /* a line for each */
	char text[1024];
};

static void take_report(void *ctx, const struct dit_report *report)
{
	struct fixture *f = ctx;

	test_append(f->reports, "%s\n", report->text);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (f == NULL || dit_fingerprint_key_make(&f->loader.name_key) < 0 ||
	    entry_fixture_init(&f->entry) < 0) {
		free(f);
		return -1;
	}
	f->settings.schema = f->entry.schema;
	assert_int_equal(dit_index_set_new(&f->indexes, &f->settings, NULL, 0, true), 0);
	assert_int_equal(dit_index_work_new(&f->keys, f->indexes), 0);
	*state = f;
	return 0;
}

static void forget(struct fixture *f)
{
	dit_load_csn_deinit(&f->loader.csn);
	f->loader.csn = (struct load_csn){.is_wanted = false};
	dit_entries_free(f->target.entries);
	f->target.entries = NULL;
	dit_dn_tree_free(f->target.tree);
	f->target.tree = NULL;
	dit_ad_numbers_deinit(&f->target.numbers);
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	forget(f);
	dit_index_work_free(f->keys);
	dit_index_set_free(f->indexes);
	entry_fixture_deinit(&f->entry);
	free(f);
	return 0;
}

static void start_loader(struct fixture *f)
{
	struct loader *loader = &f->loader;

	f->opts = (struct dit_load_opts){.write_context_csn = true, .is_verbose = true};
	f->stats = (struct dit_load_stats){0};
	f->member = (struct load_member){.keys = &f->keys};
	f->reports[0] = '\0';
	f->db.lastmod = true;
	loader->opts = &f->opts;
	loader->stats = &f->stats;
	loader->members = &f->member;
	loader->job.opts.report = take_report;
	loader->job.opts.report_ctx = f;
	loader->job.chosen.settings = &f->settings;
	loader->job.chosen.db = &f->db;
	loader->reading.context.removed_sids = f->removed;
	assert_int_equal(dit_load_csn_start(loader), 0);
}

/* A new database with this suffix. */
static void start(struct fixture *f, const char *suffix, unsigned suffix_nrdns)
{
	struct load_target *target = &f->target;
	const struct dit_shared shared = {.nthreads = 1, .tmpdir = test_tmp_dir()};

	forget(f);
	fake_init(&f->fake);
	f->db = (struct dit_database){.suffix = dit_span_of(suffix),
	                              .data.directory = "dir"};
	start_loader(f);
	*target = (struct load_target){.loader = &f->loader,
	                               .db = &f->db,
	                               .stats = &f->database_stats,
	                               .output = &f->fake.output};
	assert_int_equal(dit_dn_tree_new(&target->tree, &f->fake.output, suffix_nrdns,
	                                 1 << 20, &shared),
	                 0);
	assert_int_equal(dit_entries_new(&target->entries, &f->fake.output,
	                                 &target->numbers, DIT_SORT_SHARE_MIN, &shared),
	                 0);
}

/* Read, note and store an entry; its ID. */
static uint32_t add(struct fixture *f, const char *record)
{
	const struct dit_entry *entry = &f->entry.entry;
	struct dit_dn_tree_name name = {0};
	struct dit_encoded encoded = {0};
	struct dit_dn_tree_node node = {0};

	assert_int_equal(fixture_read(&f->entry, record), 0);
	assert_int_equal(dit_load_csn_note(&f->loader, entry), 0);
	assert_int_equal(
		dit_entry_encode(entry, f->target.split_rules, &f->entry.arena, &encoded),
		0);
	if (entry->dn.nrdns > 0) {
		dit_dn_tree_name_init(&name, &f->loader.name_key, &entry->dn);
		assert_int_equal(dit_dn_tree_find(f->target.tree, &name, &node), 0);
		assert_int_equal(dit_dn_tree_add(f->target.tree, &name, &node), 0);
		assert_int_equal(dit_dn_tree_push(f->target.tree, 0, &name, &node), 0);
	}
	for (unsigned i = 1; i < node.nnodes; i++) {
		assert_int_equal(dit_entries_put_hole(f->target.entries,
		                                      node.id - node.nnodes + i),
		                 0);
	}
	assert_int_equal(dit_entries_put(f->target.entries, node.id, &encoded), 0);
	return node.id;
}

static void add_with_csn(struct fixture *f, const char *dn, const char *csn)
{
	char *record = test_text("dn: %s\nentryCSN: %s\n", dn, csn);

	(void)add(f, record);
}

static uint32_t id_of(struct fixture *f, const char *text)
{
	struct dit_dn_tree_name name = {0};
	struct dit_dn dn = {0};
	struct dit_dn_tree_node node;

	assert_int_equal(dit_dn_parse(f->entry.schema, dit_span_of(text), &f->entry.arena,
	                              NULL, &dn),
	                 0);
	dit_dn_tree_name_init(&name, &f->loader.name_key, &dn);
	assert_int_equal(dit_dn_tree_find(f->target.tree, &name, &node), 0);
	return node.id;
}

static struct dit_stored_entry stored_entry(struct fixture *f, uint32_t id)
{
	const struct fake_entry *record = &f->fake.entries[id];
	struct dit_stored_entry entry = {0};

	assert_int_equal(dit_entry_decode((struct dit_span){record->bytes, record->len},
	                                  &f->entry.arena, &entry),
	                 0);
	return entry;
}

/* The values of contextCSN of a stored entry, each followed by a space. */
static const char *values_of(struct fixture *f, uint32_t id)
{
	struct dit_stored_entry entry = stored_entry(f, id);
	const struct dit_ad *ad = NULL;
	uint32_t number = 0;
	size_t len = 0;

	assert_int_equal(
		dit_ad_find(f->entry.schema, NULL, DIT_SPAN("contextCSN"), &ad, NULL), 0);
	assert_int_equal(dit_ad_number(&f->target.numbers, ad, &number), 0);
	f->text[0] = '\0';
	for (uint32_t i = 0; i < entry.nattrs; i++) {
		for (uint32_t v = 0;
		     entry.attrs[i].ad_number == number && v < entry.attrs[i].nvalues;
		     v++) {
			len += (size_t)snprintf(f->text + len, sizeof(f->text) - len,
			                        "%.*s ",
			                        DIT_SPAN_ARGS(entry.attrs[i].values[v]));
		}
	}
	return f->text;
}

/* With the change of an entry, which comes later. */
static int write_all(struct fixture *f)
{
	int r = dit_load_csn_write(&f->target);

	return r < 0 ? r : dit_load_csn_rewrite(&f->target);
}

/* @param want  the reports of this step */
static void do_write(struct fixture *f, const char *want)
{
	f->reports[0] = '\0';
	assert_int_equal(write_all(f), 0);
	assert_string_equal(f->reports, want);
}

FIXTURE_TEST(of_each_server_the_highest_counts)
{
	struct fixture *f = *state;

	start(f, "dc=x", 1);
	do_write(f, ""); /* none noted */
	(void)add(f, "dn: dc=x\nobjectClass: domain\ndc: x\n");
	add_with_csn(f, "cn=a,dc=x", CSN("05", "002"));
	add_with_csn(f, "cn=b,dc=x", CSN("07", "001"));
	add_with_csn(f, "cn=c,dc=x", CSN("06", "00a"));
	add_with_csn(f, "cn=d,dc=x", CSN("06", "001"));
	add_with_csn(f, "cn=e,dc=x", CSN("09", "002"));
	do_write(f, MODIFIED("1"));
	assert_string_equal(
		values_of(f, 1),
		CSN("07", "001") " " CSN("09", "002") " " CSN("06", "00a") " ");
}

FIXTURE_TEST(a_value_without_a_server_does_not_count)
{
	static const char *const bad[] = {
		"20230101000005.000000Z#000000", "x#y#00g#z", "20230101#000000#00",
		"20230101000005.000000Z#000000#0010000", CSN("05", "00g")};
	struct fixture *f = *state;

	start(f, "dc=x", 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct dit_span value = dit_span_of(bad[i]);
		char want[256];
		struct dit_attr *attr = NULL;

		assert_int_equal(fixture_read(&f->entry, "dn: cn=a,dc=x\nentryCSN: " CSN(
								 "05", "001")),
		                 0);
		attr = &f->entry.entry.attrs[0];
		attr->values = &value;
		attr->normal = NULL;
		(void)snprintf(want, sizeof(want),
		               "could not extract SID from entryCSN=%s, entry "
		               "dn=\"cn=a,dc=x\"\n",
		               bad[i]);
		f->reports[0] = '\0';
		assert_int_equal(dit_load_csn_note(&f->loader, &f->entry.entry), 0);
		assert_string_equal(f->reports, want);
	}
	do_write(f, "");
}

FIXTURE_TEST(stored_values_stay_unless_one_is_exceeded)
{
	static const char suffix[] =
		"dn: dc=x\nobjectClass: domain\ndc: x\n"
		"contextCSN: " CSN("06", "001") "\n"
						"contextCSN: " CSN("08", "003") "\n";
	struct fixture *f = *state;

	start(f, "dc=x", 1);
	(void)add(f, suffix);
	add_with_csn(f, "cn=a,dc=x", CSN("05", "001"));
	add_with_csn(f, "cn=b,dc=x", CSN("08", "003"));
	do_write(f, "");

	start(f, "dc=x", 1);
	(void)add(f, suffix);
	add_with_csn(f, "cn=a,dc=x", CSN("07", "001"));
	do_write(f, MODIFIED("1"));
	assert_string_equal(values_of(f, 1), CSN("07", "001") " " CSN("08", "003") " ");
}

FIXTURE_TEST(stored_values_of_removed_servers_go)
{
	static const char suffix[] =
		"dn: dc=x\nobjectClass: domain\ndc: x\n"
		"contextCSN: " CSN("06", "001") "\n"
						"contextCSN: " CSN(
							"08", "003") "\n"
								     "contextCSN: " CSN(
									     "09",
									     "00a") "\n";
	struct fixture *f = *state;
	struct dit_sid_set removed = {{0}};

	f->removed = &removed;
	/* their presence makes all values be written, also without a higher one */
	assert_int_equal(dit_sid_set_parse("3,10", &removed), 0);
	start(f, "dc=x", 1);
	(void)add(f, suffix);
	add_with_csn(f, "cn=a,dc=x", CSN("05", "002"));
	do_write(f, MODIFIED("1"));
	assert_string_equal(values_of(f, 1), CSN("06", "001") " " CSN("05", "002") " ");

	/* without any, the rule of all loads holds */
	assert_int_equal(dit_sid_set_parse("4095", &removed), 0);
	start(f, "dc=x", 1);
	(void)add(f, suffix);
	add_with_csn(f, "cn=a,dc=x", CSN("05", "001"));
	do_write(f, "");
	f->removed = NULL;
}

FIXTURE_TEST(an_entry_is_changed_later)
{
	struct fixture *f = *state;

	start(f, "dc=x", 1);
	(void)add(f, "dn: dc=x\nobjectClass: domain\ndc: x\n");
	add_with_csn(f, "cn=a,dc=x", CSN("05", "001"));
	fake_assert(&f->fake, "entry 1\nentry 2\n");
	assert_int_equal(dit_load_csn_rewrite(&f->target), 0);
	assert_int_equal(dit_load_csn_write(&f->target), 0);
	fake_assert(&f->fake, "");
	assert_string_equal(f->reports, "");
	assert_int_equal(dit_load_csn_rewrite(&f->target), 0);
	assert_string_equal(f->reports, MODIFIED("1"));
	fake_assert(&f->fake, "replace 1\n");
	assert_string_equal(values_of(f, 1), CSN("05", "001") " ");
}

FIXTURE_TEST(a_missing_suffix_entry_is_told)
{
	struct fixture *f = *state;

	/* A hole stays one. */
	start(f, "dc=x", 1);
	add_with_csn(f, "cn=a,dc=x", CSN("05", "001"));
	do_write(f, "");
	fake_assert(&f->fake, "hole 1\nentry 2\n");
	start(f, "ou=none,dc=x", 1);
	add_with_csn(f, "dc=x", CSN("05", "001"));
	do_write(f, "context entry is missing\n");
	assert_int_equal(f->stats.nmissing, 1);
}

FIXTURE_TEST(the_empty_suffix_has_an_entry_or_not)
{
	struct fixture *f = *state;

	start(f, "", 0);
	add_with_csn(f, "dc=x", CSN("05", "001"));
	do_write(f, "");
	(void)add(f, "dn:\nobjectClass: domain\ndc: x\n");
	assert_int_equal(dit_entries_write_late(f->target.entries), 0);
	do_write(f, MODIFIED("0"));
	assert_string_equal(values_of(f, 0), CSN("05", "001") " ");
}

FIXTURE_TEST(a_subentry_is_made_or_changed)
{
	struct fixture *f = *state;

	start(f, "dc=x", 1);
	f->db.sync_use_subentry = true;
	add_with_csn(f, "dc=x", CSN("05", "001"));
	do_write(f, "");
	assert_int_equal(id_of(f, "cn=ldapsync,dc=x"), 2);
	assert_int_equal(stored_entry(f, 2).nattrs, 5);
	assert_string_equal(values_of(f, 2), CSN("05", "001") " ");
	fake_assert(&f->fake, "entry 1\nentry 2\n");
	add_with_csn(f, "cn=a,dc=x", CSN("06", "001"));
	do_write(f, MODIFIED("2"));
	assert_string_equal(values_of(f, 2), CSN("06", "001") " ");

	/* Without a suffix entry it gets a parent that is a hole. */
	start(f, "ou=s,dc=x", 1);
	f->db.sync_use_subentry = true;
	add_with_csn(f, "dc=x", CSN("05", "001"));
	do_write(f, "");
	fake_assert(&f->fake, "entry 1\nhole 2\nentry 3\n");

	start(f, "", 0);
	f->db.sync_use_subentry = true;
	add_with_csn(f, "dc=x", CSN("05", "001"));
	do_write(f, "");
	assert_true(id_of(f, "cn=ldapsync") > 0);
}

FIXTURE_TEST(what_cannot_be_written_is_an_error)
{
	struct dit_split_rules all = {.limit = 1, .record_max = DIT_SPLIT_RECORD_MAX};
	struct fixture *f = *state;
	char suffix[512];

	start(f, "dc=x", 1);
	f->target.split_rules = &all;
	(void)add(f, "dn: dc=x\nobjectClass: domain\ndc: x\ncontextCSN: " CSN(
			     "06", "001") "\ncontextCSN: " CSN("06", "002") "\n");
	add_with_csn(f, "cn=a,dc=x", CSN("07", "001"));
	assert_int_equal(write_all(f), DIT_E_UNSUPPORTED);

	(void)snprintf(suffix, sizeof(suffix), "dc=%0300d", 0);
	start(f, suffix, 1);
	f->db.sync_use_subentry = true;
	add_with_csn(f, "dc=y", CSN("07", "001"));
	assert_int_equal(dit_load_csn_write(&f->target), DIT_E_TOOLONG);

	start(f, "dc=x", 1);
	(void)add(f, "dn: dc=x\nobjectClass: domain\ndc: x\n");
	add_with_csn(f, "cn=a,dc=x", CSN("07", "001"));
	f->fake.entries[1].len = 8;
	assert_int_equal(write_all(f), DIT_E_CORRUPT);
}

static void start_with_csn(struct fixture *f, bool use_subentry)
{
	start(f, "dc=x", 1);
	f->db.sync_use_subentry = use_subentry;
	add_with_csn(f, "dc=x", CSN("07", "001"));
}

/* Write with every call of the output, then every allocation, failing. */
static void fail_everywhere(struct fixture *f, bool use_subentry)
{
	int r = -1;

	for (long n = 0; r < 0; n++) {
		start_with_csn(f, use_subentry);
		f->fake.fail_at = f->fake.ncalls + (int)n + 1;
		r = write_all(f);
		assert_true(r == 0 ? n > 0 : r == -EIO);
	}
	r = -1;
	for (long n = 0; r < 0; n++) {
		start_with_csn(f, use_subentry);
		countdown = n;
		r = write_all(f);
		countdown = -1;
		assert_true(r == 0 ? n > 0 : r == -ENOMEM);
	}
}

FIXTURE_TEST(errors_are_passed_on)
{
	struct fixture *f = *state;

	fail_everywhere(f, false);
	fail_everywhere(f, true);
}

FIXTURE_TEST(without_lastmod_there_is_none)
{
	struct fixture *f = *state;

	start(f, "dc=x", 1);
	assert_true(f->loader.csn.is_wanted);
	dit_load_csn_deinit(&f->loader.csn);
	f->loader.csn = (struct load_csn){.is_wanted = false};
	f->db.lastmod = false;
	assert_int_equal(dit_load_csn_start(&f->loader), 0);
	assert_false(f->loader.csn.is_wanted);
}

/* As releases before 2.4 wrote it. */
FIXTURE_TEST(the_normal_form_counts)
{
	struct fixture *f = *state;
	struct dit_csn *csn = NULL;

	start(f, "dc=x", 1);
	(void)add(f, "dn: dc=x\nobjectClass: domain\ndc: x\n"
	             "entryCSN: 20230101000001Z#000002#03#000000\n");
	csn = dit_csn_list_find(&f->loader.csn.list, 3);
	assert_non_null(csn);
	assert_span_equal(((struct dit_span){csn->text, csn->len}),
	                  "20230101000001.000000Z#000002#003#000000");
}
