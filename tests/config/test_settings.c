/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading a slapd.conf that slapd accepts: defaults, values, scopes, files.
 */
#include "config/settings.h"

#include "config/conf_fixture.h"

CONF_TEST(empty_file_leaves_the_defaults_and_the_config_database)
{
	struct dit_settings *s = conf_accept(*state, "");

	assert_int_equal(s->index.substr_if_minlen, 2);
	assert_int_equal(s->index.substr_if_maxlen, 4);
	assert_int_equal(s->index.substr_any_len, 4);
	assert_int_equal(s->index.intlen, 4);
	assert_false(s->index.hash64);
	assert_int_equal(s->idlexp, 16);
	assert_int_equal(s->tool_threads, 0);
	assert_int_equal(s->ndatabases, 1);
	assert_string_equal(s->databases[0].type, "config");
	assert_span_equal(s->databases[0].suffix_norm, "cn=config");
	dit_settings_free(NULL);
}

CONF_TEST(global_values_are_read)
{
	struct dit_settings *s = conf_accept(*state, "index_substr_if_maxlen 10\n"
	                                             "INDEX_substr_if_minlen 0x5\n"
	                                             "index_substr_any_len 010\n"
	                                             "index_intlen 1\n"
	                                             "index_hash64 True\n"
	                                             "tool-threads 4\n"
	                                             "backend mdb\n"
	                                             "idlexp 20\n");

	assert_int_equal(s->index.substr_if_minlen, 5);
	assert_int_equal(s->index.substr_if_maxlen, 10);
	assert_int_equal(s->index.substr_any_len, 8);
	assert_int_equal(s->index.intlen, 1);
	assert_true(s->index.hash64);
	assert_int_equal(s->tool_threads, 4);
	assert_int_equal(s->idlexp, 20);

	s = conf_accept(*state, "tool-threads -1\n");
	assert_int_equal(s->tool_threads, 0);
}

CONF_TEST(database_values_are_read)
{
	struct dit_settings *s =
		conf_accept(*state, CONF_SCHEMA "database mdb\n"
	                                        "suffix \"DC = Example , dc=com\"\n"
	                                        "rootdn \"CN = Admin,dc=x\"\n"
	                                        "rootpw secret\n"
	                                        "directory ./db\n"
	                                        "maxsize 1073741824\n"
	                                        "mode 0640\n"
	                                        "maxreaders 200\n"
	                                        "maxentrysize 5000000\n"
	                                        "lastmod off\n"
	                                        "hidden yes\n"
	                                        "disabled no\n"
	                                        "envflags nosync writemap\n"
	                                        "dbnosync\n"
	                                        "checkpoint 1 2\n"
	                                        "database mdb\n"
	                                        "suffix dc=y\n");
	const struct dit_database *d = &s->databases[1];

	assert_int_equal(s->ndatabases, 3);
	assert_int_equal(d->number, 1);
	assert_string_equal(d->type, "mdb");
	assert_span_equal(d->suffix, "dc=Example,dc=com");
	assert_span_equal(d->suffix_norm, "dc=example,dc=com");
	assert_span_equal(d->rootdn, "cn=Admin,dc=x");
	assert_span_equal(d->rootdn_norm, "cn=admin,dc=x");
	assert_string_equal(d->data.directory, "./db");
	assert_int_equal(d->data.maxsize_bytes, 1073741824);
	assert_int_equal(d->data.mode, 0640);
	assert_int_equal(d->data.maxreaders, 200);
	assert_int_equal(d->maxentrysize_bytes, 5000000);
	assert_false(d->lastmod);
	assert_true(d->is_hidden);
	assert_false(d->is_disabled);
	assert_false(d->overlays != NULL);
	assert_string_equal(d->file, "t.conf");
	assert_int_equal(d->line, 5);

	d = &s->databases[2];
	assert_true(d->has_suffix);
	assert_int_equal(d->rootdn.len, 0);
	assert_int_equal(d->data.maxsize_bytes, 10485760);
	assert_int_equal(d->data.mode, 0600);
	assert_true(d->lastmod);
	assert_false(d->is_hidden);
	assert_int_equal(d->nindexes, 0);
}

