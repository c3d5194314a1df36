/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads for OpenLDAP 2.7: what is stored otherwise (storage-2.7.md 2), in files of LMDB
 * 1.0, which are read here without liblmdb.
 */
#include "test.h"

#include "base/error.h"
#include "codec/entry_codec.h"
#include "entry/entry.h"
#include "load_fixture.h"
#include "page/page_dump.h"

#define ROOT "dn: dc=x\nobjectClass: domain\ndc: x\n\n"

static struct dit_load_opts opts_of(struct load_fixture *f)
{
	struct dit_load_opts opts = load_fixture_opts(f);

	opts.openldap = DIT_OPENLDAP_2_7;
	return opts;
}

static int load(const struct dit_load_opts *opts)
{
	int r = load_fixture_run(opts);

	return r;
}

/* The contents of a database file. */
struct content {
	const struct page_dump *dump;
	char databases[512]; /* "objectClass=34 " for each one but the fixed ones */
	size_t nrecords;     /* of the one asked for */
	const char *wanted;
	bool is_wanted;
	page_dump_fn fn; /* of each record of the one asked for; NULL: none */
	void *ctx;
	uint64_t digest; /* of all keys and values */
};

static void add_record(void *ctx, struct dit_span key, struct dit_span value)
{
	struct content *content = ctx;
	struct dit_span parts[] = {key, value};

	content->nrecords += content->is_wanted;
	if (content->is_wanted && content->fn != NULL) {
		content->fn(content->ctx, key, value);
	}
	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < parts[i].len; k++) {
			content->digest =
				(content->digest ^ (unsigned char)parts[i].data[k]) *
				0x100000001b3u;
		}
	}
}

static void add_database(void *ctx, struct dit_span key, struct dit_span value)
{
	struct content *content = ctx;
	size_t len = strlen(content->databases);
	struct dit_tree_record tree;

	memcpy(&tree, value.data, sizeof(tree));
	assert_int_equal(key.data[key.len - 1], '\0');
	if (strstr("ad2i dn2i id2e id2v", key.data) == NULL) {
		(void)snprintf(content->databases + len, sizeof(content->databases) - len,
		               "%s=%x ", key.data, tree.flags);
	}
	content->is_wanted =
		content->wanted != NULL && strcmp(key.data, content->wanted) == 0;
	assert_null(page_dump_tree(content->dump, &tree, add_record, content));
}

static const struct content *read_content(const struct load_fixture *f,
                                          const char *wanted, page_dump_fn fn, void *ctx)
{
	static struct content content;
	struct page_dump dump;
	char path[5000];
	FILE *in = NULL;

	content = (struct content){.dump = &dump, .wanted = wanted, .fn = fn, .ctx = ctx};
	(void)snprintf(path, sizeof(path), "%s/data.mdb", f->database);
	in = fopen(path, "rb");
	assert_non_null(in);
	assert_null(page_dump_read(&dump, in));
	assert_int_equal(fclose(in), 0);
	assert_int_equal(dump.format->version, dit_lmdb_10.version);
	assert_null(page_dump_tree(&dump, &dump.meta.main_tree, add_database, &content));
	page_dump_free(&dump);
	return &content;
}

static const struct content *content_of(const struct load_fixture *f, const char *wanted)
{
	return read_content(f, wanted, NULL, NULL);
}

/* A configuration of its own: the fixture's schema, then these lines. */
static void configure_suffix(struct load_fixture *f, const char *suffix,
                             const char *lines)
{
	char *command = test_text("sed -i '/^database mdb/,$d' '%s'", f->conf);
	FILE *file = NULL;

	assert_int_equal(system(command), 0);
	file = fopen(f->conf, "a");
	assert_non_null(file);
	(void)fprintf(file, "database mdb\nsuffix \"%s\"\ndirectory %s\n%s", suffix,
	              f->database, lines);
	assert_int_equal(fclose(file), 0);
}

static void configure(struct load_fixture *f, const char *lines)
{
	configure_suffix(f, "dc=x", lines);
}

