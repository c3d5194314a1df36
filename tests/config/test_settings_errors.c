/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reasons to refuse a slapd.conf, in slapd 2.5.13's words; and what is refused because
 * it would change stored data and is not built.
 */
#include "config/conf_fixture.h"

/* Lines of a database after CONF_SCHEMA (4 lines); they begin with line 8. */
#define DB "database mdb\nsuffix dc=x\ndirectory db\n"

static const struct error_case {
	const char *text;
	const char *reports; /* without the final "bad configuration file!" */
} cases[] = {
/* clang-format off */
#define REGISTER_AT(oid, name)                                                           \
 "register_at: AttributeType \"( " oid " NAME '" name "' )\": "
#define COLLIDES(line, module)                                                           \
 L(line, "<moduleload> schema of module " module " collides with definitions before; "  \
         "remove those, the module has its own")
#define L(n, text) "t.conf: line " #n ": " text "\n"
/* files and lines */
{"include /nonexistent/x\n",
 "could not stat config file \"/nonexistent/x\": No such file or directory (2)\n"},
{"include db\n", "regular file expected, got \"db\"\n"},
{"include /proc/self/mem\n",
 "could not read config file \"/proc/self/mem\": Input/output error (5)\n"},
{"include\n", L(5, "keyword <include> missing <file> argument")},
{"include a b\n", L(5, "<include> extra cruft after <file>.")},
{"\n \n", L(6, "bad config line.")},
{"pidfile \"x y\n", L(5, "unterminated quoted string \"x y\"")},
{"attributetype ( 1.2.3 NAME \"x\n",
 "t.conf: line 5 attributetype: Expecting a name before \n"},
/* keywords */
{"bogus x\n",
 L(5, "unknown directive <bogus> outside backend info and database definitions.")},
{"includex y\n",
 L(5, "unknown directive <includex> outside backend info and database definitions.")},
{"backend mdb\nbogus\n",
 L(6, "unknown directive <bogus> inside backend info definition.")},
{DB "bogus\n", L(8, "unknown directive <bogus> inside backend database definition.")},
{DB "overlay dds\ndds-state on\ndatabase mdb\ndds-state on\n",
 L(11, "unknown directive <dds-state> inside backend database definition.")},
{"database monitor\nbogus\n",
 L(6, "unknown directive <bogus> inside backend database definition.")},
{DB "checkpoint 4294967296 5\n",
 L(8, "invalid kbyte \"4294967296\" in \"checkpoint\".")},
{"database config\nbogus\n",
 L(6, "unknown directive <bogus> inside backend database definition.")},
{"database frontend\nmaxsize 1\n",
 L(6, "unknown directive <maxsize> outside backend info and database definitions.")},
{"idlexp 17\n",
 L(5, "unknown directive <idlexp> outside backend info and database definitions.")},
{DB "backend mdb\n",
 L(8, "keyword <backend> must occur before any database declaration")},
{"backend bogus\n", L(5, "<backend> failed init (bogus)!")},
{"Database bogus\n",
 "Unrecognized database type (bogus)\n" L(5, "<Database> failed init (bogus)")},
/* schema */
{"attributetype\n", L(5, "keyword <attributetype> missing <attribute> argument")},
{"objectclass\n", L(5, "keyword <objectclass> missing <objectclass> argument")},
{"ldapsyntax\n", L(5, "keyword <ldapsyntax> missing <syntax> argument")},
{"ditcontentrule\n", "t.conf: line 5 ditcontentrule: Unexpected end of data before \n"},
{"ditcontentrule x ( 2.5.6.6 )\n",
 "t.conf: line 5 ditcontentrule: ObjectClass not found: \"2.5.6.6\"\n"},
{"attributetype 1.2.3\n", L(5, "<attributetype> old format not supported")},
{"AttributeTypes ( 1.2.3 NAME 'x'\n SUP nope )\n",
 "t.conf: line 6 AttributeTypes: AttributeType not found: \"nope\"\n"},
{"objectclass x\n", L(5, "<objectclass> old format not supported")},
{"ldapsyntax ( foo )\n", "t.conf: line 5 ldapsyntax: Expecting digit before foo )\n"},
{"ldapsyntax ( 1.2.3 X-SUBST '1.9' )\n",
 "syn_add(1.2.3): substitute syntax 1.9 not found\nt.conf: line 5 ldapsyntax: Substitute "
 "syntax not found: \"( 1.2.3 X-SUBST '1.9' )\"\n"},
{"objectidentifier foo bar\n",
 "t.conf: line 5 objectidentifier: OID bar not recognized\n"},
{"objectidentifier foo\n",
 L(5, "keyword <objectidentifier> missing <name> <oid> argument")},
{"attributeoptions a a\n", L(5, "option \"a\" is already defined")},
/* what a module brings, defined before */
{"attributetype ( 1.2.840.113556.1.2.102 NAME 'x' SUP name )\nmoduleload memberof\n",
 REGISTER_AT("1.2.840.113556.1.2.102", "memberOf")
 "Inconsistent duplicate attributeType, 1.2.840.113556.1.2.102\n" COLLIDES(6, "memberof")},
{"attributetype ( 1.2.3 NAME 'memberOf' SUP name )\nmoduleload memberof\n",
 REGISTER_AT("1.2.840.113556.1.2.102", "memberOf")
 "Inconsistent duplicate attributeType, memberOf\n" COLLIDES(6, "memberof")},
{"attributetype ( 1.3.6.1.4.1.42.2.27.8.1.1 NAME 'pwdAttribute' SUP name )\n"
 "moduleload ppolicy\n",
 REGISTER_AT("1.3.6.1.4.1.42.2.27.8.1.1", "pwdAttribute")
 "Duplicate attributeType, 1.3.6.1.4.1.42.2.27.8.1.1\n" COLLIDES(6, "ppolicy")},
{"objectclass ( 1.2.3 NAME 'pwdPolicy' )\nmoduleload ppolicy\n",
 "register_oc: objectclass \"( 1.3.6.1.4.1.42.2.27.8.2.1 NAME 'pwdPolicy' )\": "
 "Inconsistent duplicate objectClass, pwdPolicy\n" COLLIDES(6, "ppolicy")},
{"ldapsyntax ( 1.3.6.1.4.1.4203.666.11.5.3.1 DESC 'x' )\nmoduleload accesslog\n",
 "Error in register_syntax: Duplicate ldapSyntax 1.3.6.1.4.1.4203.666.11.5.3.1 in "
 "( 1.3.6.1.4.1.4203.666.11.5.3.1 )\n" COLLIDES(6, "accesslog")},
{"objectidentifier PCacheOID 1.2.3\nmoduleload pcache\n",
 "objectidentifier: \"PCacheOID\" previously defined \"1.2.3\"\n" COLLIDES(6, "pcache")},
{"attributetype ( 1.2.3 NAME 'olcDbURI' SUP name )\nmoduleload back_ldap\ndatabase ldap\n",
 REGISTER_AT("1.3.6.1.4.1.4203.1.12.2.3.2.0.14", "olcDbURI")
 "Inconsistent duplicate attributeType, olcDbURI\n"
 "backend_add:  initialization for type \"ldap\" failed\n" COLLIDES(6, "back_ldap")
 "Unrecognized database type (ldap)\n" L(7, "<database> failed init (ldap)")},
/* overlays and their directives */
{"overlay syncprov\n", "syncprov must be instantiated within a database.\n"},
{"overlay argon2\n", "overlay \"argon2\" not found\n"},
{DB "overlay syncprov\noverlay syncprov\n",
 "overlay_config(): overlay \"syncprov\" already in list\n"},
{DB "overlay syncprov\nindxe cn eq\n",
 L(9, "unknown directive <indxe> inside backend database definition.")},
{DB "overlay syncprov\nppolicy_default cn=x\n",
 L(9, "unknown directive <ppolicy_default> inside backend database definition.")},
{DB "overlay syncprov\ndatabase ldap\nsyncprov-checkpoint 1 1\n",
 L(10, "unknown directive <syncprov-checkpoint> inside backend database definition.")},
{"database ldap\nuri ldap://x\nindxe cn eq\n",
 L(7, "unknown directive <indxe> inside backend database definition.")},
{"backend ldap\nbogus\n", L(6, "unknown directive <bogus> inside backend info definition.")},
{"backend mdb\nlastbind on\n",
 L(6, "keyword <lastbind> only allowed within database declaration")},
{"backend mdb\nsubordinate\n",
 L(6, "keyword <subordinate> only allowed within database declaration")},
{"database mdb\nsubordinate\nsuffix dc=x\n",
 L(6, "subordinate configuration needs a suffix.")},
/* global values */
{"index_substr_if_minlen 5\n", L(5, "<index_substr_if_minlen> invalid value (5)")},
{"index_substr_if_maxlen 1\n", L(5, "<index_substr_if_maxlen> invalid value (1)")},
{"index_substr_if_maxlen 0\n", L(5, "<index_substr_if_maxlen> invalid value (0)")},
{"index_intlen x\n", L(5, "<index_intlen> unable to parse \"x\" as unsigned int")},
{"index_substr_any_len -1\n",
 L(5, "<index_substr_any_len> unable to parse \"-1\" as unsigned int")},
{"index_substr_if_minlen 4294967296\n",
 L(5, "<index_substr_if_minlen> unable to parse \"4294967296\" as unsigned int")},
{"index_substr_if_maxlen x\n",
 L(5, "<index_substr_if_maxlen> unable to parse \"x\" as unsigned int")},
{"index_hash64 maybe\n", L(5, "<index_hash64> invalid value")},
{"tool-threads x\n", L(5, "<tool-threads> unable to parse \"x\" as int")},
{"tool-threads 99999999999\n",
 L(5, "<tool-threads> unable to parse \"99999999999\" as int")},
{"sortvals\n", L(5, "keyword <sortvals> missing <attr> argument")},
{"sortvals cn nope dc\n", L(5, "<sortvals> unknown attribute type #2 nope")},
{"sortvals cn,sn\n", L(5, "<sortvals> unknown attribute type #1 cn,sn")},
{"sortvals cn;nope\n", L(5, "<sortvals> unknown attribute type #1 cn;nope")},
{"sortvals cn dc\n", L(5, "<sortvals> inappropriate attribute type #2 dc")},
{"sortvals olcAccess\n", L(5, "<sortvals> inappropriate attribute type #1 olcAccess")},
{"backend mdb\nidlexp 15\n", ""},
{"backend mdb\nidlexp 31\n", ""},
{"backend mdb\nidlexp x\n", L(6, "<idlexp> unable to parse \"x\" as unsigned int")},
{"serverID 4096\n", L(5, "<serverID> illegal server ID 4096")},
{"serverID -1\n", L(5, "<serverID> illegal server ID -1")},
{"serverID 1x\n", L(5, "<serverID> illegal server ID 1x")},
{"serverID\n", L(5, "keyword <serverID> missing <number> <[URI]> argument")},
{"serverID 1\nserverID 2\n",
 L(6, "<serverID> unqualified server ID not allowed now 2")},
{"serverID 0x1 ldap://a\nserverID 010\n",
 L(6, "<serverID> unqualified server ID not allowed now 010")},
{"serverID 1\nserverID 2 ldap://a\n",
 L(6, "<serverID> only one server ID allowed now 2")},
{"serverID 1 http://x\n", L(5, "<serverID> invalid URL http://x")},
{"index_substr_any_step x\n",
 L(5, "<index_substr_any_step> unable to parse \"x\" as unsigned int")},
/* modules */
{"moduleload nosuchmodule\n", "lt_dlopenext failed: (nosuchmodule) file not found\n"},
{"moduleload back_nosuch\n", "lt_dlopenext failed: (back_nosuch) file not found\n"},
{"moduleload /nonexistent/x.la\n",
 "lt_dlopenext failed: (/nonexistent/x.la) file not found\n"},
{"moduleload ppolicy\nmoduleload ppolicy\n", "module_load: (ppolicy) already loaded\n"},
{"overlay nosuch\n", "overlay \"nosuch\" not found\n"},
{DB "overlay SyncProv\n", "overlay \"SyncProv\" not found\n"},
{DB "overlay syncprov x\n", L(8, "<overlay> extra cruft after <overlay>.")},
/* databases */
{"suffix dc=x\n", L(5, "suffix <dc=x> not allowed in frontend database.")},
{"database config\nsuffix dc=x\n", L(6, "suffix <dc=x> not allowed in config database.")},
{"database monitor\nsuffix dc=x\n",
 L(6, "suffix <dc=x> not allowed in monitor database.")},
{"database frontend\ndatabase frontend\n", ""},
{"database config\ndatabase mdb\ndatabase config\n", ""},
{"database monitor\ndatabase monitor\n", "database init failed (monitor)\n" L(
	6, "only one monitor database allowed (monitor)")},
{DB "suffix cn=MONITOR\n",
 L(8, "<suffix> DN is reserved for monitoring slapd (cn=Monitor)")},
{"objectidentifier a 1.2\nobjectidentifier a nope\n",
 "t.conf: line 6 objectidentifier: OID nope not recognized\n"},
{"database mdb\nsuffix foo=x\n", L(6, "<suffix> invalid DN 21 (Invalid syntax)")},
{DB "rootdn foo\n", L(8, "<rootdn> invalid DN 21 (Invalid syntax)")},
{DB "suffix dc=y\n", L(8, "<suffix> Only one suffix is allowed on this mdb backend")},
{"database ldif\nsuffix dc=x\nsuffix dc=y\n",
 L(7, "<suffix> Only one suffix is allowed on this ldif backend")},
{DB "database mdb\nsuffix \"DC = y, dc=X\"\n",
 L(9, "<suffix> namingContext \"dc=y,dc=X\" already served by a preceding mdb database "
      "serving namingContext \"dc=x\"")},
{"database ldap\nsuffix dc=x\nsuffix dc=y\ndatabase mdb\nsuffix dc=a,dc=y\n",
 L(9, "<suffix> namingContext \"dc=a,dc=y\" already served by a preceding ldap database "
      "serving namingContext \"dc=x\"")},
{DB "database mdb\nsuffix cn=config\n",
 L(9, "<suffix> namingContext \"cn=config\" already served by a preceding config "
      "database serving namingContext \"cn=config\"")},
{DB "lastmod maybe\n", L(8, "<lastmod> invalid value")},
{DB "hidden\n", L(8, "keyword <hidden> missing <on|off> argument")},
{DB "disabled x\n", L(8, "<disabled> invalid value")},
{DB "hidden x\n", L(8, "<hidden> invalid value")},
{DB "subordinate foo\n",
 L(8, "suffix \"dc=x\": subordinate must be \"TRUE\" or \"advertise\".")},
{"subordinate foo\n",
 L(5, "suffix \"\": subordinate must be \"TRUE\" or \"advertise\".")},
{DB "subordinate advertise true\n",
 L(8, "<subordinate> extra cruft after <[advertise]>.")},
{DB "directory /nonexistent\n", L(8, "directory /nonexistent cannot be used")
 L(8, "invalid path: No such file or directory")},
{DB "directory t.conf\n", L(8, "directory t.conf cannot be used")
 L(8, "invalid path: Not a directory")},
{DB "maxsize 10M\n", L(8, "<maxsize> unable to parse \"10M\" as unsigned long")},
{DB "maxsize 99999999999999999999\n",
 L(8, "<maxsize> unable to parse \"99999999999999999999\" as unsigned long")},
{DB "maxentrysize x\n", L(8, "<maxentrysize> unable to parse \"x\" as unsigned long")},
{DB "maxreaders x\n", L(8, "<maxreaders> unable to parse \"x\" as unsigned int")},
{DB "checkpoint a 5\n", L(8, "invalid kbyte \"a\" in \"checkpoint\".")},
{DB "checkpoint -5 5\n", L(8, "invalid kbyte \"-5\" in \"checkpoint\".")},
{DB "checkpoint 0x5 b\n", L(8, "invalid minutes \"b\" in \"checkpoint\".")},
{DB "checkpoint 5\n", L(8, "keyword <checkpoint> missing <kbyte> <min> argument")},
{DB "dbnosync maybe\n", L(8, "<dbnosync> invalid value")},
{DB "dbnosync on off\n", L(8, "<dbnosync> extra cruft after <(null)>.")},
{DB "rtxnsize -1\n", L(8, "<rtxnsize> unable to parse \"-1\" as unsigned int")},
{DB "searchstack x\n", L(8, "<searchstack> unable to parse \"x\" as int")},
{DB "sync_use_subentry x\n", L(8, "<sync_use_subentry> invalid value")},
{DB "mode 0600x\n", L(8, "unable to parse mode=\"0600x\".")},
{DB "mode rw\n", ""},
{DB "mode -rwsrwxrwx\n", ""},
{DB "envflags nosync bogus\n", "t.conf: line 8 envflags: unknown keyword \"bogus\"\n"},
{DB "multival cn\n", L(8, "keyword <multival> missing <attr> <hi,lo> argument")},
{DB "multival cn 5,3 x\n", L(8, "<multival> extra cruft after <attr> <hi,lo>.")},
{DB "multival nope 3,5\n", L(8, "invalid hi/lo thresholds")},
{DB "multival cn 5\n", L(8, "invalid hi/lo thresholds")},
{DB "multival cn ,3\n", L(8, "invalid hi/lo thresholds")},
{DB "multival cn 5,\n", L(8, "invalid hi/lo thresholds")},
{DB "multival cn 5,3,2\n", L(8, "invalid hi/lo thresholds")},
{DB "multival cn 0x5,3\n", L(8, "invalid hi/lo thresholds")},
{DB "multival cn 5,-3\n", L(8, "invalid hi/lo thresholds")},
{DB "multival cn 4294967296,3\n", L(8, "invalid hi/lo thresholds")},
{DB "multival cn,nope 5,3\n", L(8, "multival attribute \"nope\" undefined")},
{DB "multival cn,commonName 5,3\n",
 L(8, "duplicate multival definition for attr \"commonName\"")},
{DB "multival cn 5,3\nmultival 2.5.4.3 6,3\n",
 L(9, "duplicate multival definition for attr \"2.5.4.3\"")},
{DB "multival cn -1,-1\nindex cn eq\n",
 L(9, "duplicate index definition for attr \"cn\"")},
{DB "dbpagesize 4096\n", L(8, "<dbpagesize> not supported by this release")},
{DB "crypto x\n", L(8, "<crypto> not supported by this release")},
{DB "passphrase x\n", L(8, "<passphrase> not supported by this release")},
/* index */
{DB "index\n", L(8, "keyword <index> missing <attr> <[pres,eq,approx,sub]> argument")},
{DB "index a b c\n", L(8, "<index> extra cruft after <attr> <[pres,eq,approx,sub]>.")},
{DB "index nope bogus\n", L(8, "index type \"bogus\" undefined")},
{DB "index cn\n", L(8, "no indexes selected")},
{DB "index cn \"\"\n", L(8, "no indexes selected")},
{DB "index default\n", L(8, "no indexes selected")},
{DB "index cn,nope,cn eq\n", L(8, "index attribute \"nope\" undefined")},
{DB "index entryDN pres\n", L(8, "index of attribute \"entryDN\" disallowed")},
{DB "index userCertificate;binary pres\n",
 L(8, "index of attribute \"userCertificate;binary\" disallowed")},
{DB "index uidNumber eq,approx,sub\n",
 L(8, "approx index of attribute \"uidNumber\" disallowed")},
{DB "index authzTo eq,sub\n", L(8, "equality index of attribute \"authzTo\" disallowed")},
{DB "index member eq,sub\n", L(8, "substr index of attribute \"member\" disallowed")},
{DB "index cn,commonName eq\n",
 L(8, "duplicate index definition for attr \"commonName\"")},
{DB "index cn;lang-a eq\nindex CN;LANG-A sub\n",
 L(9, "duplicate index definition for attr \"CN;LANG-A\"")},
	/* clang-format on */
};

