/* SPDX-License-Identifier: BSD-2-Clause */
/* Changes of OpenLDAP 2.7 in configurations (storage-2.7.md 2.2 to 2.4). */
#include "config/conf_fixture.h"

#define DB "database mdb\nsuffix dc=x\ndirectory db\n"

static int setup(void **state)
{
	int r = conf_setup(state);

	if (r == 0) {
		((struct conf_fixture *)*state)->openldap = DIT_OPENLDAP_2_7;
	}
	return r;
}

static void refuse(struct conf_fixture *f, const char *text, const char *report)
{
	struct dit_settings *s = NULL;
	char *expected = test_text("%s\nE bad configuration file!\n", report);

	assert_int_equal(conf_read(f, text, &s), DIT_E_CONFIG);
	assert_string_equal(f->reports, expected);
}

TEST_WITH(hashes_have_64_bits_unless_the_configuration_says_otherwise, setup,
          conf_teardown)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = conf_accept(f, "");

	assert_true(s->index.hash64);
	s = conf_accept(f, "index_hash64 off\n");
	assert_false(s->index.hash64);
	f->openldap = DIT_OPENLDAP_2_6;
	s = conf_accept(f, "");
	assert_false(s->index.hash64);
}

/* The index definitions of the first database: "cn=6 objectClass=2 ". */
static const char *indexes_of(const struct dit_settings *s)
{
	static char text[256];
	const struct dit_database *database = &s->databases[1];

	text[0] = '\0';
	for (size_t i = 0; i < database->nindexes; i++) {
		size_t len = strlen(text);

		(void)snprintf(text + len, sizeof(text) - len, "%s=%u ",
		               database->indexes[i].ad->name.data,
		               database->indexes[i].kinds);
	}
	return text;
}

TEST_WITH(object_class_without_a_line_is_indexed, setup, conf_teardown)
{
	static const struct {
		const char *text;
		const char *indexes;
	} cases[] = {
		{"", "objectClass=2 "},
		{"index cn eq\n", "cn=2 objectClass=2 "},
		{"index default pres\nindex cn\n", "cn=1 objectClass=2 "},
		/* a definition counts, whatever it says */
		{"index objectClass pres\nindex cn eq\n", "objectClass=1 cn=2 "},
		{"index cn,objectClass eq\n", "cn=2 objectClass=2 "},
		/* "multival" counts as well */
		{"multival objectClass 5,3\n", ""},
		{"multival default,cn 5,3\n", "objectClass=2 "},
		{"multival objectClass 5,3\nindex objectClass pres\n", "objectClass=1 "},
		{"multival objectClass -1,-1\nindex objectClass pres\n", ""},
		/* the later ones are ignored */
		{"index objectClass pres\nindex objectClass eq\n", "objectClass=1 "},
		{"index 2.5.4.0 eq\nindex cn,OBJECTCLASS pres\n", "objectClass=2 cn=1 "},
	};
	struct conf_fixture *f = *state;
	char text[1024];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_settings *s = NULL;

		(void)snprintf(text, sizeof(text), "%s%s%s", CONF_SCHEMA, DB,
		               cases[i].text);
		s = conf_accept(f, text);
		assert_string_equal(indexes_of(s), cases[i].indexes);
	}
}

TEST_WITH(object_class_is_indexed_in_every_mdb_database_alone, setup, conf_teardown)
{
	struct dit_settings *s = conf_accept(
		*state, CONF_SCHEMA DB "database mdb\nsuffix dc=y\ndirectory db2\n"
				       "index objectClass pres\n"
				       "database ldap\nsuffix dc=z\ndatabase monitor\n");

	assert_int_equal(s->ndatabases, 5);
	assert_int_equal(s->databases[0].nindexes, 0);
	assert_int_equal(s->databases[1].nindexes, 1);
	assert_int_equal(s->databases[2].nindexes, 1);
	assert_int_equal(s->databases[2].indexes[0].kinds, DIT_INDEX_PRES);
	assert_int_equal(s->databases[3].nindexes, 0);
	assert_int_equal(s->databases[4].nindexes, 0);
}

TEST_WITH(other_attributes_are_indexed_once, setup, conf_teardown)
{
	refuse(*state, CONF_SCHEMA DB "index cn eq\nindex cn pres\n",
	       "t.conf: line 9: duplicate index definition for attr \"cn\"");
}