CONF_TEST(syncs_can_be_left_out)
{
	static const struct {
		const char *text;
		bool is_unsynced;
	} cases[] = {
		{"", false},
		{"dbnosync\n", true},
		{"dbnosync off\n", false},
		{"envflags writemap nosync\n", true},
		{"envflags writemap nometasync\n", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[1000];
		struct dit_settings *s = NULL;

		(void)snprintf(text, sizeof(text),
		               CONF_SCHEMA "database mdb\nsuffix dc=x\n%s",
		               cases[i].text);
		s = conf_accept(*state, text);
		print_message("%s", cases[i].text);
		assert_int_equal(s->databases[1].data.is_unsynced, cases[i].is_unsynced);
	}
}

CONF_TEST(modes_are_numbers_or_letters)
{
	static const struct {
		const char *text;
		mode_t mode;
	} cases[] = {
		{"640", 01200},    {"0x1ff", 0777},      {"-rw-r-----", 0640},
		{"----------", 0}, {"-rwxrwxrwx", 0777},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[100];
		struct dit_settings *s = NULL;

		(void)snprintf(text, sizeof(text), "database mdb\nmode %s\n",
		               cases[i].text);
		s = conf_accept(*state, text);
		assert_int_equal(s->databases[1].data.mode, cases[i].mode);
	}
}

CONF_TEST(maxsize_0_is_what_lmdb_makes_of_it)
{
	struct dit_settings *s = conf_accept(*state, "database mdb\nmaxsize 0\n");

	assert_int_equal(s->databases[1].data.maxsize_bytes, 1048576);
}

CONF_TEST(empty_dn_differs_from_none)
{
	struct dit_settings *s =
		conf_accept(*state, "database mdb\nsuffix\ndatabase mdb\nrootdn cn=x\n");

	assert_true(s->databases[1].has_suffix);
	assert_non_null(s->databases[1].suffix.data);
	assert_int_equal(s->databases[1].suffix.len, 0);
	assert_false(s->databases[2].has_suffix);
}

static void check_index(const struct dit_database *d, size_t i, const char *name,
                        unsigned kinds)
{
	assert_true(i < d->nindexes);
	assert_span_equal(d->indexes[i].ad->name, name);
	assert_int_equal(d->indexes[i].kinds, kinds);
}

CONF_TEST(indexes_are_read)
{
	struct dit_settings *s =
		conf_accept(*state, CONF_SCHEMA "database mdb\n"
	                                        "index objectClass eq\n"
	                                        "index ,CommonName,,surname EQ,,Pres\n"
	                                        "index default sub\n"
	                                        "index description\n"
	                                        "index DEFAULT pres\n"
	                                        "index cn;LANG-de\n"
	                                        "index uid eq,sub,nolang\n"
	                                        "index userCertificate pres,eq\n"
	                                        "index default nosubtypes\n"
	                                        "index seeAlso notags\n"
	                                        "index \"\" eq\n"
	                                        "database mdb\n"
	                                        "index default eq\n"
	                                        "index cn,default,uid subany\n"
	                                        "index sn\n");
	const struct dit_database *d = &s->databases[1];

	assert_int_equal(d->nindexes, 8);
	check_index(d, 0, "objectClass", DIT_INDEX_EQ);
	check_index(d, 1, "cn", DIT_INDEX_EQ | DIT_INDEX_PRES);
	check_index(d, 2, "sn", DIT_INDEX_EQ | DIT_INDEX_PRES);
	check_index(d, 3, "description", DIT_INDEX_SUB);
	check_index(d, 4, "cn;lang-de", DIT_INDEX_SUB | DIT_INDEX_PRES);
	check_index(d, 5, "uid", DIT_INDEX_EQ | DIT_INDEX_SUB);
	check_index(d, 6, "userCertificate", DIT_INDEX_PRES | DIT_INDEX_EQ);
	check_index(d, 7, "seeAlso", 0);
	d = &s->databases[2];
	assert_int_equal(d->nindexes, 3);
	check_index(d, 0, "cn", DIT_INDEX_SUB);
	check_index(d, 2, "sn", DIT_INDEX_EQ | DIT_INDEX_SUB);
}

CONF_TEST(sorted_types_are_listed_once)
{
	struct dit_settings *s =
		conf_accept(*state, CONF_SCHEMA "sortvals cn;lang-de SN cn\n"
	                                        "database mdb\n"
	                                        "sortvals 2.5.4.31 cn\n");
	static const char *const names[] = {"cn", "sn", "member"};

	assert_int_equal(s->nsortvals, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_string_equal(s->sortvals[i]->name, names[i]);
	}
}

static void check_multival(const struct dit_database *d, size_t i, const char *name,
                           uint32_t hi, uint32_t lo)
{
	assert_true(i < d->multival.nspecs);
	assert_span_equal(d->multival.specs[i].ad->name, name);
	assert_int_equal(d->multival.specs[i].hi, hi);
	assert_int_equal(d->multival.specs[i].lo, lo);
}

CONF_TEST(thresholds_are_read)
{
	struct dit_settings *s =
		conf_accept(*state, CONF_SCHEMA "database mdb\n"
	                                        "multival ,sn,,cn;lang-de 10,5\n"
	                                        "multival cn 010,\" 0\"\n"
	                                        "multival DEFAULT 7,7\n"
	                                        "multival default,member -5,3\n"
	                                        "index cn eq\n"
	                                        "database mdb\n"
	                                        "multival sn -1,-1\n"
	                                        "multival sn 2,1\n"
	                                        "multival cn 99999999999999999999,0\n");
	const struct dit_database *d = &s->databases[1];

	assert_int_equal(d->multival.nspecs, 4);
	check_multival(d, 0, "sn", 10, 5);
	check_multival(d, 1, "cn;lang-de", 10, 5);
	check_multival(d, 2, "cn", 10, 0);
	check_multival(d, 3, "member", UINT32_MAX - 4, 3);
	assert_int_equal(d->multival.hi, UINT32_MAX - 4);
	assert_int_equal(d->multival.lo, 3);
	d = &s->databases[2];
	assert_int_equal(d->multival.nspecs, 2);
	check_multival(d, 0, "sn", 2, 1);
	check_multival(d, 1, "cn", UINT32_MAX, 0);
	assert_int_equal(d->multival.hi, DIT_MULTIVAL_NONE);
}

CONF_TEST(schema_is_defined_and_sealed)
{
	struct dit_settings *s = conf_accept(
		*state,
		"objectidentifier My 1.2.3\n"
		"ldapsyntax ( 1.2.3.1 X-SUBST '1.3.6.1.4.1.1466.115.121.1.15' )\n"
		"attributetype ( My:2 NAME 'aa' DESC 'un\"balanced' SYNTAX 1.2.3.1 )\n"
		"attributetypes ( My:3 NAME 'bb'\n SUP name ) and more\n"
		"objectclass ( My:4 NAME 'cc' MUST ( aa $ bb ) )\n"
		"ditcontentrule ( My:4 NOT description )\n"
		"attributeoptions foo bar-\n"
		"attributeoptions baz\n");
	const struct dit_class *cc = dit_schema_find_class(s->schema, DIT_SPAN("CC"));
	const struct dit_ad *ad = NULL;

	assert_string_equal(cc->oid, "1.2.3.4");
	assert_string_equal(cc->must[1]->name, "aa");
	assert_non_null(cc->content_rule);
	assert_int_equal(
		dit_ad_find(s->schema, NULL, DIT_SPAN("bb;baz;bar-x;foo"), &ad, NULL), 0);
	assert_int_equal(dit_ad_find(s->schema, NULL, DIT_SPAN("bb;lang-de"), &ad, NULL),
	                 DIT_E_UNKNOWN);

	s = conf_accept(*state, "attributeoptions\n");
	assert_int_equal(dit_ad_find(s->schema, NULL, DIT_SPAN("cn;lang-de"), &ad, NULL),
	                 DIT_E_UNKNOWN);
}

CONF_TEST(same_macro_again_is_remarked_on)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	assert_int_equal(conf_read(f,
	                           "objectidentifier foo 1.2.3\n"
	                           "OBJECTidentifier foo 1.2.3\n",
	                           &s),
	                 0);
	assert_string_equal(f->reports,
	                    "t.conf: line 2 OBJECTidentifier: \"foo\" previously "
	                    "defined \"1.2.3\"\n");
}