CONF_TEST(refused_files_are_told_in_the_words_of_slapd)
{
	struct conf_fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char text[2048];
		char expected[1024];
		struct dit_settings *s = NULL;
		int r = 0;

		(void)snprintf(text, sizeof(text), CONF_SCHEMA "%s", cases[i].text);
		(void)snprintf(expected, sizeof(expected),
		               "%sE bad configuration file!\n", cases[i].reports);
		r = conf_read(f, text, &s);
		if (r != DIT_E_CONFIG || strcmp(f->reports, expected) != 0) {
			print_error("%s\n-> %d %s", cases[i].text, r, f->reports);
			fail();
		}
		assert_null(s);
	}
}

CONF_TEST(missing_file_is_told)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	assert_int_equal(
		dit_settings_read(&s, DIT_SETTINGS_FILE("none.conf"), conf_collect, f),
		DIT_E_CONFIG);
	assert_string_equal(f->reports,
	                    "could not stat config file \"none.conf\": No such file "
	                    "or directory (2)\nE bad configuration file!\n");
	assert_int_equal(
		dit_settings_read(&s, DIT_SETTINGS_FILE("none.conf"), NULL, NULL),
		DIT_E_CONFIG);
}

CONF_TEST(errors_name_the_included_file)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	test_write_text("a.schema", "\nattributetype ( 1.2.3 NAME 'x' SUP nope )\n");
	assert_int_equal(conf_read(f, "\n\ninclude a.schema\n", &s), DIT_E_CONFIG);
	assert_string_equal(f->reports,
	                    "a.schema: line 2 attributetype: AttributeType not found: "
	                    "\"nope\"\nE bad configuration file!\n");

	test_write_text("a.schema", "index_intlen 5\n");
	assert_int_equal(conf_read(f, "\ninclude a.schema\nbogus\n", &s), DIT_E_CONFIG);
	assert_string_equal(
		f->reports,
		"t.conf: line 3: unknown directive <bogus> outside backend info "
		"and database definitions.\nE bad configuration file!\n");
}

