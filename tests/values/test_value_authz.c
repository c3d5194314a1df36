/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Authorization rules (values.md 4.11). The results are those of slapadd 2.5.13.
 */
#include "base/error.h"
#include "sample_schema.h"
#include "values/value.h"

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
	{"", "dn:"},
	/* the only value that may be empty in an RDN */
	{"tAuthz=", "dn:tAuthz=dn:"},
	{"tAuthz=,cn=A", "dn:tAuthz=dn:,cn=a"},
	{"cn=A+tAuthz=\"\"", "dn:cn=a+tAuthz=dn:"},
	{"cn=", NULL},
	{"cn=\"\"", NULL},
	{"cn=,dc=x", NULL},
	{"mail=", NULL},
	/* where a DN is only validated, not at the end and not in quotes */
	{"member=tAuthz=\\,cn=A", "dn:member=tAuthz\\3Ddn:\\2Ccn\\3Da"},
	{"member=cn=A\\,tAuthz=", NULL},
	{"member=tAuthz=\"\"", NULL},
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

/* Filters: what stands after "ldap:///??sub?" in the value and in its normal form. */
static const struct authz_case filters[] = {
	/* kinds of items; a '?' marks what cannot be evaluated */
	{"(CN;LANG-EN=A  B)", "(cn;lang-en=a%20b)"},
	{"(cn;x-foo=A)", "(%3Fcn;x-foo=A)"},
	{"(cn~=A  B)", "(cn~=a%20b)"},
	/* of an item of sound ASCII alone is left */
	{"(cn~=\\c3\\89 \\e6\\97\\a5 B)", "(cn~=e%20b)"},
	{"(cn~=\\e6\\97\\a5)", "(cn~=)"},
	{"(cn~= )", "(cn~=%20)"},
	{"(mail~=\\20)", "(mail~=)"},
	{"(tCILM~=\\c3\\89$B)", "(tCILM~=e$b)"},
	{"(cn>=A  B)", "(%3Fcn%3E=A%20%20B)"}, /* no ordering rule */
	{"(tCIM>=A  B)", "(tCIM%3E=a%20b)"},
	{"(tCIM<=A  B)", "(tCIM%3C=a%20b)"},
	{"(foo>=a)", "(%3Ffoo%3E=a)"},
	{"(entryUUID>=AAAAAAAA-bbbb-CCCC-dddd-0123456789EF)",
         "(entryUUID%3E=aaaaaaaa-bbbb-cccc-dddd-0123456789ef)"},
	{"(objectClass~=PERSON)", "(objectClass~=person)"},
	{"(objectClass~=foo)", "(%3FobjectClass~=foo)"},
	/* pieces */
	{"(cn=F*o)", "(cn=f*o)"},
	{"(cn=*  F A*B  C*D *)", "(cn=*%20f%20a*b%20c*d%20*)"},
	{"(cn=  A  *)", "(cn=a%20*)"},
	{"(cn=*  A  )", "(cn=*%20a)"},
	{"(cn=   *A)", "(cn=%20*a)"},
	{"(cn=*   )", "(cn=*)"},
	{"(mail=*  A  *)", "(mail=*a*)"},
	{"(mail=*   *)", "(mail=**)"},
	{"(tNSM= 1  2 *)", "(tNSM=12*)"},
	{"(tNSM=x*)", "(%3FtNSM=x*)"},
	{"(tCILM=* A  $ B*)", "(tCILM=*%20a%20$%20b*)"},
	{"(tCILM=A$$*)", "(tCILM=a$$*)"},
	{"(cn=A*\\e9*B)", "(%3Fcn=a*%5CE9*b)"},
	{"(cn=\\2a*)", "(cn=%5C2A*)"},
	{"(objectClass=PERSON*X)", "(%3FobjectClass=person*X)"},
	{"(foo=a*b)", "(%3Ffoo=a*b)"},
	{"(jpegPhoto=a*)", "(%3FjpegPhoto=a*)"},
	/* rules by name */
	{"(cn:=Foo  Bar)", "(cn:=foo%20bar)"},
	{"(cn::=a)", "(cn:=a)"},
	{"(cn:DN:=Foo)", "(cn:dn:=foo)"},
	{"(cn:dn:2.5.13.5:=A  B)", "(cn:dn:2.5.13.5:=A%20B)"},
	{"(:caseExactMatch:=A  B)", "(:caseExactMatch:=A%20B)"},
	{"(:dn:2.5.13.2:=A)", "(:dn:2.5.13.2:=a)"},
	{"(cn:CASEEXACTMATCH:=A)", "(cn:CASEEXACTMATCH:=A)"},
	{"(cn:foo:=A)", "(%3F=undefined)"},
	{"(foo:caseExactMatch:=A)", "(%3F=undefined)"},
	{"(member:caseExactMatch:=A)", "(%3F=undefined)"},
	{"(cn:caseIgnoreSubstringsMatch:=A)", "(%3F=undefined)"},
	{"(telephoneNumber:caseIgnoreSubstringsMatch:=A)", "(%3F=undefined)"},
	{"(:octetStringSubstringsMatch:=A)", "(:octetStringSubstringsMatch:=A)"},
	{"(:certificateMatch:=A)", "(%3F=undefined)"},
	{"(:CSNMatch:=20260101000000Z#000000#00#000000)",
         "(:CSNMatch:=20260101000000.000000Z%23000000%23000%23000000)"},
	{"(cn:directoryStringApproxMatch:=A  B)",
         "(cn:directoryStringApproxMatch:=A%20%20B)"},
	{"(telephoneNumber:2.5.13.2:=A)", "(telephoneNumber:2.5.13.2:=a)"},
	{"(c:IA5StringApproxMatch:=A)", "(c:IA5StringApproxMatch:=A)"},
	{"(cn:caseIgnoreOrderingMatch:=A)", "(cn:caseIgnoreOrderingMatch:=a)"},
	{"(entryUUID:=AAAAAAAA-bbbb-CCCC-dddd-0123456789EF)", "(%3F=undefined)"},
	{"(jpegPhoto:=a)", "(%3F=undefined)"},
	{"(cn:=\\e9)", "(%3F=undefined)"},
	{"(objectClass:=PERSON)", "(objectClass:=person)"},
	/* what is known without an entry */
	{"(&)", "(%3F=true)"},
	{"(|)", "(%3F=false)"},
	{"(!(&))", "(%3F=false)"},
	{"(!(|))", "(%3F=true)"},
	{"(!(cn:foo:=a))", "(%3F=error)"},
	{"(!(!(cn:foo:=a)))", "(%3F=error)"},
	{"(&(cn=a)(&))", "(&(cn=a)(%3F=true))"},
	{"(!(foo=b))", "(!(%3Ffoo=b))"},
	/* escapes, parentheses, spaces */
	{"(cn=A\\\\)", "(cn=a%5C5C)"},
	{"(cn=A\\()", "(cn=a%5C28)"},
	{"(cn=A\\\\*b)", "(cn=a%5C5C*b)"},
	{"(cn=a=b)", "(cn=a=b)"},
	{"(! (cn=a))", "(!(cn=a))"},
	{"(cn=a(b)c)", NULL},
	{"(cn=A\\\\(b)", NULL},
	{"(cn=a\\2)", NULL},
	{"(cn=a\\2g)", NULL},
	{"(cn>=*)", NULL},
	{"(cn~=a*)", NULL},
	{"(cn:=a*)", NULL},
	{"(cn=**)", NULL},
	{"(cn=a**b)", NULL},
	{"(cn =a)", NULL},
	{"(cn<a)", NULL},
	{"(cn:)", NULL},
	{"(:=a)", NULL},
	{"(:dn:=a)", NULL},
	{"(cn:dn=a)", NULL},
	{"(cn:x:y:=a)", NULL},
	{"(cn;=a)", NULL},
	{"(cn;;x=a)", NULL},
	{"(c_n=a)", NULL},
	{"(1..2=a)", NULL},
	{"(1.=a)", NULL},
	{"(-a=b)", NULL},
	{"(cn:1..2:=a)", NULL},
	{"%20(cn=a)", NULL},
	{"(cn=a)%20", NULL},
};