CONF_TEST(files_include_each_other)
{
	struct dit_settings *s = NULL;

	test_write_text("a.schema", "attributetype ( 1.2.3.1 NAME 'aa' SUP name )\n"
	                            "INCLUDE \"b.schema\"\n"
	                            "attributetype ( 1.2.3.3 NAME 'cc' SUP bb )");
	test_write_text("b.schema", "attributetype ( 1.2.3.2 NAME 'bb' SUP aa )");
	test_write_text("suffix.conf", "suffix cn=x\n");
	s = conf_accept(*state, "include a.schema\ndatabase mdb\ninclude suffix.conf\n"
	                        "index cc eq\n");
	assert_span_equal(s->databases[1].suffix, "cn=x");
	check_index(&s->databases[1], 0, "cc", DIT_INDEX_EQ);
}

CONF_TEST(directives_without_influence_are_skipped)
{
	struct dit_settings *s = conf_accept(*state, "# a comment\n"
	                                             "pidfile /var/run/slapd.pid\n"
	                                             "TLScertificateFile\n"
	                                             "allow bind_v2\n"
	                                             "allows anything\n"
	                                             "disallowing x\n"
	                                             "requires nothing\n"
	                                             "authid-rewriteRule a b\n"
	                                             "access to *\n  by * read\n"
	                                             "sasl-secprops none\n"
	                                             "lastmod off\n"
	                                             "hidden on\n"
	                                             "disabled on\n"
	                                             "subordinate\n"
	                                             "rootdn cn=x\n"
	                                             "\"\" x\n"
	                                             "modulepath /usr/lib/ldap\n"
	                                             "moduleload back_mdb\n"
	                                             "database frontend\n"
	                                             "sizelimit 500\n"
	                                             "database config\n"
	                                             "rootpw x\n"
	                                             "database mdb\n"
	                                             "index_intlen 8\n"
	                                             "limits * size=1\n"
	                                             "searchstack 8\n"
	                                             "rtxnsize 5\n");

	assert_int_equal(s->ndatabases, 2);
	assert_int_equal(s->index.intlen, 8);
	assert_true(s->databases[1].lastmod);
	assert_false(s->databases[1].is_hidden);
	assert_int_equal(s->databases[1].rootdn.len, 0);
}

