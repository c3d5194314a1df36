/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * authz_filter.c reads what people write, and writes its normal form, which says what can
 * be evaluated; here that form becomes a tree. So there is one place that knows slapd's
 * liberties, and what is read here has one spelling for each thing:
 *
 *     (&(cn=a*b)(?foo=x)(?=undefined))     values escaped as \2A, names canonical
 */
#include "values/filter.h"

#include <errno.h>

#include "base/ascii.h"
#include "base/error.h"
#include "values/authz_filter.h"
#include "values/value.h"

struct reader {
	const struct dit_schema *schema;
	struct dit_arena *arena;
	struct dit_notes *notes; /* NULL: not wanted */
	struct dit_span in;      /* what is left to read */
};

static char next_char(const struct reader *reader)
{
	return reader->in.len > 0 ? reader->in.data[0] : '\0';
}

static void skip(struct reader *reader, size_t n)
{
	reader->in.data += n;
	reader->in.len -= n;
}

/* Up to the parenthesis that closes the item: those in values are escaped. */
static struct dit_span take_item(struct reader *reader)
{
	struct dit_span item = reader->in;

	while (reader->in.len > 0 && next_char(reader) != ')') {
		skip(reader, 1);
	}
	item.len -= reader->in.len;
	return item;
}

/* ---- values ---- */

static int unescape(struct reader *reader, struct dit_span text, struct dit_span *ret)
{
	char *start = dit_arena_bytes(reader->arena, text.len + 1);
	char *to = start;

	if (start == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < text.len; i++) {
		char c = text.data[i];

		if (c == '\\' && text.len - i > 2) {
			c = (char)(dit_ascii_hex(text.data[i + 1]) << 4 |
			           dit_ascii_hex(text.data[i + 2]));
			i += 2;
		}
		*to++ = c;
	}
	*ret = (struct dit_span){start, (size_t)(to - start)};
	return 0;
}

/* A UUID is shown as text, and compared as 16 bytes. */
static int read_value(struct reader *reader, const struct dit_rule *rule,
                      struct dit_span text, struct dit_span *ret)
{
	int r = unescape(reader, text, ret);

	if (r == 0 && rule != NULL && rule->normalizer == DIT_NORM_UUID16) {
		r = dit_value_normalize(reader->schema, rule->normalizer, *ret,
		                        reader->arena, ret);
	}
	return r;
}

static uint32_t count_stars(struct dit_span text)
{
	uint32_t n = 0;

	for (size_t i = 0; i < text.len; i++) {
		n += text.data[i] == '*';
	}
	return n;
}

static int read_pieces(struct reader *reader, struct dit_span text,
                       struct dit_filter *filter)
{
	uint32_t n = count_stars(text) + 1;

	filter->kind = DIT_FILTER_SUBSTRINGS;
	filter->pieces = dit_arena_calloc(reader->arena, n, sizeof(*filter->pieces));
	if (filter->pieces == NULL) {
		return -ENOMEM;
	}
	while (filter->npieces < n) {
		const char *star =
			text.len == 0 ? NULL : memchr(text.data, '*', text.len);
		struct dit_span piece = text;
		int r = 0;

		piece.len = star == NULL ? text.len : (size_t)(star - text.data);
		r = unescape(reader, piece, &filter->pieces[filter->npieces++]);
		if (r < 0) {
			return r;
		}
		if (star != NULL) {
			text.data += piece.len + 1;
			text.len -= piece.len + 1;
		}
	}
	return 0;
}

/* ---- items ---- */

static int find_ad(struct reader *reader, struct dit_span name, const struct dit_ad **ret)
{
	/* The schema's table of descriptions with options has a lock of its own. */
	return dit_ad_find((struct dit_schema *)reader->schema, NULL, name, ret, NULL);
}

/* "cn:dn:2.5.13.5", without the ":=" */
static int read_extensible(struct reader *reader, struct dit_span name,
                           struct dit_span value, struct dit_filter *filter)
{
	const char *colon = name.len == 0 ? NULL : memchr(name.data, ':', name.len);
	struct dit_span attr = name;
	struct dit_span rest = {0};
	int r = 0;

	filter->kind = DIT_FILTER_EXTENSIBLE;
	if (colon != NULL) {
		attr.len = (size_t)(colon - name.data);
		rest = (struct dit_span){colon + 1, name.len - attr.len - 1};
	}
	if (dit_span_eq(rest, DIT_SPAN("dn")) ||
	    (rest.len > 3 && memcmp(rest.data, "dn:", 3) == 0)) {
		filter->has_dn = true;
		rest.data += rest.len > 3 ? 3 : 2;
		rest.len -= rest.len > 3 ? 3 : 2;
	}
	if (attr.len > 0) {
		r = find_ad(reader, attr, &filter->ad);
	}
	if (r < 0) {
		return r;
	}
	filter->has_rule = rest.len > 0;
	filter->rule = filter->has_rule     ? dit_schema_find_rule(reader->schema, rest)
	               : filter->ad == NULL ? NULL
	                                    : filter->ad->type->equality;
	/* No rule but their own knows that classes have superclasses. */
	if (filter->rule == NULL || (filter->has_rule && filter->ad != NULL &&
	                             filter->ad->type->pretty == DIT_PRETTY_CLASS_NAME)) {
		return DIT_E_UNKNOWN;
	}
	return unescape(reader, value, &filter->value);
}