TEST(databases_of_2_7_have_ixck_and_an_index_of_object_class)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;

	configure(f, "index cn pres,eq\nindex sn eq,sub\n");
	load_fixture_write(f, ROOT);
	opts = opts_of(f);
	assert_int_equal(load(&opts), 0);
	assert_string_equal(f->reports, "");
	/* Keys of 8 bytes are integers, but not next to the one of presence. */
	assert_string_equal(content_of(f, NULL)->databases,
	                    "cn=34 ixck=8 objectClass=3c sn=3c ");
	assert_int_equal(content_of(f, "ixck")->nrecords, 0);
	assert_int_equal(content_of(f, "objectClass")->nrecords, 2); /* top, domain */
}

/* liblmdb 0.9 writes no such file, and nothing is added to one of another version. */
TEST(what_cannot_be_written_is_refused)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;

	load_fixture_write(f, ROOT);
	opts = opts_of(f);
	opts.writer = DIT_LOAD_WRITER_APPEND;
	assert_int_equal(load(&opts), MDB_VERSION_MISMATCH);
	assert_non_null(strstr(f->reports, "does not write databases of OpenLDAP 2.7"));
	assert_true(load_fixture_is_empty(f));

	load_fixture_reset(f);
	opts = opts_of(f);
	assert_int_equal(load(&opts), 0);
	load_fixture_write(f, "dn: ou=a,dc=x\nobjectClass: organizationalUnit\n\n");
	opts.openldap = DIT_OPENLDAP_2_6;
	assert_int_equal(load(&opts), DIT_E_FORMAT);

	load_fixture_reset(f);
	load_fixture_write(f, ROOT);
	assert_int_equal(load(&opts), 0);
	opts.openldap = DIT_OPENLDAP_2_7;
	assert_int_equal(load(&opts), DIT_E_FORMAT);
	assert_non_null(strstr(f->reports, "is of LMDB 0.9 (OpenLDAP 2.5 or 2.6)"));
}

TEST(parts_make_the_same_as_the_whole)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;
	uint64_t want = 0;
	char rest[4300];

	load_fixture_write_people(f, 30);
	opts = opts_of(f);
	assert_int_equal(load(&opts), 0);
	want = content_of(f, NULL)->digest;
	for (unsigned n = 1; n < 35; n += 3) {
		load_fixture_reset(f);
		load_fixture_write_people(f, 30);
		load_fixture_split(f, n, "rest.ldif");
		opts = opts_of(f);
		assert_int_equal(load(&opts), 0);
		(void)snprintf(rest, sizeof(rest), "%s/rest.ldif", f->dir);
		opts.input = rest;
		opts.threads = 1 + n % 2;
		assert_int_equal(load(&opts), 0);
		if (content_of(f, NULL)->digest != want) {
			fail_msg("split after record %u: another database", n);
		}
	}
}

TEST(naming_values_are_added_before_the_check)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;

	load_fixture_write(f, ROOT "dn: dc=y,dc=x\nobjectClass: glue\n\n"
	                           "dn: sn=a,dc=x\nobjectClass: domain\ndc: a\n\n"
	                           "dn: dc=a,dc=x\nobjectClass: domain\ndc: b\n");
	opts = opts_of(f);
	opts.keep_going = true;
	assert_int_equal(load(&opts), 0);
	assert_string_equal(f->reports,
	                    "Entry (dc=y,dc=x), attribute 'dc' not allowed\n"
	                    "error: dn=\"dc=y,dc=x\" (line=5): (65) attribute 'dc' not "
	                    "allowed\n"
	                    "Entry (sn=a,dc=x), attribute 'sn' not allowed\n"
	                    "error: dn=\"sn=a,dc=x\" (line=8): (65) attribute 'sn' not "
	                    "allowed\n"
	                    "error: dn=\"dc=a,dc=x\" (line=12): (64) (null)\n");
}