CONF_TEST(file_that_includes_itself_is_refused)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	assert_int_equal(conf_read(f, "include t.conf\n", &s), DIT_E_CONFIG);
	assert_string_equal(f->reports,
	                    "could not open config file \"t.conf\": included too "
	                    "deeply\nE bad configuration file!\n");
}

/* 40 files, each of which includes the next one twice: 2^40 of the last one. */
CONF_TEST(files_that_double_are_refused)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;
	char name[32];
	char text[64];

	for (int i = 0; i < 40; i++) {
		(void)snprintf(name, sizeof(name), "%d.conf", i);
		(void)snprintf(text, sizeof(text), "include %d.conf\ninclude %d.conf\n",
		               i + 1, i + 1);
		test_write_text(name, i < 39 ? text : "");
	}
	assert_int_equal(conf_read(f, "include 0.conf\n", &s), DIT_E_CONFIG);
	assert_non_null(strstr(f->reports, ".conf\": included files have included 100000 "
	                                   "files already\nE bad "));
}

/* slapd says a word about them, and goes on. */
CONF_TEST(skipped_directives_have_no_remarks)
{
	static const char text[] =
		CONF_SCHEMA "database mdb\nsuffix dc=x\nrootdn cn=a,dc=x\n"
			    "access to * by dn.exact=\"cn=A, dc=x\" write\n"
			    "syncrepl rid=7 provider=ldap://x searchbase=dc=x\n"
			    "searchstack 3\noverlay dds\ndds-interval 5\n";
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;

	assert_int_equal(conf_read(f, text, &s), 0);
	assert_string_equal(f->reports, "");
}