CONF_TEST(a_hidden_database_may_be_below_another)
{
	struct dit_settings *s = conf_accept(*state, "database mdb\n"
	                                             "suffix cn=x\n"
	                                             "directory /\n"
	                                             "database ldap\n"
	                                             "hidden on\n"
	                                             "suffix cn=x\n"
	                                             "database ldap\n"
	                                             "hidden on\n"
	                                             "suffix cn=y,cn=x\n");

	assert_int_equal(s->ndatabases, 4);
	assert_ptr_equal(dit_settings_select(s, DIT_SPAN("cn=y,cn=x"), false),
	                 &s->databases[1]);
}

CONF_TEST(what_belongs_to_others_is_skipped)
{
	struct dit_settings *s = NULL;

	test_write_text("back_foo.la", "");
	s = conf_accept(*state, CONF_SCHEMA "backend ldap\n"
	                                    "uri ldap://x\n"
	                                    "database ldap\n"
	                                    "suffix dc=a\n"
	                                    "suffix dc=b\n"
	                                    "uri ldap://x\n"
	                                    "subordinate advertise\n"
	                                    "database monitor\n"
	                                    "modulepath nope:.\n"
	                                    "moduleload back_foo.la\n"
	                                    "database FOO\n"
	                                    "bogus\n"
	                                    "moduleload /usr/lib/ldap/libdds-2.5.so.0\n"
	                                    "database mdb\n"
	                                    "suffix dc=x\n"
	                                    "overlay dds\n"
	                                    "dds-state on\n"
	                                    "maxsize 5000000\n"
	                                    "database mdb\n"
	                                    "suffix dc=y\n"
	                                    "overlay syncprov\n"
	                                    "Syncprov-Checkpoint 1 2\n"
	                                    "overlay rwm\n"
	                                    "rwm-rewriteAnything\n"
	                                    "syncprov-nopresent on\n"
	                                    "index cn eq\n");
	assert_int_equal(s->ndatabases, 6);
	assert_int_equal(s->databases[5].nindexes, 1);
	assert_true(s->databases[1].is_subordinate);
	assert_string_equal(s->databases[3].type, "foo");
	assert_non_null(dit_settings_overlay(s->databases[4].overlays, "dds"));
	assert_int_equal(s->databases[4].data.maxsize_bytes, 5000000);
	assert_null(dit_settings_overlay(s->databases[5].overlays, "dds"));
}

