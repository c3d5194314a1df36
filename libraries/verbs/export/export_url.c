/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDAP URLs (RFC 4516) after slapcat's -H:
 *
 *     ldap:///ou=a%20b,dc=x??one?(cn=a)        base, no attributes, scope, filter
 *
 * There must be no host, no attributes and no extensions. As in slapcat the scheme may be
 * ldaps, "<URL:...>" may stand around all of it, and a base that cannot be decoded counts
 * as none.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "export/export.h"

enum part {
	PART_BASE,
	PART_ATTRS,
	PART_SCOPE,
	PART_FILTER,
	NPARTS,
};

/* @return 0; DIT_E_SYNTAX: a '%' without two digits; -ENOMEM */
static int decode(struct dit_span in, char **ret)
{
	char *text = malloc(in.len + 1);
	ptrdiff_t len = text == NULL ? 0 : dit_ascii_unescape_url(in, text);

	if (text == NULL) {
		return -ENOMEM;
	}
	if (len < 0) {
		free(text);
		return DIT_E_SYNTAX;
	}
	text[len] = '\0';
	*ret = text;
	return 0;
}

/* Up to the base. */
static bool take_head(struct dit_span *url)
{
	if (dit_cut_char(url, '<')) {
		if (url->len == 0 || url->data[url->len - 1] != '>') {
			return false;
		}
		url->len--;
	}
	(void)dit_cut_prefix(url, DIT_SPAN("URL:"));
	if (!dit_cut_prefix(url, DIT_SPAN("ldap://")) &&
	    !dit_cut_prefix(url, DIT_SPAN("ldaps://"))) {
		return false;
	}
	return url->len == 0 || dit_cut_char(url, '/');
}

/* @return false: there are more */
static bool split(struct dit_span url, struct dit_span parts[NPARTS])
{
	for (size_t i = 0; i < NPARTS; i++) {
		if (!dit_cut_until(&url, '?', &parts[i])) {
			return true;
		}
	}
	return false;
}

static int read_scope(const char *text, enum dit_export_scope *ret)
{
	static const struct {
		const char *name;
		enum dit_export_scope scope;
	} scopes[] = {
		{"", DIT_EXPORT_SUBTREE},          {"base", DIT_EXPORT_BASE},
		{"one", DIT_EXPORT_ONE},           {"onelevel", DIT_EXPORT_ONE},
		{"sub", DIT_EXPORT_SUBTREE},       {"subtree", DIT_EXPORT_SUBTREE},
		{"subord", DIT_EXPORT_CHILDREN},   {"subordinate", DIT_EXPORT_CHILDREN},
		{"children", DIT_EXPORT_CHILDREN},
	};

	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		if (strcasecmp(text, scopes[i].name) == 0) {
			*ret = scopes[i].scope;
			return 0;
		}
	}
	return DIT_E_SYNTAX;
}

static int take_scope(struct dit_export_url *url, struct dit_span part)
{
	char *text = NULL;
	int r = decode(part, &text);

	if (r == 0) {
		r = read_scope(text, &url->scope);
		free(text);
	}
	return r;
}

int dit_export_url_read(struct dit_export_url *ret, const char *text)
{
	struct dit_export_url url = {.base = NULL};
	struct dit_span rest = dit_span_of(text);
	struct dit_span parts[NPARTS] = {{0}};
	int r = 0;

	*ret = url;
	if (!take_head(&rest) || !split(rest, parts) || parts[PART_ATTRS].len > 0) {
		return DIT_E_SYNTAX;
	}
	r = take_scope(&url, parts[PART_SCOPE]);
	if (r == 0 && parts[PART_FILTER].len > 0) {
		r = decode(parts[PART_FILTER], &url.filter);
	}
	if (r == 0 && parts[PART_BASE].len > 0) {
		r = decode(parts[PART_BASE], &url.base);
		r = r == DIT_E_SYNTAX ? 0 : r;
	}
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
