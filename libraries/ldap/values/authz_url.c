/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDAP URLs (RFC 4516) as slapd normalises them:
 *
 *     ldap:///OU=A%20B??SUB?(&(CN=Foo)(foo=x))
 *     ldap:///ou=a%20b??sub?(&(cn=foo)(%3Ffoo=x))
 *
 * Base, scope and filter (filter.h) are decoded, normalised and encoded again;
 * there must be no host, attributes or extensions.
 */
#include "values/authz_url.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/error.h"
#include "values/filter.h"

#define NPARTS 4 /* base, attributes, scope, filter */

/* RFC 3986 unreserved and most of the reserved characters stay. */
static void put_url(struct dit_text *text, struct dit_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		char c = span.data[i];

		if (dit_ascii_is_alpha(c) || dit_ascii_is_digit(c) ||
		    (c != '\0' && strchr(",:/;@&=+$-_.!~*'()", c) != NULL)) {
			dit_text_char(text, c);
		} else {
			dit_text_hex(text, '%', c);
		}
	}
}

/* @return false: a '%' without two digits */
static bool url_decode(struct dit_span in, struct dit_arena *arena, struct dit_span *ret)
{
	char *start = dit_arena_bytes(arena, in.len + 1);
	char *to = start;

	if (start == NULL) {
		return false;
	}
	for (size_t i = 0; i < in.len; i++, to++) {
		*to = in.data[i];
		if (*to == '%') {
			if (in.len - i < 3 || dit_ascii_hex(in.data[i + 1]) < 0 ||
			    dit_ascii_hex(in.data[i + 2]) < 0) {
				return false;
			}
			*to = (char)(dit_ascii_hex(in.data[i + 1]) << 4 |
			             dit_ascii_hex(in.data[i + 2]));
			i += 2;
		}
	}
	*ret = (struct dit_span){start, (size_t)(to - start)};
	return true;
}

static int put_filter(const struct dit_value_scope *scope, struct dit_span part,
                      struct dit_text *out)
{
	struct dit_text text = {.arena = scope->arena};
	struct dit_filter *filter = NULL;
	int r = url_decode(part, scope->arena, &part)
	                ? dit_filter_parse(scope, part, &filter)
	                : DIT_E_INVALID;

	if (r < 0) {
		return r;
	}
	dit_filter_put(filter, &text);
	out->failed |= text.failed;
	dit_text_char(out, '?');
	put_url(out, (struct dit_span){text.at, text.n});
	return 0;
}

static const char *scope_name(struct dit_span text)
{
	static const char *const names[][2] = {
		{"", "base"},
		{"base", "base"},
		{"one", "one"},
		{"onelevel", "one"},
		{"sub", "sub"},
		{"subtree", "sub"},
		{"children", "subordinate"},
		{"subordinate", "subordinate"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (dit_span_eq_nocase(text, dit_span_of(names[i][0]))) {
			return names[i][1];
		}
	}
	return NULL;
}

/* "<URL:ldap://:389/" in front; only "ldap:///" is needed. */
static bool take_head(struct dit_span *url)
{
	if (dit_ascii_cut_prefix(url, DIT_SPAN("<"))) {
		if (url->len == 0 || url->data[url->len - 1] != '>') {
			return false;
		}
		url->len--;
	}
	(void)dit_ascii_cut_prefix(url, DIT_SPAN("URL:"));
	if (!dit_ascii_cut_prefix(url, DIT_SPAN("ldap://"))) {
		return false;
	}
	if (dit_ascii_cut_prefix(url, DIT_SPAN(":"))) {
		size_t n = 0;

		while (n < url->len && dit_ascii_is_digit(url->data[n])) {
			n++;
		}
		if (n == 0) {
			return false;
		}
		url->data += n;
		url->len -= n;
	}
	return dit_ascii_cut_prefix(url, DIT_SPAN("/"));
}

/* @return false: more than NPARTS */
static bool split_parts(struct dit_span url, struct dit_span parts[NPARTS])
{
	for (size_t i = 0; i < NPARTS; i++) {
		const char *mark = url.len == 0 ? NULL : memchr(url.data, '?', url.len);

		parts[i] = url;
		if (mark == NULL) {
			return true;
		}
		parts[i].len = (size_t)(mark - url.data);
		url.data += parts[i].len + 1;
		url.len -= parts[i].len + 1;
		if (url.len == 0) {
			return i + 1 < NPARTS;
		}
	}
	return false;
}

int dit_authz_url(const struct dit_value_scope *scope, enum dit_dn_form form,
                  struct dit_span url, struct dit_span *ret)
{
	struct dit_span parts[NPARTS] = {{0}};
	struct dit_span base = {0};
	struct dit_span scope_text = DIT_SPAN("");
	struct dit_text out = {.arena = scope->arena};
	int r = 0;

	url.len = url.len == 0 ? 0 : strnlen(url.data, url.len); /* a NUL ends it */
	if (!take_head(&url) || !split_parts(url, parts) || parts[1].len > 0) {
		return DIT_E_INVALID;
	}
	/* Text that cannot be decoded is taken as empty. */
	if (!url_decode(parts[0], scope->arena, &base)) {
		base = DIT_SPAN("");
	}
	if (!url_decode(parts[2], scope->arena, &scope_text) ||
	    scope_name(scope_text) == NULL) {
		return DIT_E_INVALID;
	}
	r = dit_scope_dn(scope, form, base, &base);
	if (r < 0) {
		return r;
	}
	dit_text_span(&out, DIT_SPAN("ldap:///"));
	put_url(&out, base);
	dit_text_span(&out, DIT_SPAN("??"));
	dit_text_span(&out, dit_span_of(scope_name(scope_text)));
	if (parts[3].len > 0) {
		r = put_filter(scope, parts[3], &out);
	}
	if (r == 0 && out.failed) {
		r = -ENOMEM;
	}
	if (r == 0) {
		*ret = (struct dit_span){out.at, out.n};
	}
	return r;
}
