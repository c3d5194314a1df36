/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDAP URLs (RFC 4516) after slapcat's -H:
 *
 *     ldap:///ou=a%20b,dc=x??one?(cn=a)        base, no attributes, scope, filter
 *
 * libldap takes the URL apart, as in slapcat. There must be no host, no port, no
 * attributes and no extensions. A function of libldap that is not public tells slapcat
 * whether there is a port or a scope; here the text does.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <ldap.h>

#include "base/error.h"
#include "export/export.h"

/* Is there something between the scheme and the slash? */
static bool has_port(const char *text)
{
	const char *at = strstr(text, "://");

	return at != NULL && strchr("/?>", at[3]) == NULL;
}

/* Is there something between the second question mark and the third? */
static bool has_scope(const char *text)
{
	const char *at = strchr(text, '?');

	at = at == NULL ? NULL : strchr(at + 1, '?');
	return at != NULL && strchr("?>", at[1]) == NULL;
}

static enum dit_scope scope_of(const LDAPURLDesc *parsed, const char *text)
{
	switch (has_scope(text) ? parsed->lud_scope : LDAP_SCOPE_SUBTREE) {
	case LDAP_SCOPE_BASE:
		return DIT_SCOPE_BASE;
	case LDAP_SCOPE_ONELEVEL:
		return DIT_SCOPE_ONE;
	case LDAP_SCOPE_SUBORDINATE:
		return DIT_SCOPE_CHILDREN;
	default:
		return DIT_SCOPE_SUBTREE;
	}
}

static bool is_allowed(const LDAPURLDesc *parsed, const char *text)
{
	bool is_tcp = strcmp(parsed->lud_scheme, "ldap") == 0 ||
	              strcmp(parsed->lud_scheme, "ldaps") == 0;

	return is_tcp && parsed->lud_host == NULL && !has_port(text) &&
	       parsed->lud_attrs == NULL && parsed->lud_exts == NULL;
}

/* Empty texts are none. */
static int copy(const char *text, char **ret)
{
	if (text != NULL && text[0] != '\0') {
		*ret = strdup(text);
		return *ret == NULL ? -ENOMEM : 0;
	}
	return 0;
}

int dit_export_url_read(struct dit_export_url *ret, const char *text)
{
	struct dit_export_url url = {.base = NULL};
	LDAPURLDesc *parsed = NULL;
	int r = ldap_url_parse(text, &parsed);

	*ret = url;
	if (r != LDAP_URL_SUCCESS) {
		return r == LDAP_URL_ERR_MEM ? -ENOMEM : DIT_E_SYNTAX;
	}
	r = is_allowed(parsed, text) ? 0 : DIT_E_SYNTAX;
	url.scope = scope_of(parsed, text);
	r = r ?: copy(parsed->lud_dn, &url.base);
	r = r ?: copy(parsed->lud_filter, &url.filter);
	ldap_free_urldesc(parsed);
	if (r < 0) {
		dit_export_url_deinit(&url);
		return r;
	}
	*ret = url;
	return 0;
}

void dit_export_url_deinit(struct dit_export_url *url)
{
	free(url->base);
	free(url->filter);
	*url = (struct dit_export_url){.base = NULL};
}