/* Settings that 2.6 takes, or tells otherwise than 2.5. */
CONF_TEST(releases_have_their_own_directives_and_words)
{
	static const struct {
		const char *text;
		const char *in_2_5; /* "": taken */
		const char *in_2_6;
	} both[] = {
		{"logfile-format debug\nlogfile-only on\nlogfile-rotate 1 2 3\n",
	         "t.conf: line 1: unknown directive <logfile-format> outside backend "
	         "info and database definitions.\nE bad configuration file!\n",
	         ""},
		{"restrictop x\n",
	         "t.conf: line 1: unknown directive <restrictop> outside backend info "
	         "and database definitions.\nE bad configuration file!\n",
	         "t.conf: line 1: unknown directive <restrictop> outside backend info "
	         "and database definitions.\nE bad configuration file!\n"},
		{"index_substr_if_minlen 9\n",
	         "t.conf: line 1: <index_substr_if_minlen> invalid value (9)\n"
	         "E bad configuration file!\n",
	         ""},
		{"index_substr_if_maxlen 1\n",
	         "t.conf: line 1: <index_substr_if_maxlen> invalid value (1)\n"
	         "E bad configuration file!\n",
	         ""},
		{"backend mdb\nidlexp 3\n", "E bad configuration file!\n",
	         "t.conf: line 2: <idlexp> handler exited with 1!\n"
	         "E bad configuration file!\n"},
		{"suffix \"\"\n",
	         "t.conf: line 1: suffix <> not allowed in frontend database.\n"
	         "E bad configuration file!\n",
	         "t.conf: line 1: suffix <> not allowed in frontend database.\n"
	         "t.conf: line 1: <suffix> handler exited with 1!\n"
	         "E bad configuration file!\n"},
		{"database mdb\nmode 08\n",
	         "t.conf: line 2: unable to parse mode=\"08\".\n"
	         "E bad configuration file!\n",
	         "t.conf: line 2: unable to parse mode=\"08\".\n"
	         "t.conf: line 2: <mode> handler exited with 1!\n"
	         "E bad configuration file!\n"},
		{"database frontend\ndatabase frontend\n", "E bad configuration file!\n",
	         "E bad configuration file!\n"},
		{"database config\ndatabase config\n", "E bad configuration file!\n",
	         "E bad configuration file!\n"},
		{"index_intlen x\n",
	         "t.conf: line 1: <index_intlen> unable to parse \"x\" as unsigned "
	         "int\nE bad configuration file!\n",
	         "t.conf: line 1: <index_intlen> unable to parse \"x\" as unsigned "
	         "int\nE bad configuration file!\n"},
		{"database monitor\nsubordinate FALSE\n",
	         "t.conf: line 2: suffix \"cn=Monitor\": subordinate must be \"TRUE\" or "
	         "\"advertise\".\nE bad configuration file!\n",
	         ""},
		{"database monitor\nsubordinate no\n",
	         "t.conf: line 2: suffix \"cn=Monitor\": subordinate must be \"TRUE\" or "
	         "\"advertise\".\nE bad configuration file!\n",
	         "t.conf: line 2: suffix \"cn=Monitor\": subordinate must be \"TRUE\", "
	         "\"FALSE\" or \"advertise\".\nE bad configuration file!\n"},
		{"database mdb\noverlay memberof\nmemberof-addcheck on\n",
	         "t.conf: line 3: unknown directive <memberof-addcheck> inside backend "
	         "database definition.\nE bad configuration file!\n",
	         ""},
		{"database mdb\noverlay dynlist\ndynlist-simple on\n", "", ""},
		{"moduleload ppolicy\ndatabase mdb\nindex pwdUseCheckModule eq\n",
	         "t.conf: line 3: index attribute \"pwdUseCheckModule\" undefined\n"
	         "E bad configuration file!\n",
	         ""},
	};
	struct conf_fixture *f = *state;

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++) {
		const char *const expected[] = {both[i].in_2_5, both[i].in_2_6};

		for (size_t j = 0; j < 2; j++) {
			struct dit_settings *s = NULL;

			print_message("%s", both[i].text);
			f->openldap = j == 0 ? DIT_OPENLDAP_2_5 : DIT_OPENLDAP_2_6;
			assert_int_equal(conf_read(f, both[i].text, &s),
			                 expected[j][0] == '\0' ? 0 : DIT_E_CONFIG);
			assert_string_equal(f->reports, expected[j]);
		}
	}
}

CONF_TEST(messages_are_cut_where_slapd_cuts_them)
{
	struct conf_fixture *f = *state;
	struct dit_settings *s = NULL;
	char text[600];

	/* 255 bytes after "t.conf: line 1: "; the unknown directive is not cut. */
	(void)snprintf(text, sizeof(text), "attributeoptions %0300d.\n", 0);
	assert_int_equal(conf_read(f, text, &s), DIT_E_CONFIG);
	assert_int_equal(strcspn(f->reports, "\n"), strlen("t.conf: line 1: ") + 255);
	(void)snprintf(text, sizeof(text), "bogus%0300d\n", 0);
	assert_int_equal(conf_read(f, text, &s), DIT_E_CONFIG);
	assert_true(strcspn(f->reports, "\n") > 300);
}