/* The lines that tell an overlay how to change entries are kept, the last one first. */
CONF_TEST(overlays_keep_their_directives)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;
	const struct dit_overlay *overlay = NULL;

	assert_int_equal(conf_read(f,
	                           CONF_SCHEMA
	                           "moduleload memberof\nmoduleload refint\n"
	                           "database mdb\nsuffix dc=a\ndirectory .\n"
	                           "overlay memberof\nmemberof-dangling drop\n"
	                           "overlay refint\nrefint_attributes member \"x y\"\n"
	                           "overlay memberof\nmemberof-dn \"dc=b, dc=a\"\n"
	                           "memberof-refint on\nmemberof-dangling ignore\n",
	                           &s),
	                 0);
	overlay = s->databases[1].overlays;
	assert_string_equal(overlay->name, "memberof");
	assert_string_equal(overlay->lines->keyword, "memberof-dangling");
	assert_string_equal(overlay->lines->args[0], "ignore");
	assert_null(overlay->lines->args[1]);
	assert_string_equal(overlay->lines->next->args[0], "dc=b, dc=a");
	assert_null(overlay->lines->next->next);
	overlay = overlay->next;
	assert_string_equal(overlay->name, "refint");
	assert_string_equal(overlay->lines->args[1], "x y");
	assert_string_equal(overlay->next->lines->args[0], "drop");
	assert_null(overlay->next->next);
	assert_null(s->frontend_overlays);
}

CONF_TEST(modules_bring_their_schema)
{
	static const struct {
		const char *line;
		const char *type;
	} cases[] = {
		{"moduleload ppolicy.la", "pwdAttribute"},
		{"moduleload /usr/lib/ldap/memberof.so", "memberOf"},
		{"moduleload nestgroup", "memberOf"},
		{"moduleload dynlist extra words", "memberOf"},
		{"moduleload accesslog-2.5.so.0", "reqStart"},
		{"database mdb\noverlay ppolicy", "pwdAttribute"},
		{"moduleload libotp.so", "oathSecret"},
		{"moduleload syncprov", "olcSpNoPresent"},
		{"moduleload memberof.la", "olcMemberOfDangling"},
		{"moduleload ppolicy", "olcPPolicyDefault"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[100];
		struct dit_settings *s = NULL;

		(void)snprintf(text, sizeof(text), "%s\n", cases[i].line);
		s = conf_accept(*state, text);
		assert_non_null(
			dit_schema_find_type(s->schema, dit_span_of(cases[i].type)));
	}
}

CONF_TEST(what_is_built_into_slapd_needs_no_module)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	assert_int_equal(conf_read(f, "moduleload dds\nmoduleload dds\n", &s),
	                 DIT_E_CONFIG);
	f->built_in = " dds nestgroup  syncprov back_mdb";
	s = conf_accept(f, "moduleload dds\nmoduleload dds.la\nmoduleload dds\n"
	                   "moduleload back_mdb.la\nmoduleload back_mdb.la\n"
	                   "database mdb\nindex memberOf,entryExpireTimestamp pres\n"
	                   "overlay syncprov\n");
	assert_null(dit_schema_find_type(s->schema, DIT_SPAN("pwdAttribute")));
	assert_int_equal(conf_read(f, "database mdb\noverlay ppolicy\n", &s),
	                 DIT_E_CONFIG);
	assert_string_equal(f->reports, "overlay \"ppolicy\" not found\n"
	                                "E bad configuration file!\n");
	assert_int_equal(conf_read(f, "moduleload ppolicy\nbackend ldap\n", &s),
	                 DIT_E_CONFIG);
	assert_string_equal(f->reports, "t.conf: line 2: <backend> failed init (ldap)!\n"
	                                "E bad configuration file!\n");
	assert_int_equal(
		conf_read(f, "attributetype ( 1.2.3 NAME 'memberOf' SUP name )\n", &s),
		DIT_E_CONFIG);
	assert_string_equal(f->reports,
	                    "t.conf: line 1 attributetype: Inconsistent duplicate "
	                    "attributeType: \"memberOf\"\nE bad configuration file!\n");
}

