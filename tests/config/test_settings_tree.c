/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A cn=config tree fills the same settings as a slapd.conf, in slapd's order whatever the
 * order of its lines; and where the configuration is looked for.
 */
#include "config/conf_fixture.h"

static void make_folder(const char *name)
{
	assert_int_equal(mkdir(name, 0700), 0);
}

/* The folders of a tree "d", and its first entry with @p lines more. */
static void make_root(const char *lines)
{
	char text[2048];

	make_folder("d");
	make_folder("d/cn=config");
	make_folder("d/cn=config/cn=schema");
	(void)snprintf(text, sizeof(text),
	               "dn: cn=config\nobjectClass: olcGlobal\ncn: config\n%s", lines);
	test_write_text("d/cn=config.ldif", text);
	test_write_text("d/cn=config/cn=schema.ldif",
	                "dn: cn=schema\nobjectClass: olcSchemaConfig\ncn: schema\n"
	                "olcAttributeTypes: ( 2.5.4.3 NAME 'cn' SUP nonsense )\n");
	test_write_text(
		"d/cn=config/cn=schema/cn={0}x.ldif",
		"dn: cn={0}x\nobjectClass: olcSchemaConfig\ncn: {0}x\n"
		"olcObjectClasses: ( m:9 NAME 'thing' SUP top MAY mine )\n"
		"olcAttributeTypes: {10}( m:2 NAME 'mine' SUP yours )\n"
		"olcAttributeTypes: {9}( m:1 NAME 'yours' SUP name )\n"
		"olcAttributeTypes: {11}( 0.9.2342.19200300.100.1.25 NAME 'dc' EQUAL\n"
		" ITY caseIgnoreIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )\n"
		"olcObjectIdentifier: m 1.2.3\n");
}

static void write_database(int number, const char *lines)
{
	char path[64];
	char text[2048];

	(void)snprintf(path, sizeof(path), "d/cn=config/olcDatabase={%d}mdb.ldif",
	               number);
	(void)snprintf(text, sizeof(text),
	               "dn: olcDatabase={%d}mdb\n%sobjectClass: olcDatabaseConfig\n"
	               "objectClass: olcMdbConfig\nolcDatabase: {%d}mdb\n",
	               number, lines, number);
	test_write_text(path, text);
}

static struct dit_settings *accept_tree(struct conf_fixture *f)
{
	struct dit_settings *s = NULL;
	int r = conf_read_tree(f, &s);

	assert_string_equal(f->reports, "");
	assert_int_equal(r, 0);
	return s;
}

