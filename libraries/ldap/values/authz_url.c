/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDAP URLs (RFC 4516) as slapd normalises them:
 *
 *     ldap:///OU=A%20B??SUB?(&(CN=Foo)(foo=x))
 *     ldap:///ou=a%20b??sub?(&(cn=foo)(%3Ffoo=x))
 *
 * libldap takes the URL apart and puts it together again, as in slapd. Base and filter
 * (filter.h) are normalised; there must be no host, attributes or extensions.
 */
#include "values/authz_url.h"

#include <errno.h>
#include <string.h>

#include <ldap.h>

#include "base/error.h"
#include "values/filter.h"

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

static int normalize(const struct dit_value_scope *scope, enum dit_dn_form form,
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

int dit_authz_url(const struct dit_value_scope *scope, enum dit_dn_form form,
                  struct dit_span text, struct dit_span *ret)
{
	struct dit_span copy = dit_arena_copy(scope->arena, text);
	LDAPURLDesc *url = NULL;
	int r = copy.data == NULL ? LDAP_URL_ERR_MEM : ldap_url_parse(copy.data, &url);

	if (r != LDAP_URL_SUCCESS) {
		return r == LDAP_URL_ERR_MEM ? -ENOMEM : DIT_E_INVALID;
	}
	r = is_allowed(url) ? normalize(scope, form, url, ret) : DIT_E_INVALID;
	ldap_free_urldesc(url);
	return r;
}
