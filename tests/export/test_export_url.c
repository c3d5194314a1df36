/* SPDX-License-Identifier: BSD-2-Clause */
/* URLs after -H. tests/oracle/cat.sh compares the same and more with slapcat. */
#include "test.h"

#include "base/error.h"
#include "export/export.h"

static void assert_text(const char *text, const char *expected)
{
	if (expected == NULL) {
		assert_null(text);
	} else {
		assert_non_null(text);
		assert_string_equal(text, expected);
	}
}

TEST(urls_have_base_scope_and_filter)
{
	static const struct {
		const char *url;
		const char *base;
		enum dit_scope scope;
		const char *filter;
	} cases[] = {
		{"ldap:///", NULL, DIT_SCOPE_SUBTREE, NULL},
		{"ldap://", NULL, DIT_SCOPE_SUBTREE, NULL},
		{"ldap://?", NULL, DIT_SCOPE_SUBTREE, NULL},
		{"ldaps:///dc=x", "dc=x", DIT_SCOPE_SUBTREE, NULL},
		{"LDAP:///dc%3Dx??ON%45", "dc=x", DIT_SCOPE_ONE, NULL},
		{"<URL:ldap:///dc=x??base>", "dc=x", DIT_SCOPE_BASE, NULL},
		{"ldap:///dc=x??subord?(cn=%61)", "dc=x", DIT_SCOPE_CHILDREN, "(cn=a)"},
		{"ldap:///??\?cn=a", NULL, DIT_SCOPE_SUBTREE, "cn=a"},
		{"ldap:///%zz", NULL, DIT_SCOPE_SUBTREE, NULL},
		{"ldap:///dc=x???", "dc=x", DIT_SCOPE_SUBTREE, NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_export_url url;

		print_message("%s\n", cases[i].url);
		assert_int_equal(dit_export_url_read(&url, cases[i].url), 0);
		assert_text(url.base, cases[i].base);
		assert_int_equal(url.scope, cases[i].scope);
		assert_text(url.filter, cases[i].filter);
		dit_export_url_deinit(&url);
	}
}

TEST(what_is_no_such_url_is_refused)
{
	static const char *const urls[] = {
		"",
		"dc=x",
		"ldap:",
		"ldap:/",
		"<ldap:///",
		"ldapi:///",
		"ldap://host/",
		"ldap://:389/",
		"ldap:///?a",
		"ldap:///??foo",
		"ldap:///????",
		"ldap:///????x",
		"ldap:///??\?(cn=a%",
		"ldap:///??%zz",
	};

	for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
		struct dit_export_url url;

		print_message("%s\n", urls[i]);
		assert_int_equal(dit_export_url_read(&url, urls[i]), DIT_E_SYNTAX);
		assert_null(url.base);
		assert_null(url.filter);
	}
}