CONF_TEST(all_kinds_of_entries_are_read)
{
	struct dit_settings *s = NULL;
	const struct dit_database *d = NULL;

	make_root("olcToolThreads: 3\nolcIndexSubstrIfMinLen: 5\n"
	          "olcIndexSubstrIfMaxLen: 6\nolcAttributeOptions: x-\n"
	          "olcLogLevel: none\n");
	test_write_text("d/cn=config/cn=module{0}.ldif",
	                "dn: cn=module{0}\nobjectClass: olcModuleList\ncn: module{0}\n"
	                "olcModuleLoad: {1}ppolicy\nolcModuleLoad: {0}back_mdb\n");
	test_write_text("d/cn=config/olcBackend={0}mdb.ldif",
	                "dn: olcBackend={0}mdb\nobjectClass: olcBackendConfig\n"
	                "objectClass: olcMdbBkConfig\nolcBackend: {0}mdb\n"
	                "olcBkMdbIdlExp: 20\n");
	test_write_text("d/cn=config/olcDatabase={-1}frontend.ldif",
	                "dn: olcDatabase={-1}frontend\nobjectClass: olcDatabaseConfig\n"
	                "objectClass: olcFrontendConfig\nolcDatabase: {-1}frontend\n"
	                "olcSortVals: yours\nolcLastMod: FALSE\n");
	test_write_text("d/cn=config/olcDatabase={0}config.ldif",
	                "dn: olcDatabase={0}config\nobjectClass: olcDatabaseConfig\n"
	                "olcDatabase: {0}config\nolcRootDN: cn=config\n");
	write_database(1, "olcSuffix: dc=x\n"
	                  "olcRootDN: cn=Admin ,dc=x\nolcRootPW: x\n"
	                  "olcDbIndex: mine\nolcDbIndex: default eq,pres\n"
	                  "olcDbIndex: yours eq\nolcDbMultival: mine 5,3\n"
	                  "olcDbDirectory: \"./db\"\nolcDbMaxSize: 1000000\n"
	                  "olcHidden: TRUE\nolcDbMode: 0640\n");
	write_database(10, "olcDbDirectory: db2\nolcSuffix: dc=y\n");
	write_database(2, "olcDbDirectory: db2\nolcSuffix: dc=z\nolcSubordinate: TRUE\n");
	s = NULL;
	assert_int_equal(conf_read_tree(*state, &s), DIT_E_CONFIG);
	assert_string_equal(((struct conf_fixture *)*state)->reports,
	                    "d: line 1: no indexes selected\n"
	                    "config error processing olcDatabase={1}mdb,cn=config: no "
	                    "indexes selected\nE this entry cannot be read: "
	                    "d/cn=config/olcDatabase={1}mdb.ldif\n"
	                    "E bad configuration directory!\n");

	write_database(1, "olcSuffix:: ZGM9TcO8bGxlcixkYz14\n");
	assert_int_equal(conf_read_tree(*state, &s), DIT_E_CONFIG); /* dc is IA5 */
	write_database(1, "olcSuffix:: eW91cnM9TcO8bGxlcixkYz14\n"
	                  "olcRootDN: cn=Admin ,dc=x\nolcRootPW: x\n"
	                  "olcDbIndex: default eq,pres\nolcDbIndex: mine\n"
	                  "olcDbMultival: mine 5,3\nolcDbDirectory: \"./db\"\n"
	                  "olcDbMaxSize: 1000000\nolcDbMode: 0640\n");
	s = accept_tree(*state);
	assert_int_equal(s->tool_threads, 3);
	assert_int_equal(s->index.substr_if_minlen, 5);
	assert_int_equal(s->index.substr_if_maxlen, 6);
	assert_int_equal(s->idlexp, 20);
	assert_int_equal(s->nsortvals, 1);
	assert_string_equal(s->sortvals[0]->name, "yours");
	assert_non_null(dit_schema_find_type(s->schema, DIT_SPAN("pwdHistory")));
	assert_non_null(dit_schema_find_class(s->schema, DIT_SPAN("thing")));
	assert_int_equal(s->ndatabases, 4);
	d = &s->databases[1];
	assert_string_equal(d->type, "mdb");
	assert_span_equal(d->suffix, "yours=M\xc3\xbcller,dc=x");
	assert_span_equal(d->rootdn, "cn=Admin,dc=x");
	assert_string_equal(d->data.directory, "./db");
	assert_int_equal(d->data.maxsize_bytes, 1000000);
	assert_int_equal(d->data.mode, 0640);
	assert_int_equal(d->nindexes, 1);
	assert_int_equal(d->indexes[0].kinds, DIT_INDEX_PRES | DIT_INDEX_EQ);
	assert_int_equal(d->multival.nspecs, 1);
	assert_true(d->lastmod);
	assert_string_equal(d->file, "d");
	assert_true(s->databases[2].is_subordinate);
	assert_span_equal(s->databases[3].suffix, "dc=y");
}