TEST_WITH(releases_before_leave_object_class_to_the_configuration, setup, conf_teardown)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	f->openldap = DIT_OPENLDAP_2_6;
	s = conf_accept(f, CONF_SCHEMA DB);
	assert_int_equal(s->databases[1].nindexes, 0);
	refuse(f, CONF_SCHEMA DB "index objectClass eq\nindex objectClass eq\n",
	       "t.conf: line 9: duplicate index definition for attr \"objectClass\"");
}

TEST_WITH(page_size_is_a_number, setup, conf_teardown)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = conf_accept(f, CONF_SCHEMA DB);

	assert_int_equal(s->databases[1].data.page_bytes, 0);
	s = conf_accept(f, CONF_SCHEMA DB "dbpagesize 65536\n");
	assert_int_equal(s->databases[1].data.page_bytes, 65536);
	/* whether it can be one is found out when the database is opened */
	s = conf_accept(f, CONF_SCHEMA DB "dbpagesize 5000\n");
	assert_int_equal(s->databases[1].data.page_bytes, 5000);
	refuse(f, CONF_SCHEMA DB "dbpagesize 4k\n",
	       "t.conf: line 8: <dbpagesize> unable to parse \"4k\" as unsigned int");
	f->openldap = DIT_OPENLDAP_2_6;
	refuse(f, CONF_SCHEMA DB "dbpagesize 4096\n",
	       "t.conf: line 8: <dbpagesize> not supported by this release");
}

TEST_WITH(module_and_passphrase_are_kept, setup, conf_teardown)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = conf_accept(f, CONF_SCHEMA DB);

	assert_null(s->databases[1].data.crypto_module);
	assert_null(s->databases[1].data.passphrase);
	s = conf_accept(f, CONF_SCHEMA DB "crypto /lib/x.so\npassphrase one\n"
	                                  "passphrase \"two words\"\n");
	assert_string_equal(s->databases[1].data.crypto_module, "/lib/x.so");
	assert_string_equal(s->databases[1].data.passphrase, "two words");
	f->openldap = DIT_OPENLDAP_2_6;
	refuse(f, CONF_SCHEMA DB "crypto libcrypt.so\n",
	       "t.conf: line 8: <crypto> not supported by this release");
	refuse(f, CONF_SCHEMA DB "passphrase secret\n",
	       "t.conf: line 8: <passphrase> not supported by this release");
}

TEST_WITH(no_message_has_the_passphrase, setup, conf_teardown)
{
	struct conf_fixture *f = *state;

	refuse(f, CONF_SCHEMA DB "passphrase \"secret\n",
	       "t.conf: line 8: unterminated quoted string");
	refuse(f, CONF_SCHEMA DB "passphrase secret words\n",
	       "t.conf: line 8: <passphrase> extra cruft after <pass>.");
}

TEST_WITH(providers_beside_others_need_their_id_first, setup, conf_teardown)
{
	struct conf_fixture *f = *state;

	refuse(f, CONF_SCHEMA DB "multiprovider on\n",
	       "t.conf: line 8: <multiprovider> serverID is not configured, do that "
	       "first");
	refuse(f, CONF_SCHEMA DB "mirrormode yes\n",
	       "t.conf: line 8: <mirrormode> serverID is not configured, do that "
	       "first");
	(void)conf_accept(f, CONF_SCHEMA DB "multiprovider off\n");
	(void)conf_accept(f, CONF_SCHEMA "serverID 3\n" DB "multiprovider on\n");
	f->openldap = DIT_OPENLDAP_2_6;
	(void)conf_accept(f, CONF_SCHEMA DB "mirrormode on\n");
}