#define OWN_READERS                                                                      \
 "attributetype ( 1.3.6.1.4.1.4203.1.12.2.3.2.12.1 NAME 'olcDbMaxReaders' SUP name )\n"

CONF_TEST(schema_of_back_mdb_comes_with_its_module)
{
	static const struct {
		const char *built_in;
		const char *text;
		const char *report; /* NULL: accepted */
	} cases[] = {
		/* an OID that is defined before is left as it is */
		{"",
	         OWN_READERS "moduleload back_mdb\nsortvals olcDbMaxReaders olcDbIndex\n",
	         NULL},
		{"", "sortvals olcDbIndex\nmoduleload back_mdb\n",
	         "line 1: <sortvals> unknown attribute type #1 olcDbIndex"},
		{"", "attributetype ( 1.2.3 NAME 'olcDbIndex' SUP name )\ndatabase mdb\n",
	         "line 2: <database> schema of module back_mdb collides with definitions "
	         "before; remove those, the module has its own\n"
	         "Unrecognized database type (mdb)"},
		{" back_mdb", "sortvals olcDbIndex\n", NULL},
		{" back_mdb", OWN_READERS,
	         "line 1 attributetype: Duplicate attributeType: "
	         "\"1.3.6.1.4.1.4203.1.12.2.3.2.12.1\""},
		/* those of its monitoring come with the first database */
		{"", "moduleload back_mdb\ndatabase mdb\nindex olmMDBEntries pres\n",
	         NULL},
		{"", "moduleload back_mdb\nsortvals olmMDBEntries\n",
	         "line 2: <sortvals> unknown attribute type #1 olmMDBEntries"},
		{"",
	         "attributetype ( 1.2.3 NAME 'olmMDBEntries' SUP name )\ndatabase mdb\n",
	         NULL},
	};
	struct conf_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_settings *s = NULL;

		print_message("%s\n", cases[i].text);
		f->built_in = cases[i].built_in;
		assert_int_equal(conf_read(f, cases[i].text, &s),
		                 cases[i].report == NULL ? 0 : DIT_E_CONFIG);
		assert_true(cases[i].report == NULL ||
		            strstr(f->reports, cases[i].report) != NULL);
	}
}

CONF_TEST(place_of_the_context_csn_is_read)
{
	struct dit_settings *s = conf_accept(*state, "sync_use_subentry on\n"
	                                             "database mdb\n"
	                                             "database mdb\n"
	                                             "sync_use_subentry\n"
	                                             "database mdb\n"
	                                             "sync_use_subentry on\n"
	                                             "sync_use_subentry off\n");

	assert_false(s->databases[1].sync_use_subentry);
	assert_true(s->databases[2].sync_use_subentry);
	assert_false(s->databases[3].sync_use_subentry);
}

CONF_TEST(unknown_modules_are_warned_of)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	test_write_text("frobnicate.la", "");
	assert_int_equal(
		conf_read(f, "modulepath .\nmoduleload frobnicate\noverlay whatever\n",
	                  &s),
		0);
	assert_string_equal(f->reports, "W t.conf: line 2: module \"frobnicate\" is not "
	                                "known; schema that it may add is missing\n");
}