static const struct dit_rule *rule_of(const struct dit_filter *filter)
{
	const struct dit_attr_type *type = filter->ad->type;
	bool is_ordering =
		filter->kind == DIT_FILTER_GREATER || filter->kind == DIT_FILTER_LESS;

	return is_ordering ? type->ordering : type->equality;
}

static int read_assertion(struct reader *reader, struct dit_span name, char operator,
                          struct dit_span value, struct dit_filter *filter)
{
	int r = find_ad(reader, name, &filter->ad);

	if (r < 0) {
		return r;
	}
	switch (operator) {
	case '>':
		filter->kind = DIT_FILTER_GREATER;
		break;
	case '<':
		filter->kind = DIT_FILTER_LESS;
		break;
	case '~':
		filter->kind = DIT_FILTER_APPROX;
		break;
	default:
		filter->kind = DIT_FILTER_EQUAL;
		if (dit_span_eq(value, DIT_SPAN("*"))) {
			filter->kind = DIT_FILTER_PRESENT;
			return 0;
		}
		if (count_stars(value) > 0) {
			return read_pieces(reader, value, filter);
		}
	}
	return read_value(reader, rule_of(filter), value, &filter->value);
}

/* Items that look for values say nothing, so only these two have a remark. */
static void remark(struct reader *reader, struct dit_span name, struct dit_span value)
{
	const struct dit_ad *ad = NULL;
	bool is_presence = dit_span_eq(value, DIT_SPAN("*"));

	if (reader->notes == NULL || count_stars(value) == 0 || name.len == 0 ||
	    find_ad(reader, name, &ad) != DIT_E_UNKNOWN) {
		return;
	}
	dit_notes_add(reader->notes, DIT_REPORT_DIAGNOSTIC,
	              "%s: conn 0 unknown attribute type=%.*s (17)",
	              is_presence ? "get_filter" : "get_ssa", DIT_SPAN_ARGS(name));
}

static int read_item(struct reader *reader, struct dit_filter *filter)
{
	struct dit_span item = take_item(reader);
	const char *equals = item.len == 0 ? NULL : memchr(item.data, '=', item.len);
	struct dit_span name = item;
	struct dit_span value = {0};
	char operator= '\0';
	int r = 0;

	filter->kind = DIT_FILTER_UNDEFINED;
	if (equals != NULL) {
		name.len = (size_t)(equals - item.data);
		value = (struct dit_span){equals + 1, item.len - name.len - 1};
	}
	if (equals == NULL || item.data[0] == '?') {
		if (dit_span_eq(item, DIT_SPAN("?=true"))) {
			filter->kind = DIT_FILTER_AND;
		} else if (dit_span_eq(item, DIT_SPAN("?=false"))) {
			filter->kind = DIT_FILTER_OR;
		} else if (name.len > 1) {
			remark(reader, (struct dit_span){name.data + 1, name.len - 1},
			       value);
		}
		return 0;
	}
	operator= name.len> 0 ? name.data[name.len - 1] : '\0';
	if (operator== '>' || operator== '<' || operator== '~' || operator== ':') {
		name.len--;
	}
	r = operator== ':' ? read_extensible(reader, name, value, filter)
	                   : read_assertion(reader, name, operator, value, filter);
	if (r == DIT_E_UNKNOWN || r == DIT_E_INVALID) {
		filter->kind = DIT_FILTER_UNDEFINED;
		return 0;
	}
	return r;
}

/* ---- filters ---- */

static int read_filter(struct reader *reader, struct dit_filter **ret);

static int read_children(struct reader *reader, struct dit_filter *filter)
{
	struct dit_filter **last = &filter->first;

	while (next_char(reader) == '(') {
		int r = read_filter(reader, last);

		if (r < 0) {
			return r;
		}
		last = &(*last)->next;
	}
	return 0;
}

/* The text is well-formed, and no deeper than authz_filter.c allows. */
static int read_filter(struct reader *reader, struct dit_filter **ret)
{
	static const char sets[] = "&|!"; /* in the order of their kinds */
	struct dit_filter *filter = dit_arena_calloc(reader->arena, 1, sizeof(*filter));
	const char *set = NULL;
	int r = 0;

	if (filter == NULL) {
		return -ENOMEM;
	}
	skip(reader, 1);
	set = next_char(reader) == '\0' ? NULL : strchr(sets, next_char(reader));
	if (set != NULL) {
		filter->kind = (enum dit_filter_kind)(set - sets);
		skip(reader, 1);
		r = read_children(reader, filter);
	} else {
		r = read_item(reader, filter);
	}
	if (r < 0) {
		return r;
	}
	if (next_char(reader) != ')') {
		return DIT_E_INVALID;
	}
	skip(reader, 1);
	*ret = filter;
	return 0;
}

int dit_filter_read(const struct dit_schema *schema, struct dit_span text,
                    struct dit_arena *arena, struct dit_notes *notes,
                    struct dit_filter **ret)
{
	struct dit_value_scope scope = {.schema = schema, .arena = arena};
	struct dit_text normal = {.arena = arena};
	struct reader reader = {.schema = schema, .arena = arena, .notes = notes};
	int r = dit_authz_filter(&scope, text, &normal);

	if (r == 0 && normal.failed) {
		r = -ENOMEM;
	}
	if (r < 0) {
		return r;
	}
	reader.in = (struct dit_span){normal.at, normal.n};
	return read_filter(&reader, ret);
}
