/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Authorization rules: the values of authzTo and authzFrom (values.md 4.11).
 *
 *     CN=Foo, DC=X                      ->  dn:cn=foo,dc=x
 *     dn.subtree: OU=A                  ->  dn.subtree:ou=a
 *     dn.Regex:^CN=.*$                  ->  dn.regex:^CN=.*$
 *     *                                 ->  dn:*
 *     u.mech/realm:name                 ->  as it is
 *     group/groupofnames/MEMBER:CN=G    ->  group/groupOfNames/member:cn=g
 *     ldap:///OU=A%20B??SUB?(CN=B)      ->  ldap:///ou=a%20b??sub?(cn=b)
 *
 * The empty text is the empty DN. The beginning tells which it is: "dn", "u" with one of
 * ":./" and "group" are never the beginning of a plain DN here, not even in
 * "dnQualifier=1".
 *
 * libldap takes a URL (RFC 4516) apart and puts it together again, as in slapd. Base and
 * filter (filter.h) are normalised; there must be no host, attributes or extensions.
 */
#include <errno.h>
#include <string.h>

#include <ldap.h>

#include "base/cut.h"
#include "base/error.h"
#include "values/filter.h"
#include "values/value_scope.h"

static int prefix_dn(const struct dit_value_scope *scope, enum dit_dn_form form,
                     struct dit_span prefix, struct dit_span dn, struct dit_span *ret)
{
	struct dit_span parts[] = {prefix, DIT_SPAN("")};
	int r = dit_scope_dn(scope, form, dn, &parts[1]);

	return r < 0 ? r : dit_arena_join(scope->arena, parts, 2, ret);
}

/* @param text  the text after "dn" */
static int dn_rule(const struct dit_value_scope *scope, enum dit_dn_form form,
                   struct dit_span text, struct dit_span *ret)
{
	static const struct {
		struct dit_span typed;
		struct dit_span prefix;
	} styles[] = {
		{{":", 1}, {"dn:", 3}},
		{{".exact:", 7}, {"dn:", 3}},
		{{".subtree:", 9}, {"dn.subtree:", 11}},
		{{".children:", 10}, {"dn.children:", 12}},
		{{".onelevel:", 10}, {"dn.onelevel:", 12}},
		{{".regex:", 7}, {"dn.regex:", 9}},
	};

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		struct dit_span dn = text;

		if (!dit_cut_prefix(&dn, styles[i].typed)) {
			continue;
		}
		(void)dit_cut_spaces(&dn);
		if (dit_span_eq(dn, DIT_SPAN("*"))) {
			*ret = DIT_SPAN("dn:*");
			return 0;
		}
		if (dit_span_eq(styles[i].prefix, DIT_SPAN("dn.regex:"))) {
			const struct dit_span parts[] = {styles[i].prefix, dn};

			return dit_arena_join(scope->arena, parts, 2, ret);
		}
		return prefix_dn(scope, form, styles[i].prefix, dn, ret);
	}
	return DIT_E_INVALID;
}

/* slapd's search for it ends at a NUL. */
static bool has_colon(struct dit_span value)
{
	return memchr(value.data, ':', strnlen(value.data, value.len)) != NULL;
}

/* "u:name", "u.mech:name", "u.mech/realm:name" */
static bool is_user_rule(struct dit_span value)
{
	return value.data[1] == ':' || (value.data[1] == '.' && has_colon(value));
}

/*
 * @param spec  what stands between "group" and the ':'; looked at only if it begins with
 *              a '/'
 */
static int group_rule(const struct dit_value_scope *scope, enum dit_dn_form form,
                      struct dit_span spec, struct dit_span dn, struct dit_span *ret)
{
	struct dit_span parts[] = {
		DIT_SPAN("group"), DIT_SPAN(""), DIT_SPAN(""), /* '/' and class */
		DIT_SPAN(""),      DIT_SPAN(""),               /* '/' and attribute */
		DIT_SPAN(":"),     DIT_SPAN(""),               /* DN */
	};
	int r = 0;

	if (dit_cut_char(&spec, '/')) {
		const struct dit_class *oc = NULL;
		struct dit_span name = {0};

		if (dit_cut_until(&spec, '/', &name)) {
			const struct dit_ad *ad = NULL;

			r = dit_scope_find_ad(scope, spec, &ad);
			if (r < 0) {
				return r;
			}
			parts[3] = DIT_SPAN("/");
			parts[4] = ad->name;
		}
		oc = dit_schema_find_class(scope->schema, name);
		if (oc == NULL) {
			return DIT_E_INVALID;
		}
		parts[1] = DIT_SPAN("/");
		parts[2] = dit_span_of(oc->name);
	}
	r = dit_scope_dn(scope, form, dn, &parts[6]);
	return r < 0 ? r : dit_arena_join(scope->arena, parts, 7, ret);
}

