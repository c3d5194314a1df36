/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * LDAP URLs (RFC 4516) as slapd normalises them:
 *
 *     ldap:///OU=A%20B??SUB?(&(CN=Foo)(foo=x))
 *     ldap:///ou=a%20b??sub?(&(cn=foo)(%3Ffoo=x))
 *
 * Base, scope and filter are decoded, normalised and encoded again; there must be no
 * host, attributes or extensions. An item of the filter that the schema cannot evaluate
 * is marked with a '?'.
 */
#include "schema/authz_url.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "schema/ascii.h"

#define FILTER_DEPTH_MAX 64
#define NPARTS           4 /* base, attributes, scope, filter */

/* Text under construction; remembers that it ran out of memory. */
struct text {
	struct dit_arena *arena;
	char *at;
	size_t n;
	size_t max;
	bool failed;
};

static void put_char(struct text *text, char c)
{
	if (text->n == text->max) {
		size_t max = text->max == 0 ? 64 : 2 * text->max;
		char *at = dit_arena_bytes(text->arena, max);

		if (at == NULL) {
			text->failed = true;
			return;
		}
		if (text->n > 0) {
			memcpy(at, text->at, text->n);
		}
		text->at = at;
		text->max = max;
	}
	text->at[text->n++] = c;
}

static void put_hex(struct text *text, char mark, char c)
{
	put_char(text, mark);
	put_char(text, "0123456789ABCDEF"[(unsigned char)c >> 4]);
	put_char(text, "0123456789ABCDEF"[c & 0x0F]);
}

static void put_span(struct text *text, struct dit_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		put_char(text, span.data[i]);
	}
}

/* RFC 3986 unreserved and most of the reserved characters stay. */
static void put_url(struct text *text, struct dit_span span)
{
	for (size_t i = 0; i < span.len; i++) {
		char c = span.data[i];

		if (dit_ascii_is_alpha(c) || dit_ascii_is_digit(c) ||
		    (c != '\0' && strchr(",:/;@&=+$-_.!~*'()", c) != NULL)) {
			put_char(text, c);
		} else {
			put_hex(text, '%', c);
		}
	}
}