/* The LDIF of doc/compatibility.md. */
TEST(values_stay_with_their_attributes)
{
	static const char ldif[] = ROOT "dn: cn=a,dc=x\n"
					"objectClass: person\n"
					"sn: s\n"
					"cn: a\n"
					"description: a text\n"
					"%s: b\n\n"
					"dn: cn=c,dc=x\n"
					"objectClass: person\n"
					"cn: c\n"
					"description: kept\n"
					"%s"
					"sn: s\n";
	struct load_fixture *f = load_fixture_new("lastmod off\n");
	struct dit_load_opts opts;
	char text[1024];
	uint64_t digest = 0;

	for (int is_quick = 0; is_quick < 2; is_quick++) {
		opts = opts_of(f);
		opts.is_quick = is_quick != 0;
		load_fixture_reset(f);
		(void)snprintf(text, sizeof(text), ldif, "commonName",
		               "entryDN: cn=c,dc=x\n");
		load_fixture_write(f, text);
		assert_int_equal(load(&opts), 0);
		assert_string_equal(f->reports, "");
		digest = content_of(f, NULL)->digest;
		load_fixture_reset(f);
		load_fixture_write(f, ROOT "dn: cn=a,dc=x\nobjectClass: person\nsn: s\n"
		                           "cn: a\ncn: b\ndescription: a text\n\n"
		                           "dn: cn=c,dc=x\nobjectClass: person\ncn: c\n"
		                           "description: kept\nsn: s\n");
		assert_int_equal(load(&opts), 0);
		assert_true(content_of(f, NULL)->digest == digest);
	}
}

TEST(page_size_must_be_one)
{
	static const struct {
		const char *line;
		const char *reports; /* "": taken */
	} cases[] = {
		{"dbpagesize 0\n", ""},
		{"dbpagesize 256\n", ""},
		{"dbpagesize 65536\n", ""},
		{"dbpagesize 5000\n",
	         "mdb_db_open: database \"dc=x\": mdb_env_set_pagesize failed: Invalid "
	         "argument (22).\n"
	         "backend_startup_one (type=mdb, suffix=\"dc=x\"): bi_db_open failed! "
	         "(22)\nslap_startup failed\n"},
		{"dbpagesize 131072\n",
	         "mdb_db_open: database \"dc=x\": mdb_env_set_pagesize failed: Invalid "
	         "argument (22).\n"
	         "backend_startup_one (type=mdb, suffix=\"dc=x\"): bi_db_open failed! "
	         "(22)\nslap_startup failed\n"},
		{"dbpagesize 128\n",
	         "mdb_db_open: database \"dc=x\": mdb_env_set_pagesize failed: Invalid "
	         "argument (22).\n"
	         "backend_startup_one (type=mdb, suffix=\"dc=x\"): bi_db_open failed! "
	         "(22)\nslap_startup failed\n"},
	};
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;

	load_fixture_write(f, ROOT);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int want = cases[i].reports[0] == '\0' ? 0 : DIT_E_CONFIG;

		load_fixture_reset(f);
		configure(f, cases[i].line);
		opts = opts_of(f);
		assert_int_equal(load(&opts), want);
		assert_string_equal(f->reports, cases[i].reports);
		assert_int_equal(load_fixture_is_empty(f), want != 0);
	}
	/* no database is opened */
	opts.is_dry_run = true;
	assert_int_equal(load(&opts), 0);
}

TEST(there_are_251_indexes_at_most)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;

	load_fixture_write(f, ROOT);
	for (int n = 250; n <= 251; n++) {
		char definitions[16000];
		char *lines = calloc(1, 65536);
		size_t len = 0;
		FILE *file = NULL;

		assert_non_null(lines);
		(void)snprintf(definitions, sizeof(definitions), "%s.types", f->conf);
		file = fopen(definitions, "w");
		assert_non_null(file);
		for (int i = 0; i < n; i++) {
			(void)fprintf(file,
			              "attributetype ( 1.3.9.%d NAME 'x%d' SUP name )\n",
			              i, i);
			len += (size_t)snprintf(lines + len, 65536 - len,
			                        "index x%d eq\n", i);
		}
		assert_int_equal(fclose(file), 0);
		load_fixture_reset(f);
		configure(f, lines);
		free(lines);
		/* the definitions in front */
		(void)snprintf(definitions, sizeof(definitions),
		               "sed -i -e '/^include/d' '%s' && "
		               "sed -i '1i include %s.types' '%s'",
		               f->conf, f->conf, f->conf);
		assert_int_equal(system(definitions), 0);
		opts = opts_of(f);
		/* with that of objectClass */
		assert_int_equal(load(&opts), n == 250 ? 0 : DIT_E_CONFIG);
		if (n == 251) {
			assert_non_null(
				strstr(f->reports,
			               "mdb_dbi_open(objectClass) failed: MDB_DBS_FULL"));
			assert_non_null(strstr(f->reports,
			                       "has 252 indexes, slapd 2.7.0 opens 251 "
			                       "at most"));
		}
	}
}