static bool is_allowed(const LDAPURLDesc *url)
{
	return strcmp(url->lud_scheme, "ldap") == 0 && url->lud_dn != NULL &&
	       (url->lud_host == NULL || url->lud_host[0] == '\0') &&
	       url->lud_attrs == NULL && url->lud_exts == NULL;
}

/* The normal form of a filter, for libldap. */
static int normal_filter(const struct dit_value_scope *scope, const char *text,
                         char **ret)
{
	struct dit_text out = {.arena = scope->arena};
	struct dit_filter *filter = NULL;
	int r = dit_filter_parse(scope, dit_span_of(text), &filter);

	if (r < 0) {
		return r;
	}
	dit_filter_put(filter, &out);
	dit_text_char(&out, '\0');
	*ret = out.at;
	return out.failed ? -ENOMEM : 0;
}

static int normalize_url(const struct dit_value_scope *scope, enum dit_dn_form form,
                         const LDAPURLDesc *url, struct dit_span *ret)
{
	LDAPURLDesc normal = {.lud_scheme = url->lud_scheme, .lud_scope = url->lud_scope};
	struct dit_span copy = {0};
	char *text = NULL;
	int r = dit_scope_dn(scope, form, dit_span_of(url->lud_dn), &copy);

	if (r == 0 && url->lud_filter != NULL) {
		r = normal_filter(scope, url->lud_filter, &normal.lud_filter);
	}
	if (r < 0) {
		return r;
	}
	/* libldap only reads there; its declaration has no const. */
	normal.lud_dn = (char *)(uintptr_t)dit_arena_copy(scope->arena, copy).data;
	text = normal.lud_dn == NULL ? NULL : ldap_url_desc2str(&normal);
	if (text == NULL) {
		return -ENOMEM;
	}
	copy = dit_arena_copy(scope->arena, dit_span_of(text));
	ldap_memfree(text);
	if (copy.data == NULL) {
		return -ENOMEM;
	}
	*ret = copy;
	return 0;
}

static int url_rule(const struct dit_value_scope *scope, enum dit_dn_form form,
                    struct dit_span text, struct dit_span *ret)
{
	struct dit_span copy = dit_arena_copy(scope->arena, text);
	LDAPURLDesc *url = NULL;
	int r = copy.data == NULL ? LDAP_URL_ERR_MEM : ldap_url_parse(copy.data, &url);

	if (r != LDAP_URL_SUCCESS) {
		return r == LDAP_URL_ERR_MEM ? -ENOMEM : DIT_E_INVALID;
	}
	r = is_allowed(url) ? normalize_url(scope, form, url, ret) : DIT_E_INVALID;
	ldap_free_urldesc(url);
	return r;
}

int dit_scope_find_ad(const struct dit_value_scope *scope, struct dit_span name,
                      const struct dit_ad **ret)
{
	/*
	 * A description with options may be new, which the schema remembers under a
	 * lock.
	 */
	struct dit_schema *schema = (struct dit_schema *)(uintptr_t)scope->schema;

	return dit_ad_find(schema, NULL, name, ret, NULL);
}

int dit_scope_authz(const struct dit_value_scope *scope, enum dit_dn_form form,
                    struct dit_span value, struct dit_span *ret)
{
	struct dit_span rest = value;
	int r = 0;

	if (dit_cut_prefix(&rest, DIT_SPAN("dn"))) {
		return dn_rule(scope, form, rest, ret);
	}
	if (value.len > 1 && (value.data[0] == 'u' || value.data[0] == 'U') &&
	    (value.data[1] == ':' || value.data[1] == '.' || value.data[1] == '/')) {
		*ret = value;
		return is_user_rule(value) ? 0 : DIT_E_INVALID;
	}
	if (dit_cut_prefix(&rest, DIT_SPAN("group"))) {
		struct dit_span spec = {0};

		return has_colon(value) && dit_cut_until(&rest, ':', &spec)
		               ? group_rule(scope, form, spec, rest, ret)
		               : DIT_E_INVALID;
	}
	if (dit_span_eq(value, DIT_SPAN("*"))) {
		*ret = DIT_SPAN("dn:*");
		return 0;
	}
	r = prefix_dn(scope, form, DIT_SPAN("dn:"), value, ret);
	return r == DIT_E_INVALID ? url_rule(scope, form, value, ret) : r;
}