CONF_TEST(other_databases_and_overlays_keep_their_attributes)
{
	const struct dit_overlay_line *line = NULL;
	struct dit_settings *s = NULL;

	make_root("");
	test_write_text("d/cn=config/cn=module{0}.ldif",
	                "dn: cn=module{0}\nobjectClass: olcModuleList\ncn: module{0}\n"
	                "olcModuleLoad: {0}back_ldap\nolcModuleLoad: {1}memberof\n"
	                "olcModuleLoad: {2}translucent\nolcModuleLoad: {3}dds\n"
	                "olcModuleLoad: {4}unique\n");
	test_write_text("d/cn=config/olcDatabase={1}ldap.ldif",
	                "dn: olcDatabase={1}ldap\nobjectClass: olcDatabaseConfig\n"
	                "objectClass: olcLDAPConfig\nolcDatabase: {1}ldap\n"
	                "olcSuffix: dc=a\nolcSuffix: dc=b\nolcDbURI: ldap://a\n");
	write_database(2, "olcSuffix: dc=x\nolcDbDirectory: db\n");
	make_folder("d/cn=config/olcDatabase={2}mdb");
	test_write_text("d/cn=config/olcDatabase={2}mdb/olcOverlay={0}memberof.ldif",
	                "dn: olcOverlay={0}memberof\nobjectClass: olcOverlayConfig\n"
	                "objectClass: olcMemberOfConfig\nolcOverlay: {0}memberof\n"
	                "olcMemberOfRefInt: TRUE\n");
	test_write_text("d/cn=config/olcDatabase={2}mdb/olcOverlay={1}dds.ldif",
	                "dn: olcOverlay={1}dds\nobjectClass: olcOverlayConfig\n"
	                "objectClass: olcDDSConfig\nolcOverlay: {1}dds\n");
	test_write_text("d/cn=config/olcDatabase={2}mdb/olcOverlay={4}unique.ldif",
	                "dn: olcOverlay={4}unique\nobjectClass: olcOverlayConfig\n"
	                "objectClass: olcUniqueConfig\nolcOverlay: {4}unique\n"
	                "olcUniqueURI: ignore ldap:///?cn?sub\n"
	                "olcUniqueURI: ldap:///?mine?sub\n");
	/* slapd writes this one itself above subordinate databases. */
	test_write_text("d/cn=config/olcDatabase={2}mdb/olcOverlay={3}glue.ldif",
	                "dn: olcOverlay={3}glue\nobjectClass: olcOverlayConfig\n"
	                "olcOverlay: {3}glue\n");
	/* Entries below an overlay are its own. */
	test_write_text("d/cn=config/olcDatabase={2}mdb/olcOverlay={2}translucent.ldif",
	                "dn: olcOverlay={2}translucent\nobjectClass: olcOverlayConfig\n"
	                "olcOverlay: {2}translucent\n");
	make_folder("d/cn=config/olcDatabase={2}mdb/olcOverlay={2}translucent");
	test_write_text("d/cn=config/olcDatabase={2}mdb/olcOverlay={2}translucent/"
	                "olcDatabase={0}ldap.ldif",
	                "nonsense\n");
	s = accept_tree(*state);
	assert_int_equal(s->ndatabases, 3);
	assert_string_equal(s->databases[1].type, "ldap");
	assert_non_null(dit_settings_overlay(s->databases[2].overlays, "dds"));
	line = dit_settings_overlay(s->databases[2].overlays, "unique")->lines;
	assert_string_equal(line->keyword, "unique_uri");
	assert_true(line->is_attribute);
	assert_string_equal(line->args[0], "ldap:///?mine?sub");
	assert_null(line->args[1]);
	assert_string_equal(line->next->args[0], "ignore");
	assert_string_equal(line->next->args[1], "ldap:///?cn?sub");
	assert_null(line->next->next);
	assert_ptr_equal(dit_settings_select(s, DIT_SPAN("dc=b"), false),
	                 &s->databases[1]);
}