#define WITH_CSN(sid, second)                                                            \
 "entryCSN: 202601010000" second ".000000Z#000000#" sid "#000000\n"
#define CONTEXT(sid, second)                                                             \
 "contextCSN: 202601010000" second ".000000Z#000000#" sid "#000000\n"

struct sids {
	const char *name;
	uint32_t number; /* of the attribute */
	uint64_t id;
	char text[64];
};

static void find_number(void *ctx, struct dit_span key, struct dit_span value)
{
	struct sids *sids = ctx;

	if (dit_span_eq(value, dit_span_of(sids->name))) {
		memcpy(&sids->number, key.data, sizeof(sids->number));
	}
}

static void find_sids(void *ctx, struct dit_span key, struct dit_span value)
{
	struct sids *sids = ctx;
	struct dit_stored_entry entry = {0};
	struct dit_arena arena;

	if (memcmp(key.data, &sids->id, sizeof(sids->id)) != 0) {
		return;
	}
	dit_arena_init(&arena, 4096);
	assert_int_equal(dit_entry_decode(value, &arena, &entry), 0);
	for (uint32_t i = 0; i < entry.nattrs; i++) {
		const struct dit_stored_attr *attr = &entry.attrs[i];

		for (uint32_t j = 0; attr->ad_number == sids->number && j < attr->nvalues;
		     j++) {
			size_t len = strlen(sids->text);

			(void)snprintf(sids->text + len, sizeof(sids->text) - len,
			               "%03x ", (unsigned)dit_csn_sid(attr->values[j]));
		}
	}
	dit_arena_deinit(&arena);
}

/* The server IDs of a description's values in an entry: "000 003 ". */
static const char *sids_of(const struct load_fixture *f, uint64_t id, const char *name)
{
	static struct sids sids;

	sids = (struct sids){.name = name, .id = id};
	(void)read_content(f, "ad2i", find_number, &sids);
	(void)read_content(f, "id2e", find_sids, &sids);
	return sids.text;
}

TEST(servers_can_be_removed)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;

	load_fixture_write(
		f,
		"dn: dc=x\nobjectClass: domain\ndc: x\n" WITH_CSN("001", "01")
			CONTEXT("001", "01") CONTEXT(
				"002",
				"09") "\n"
				      "dn: cn=a,dc=x\nobjectClass: person\ncn: a\nsn: a\n" WITH_CSN(
					      "002", "05"));
	opts = opts_of(f);
	opts.sid = 3;
	opts.remove_sids = "2,,7";
	assert_int_equal(load(&opts), 0);
	assert_string_equal(f->reports, "");
	assert_string_equal(sids_of(f, 1, "entryCSN"), "001 ");
	assert_string_equal(sids_of(f, 2, "entryCSN"), "003 ");
	assert_string_equal(sids_of(f, 1, "contextCSN"), "001 003 ");

	load_fixture_reset(f);
	opts = opts_of(f);
	opts.sid = 3;
	opts.remove_sids = "2,3";
	assert_int_equal(load(&opts), -EINVAL);
	assert_string_equal(f->reports,
	                    "error: remove-sids contains configured serverID 3.\n");
	load_fixture_reset(f);
	opts = opts_of(f);
	opts.remove_sids = "x";
	assert_int_equal(load(&opts), -EINVAL);
	assert_string_equal(f->reports, "unable to parse remove-sids=\"x\".\n");
	assert_true(load_fixture_is_empty(f));
}

/* Its ID is 0, below all others; it is no hole before it comes. */
TEST(the_entry_with_the_empty_dn_may_come_late)
{
	struct load_fixture *f = load_fixture_new("");
	struct dit_load_opts opts;

	configure_suffix(f, "", "");
	load_fixture_write(f, ROOT "dn:\nobjectClass: domain\ndc: root\n\n"
	                           "dn: dc=y\nobjectClass: domain\ndc: y\n\n");
	opts = opts_of(f);
	assert_int_equal(load(&opts), 0);
	assert_string_equal(f->reports, "");
	assert_int_equal(content_of(f, "id2e")->nrecords, 3);
}