static int setup(void **state)
{
	*state = sample_schema();
	return 0;
}

TEST(rules_have_the_normal_form_of_slapd)
{
	struct dit_arena *arena = test_arena(1024);

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_span out = {0};
		int r = dit_value_normalize(*state, DIT_NORM_AUTHZ,
		                            dit_span_of(cases[i].in), arena, &out);

		if (r != (cases[i].out == NULL ? DIT_E_INVALID : 0)) {
			fail_msg("\"%s\": %d", cases[i].in, r);
		}
		if (cases[i].out != NULL) {
			assert_span_equal(out, cases[i].out);
		}
	}
}

TEST(filters_have_the_normal_form_of_slapd)
{
	static const char head[] = "ldap:///??sub?";
	struct dit_arena *arena = test_arena(1024);

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		const struct authz_case *c = &filters[i];
		char in[200];
		char want[200];
		struct dit_span out = {0};
		int r = 0;

		print_message("  %s\n", c->in);
		(void)snprintf(in, sizeof(in), "%s%s", head, c->in);
		(void)snprintf(want, sizeof(want), "%s%s", head,
		               c->out == NULL ? "" : c->out);
		r = dit_value_normalize(*state, DIT_NORM_AUTHZ, dit_span_of(in), arena,
		                        &out);
		if (r != (c->out == NULL ? DIT_E_INVALID : 0)) {
			fail_msg("\"%s\": %d", c->in, r);
		}
		if (c->out != NULL) {
			assert_span_equal(out, want);
		}
	}
}