/* The class of the module alone: the naming attribute says the kind. */
CONF_TEST(entries_of_their_own_classes_are_known_by_their_names)
{
	struct dit_settings *s = NULL;

	make_root("");
	test_write_text("d/cn=config/olcDatabase={-1}frontend.ldif",
	                "dn: olcDatabase={-1}frontend\nobjectClass: olcFrontendConfig\n"
	                "olcSortVals: cn\nolcDatabase: {-1}frontend\n");
	/* olcDatabase acts first wherever it stands. */
	test_write_text(
		"d/cn=config/olcDatabase={1}null.ldif",
		"dn: olcDatabase={1}null\nobjectClass: olcNullConfig\n"
		"olcSuffix: dc=a\nolcDbBindAllowed: TRUE\nolcDatabase: {1}null\n");
	test_write_text("d/cn=config/olcDatabase={2}meta.ldif",
	                "dn: olcDatabase={2}meta\nobjectClass: olcMetaConfig\n"
	                "olcSuffix: dc=b\nolcDatabase: {2}meta\n");
	make_folder("d/cn=config/olcDatabase={2}meta");
	test_write_text("d/cn=config/olcDatabase={2}meta/olcMetaSub={0}uri.ldif",
	                "dn: olcMetaSub={0}uri\nobjectClass: olcMetaTargetConfig\n"
	                "olcMetaSub: {0}uri\nolcDbURI: ldap://a/dc=b\n");
	write_database(3, "olcSuffix: dc=x\nolcDbDirectory: db\n");
	make_folder("d/cn=config/olcDatabase={3}mdb");
	test_write_text("d/cn=config/olcDatabase={3}mdb/olcOverlay={0}dds.ldif",
	                "dn: olcOverlay={0}dds\nobjectClass: olcDDSConfig\n"
	                "olcDDSmaxTtl: 1d\nolcOverlay: {0}dds\n");
	s = accept_tree(*state);
	assert_int_equal(s->ndatabases, 4);
	assert_int_equal(s->nsortvals, 1);
	assert_span_equal(s->databases[1].suffix, "dc=a");
	assert_string_equal(s->databases[2].type, "meta");
	assert_non_null(dit_settings_overlay(s->databases[3].overlays, "dds"));
}

CONF_TEST(checksums_are_compared)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	make_root("");
	/* As slaptest wrote it. */
	test_write_text("d/cn=config/olcDatabase={0}config.ldif",
	                "# AUTO-GENERATED FILE - DO NOT EDIT!! Use ldapmodify.\n"
	                "# CRC32 c6226136\ndn: olcDatabase={0}config\n"
	                "objectClass: olcDatabaseConfig\nolcDatabase: {0}config\n"
	                "olcAccess: {0}to *  by * none\nolcAddContentAcl: TRUE\n"
	                "olcLastMod: TRUE\nolcLastBind: FALSE\nolcMaxDerefDepth: 15\n"
	                "olcReadOnly: FALSE\nolcRootDN: cn=config\n"
	                "olcSyncUseSubentry: FALSE\nolcMonitoring: FALSE\n"
	                "structuralObjectClass: olcDatabaseConfig\n"
	                "entryUUID: 4614e26c-7a13-1041-8fba-87d0fc04a358\n"
	                "creatorsName: cn=config\ncreateTimestamp: 20261121162055Z\n"
	                "entryCSN: 20261121162055.990142Z#000000#000#000000\n"
	                "modifiersName: cn=config\nmodifyTimestamp: 20261121162055Z\n");
	(void)accept_tree(f);
	test_write_text("d/cn=config/olcDatabase={0}config.ldif",
	                "# by hand\n# CRC32 c6226136\ndn: olcDatabase={0}config\n"
	                "objectClass: olcDatabaseConfig\nolcDatabase: {0}config\n");
	assert_int_equal(conf_read_tree(f, &s), 0);
	assert_string_equal(f->reports, "ldif_read_file: checksum error on "
	                                "\"d/cn=config/olcDatabase={0}config.ldif\"\n");
}

/* The last reports name the file in which the reading ended. */
static void check_refused(struct conf_fixture *f, const char *reports, const char *file)
{
	struct dit_settings *s = NULL;
	char *expected = test_text("%sE this entry cannot be read: %s\n"
	                           "E bad configuration directory!\n",
	                           reports, file);

	assert_int_equal(conf_read_tree(f, &s), DIT_E_CONFIG);
	assert_string_equal(f->reports, expected);
	assert_null(s);
}