/* Up to 2.6 what comes last counts, "multiprovider off" by itself as well. */
TEST_WITH(copies_of_one_provider_are_known, setup, conf_teardown)
{
#define SYNC "syncrepl rid=1 provider=ldap://h searchbase=dc=x retry=5\n"
	static const struct {
		const char *lines;
		bool until_2_6;
		bool since_2_7;
	} cases[] = {
		{"", false, false},
		{SYNC, true, true},
		{"updatedn cn=x\n", true, true},
		{"multiprovider off\n", true, false},
		{"mirrormode on\n" SYNC, false, false},
		{SYNC "mirrormode on\n", false, false},
		{SYNC "multiprovider on\n" SYNC, false, false},
		{SYNC "multiprovider on\nmultiprovider off\n", true, true},
		{"updatedn cn=x\nmultiprovider on\n", false, false},
		{SYNC "database mdb\nsuffix dc=y\ndirectory db\n", true, true},
	};
	struct conf_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (int is_2_7 = 0; is_2_7 < 2; is_2_7++) {
			char text[2048];
			struct dit_settings *s = NULL;

			(void)snprintf(text, sizeof(text), "%s%s%s",
			               CONF_SCHEMA "serverID 3\n", DB, cases[i].lines);
			f->openldap = is_2_7 ? DIT_OPENLDAP_2_7 : DIT_OPENLDAP_2_6;
			s = conf_accept(f, text);
			assert_int_equal(s->databases[1].is_single_shadow,
			                 is_2_7 ? cases[i].since_2_7
			                        : cases[i].until_2_6);
			assert_false(s->ndatabases > 2 &&
			             s->databases[2].is_single_shadow);
		}
	}
#undef SYNC
}

TEST_WITH(new_directives_are_known, setup, conf_teardown)
{
	static const char *const cases[] = {
		"restrictop all\n" DB,
		DB "lastbind-send-assert on\nrestrictop add\nrequire none\n",
		DB "overlay accesslog\nlogpurgebatch 5\n",
		DB "overlay auditlog\nauditlognonblocking on\n",
		DB "overlay constraint\nconstraint_allowempty on\n",
		DB "overlay ppolicy\nppolicy_rules x\n",
	};
	struct conf_fixture *f = *state;
	char text[1024];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)snprintf(text, sizeof(text), "%s%s", CONF_SCHEMA, cases[i]);
		(void)conf_accept(f, text);
	}
	f->openldap = DIT_OPENLDAP_2_6;
	refuse(f, CONF_SCHEMA DB "lastbind-send-assert on\n",
	       "t.conf: line 8: unknown directive <lastbind-send-assert> inside backend "
	       "database definition.");
}

TEST_WITH(back_ends_that_are_gone_are_unknown, setup, conf_teardown)
{
	struct conf_fixture *f = *state;

	refuse(f, "database perl\n",
	       "Unrecognized database type (perl)\n"
	       "t.conf: line 1: <database> failed init (perl)");
	refuse(f, "database sql\n",
	       "Unrecognized database type (sql)\n"
	       "t.conf: line 1: <database> failed init (sql)");
	f->openldap = DIT_OPENLDAP_2_6;
	(void)conf_accept(f, "database perl\n");
}

/* ---- cn=config ---- */

static void write_tree(const char *root_lines, const char *database_lines)
{
	char text[1024];

	assert_true(mkdir("d", 0700) == 0 || access("d/cn=config.ldif", F_OK) == 0);
	assert_true(mkdir("d/cn=config", 0700) == 0 || access("d/cn=config", F_OK) == 0);
	(void)snprintf(text, sizeof(text),
	               "dn: cn=config\nobjectClass: olcGlobal\ncn: config\n%s",
	               root_lines);
	test_write_text("d/cn=config.ldif", text);
	(void)snprintf(text, sizeof(text),
	               "dn: olcDatabase={1}mdb\nobjectClass: olcDatabaseConfig\n"
	               "objectClass: olcMdbConfig\nolcDatabase: {1}mdb\n"
	               "olcSuffix: o=x\nolcDbDirectory: db\n%s",
	               database_lines);
	test_write_text("d/cn=config/olcDatabase={1}mdb.ldif", text);
}

#define O "olcAttributeTypes: ( 2.5.4.10 NAME 'o' SUP name )\n"

TEST_WITH(tree_has_the_same_attributes, setup, conf_teardown)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	write_tree(O "olcRestrictOp: {0}all\nolcRestrictOp: {1}add\nolcServerID: 1\n",
	           "olcDbPageSize: 8192\nolcLastBindSendAssert: TRUE\n"
	           "olcMultiProvider: TRUE\nolcDbIndex: objectClass pres\n"
	           "olcDbIndex: objectClass eq\n");
	assert_int_equal(conf_read_tree(f, &s), 0);
	assert_string_equal(f->reports, "");
	assert_int_equal(s->databases[1].data.page_bytes, 8192);
	assert_true(s->index.hash64);
	assert_string_equal(indexes_of(s), "objectClass=1 ");

	/* as slaptest converts a configuration that names neither */
	write_tree(O "olcIndexHash64: TRUE\n", "olcDbPageSize: 0\n");
	assert_int_equal(conf_read_tree(f, &s), 0);
	assert_int_equal(s->databases[1].data.page_bytes, 0);
	assert_string_equal(indexes_of(s), "objectClass=2 ");
}