/* slapd tells an unknown attribute by another code; an unknown class it does not. */
TEST(unknown_attributes_of_groups_are_told_apart)
{
	static const struct {
		const char *in;
		int r;
		const char *out;
	} groups[] = {
		{"group/groupOfNames/member;lang-EN;lang-de:CN=A", 0,
	         "group/groupOfNames/member;lang-de;lang-en:cn=a"},
		{"group/groupOfNames/foo:", DIT_E_UNKNOWN, NULL},
		{"group/groupOfNames/:", DIT_E_UNKNOWN, NULL},
		{"group/foo/foo:", DIT_E_UNKNOWN, NULL},
		{"group//:", DIT_E_UNKNOWN, NULL},
		{"group/foo/member:", DIT_E_INVALID, NULL},
	};
	struct dit_arena *arena = test_arena(1024);

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		struct dit_span out = {0};
		int r = dit_value_normalize(*state, DIT_NORM_AUTHZ,
		                            dit_span_of(groups[i].in), arena, &out);

		assert_int_equal(r, groups[i].r);
		if (r == 0) {
			assert_span_equal(out, groups[i].out);
		}
	}
}

/* slapd searches up to a NUL, and its URLs end there. */
TEST(a_nul_ends_a_url)
{
	const struct dit_span url = {"ldap:///CN=A\0??sub", 19};
	const struct dit_span user = {"u.m\0:x", 6};
	struct dit_arena *arena = test_arena(1024);
	struct dit_span out = {0};

	assert_int_equal(dit_value_normalize(*state, DIT_NORM_AUTHZ, url, arena, &out),
	                 0);
	assert_span_equal(out, "ldap:///cn=a??base");
	assert_int_equal(dit_value_normalize(*state, DIT_NORM_AUTHZ, user, arena, &out),
	                 DIT_E_INVALID);
}

/* A filter of so many "!" around "(a=b)". */
static int normalize_deep(const struct dit_schema *schema, size_t depth)
{
	char text[4096] = "ldap:///??sub?";
	struct dit_arena *arena = test_arena(1024);
	struct dit_span out = {0};
	size_t n = strlen(text);
	int r = 0;

	assert_true(n + 3 * depth + 5 <= sizeof(text));
	for (size_t i = 0; i < depth; i++) {
		memcpy(text + n + 2 * i, "(!", 2);
	}
	memcpy(text + n + 2 * depth, "(a=b)", 5);
	memset(text + n + 2 * depth + 5, ')', depth);
	n += 3 * depth + 5;
	r = dit_value_normalize(schema, DIT_NORM_AUTHZ, (struct dit_span){text, n}, arena,
	                        &out);
	return r;
}

TEST(a_filter_nests_to_a_limit)
{
	assert_int_equal(normalize_deep(*state, 0), 0);
	assert_int_equal(normalize_deep(*state, 1000), 0);
	assert_int_equal(normalize_deep(*state, 1001), DIT_E_UNSUPPORTED);
}

MAIN_WITH(setup, NULL)