/* A value in a filter (RFC 4515); slapd escapes all that is not printable ASCII. */
static void put_filter_value(struct text *text, struct dit_span value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.data[i];

		if ((unsigned char)c < ' ' || (unsigned char)c >= 0x7F ||
		    strchr("*()\\", c) != NULL) {
			put_hex(text, '\\', c);
		} else {
			put_char(text, c);
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

struct filter {
	const struct dit_value_scope *scope;
	struct dit_span in; /* what is left to read */
	struct text out;
};

static char next_char(const struct filter *filter)
{
	return filter->in.len > 0 ? filter->in.data[0] : '\0';
}

static void skip(struct filter *filter, size_t n)
{
	filter->in.data += n;
	filter->in.len -= n;
}

static void skip_spaces(struct filter *filter)
{
	while (next_char(filter) == ' ') {
		skip(filter, 1);
	}
}

/* Pairs of hexadecimal digits; "\*" as in LDAPv2 is not built. */
static int unescape(struct dit_span in, struct dit_arena *arena, struct dit_span *ret)
{
	struct text text = {.arena = arena};

	for (size_t i = 0; i < in.len; i++) {
		char c = in.data[i];

		if (c == '\\') {
			if (in.len - i < 2) {
				return DIT_E_INVALID;
			}
			if (in.data[i + 1] != '\0' &&
			    strchr("*()\\", in.data[i + 1]) != NULL) {
				return DIT_E_UNSUPPORTED;
			}
			if (in.len - i < 3 || dit_ascii_hex(in.data[i + 1]) < 0 ||
			    dit_ascii_hex(in.data[i + 2]) < 0) {
				return DIT_E_INVALID;
			}
			c = (char)(dit_ascii_hex(in.data[i + 1]) << 4 |
			           dit_ascii_hex(in.data[i + 2]));
			i += 2;
		}
		put_char(&text, c);
	}
	*ret = text.n > 0 ? (struct dit_span){text.at, text.n} : DIT_SPAN("");
	return text.failed ? -ENOMEM : 0;
}

/* Value of an equality item; DIT_E_INVALID: the item is undefined. */
static int assert_value(const struct filter *filter, const struct dit_attr_type *type,
                        struct dit_span *value)
{
	struct dit_value_scope scope = *filter->scope;
	const struct dit_rule *rule = type->equality;
	int r = 0;

	if (rule == NULL) {
		return DIT_E_INVALID;
	}
	scope.is_assertion = true;
	if (type->pretty == DIT_PRETTY_CLASS_NAME) {
		return dit_scope_pretty(&scope, type->pretty, *value, value);
	}
	r = dit_scope_validate(&scope, rule->syntax->validator, *value);
	if (r == 0 && rule->normalizer == DIT_NORM_UUID16) {
		return dit_scope_pretty(&scope, DIT_PRETTY_LOWERCASE, *value, value);
	}
	if (r == 0 && rule->normalizer != DIT_NORM_NONE) {
		r = dit_scope_normalize(&scope, rule->normalizer, *value, value);
	}
	return r;
}

/* "attr=value" or "attr=*", up to the closing parenthesis. */
static int read_item(struct filter *filter)
{
	struct dit_span item = filter->in;
	const char *close = item.len == 0 ? NULL : memchr(item.data, ')', item.len);
	const char *equals = NULL;
	struct dit_span attr = {0};
	struct dit_span value = {0};
	const struct dit_attr_type *type = NULL;
	bool is_present = false;
	int r = 0;

	item.len = close == NULL ? item.len : (size_t)(close - item.data);
	equals = item.len == 0 ? NULL : memchr(item.data, '=', item.len);
	if (equals == NULL || equals == item.data) {
		return DIT_E_INVALID;
	}
	attr = (struct dit_span){item.data, (size_t)(equals - item.data)};
	value = (struct dit_span){equals + 1, item.len - attr.len - 1};
	is_present = dit_span_eq(value, DIT_SPAN("*"));
	for (size_t i = 0; i < attr.len; i++) {
		if (!dit_ascii_is_alpha(attr.data[i]) &&
		    !dit_ascii_is_digit(attr.data[i]) && attr.data[i] != '-' &&
		    attr.data[i] != '.') {
			/* Options, other kinds of items, or nonsense. */
			return DIT_E_UNSUPPORTED;
		}
	}
	if (!is_present && value.len > 0 && memchr(value.data, '*', value.len) != NULL) {
		return DIT_E_UNSUPPORTED; /* substrings */
	}
	if (!is_present) {
		r = unescape(value, filter->scope->arena, &value);
		if (r < 0) {
			return r;
		}
	}
	skip(filter, item.len);

	type = dit_schema_find_type(filter->scope->schema, attr);
	r = type == NULL ? DIT_E_INVALID
	    : is_present ? 0
	                 : assert_value(filter, type, &value);
	if (r < 0 && r != DIT_E_INVALID) {
		return r;
	}
	if (r == DIT_E_INVALID) {
		put_char(&filter->out, '?');
	}
	put_span(&filter->out, type == NULL ? attr : type->ad.name);
	put_char(&filter->out, '=');
	if (is_present) {
		put_char(&filter->out, '*');
	} else {
		put_filter_value(&filter->out, value);
	}
	return 0;
}

/* "(item)", "(&(...)(...))", "(|...)", "(!(...))" */
static int read_filter(struct filter *filter, unsigned depth)
{
	char kind = '\0';
	size_t n = 0;
	int r = 0;

	if (depth > FILTER_DEPTH_MAX) {
		return DIT_E_UNSUPPORTED;
	}
	if (next_char(filter) != '(') {
		return DIT_E_INVALID;
	}
	skip(filter, 1);
	skip_spaces(filter);
	put_char(&filter->out, '(');
	kind = next_char(filter);
	if (kind == '(') {
		return DIT_E_INVALID;
	}
	if (kind == '&' || kind == '|' || kind == '!') {
		put_char(&filter->out, kind);
		skip(filter, 1);
		skip_spaces(filter);
		for (; r == 0 && next_char(filter) == '('; n++) {
			r = read_filter(filter, depth + 1);
			skip_spaces(filter);
		}
		if (r == 0 && n == 0) {
			r = kind == '!' || next_char(filter) != ')' ? DIT_E_INVALID
			                                            : DIT_E_UNSUPPORTED;
		}
		if (r == 0 && kind == '!' && n > 1) {
			r = DIT_E_INVALID;
		}
	} else {
		r = read_item(filter);
	}
	if (r < 0) {
		return r;
	}
	if (next_char(filter) != ')') {
		return DIT_E_INVALID;
	}
	skip(filter, 1);
	put_char(&filter->out, ')');
	return 0;
}

static int put_filter(const struct dit_value_scope *scope, struct dit_span part,
                      struct text *out)
{
	struct filter filter = {.scope = scope, .out = {.arena = scope->arena}};
	int r = 0;

	if (!url_decode(part, scope->arena, &filter.in)) {
		return DIT_E_INVALID;
	}
	if (next_char(&filter) == '(') {
		r = read_filter(&filter, 0);
	} else {
		/* The parentheses around a single item may be left out. */
		put_char(&filter.out, '(');
		r = read_item(&filter);
		put_char(&filter.out, ')');
	}
	if (r < 0 || filter.in.len > 0) {
		return r < 0 ? r : DIT_E_INVALID;
	}
	out->failed |= filter.out.failed;
	put_char(out, '?');
	put_url(out, (struct dit_span){filter.out.at, filter.out.n});
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

/* Cut off a prefix, without case. */
static bool take_prefix(struct dit_span *text, struct dit_span prefix)
{
	if (text->len < prefix.len ||
	    !dit_span_eq_nocase((struct dit_span){text->data, prefix.len}, prefix)) {
		return false;
	}
	text->data += prefix.len;
	text->len -= prefix.len;
	return true;
}

/* "<URL:ldap://:389/" in front; only "ldap:///" is needed. */
static bool take_head(struct dit_span *url)
{
	if (take_prefix(url, DIT_SPAN("<"))) {
		if (url->len == 0 || url->data[url->len - 1] != '>') {
			return false;
		}
		url->len--;
	}
	(void)take_prefix(url, DIT_SPAN("URL:"));
	if (!take_prefix(url, DIT_SPAN("ldap://"))) {
		return false;
	}
	if (take_prefix(url, DIT_SPAN(":"))) {
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
	return take_prefix(url, DIT_SPAN("/"));
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
	struct text out = {.arena = scope->arena};
	int r = 0;

	if (!take_head(&url) || !split_parts(url, parts) || parts[1].len > 0) {
		return DIT_E_INVALID;
	}
	/* What cannot be decoded is taken as empty. */
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
	put_span(&out, DIT_SPAN("ldap:///"));
	put_url(&out, base);
	put_span(&out, DIT_SPAN("??"));
	put_span(&out, dit_span_of(scope_name(scope_text)));
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