TEST_WITH(tree_is_refused_in_the_same_cases, setup, conf_teardown)
{
	static const struct {
		const char *line;
		const char *report;
	} cases[] = {
		{"olcMirrorMode: TRUE\n",
	         "olcMultiProvider: value #0: <olcMultiProvider> serverID is not "
	         "configured, do that first\n"},
	};
	struct conf_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_settings *s = NULL;

		write_tree(O, cases[i].line);
		assert_int_equal(conf_read_tree(f, &s), DIT_E_CONFIG);
		if (strstr(f->reports, cases[i].report) == NULL) {
			print_message("%s", f->reports);
		}
		assert_non_null(strstr(f->reports, cases[i].report));
	}
}

/* ---- what a core would have ---- */

#define CHUNK_BYTES (1u << 20)

static bool memory_has(int memory, unsigned long first, unsigned long end,
                       const char *word)
{
	char *bytes = malloc(CHUNK_BYTES);
	size_t len = strlen(word);
	bool has = false;

	assert_non_null(bytes);
	for (; first < end && !has; first += CHUNK_BYTES - len) {
		size_t n = end - first < CHUNK_BYTES ? end - first : CHUNK_BYTES;

		has = pread(memory, bytes, n, (off_t)first) == (ssize_t)n &&
		      memmem(bytes, n, word, len) != NULL;
	}
	explicit_bzero(bytes, CHUNK_BYTES);
	free(bytes);
	return has;
}

static bool a_core_has(const char *word)
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	int memory = open("/proc/self/mem", O_RDONLY);
	unsigned long range[2] = {0, 0};
	bool is_written = false;
	bool has = false;
	char line[512];

	assert_true(maps != NULL && memory >= 0);
	while (fgets(line, sizeof(line), maps) != NULL) {
		unsigned long found[2];
		char rights[5] = "";

		if (sscanf(line, "%lx-%lx %4s", &found[0], &found[1], rights) == 3) {
			memcpy(range, found, sizeof(range));
			is_written = rights[0] == 'r' && rights[1] == 'w';
		} else if (is_written && strncmp(line, "VmFlags:", 8) == 0 &&
		           strstr(line, " dd") == NULL) {
			has = has || memory_has(memory, range[0], range[1], word);
		}
	}
	(void)close(memory);
	(void)fclose(maps);
	return has;
}

/* A shell writes a text that the test itself does not have. */
static void add_passphrase(const char *line, const char *file)
{
	char *command = test_text("printf '%s%%s\\n' \"$(od -An -N12 -tx1 /dev/urandom | "
	                          "tr -d ' \\n')\" >>'%s'",
	                          line, file);

	assert_int_equal(system(command), 0);
}

static void check_core(struct conf_fixture *f, const struct dit_settings_source *source)
{
	struct dit_settings *s = NULL;
	char *copy = NULL;

	assert_int_equal(conf_read_source(f, source, &s), 0);
	assert_string_equal(f->reports, "");
	assert_int_equal(strlen(s->databases[1].data.passphrase), 24);
	assert_false(a_core_has(s->databases[1].data.passphrase));
	copy = strdup(s->databases[1].data.passphrase);
	assert_true(a_core_has(copy));
	explicit_bzero(copy, strlen(copy));
	free(copy);
}

TEST_WITH(no_core_has_the_passphrase, setup, conf_teardown)
{
	struct conf_fixture *f = *state;
	const struct dit_settings_source file = {.file = "t.conf",
	                                         .openldap = f->openldap};
	const struct dit_settings_source tree = {.dir = "d", .openldap = f->openldap};

	test_write_text("t.conf", CONF_SCHEMA DB "crypto x.so\n");
	add_passphrase("passphrase ", "t.conf");
	check_core(f, &file);
	write_tree(O, "olcDbCryptoModule: x.so\n");
	add_passphrase("olcDbPassphrase: ", "d/cn=config/olcDatabase={1}mdb.ldif");
	check_core(f, &tree);
}
