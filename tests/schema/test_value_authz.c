/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Authorization rules (values.md 4.11). The results are those of slapadd 2.5.13.
 */
#include "base/error.h"
#include "sample_schema.h"
#include "schema/value.h"

struct authz_case {
	const char *in;
	const char *out; /* NULL: refused */
};

static const struct authz_case cases[] = {
	/* DNs */
	{"CN=A, DC=X", "dn:cn=a,dc=x"},
	{" CN=A", "dn:cn=a"},
	{"dn:CN=A", "dn:cn=a"},
	{"Dn.Exact:CN=A", "dn:cn=a"},
	{"dn.SUBTREE: CN=A", "dn.subtree:cn=a"},
	{"dn.children:CN=A", "dn.children:cn=a"},
	{"dn.onelevel:", "dn.onelevel:"},
	{"dn:", "dn:"},
	{"*", "dn:*"},
	{"dn: *", "dn:*"},
	{"dn.subtree:*", "dn:*"},
	{"dn.REGEX:  ^CN=.*$", "dn.regex:^CN=.*$"},
	{"dn.regex: *", "dn:*"},
	{"dn", NULL},
	{"dn.base:CN=A", NULL},
	{"dnQualifier=1", NULL},
	{"dn:foo=A", NULL},
	{" dn:CN=A", NULL},
	{" *", NULL},
	{"**", NULL},
	{"", NULL},
	{"foo", NULL},
	{"cn=a,", NULL},
	/* users */
	{"u:A b", "u:A b"},
	{"U.Mech/Realm:A", "U.Mech/Realm:A"},
	{"u.:x", "u.:x"},
	{"uid=A,dc=X", "dn:uid=a,dc=x"},
	{"u/realm:x", NULL},
	{"u.x", NULL},
	{"u", NULL},
	/* groups */
	{"group:CN=G", "group:cn=g"},
	{"GROUP/GroupOfNames:CN=G", "group/groupOfNames:cn=g"},
	{"group/2.5.6.9/2.5.4.31:CN=G", "group/groupOfNames/member:cn=g"},
	{"group.exact:CN=A", "group:cn=a"},
	{"group:", "group:"},
	{"group", NULL},
	{"group/:CN=G", NULL},
	{"group/foo:CN=G", NULL},
	{"group/groupOfNames/:CN=G", NULL},
	{"group/groupOfNames/foo:CN=G", NULL},
	{"group/groupOfNames/member/x:CN=G", NULL},
	{"group:foo=G", NULL},
	/* URLs */
	{"ldap:///", "ldap:///??base"},
	{"LDAP:///DC=X", "ldap:///dc=x??base"},
	{"<URL:ldap://:389/DC=X>", "ldap:///dc=x??base"},
	{"ldap:///DC=X??ONELEVEL", "ldap:///dc=x??one"},
	{"ldap:///DC=X??children?", "ldap:///dc=x??subordinate"},
	{"ldap:///DC=X%2cDC=%59??s%75btree", "ldap:///dc=x,dc=y??sub"},
	{"ldap:///CN=A\\,B c??sub", "ldap:///cn=a%5C2Cb%20c??sub"},
	{"ldap:///cn=\xC3\x89??sub", "ldap:///cn=%C3%A9??sub"},
	{"ldap:///dc=%x", "ldap:///??base"},
	{"ldap:///??sub?cn=A", "ldap:///??sub?(cn=a)"},
	{"ldap:///??sub?( &(CN=A%20B) (!(objectClass=PERSON)))",
         "ldap:///??sub?(&(cn=a%20b)(!(objectClass=person)))"},
	{"ldap:///??sub?(|(foo=Bar)(cn=*)(foo=*))",
         "ldap:///??sub?(%7C(%3Ffoo=Bar)(cn=*)(%3Ffoo=*))"},
	{"ldap:///??sub?(cn=a\\2a\\28\\c3\\89\\09)",
         "ldap:///??sub?(cn=a%5C2A%5C28%5CC3%5CA9%5C09)"},
	{"ldap:///??sub?(uidNumber=07)", "ldap:///??sub?(%3FuidNumber=07)"},
	{"ldap:///??sub?(uidNumber=7)", "ldap:///??sub?(uidNumber=7)"},
	{"ldap:///??sub?(cn=)", "ldap:///??sub?(%3Fcn=)"},
	{"ldap:///??sub?(cn=\\e9)", "ldap:///??sub?(%3Fcn=%5CE9)"},
	{"ldap:///??sub?(objectClass=foo)", "ldap:///??sub?(%3FobjectClass=foo)"},
	{"ldap:///??sub?(jpegPhoto=a)", "ldap:///??sub?(%3FjpegPhoto=a)"},
	{"ldap:///??sub?(tIFC=5)", "ldap:///??sub?(tIFC=5)"},
	{"ldap:///??sub?(entryUUID=AAAAAAAA-bbbb-CCCC-dddd-0123456789EF)",
         "ldap:///??sub?(entryUUID=aaaaaaaa-bbbb-cccc-dddd-0123456789ef)"},
	{"ldap://", NULL},
	{"ldap:dc=x", NULL},
	{"ldaps:///dc=x", NULL},
	{"ldap://host/dc=x", NULL},
	{"ldap://:/dc=x", NULL},
	{"<ldap:///dc=x", NULL},
	{"<", NULL},
	{"ldap:///foo=x", NULL},
	{"ldap:///dc=x?cn", NULL},
	{"ldap:///dc=x??exact", NULL},
	{"ldap:///dc=x??s%7", NULL},
	{"ldap:///dc=x????", NULL},
	{"ldap:///dc=x??sub?(cn=a)?x", NULL},
	{"ldap:///??sub?(cn=a%b)", NULL},
	{"ldap:///??sub?(cn=a", NULL},
	{"ldap:///??sub?(cn=a)(sn=b)", NULL},
	{"ldap:///??sub?(cn)", NULL},
	{"ldap:///??sub?(=a)", NULL},
	{"ldap:///??sub?((cn=a))", NULL},
	{"ldap:///??sub?(!)", NULL},
	{"ldap:///??sub?(!cn=a)", NULL},
	{"ldap:///??sub?(!(cn=a)(sn=b))", NULL},
	{"ldap:///??sub?(&(cn=a)", NULL},
	{"ldap:///??sub?(&(cn)(sn=b))", NULL},
	{"ldap:///??sub?(cn=a\\xb)", NULL},
	{"ldap:///??sub?(cn=a\\)", NULL},
	{"ldap:///??sub?", "ldap:///??sub"},
};