CONF_TEST(what_would_load_elsewhere_is_refused)
{
	static const struct {
		const char *text;
		const char *reports;
	} cases[] = {
		{"dn: olcDatabase={1}mdb\nolcDatabase: {1}mdb\nolcSuffix: dc=x\n",
	         "is_entry_objectclass(\"olcDatabase={1}mdb,cn=config\", "
	         "\"2.16.840.1.113730.3.2.6\") no objectClass attribute\n"
	         "config error processing olcDatabase={1}mdb,cn=config: \n"},
		{"dn: olcDatabase={1}mdb\nobjectClass: olcDatabaseConfig\n"
	         "olcDatabase: {1}mdb\n",
	         "config error processing olcDatabase={1}mdb,cn=config: object class "
	         "olcMdbConfig is missing\n"},
		{"dn: olcDatabase={1}mdb\nobjectClass: olcMdbConfig\n",
	         "config error processing olcDatabase={1}mdb,cn=config: attribute "
	         "olcDatabase is missing\n"},
		{"dn: olcDatabase={1}mdb,cn=config\nobjectClass: olcMdbConfig\n"
	         "olcDatabase: {1}mdb\n",
	         "config error processing olcDatabase={1}mdb,cn=config,cn=config: \n"},
		{"dn: cn=x\nobjectClass: olcMdbConfig\nolcDatabase: {1}mdb\n",
	         "config error processing cn=x,cn=config: \n"},
		{"dn: olcDatabase={1}mdb\nobjectClass: olcMdbConfig\n"
	         "olcDatabase: {1}mdb\nolcDbPageSize: 4096\n",
	         "<olcDbPageSize> not supported by this release\n"},
		{"dn: olcDatabase={1}mdb\nobjectClass: olcMdbConfig\n"
	         "olcDatabase: {1}mdb\nolcDbNothing: x\n",
	         "<= str2entry: str2ad(olcDbNothing): attribute type undefined\n"},
		{"", "str2entry: entry -1 has no dn\n"},
	};

	make_root("");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_write_text("d/cn=config/olcDatabase={1}mdb.ldif", cases[i].text);
		check_refused(*state, cases[i].reports,
		              "d/cn=config/olcDatabase={1}mdb.ldif");
	}
}

CONF_TEST(attributes_of_later_releases_are_unknown)
{
	make_root("olcLogFileFormat: debug\n");
	check_refused(*state,
	              "<= str2entry: str2ad(olcLogFileFormat): attribute type "
	              "undefined\n",
	              "d/cn=config.ldif");
}

CONF_TEST(attributes_of_2_6_are_known)
{
	((struct conf_fixture *)*state)->openldap = DIT_OPENLDAP_2_6;
	make_root("olcLogFileFormat: debug\nolcLogFileOnly: TRUE\n"
	          "olcLogFileRotate: 1 2 3\n");
	write_database(1, "olcSuffix: dc=x\nolcLastBindPrecision: 5\n"
	                  "olcDbDirectory: db\n");
	(void)accept_tree(*state);
}

CONF_TEST(order_that_is_given_for_some_is_refused)
{
	make_root("olcAttributeTypes: {0}( 1.2.3 NAME 'a' SUP name )\n"
	          "olcAttributeTypes: ( 1.2.4 NAME 'b' SUP name )\n");
	check_refused(*state,
	              "config error processing cn=config: ordered_value_sort "
	              "failed on attr olcAttributeTypes\n",
	              "d/cn=config.ldif");
}

/* 40 levels, each class below both of the level before: 2^40 ways up. */
CONF_TEST(classes_with_many_ways_up_take_no_time)
{
	struct dit_settings *s = NULL;
	char text[16384];
	size_t len = 0;

	make_root("");
	len = (size_t)snprintf(text, sizeof(text),
	                       "dn: cn={1}y\nobjectClass: olcSchemaConfig\ncn: {1}y\n"
	                       "olcObjectClasses: {0}( 1.2.4.0 NAME 'a0' AUXILIARY )\n"
	                       "olcObjectClasses: {1}( 1.2.5.0 NAME 'b0' AUXILIARY )\n");
	for (int i = 1; i < 40; i++) {
		len += (size_t)snprintf(
			text + len, sizeof(text) - len,
			"olcObjectClasses: {%d}( 1.2.4.%d NAME 'a%d' SUP ( a%d $ b%d ) "
			"AUXILIARY )\n"
			"olcObjectClasses: {%d}( 1.2.5.%d NAME 'b%d' SUP ( a%d $ b%d ) "
			"AUXILIARY )\n",
			2 * i, i, i, i - 1, i - 1, 2 * i + 1, i, i, i - 1, i - 1);
	}
	assert_true(len < sizeof(text));
	test_write_text("d/cn=config/cn=schema/cn={1}y.ldif", text);
	write_database(1, "objectClass: a39\nolcSuffix: dc=x\nolcDbDirectory: db\n");
	s = accept_tree(*state);
	assert_int_equal(s->ndatabases, 2);
}

CONF_TEST(only_regular_files_are_read)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	make_root("");
	/* It has no writer: a reader would wait for ever. */
	assert_int_equal(mkfifo("d/cn=config/olcDatabase={1}mdb.ldif", 0600), 0);
	assert_int_equal(conf_read_tree(f, &s), DIT_E_CONFIG);
	assert_string_equal(f->reports, "ldif_read_file: not a regular file for "
	                                "\"d/cn=config/olcDatabase={1}mdb.ldif\"\n"
	                                "E this entry cannot be read: "
	                                "d/cn=config/olcDatabase={1}mdb.ldif\n"
	                                "E bad configuration directory!\n");
}

CONF_TEST(source_is_found_in_order)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;
	struct dit_settings_source source = {.default_file = "t.conf",
	                                     .default_dir = "none"};

	test_write_text("t.conf", "tool-threads 5\n");
	/* no tree: the file */
	assert_int_equal(conf_read_source(f, &source, &s), 0);
	assert_int_equal(s->tool_threads, 5);

	/* a tree */
	make_root("olcToolThreads: 3\n");
	source.default_dir = "d";
	assert_int_equal(conf_read_source(f, &source, &s), 0);
	assert_int_equal(s->tool_threads, 3);

	/* a folder without a tree: the file */
	source.default_dir = "db";
	assert_int_equal(conf_read_source(f, &source, &s), 0);
	assert_int_equal(s->tool_threads, 5);

	/* a folder that is asked for may be without a tree */
	source.dir = "db";
	assert_int_equal(conf_read_source(f, &source, &s), 0);
	assert_int_equal(s->tool_threads, 0);
	assert_int_equal(s->ndatabases, 1);
	s = NULL;

	/* but has to be there */
	source.dir = "none";
	assert_int_equal(conf_read_source(f, &source, &s), DIT_E_CONFIG);
	assert_string_equal(f->reports, "invalid config directory none, error 2\n"
	                                "E bad configuration directory!\n");

	/* both: the file, and no tree */
	source.file = "t.conf";
	source.dir = "db";
	assert_int_equal(conf_read_source(f, &source, &s), 0);
	assert_int_equal(s->tool_threads, 5);
	s = NULL;
	source.dir = "d";
	assert_int_equal(conf_read_source(f, &source, &s), DIT_E_CONFIG);
	assert_string_equal(f->reports,
	                    "config_setup_ldif: expected directory d to be empty!\n"
	                    "E bad configuration directory!\n");

	/* a bad tree is not passed over */
	source = (struct dit_settings_source){.default_dir = "d",
	                                      .default_file = "t.conf"};
	test_write_text("d/cn=config.ldif", "nonsense\n");
	assert_int_equal(conf_read_source(f, &source, &s), DIT_E_CONFIG);
	assert_string_equal(f->reports, "str2entry: entry -1 has no dn\n"
	                                "E this entry cannot be read: d/cn=config.ldif\n"
	                                "E bad configuration file!\n");
}