static const char *const unsupported[] = {
	"group/groupOfNames/member;lang-en:cn=a",
	"ldap:///??sub?(cn;lang-en=a)",
	"ldap:///??sub?(cn=a*b)",
	"ldap:///??sub?(cn>=a)",
	"ldap:///??sub?(cn:dn:=a)",
	"ldap:///??sub?(&)",
	"ldap:///??sub?(cn=a\\\\)",
};

static int setup(void **state)
{
	*state = sample_schema();
	return 0;
}

static int teardown(void **state)
{
	dit_schema_free(*state);
	return 0;
}

static void rules_have_the_normal_form_of_slapd(void **state)
{
	struct dit_arena arena;

	dit_arena_init(&arena, 1024);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span out = {0};
		int r = dit_value_normalize(*state, DIT_NORM_AUTHZ,
		                            dit_span_of(cases[i].in), &arena, &out);

		if (r != (cases[i].out == NULL ? DIT_E_INVALID : 0)) {
			fail_msg("\"%s\": %d", cases[i].in, r);
		}
		if (cases[i].out != NULL) {
			assert_span_equal(out, cases[i].out);
		}
	}
	dit_arena_deinit(&arena);
}

static void what_is_not_built_says_so(void **state)
{
	struct dit_arena arena;

	dit_arena_init(&arena, 1024);
	for (size_t i = 0; i < sizeof(unsupported) / sizeof(unsupported[0]); i++) {
		struct dit_span out = {0};

		assert_int_equal(dit_value_normalize(*state, DIT_NORM_AUTHZ,
		                                     dit_span_of(unsupported[i]), &arena,
		                                     &out),
		                 DIT_E_UNSUPPORTED);
	}
	dit_arena_deinit(&arena);
}

static void a_filter_nests_to_a_limit(void **state)
{
	enum {
		DEPTH = 100
	};
	char text[4 * DEPTH] = "ldap:///??sub?";
	struct dit_arena arena;
	struct dit_span out = {0};

	for (int i = 0; i < DEPTH; i++) {
		(void)strcat(text, "(!");
	}
	dit_arena_init(&arena, 1024);
	assert_int_equal(dit_value_normalize(*state, DIT_NORM_AUTHZ, dit_span_of(text),
	                                     &arena, &out),
	                 DIT_E_UNSUPPORTED);
	dit_arena_deinit(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rules_have_the_normal_form_of_slapd),
		cmocka_unit_test(what_is_not_built_says_so),
		cmocka_unit_test(a_filter_nests_to_a_limit),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
