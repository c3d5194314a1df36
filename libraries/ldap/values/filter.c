/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters: read as libldap does, evaluated against the schema as slapd does.
 *
 * Differs from slapd: it also prints a remark about unknown attributes in items of
 * presence and of substrings, in the filters of authorization rules.
 */
#include "values/filter.h"

#include <errno.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/pattern.h"
#include "values/utf8_prep.h"
#include "values/value.h"

#define FILTER_DEPTH_MAX 1000 /* what the stack bears; slapd has no limit */

struct reader {
	const struct dit_value_scope *scope;
	struct dit_span in; /* what is left to read */
};

static char next_char(const struct reader *reader)
{
	return reader->in.len > 0 ? reader->in.data[0] : '\0';
}

/* ---- lexical ---- */

/* "cn", "2.5.4.3", either with options if @p may_have_options. */
static bool is_description(struct dit_span text, bool may_have_options)
{
	struct dit_span name = {0};
	bool has_options = dit_cut_until(&text, ';', &name);

	if (!dit_pattern_is(name, DIT_ALPHA DIT_NAME "*") &&
	    !dit_pattern_of_parts(name, '.', DIT_DIGIT "+")) {
		return false;
	}
	return !has_options ||
	       (may_have_options && dit_pattern_of_parts(text, ';', DIT_NAME "+"));
}

/*
 * Undo the escapes of a value or of a piece of one: two digits, or one of "*()\" as
 * LDAPv2 had it.
 */
static int unescape(struct dit_span in, struct dit_arena *arena, struct dit_span *ret)
{
	char *start = dit_arena_bytes(arena, in.len);
	char *to = start;

	if (start == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < in.len; i++) {
		char c = in.data[i];
		int byte = i + 2 < in.len ? dit_ascii_hex_pair(in.data + i + 1) : -1;

		if (c == '*' || c == '(' || c == ')' || (c == '\\' && i + 1 == in.len)) {
			return DIT_E_INVALID;
		}
		if (c == '\\' && byte >= 0) {
			c = (char)byte;
			i += 2;
		} else if (c == '\\') {
			c = in.data[++i];
			if (c == '\0' || strchr("*()\\", c) == NULL) {
				return DIT_E_INVALID;
			}
		}
		*to++ = c;
	}
	*ret = (struct dit_span){start, (size_t)(to - start)};
	return 0;
}

/*
 * Where the piece of a value ends: at a '*' that no backslash hides, or with the value.
 */
static size_t piece_len(struct dit_span value)
{
	size_t n = 0;

	while (n < value.len && value.data[n] != '*') {
		n += value.data[n] == '\\' && n + 1 < value.len ? 2 : 1;
	}
	return n;
}

/* ---- values of items, as the rules compare them ---- */

/* All return 0; DIT_E_INVALID or DIT_E_UNKNOWN: the item cannot be evaluated; -ENOMEM. */

/* By a rule alone. @param is_approx  letters lose their accents first */
static int assert_rule(const struct dit_value_scope *in, const struct dit_rule *rule,
                       bool is_approx, struct dit_span *value)
{
	struct dit_value_scope scope = *in;
	enum dit_normalizer normalizer = rule->normalizer;
	bool is_utf8 = normalizer == DIT_NORM_UTF8_FOLD ||
	               normalizer == DIT_NORM_UTF8_EXACT ||
	               normalizer == DIT_NORM_POSTAL_LIST;
	int r = 0;

	/* Pieces have a syntax that says nothing about them. */
	if (rule->is_unsupported || rule->syntax->validator == DIT_VALID_NONE) {
		return DIT_E_INVALID;
	}
	scope.is_assertion = true;
	r = dit_scope_validate(&scope, rule->syntax->validator, *value);
	if (r == 0 && is_approx && is_utf8) {
		r = dit_utf8_to_ascii(*value, scope.arena, value);
	}
	if (r == 0 && normalizer != DIT_NORM_NONE) {
		r = dit_scope_normalize(&scope, normalizer, *value, value);
	}
	return r;
}

/* By a rule, for an attribute: class names and UUIDs have forms of their own. A UUID
 * stays text. @param rule  NULL: the attribute has none */
static int assert_for(const struct dit_value_scope *scope,
                      const struct dit_attr_type *type, const struct dit_rule *rule,
                      bool is_approx, struct dit_span *value)
{
	int r = 0;

	if (rule == NULL) {
		return DIT_E_INVALID;
	}
	if (type->validator == DIT_VALID_CLASS_NAME) {
		return dit_scope_pretty(scope, type->validator, *value, value);
	}
	if (rule->normalizer == DIT_NORM_UUID16) {
		r = dit_scope_validate(scope, rule->syntax->validator, *value);
		return r < 0 ? r : dit_scope_pretty(scope, DIT_VALID_UUID, *value, value);
	}
	return assert_rule(scope, rule, is_approx, value);
}

/* ---- pieces ---- */

/*
 * Normal form of a piece of a string, which keeps a space on the side where something
 * follows or went before. A mark put there keeps it.
 */
static int normalize_string(const struct dit_value_scope *scope,
                            enum dit_normalizer normalizer, bool is_first, bool is_last,
                            struct dit_span *piece)
{
	const struct dit_span mark = DIT_SPAN("!");
	const struct dit_span parts[] = {is_first ? DIT_SPAN("") : mark, *piece,
	                                 is_last ? DIT_SPAN("") : mark};
	int r = 0;

	r = dit_arena_join(scope->arena, parts, 3, piece);
	r = r ?: dit_scope_normalize(scope, normalizer, *piece, piece);
	if (r < 0) {
		return r;
	}
	piece->data += !is_first;
	piece->len -= (size_t)!is_first + (size_t)!is_last;
	if (is_first && piece->len == 0) {
		/* Spaces alone are one space. */
		*piece = parts[1];
		return normalize_string(scope, normalizer, false, is_last, piece);
	}
	return 0;
}

int dit_scope_lines(const struct dit_value_scope *scope, bool is_first, bool is_last,
                    struct dit_span *piece)
{
	struct dit_text text = {.arena = scope->arena};
	struct dit_span rest = *piece;
	bool is_end = false;

	while (!is_end) {
		struct dit_span line = {0};
		int r = 0;

		is_end = !dit_cut_until(&rest, '$', &line);
		r = normalize_string(scope, DIT_NORM_UTF8_FOLD, is_first, is_last, &line);
		if (r < 0) {
			return r;
		}
		dit_text_span(&text, line);
		if (!is_end) {
			dit_text_char(&text, '$');
		}
	}
	*piece = text.n > 0 ? (struct dit_span){text.at, text.n} : DIT_SPAN("");
	return text.failed ? -ENOMEM : 0;
}

static int normalize_piece(const struct dit_value_scope *scope,
                           const struct dit_rule *rule, bool is_first, bool is_last,
                           struct dit_span *piece)
{
	enum dit_normalizer normalizer = rule->normalizer;

	if (normalizer == DIT_NORM_NONE) {
		return 0;
	}
	if (normalizer == DIT_NORM_UTF8_FOLD || normalizer == DIT_NORM_UTF8_EXACT) {
		return normalize_string(scope, normalizer, is_first, is_last, piece);
	}
	if (normalizer == DIT_NORM_POSTAL_LIST) {
		return dit_scope_lines(scope, is_first, is_last, piece);
	}
	return dit_scope_normalize(scope, normalizer, *piece, piece);
}

/* A piece of a string. Where the attribute has no rule for pieces, the piece gets the
 * form of a whole value, if there is one, and the item cannot be evaluated. */
static int assert_piece(const struct dit_value_scope *scope,
                        const struct dit_attr_type *type, bool is_first, bool is_last,
                        struct dit_span *piece)
{
	int r = 0;

	if (type->equality == NULL) {
		return DIT_E_INVALID;
	}
	if (type->substr == NULL) {
		r = type->equality->normalizer == DIT_NORM_UUID16
		            ? assert_rule(scope, type->equality, false, piece)
		            : assert_for(scope, type, type->equality, false, piece);
		return r == 0 ? DIT_E_INVALID : r;
	}
	/* The equality rule tells which form a piece must have, and gets: that of the
	 * values that are searched. */
	r = dit_scope_validate(scope, type->equality->syntax->validator, *piece);
	return r < 0 ? r
	             : normalize_piece(scope, type->equality, is_first, is_last, piece);
}

/* ---- items ---- */

/* @param r  what the evaluation returned. @return 0; an error that ends the reading */
static int settle(struct dit_filter *filter, enum dit_filter_kind kind, int r)
{
	if (r < 0 && r != DIT_E_INVALID && r != DIT_E_UNKNOWN) {
		return r;
	}
	filter->kind = r < 0 ? DIT_FILTER_UNDEFINED : kind;
	filter->written = kind;
	filter->is_defined = r == 0;
	return 0;
}

static int find_attr(const struct reader *reader, struct dit_filter *filter)
{
	int r = dit_scope_find_ad(reader->scope, filter->attr, &filter->ad);

	filter->is_unknown = r == DIT_E_UNKNOWN;
	return filter->is_unknown ? 0 : r;
}

/* A UUID is shown as text, and compared as 16 bytes. */
static int read_value(const struct reader *reader, struct dit_filter *filter,
                      const struct dit_rule *rule)
{
	bool is_approx = filter->written == DIT_FILTER_APPROX;
	int r = filter->is_unknown ? DIT_E_INVALID
	                           : assert_for(reader->scope, filter->ad->type, rule,
	                                        is_approx, &filter->value);

	filter->shown = filter->value;
	r = settle(filter, filter->written, r);
	if (r == 0 && filter->is_defined && rule->normalizer == DIT_NORM_UUID16) {
		r = dit_scope_normalize(reader->scope, rule->normalizer, filter->value,
		                        &filter->value);
	}
	return r;
}

/* "attr=value" and its kin */
static int read_assertion(const struct reader *reader, struct dit_filter *filter,
                          enum dit_filter_kind kind)
{
	const struct dit_attr_type *type = filter->is_unknown ? NULL : filter->ad->type;
	bool is_ordering = kind == DIT_FILTER_GREATER || kind == DIT_FILTER_LESS;
	int r = unescape(filter->value, reader->scope->arena, &filter->value);

	filter->written = kind;
	return r < 0 ? r
	             : read_value(reader, filter,
	                          type == NULL  ? NULL
	                          : is_ordering ? type->ordering
	                                        : type->equality);
}

static uint32_t count_pieces(struct dit_span value)
{
	uint32_t n = 1;

	for (size_t len = piece_len(value); len < value.len; len = piece_len(value)) {
		dit_cut(&value, len + 1);
		n++;
	}
	return n;
}

/* One piece of a substring item. @return 1: it cannot be evaluated */
static int read_piece(const struct reader *reader, const struct dit_filter *filter,
                      uint32_t number)
{
	struct dit_span *piece = &filter->pieces[number];
	int r = unescape(*piece, reader->scope->arena, piece);

	if (r < 0) {
		return r;
	}
	r = filter->is_unknown
	            ? DIT_E_INVALID
	            : assert_piece(reader->scope, filter->ad->type, number == 0,
	                           number + 1 == filter->npieces, piece);
	return r == DIT_E_INVALID || r == DIT_E_UNKNOWN ? 1 : r;
}

static int read_pieces(const struct reader *reader, struct dit_filter *filter)
{
	struct dit_span rest = filter->value;
	bool is_defined = true;
	bool is_empty = true;

	filter->npieces = count_pieces(rest);
	filter->pieces = dit_arena_calloc(reader->scope->arena, filter->npieces,
	                                  sizeof(*filter->pieces));
	if (filter->pieces == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < filter->npieces; i++) {
		bool is_last = i + 1 == filter->npieces;
		struct dit_span *piece = &filter->pieces[i];
		int r = 0;

		*piece = (struct dit_span){rest.data, piece_len(rest)};
		if (piece->len == 0 && i > 0 && !is_last) {
			return DIT_E_INVALID; /* "**" */
		}
		dit_cut(&rest, piece->len + !is_last);
		r = piece->len > 0 ? read_piece(reader, filter, i) : 0;
		if (r < 0) {
			return r;
		}
		is_defined = is_defined && r == 0;
		is_empty = is_empty && piece->len == 0;
	}
	/* "(cn=* )" has no piece left. */
	return settle(filter,
	              is_empty && filter->npieces == 2 ? DIT_FILTER_PRESENT
	                                               : DIT_FILTER_SUBSTRINGS,
	              is_defined ? 0 : DIT_E_INVALID);
}

static int read_equality(const struct reader *reader, struct dit_filter *filter)
{
	if (dit_span_eq(filter->value, DIT_SPAN("*"))) {
		return settle(filter, DIT_FILTER_PRESENT,
		              filter->is_unknown ? DIT_E_UNKNOWN : 0);
	}
	return piece_len(filter->value) < filter->value.len
	               ? read_pieces(reader, filter)
	               : read_assertion(reader, filter, DIT_FILTER_EQUAL);
}

/* "attr:dn:rule", each of them optional. @return false: not so */
static bool split_extensible(struct dit_span text, struct dit_span *ret_attr,
                             bool *ret_dn, struct dit_span *ret_rule)
{
	struct dit_span rest = text;

	(void)dit_cut_until(&rest, ':', ret_attr);
	*ret_dn = false;
	if (rest.len >= 2 && (rest.len == 2 || rest.data[2] == ':') &&
	    dit_span_eq_nocase((struct dit_span){rest.data, 2}, DIT_SPAN("dn"))) {
		*ret_dn = true;
		dit_cut(&rest, rest.len > 2 ? 3 : 2);
	}
	*ret_rule = rest;
	if (ret_attr->len == 0 && rest.len == 0) {
		return false;
	}
	return (ret_attr->len == 0 || is_description(*ret_attr, true)) &&
	       (rest.len == 0 || is_description(rest, false));
}

/* Assert the value of an extensible item. @return DIT_E_INVALID: it has none */
static int assert_extensible(const struct reader *reader, struct dit_filter *filter)
{
	const struct dit_value_scope *scope = reader->scope;
	const struct dit_ad *ad = filter->ad;

	if (filter->has_rule) {
		filter->rule = dit_schema_find_rule(scope->schema, filter->rule_name);
	} else if (ad != NULL) {
		filter->rule = ad->type->equality;
	}
	if (filter->rule == NULL || filter->is_unknown ||
	    (!filter->has_rule && !filter->rule->is_extensible) ||
	    (ad != NULL && !dit_rule_suits(filter->rule, ad->type))) {
		return DIT_E_INVALID;
	}
	return ad != NULL && !filter->has_rule
	               ? assert_for(scope, ad->type, filter->rule, false, &filter->value)
	               : assert_rule(scope, filter->rule, false, &filter->value);
}

static int read_extensible(const struct reader *reader, struct dit_filter *filter)
{
	int r = unescape(filter->value, reader->scope->arena, &filter->value);

	if (r == 0 && !split_extensible(filter->attr, &filter->attr, &filter->has_dn,
	                                &filter->rule_name)) {
		r = DIT_E_INVALID;
	}
	if (r == 0 && filter->attr.len > 0) {
		r = find_attr(reader, filter);
	}
	if (r < 0) {
		return r;
	}
	filter->has_rule = filter->rule_name.len > 0;
	r = settle(filter, DIT_FILTER_EXTENSIBLE, assert_extensible(reader, filter));
	filter->shown = filter->value;
	/* slapd makes the normal form of that again for each attribute. */
	if (r == 0 && filter->ad == NULL && filter->is_defined &&
	    assert_rule(reader->scope, filter->rule, false, &filter->value) == -ENOMEM) {
		r = -ENOMEM;
	}
	/* No rule but their own knows that classes have superclasses. */
	if (filter->has_rule && filter->ad != NULL &&
	    filter->ad->type->validator == DIT_VALID_CLASS_NAME) {
		filter->kind = DIT_FILTER_UNDEFINED;
	}
	return r;
}

static int read_item(const struct reader *reader, struct dit_span text,
                     struct dit_filter *filter)
{
	const char *equals = text.len == 0 ? NULL : memchr(text.data, '=', text.len);
	char operator= '=';
	int r = 0;

	if (equals == NULL || equals == text.data) {
		return DIT_E_INVALID;
	}
	filter->attr = (struct dit_span){text.data, (size_t)(equals - text.data)};
	filter->value = (struct dit_span){equals + 1, text.len - filter->attr.len - 1};
	if (strchr("<>~:", equals[-1]) != NULL) {
		operator= equals[-1];
		filter->attr.len--;
	}
	if (operator== ':') {
		return read_extensible(reader, filter);
	}
	if (!is_description(filter->attr, true)) {
		return DIT_E_INVALID;
	}
	r = find_attr(reader, filter);
	if (r < 0) {
		return r;
	}
	switch (operator) {
	case '<':
		return read_assertion(reader, filter, DIT_FILTER_LESS);
	case '>':
		return read_assertion(reader, filter, DIT_FILTER_GREATER);
	case '~':
		return read_assertion(reader, filter, DIT_FILTER_APPROX);
	default:
		return read_equality(reader, filter);
	}
}

/* ---- filters ---- */

/* Up to the parenthesis that closes the item; those in it are counted. */
static bool take_item(struct reader *reader, struct dit_span *ret)
{
	size_t nopen = 1;

	for (size_t i = 0; i < reader->in.len; i++) {
		char c = reader->in.data[i];

		if (c == '\\') {
			i++;
		} else if (c == '(') {
			nopen++;
		} else if (c == ')' && --nopen == 0) {
			*ret = (struct dit_span){reader->in.data, i};
			dit_cut(&reader->in, i);
			return true;
		}
	}
	return false;
}

static int read_filter(struct reader *reader, unsigned depth, struct dit_filter **ret);

static bool is_constant(const struct dit_filter *filter)
{
	bool is_set = filter->kind == DIT_FILTER_AND || filter->kind == DIT_FILTER_OR;

	return (is_set && filter->first == NULL) ||
	       (filter->written == DIT_FILTER_EXTENSIBLE && !filter->is_defined);
}

/* The negation of what is known without looking at entries is known as well. */
static void negate(struct dit_filter *filter)
{
	const struct dit_filter *child = filter->first;

	if (!is_constant(child)) {
		return;
	}
	filter->first = NULL;
	filter->kind = child->kind == DIT_FILTER_AND  ? DIT_FILTER_OR
	               : child->kind == DIT_FILTER_OR ? DIT_FILTER_AND
	                                              : DIT_FILTER_UNDEFINED;
	filter->written = child->written;
	filter->is_error = filter->kind == DIT_FILTER_UNDEFINED;
}

/* "&(...)(...)", "|...", "!(...)" */
static int read_set(struct reader *reader, unsigned depth, struct dit_filter *filter)
{
	struct dit_filter **last = &filter->first;
	size_t n = 0;

	dit_cut(&reader->in, 1);
	(void)dit_cut_spaces(&reader->in);
	for (; next_char(reader) == '('; n++) {
		int r = read_filter(reader, depth + 1, last);

		if (r < 0) {
			return r;
		}
		last = &(*last)->next;
		(void)dit_cut_spaces(&reader->in);
	}
	if (filter->kind == DIT_FILTER_NOT) {
		if (n != 1) {
			return DIT_E_INVALID;
		}
		negate(filter);
	}
	return 0;
}

/* The text between the parentheses. */
static int read_inner(struct reader *reader, unsigned depth, struct dit_filter *filter)
{
	static const char sets[] = "&|!"; /* in the order of their kinds */
	char kind = next_char(reader);
	const char *set = kind == '\0' ? NULL : strchr(sets, kind);
	struct dit_span item = {0};

	if (set != NULL) {
		filter->kind = (enum dit_filter_kind)(set - sets);
		return read_set(reader, depth, filter);
	}
	return kind == '(' || !take_item(reader, &item) ? DIT_E_INVALID
	                                                : read_item(reader, item, filter);
}

static int read_filter(struct reader *reader, unsigned depth, struct dit_filter **ret)
{
	struct dit_filter *filter = NULL;
	int r = 0;

	if (depth > FILTER_DEPTH_MAX) {
		return DIT_E_UNSUPPORTED;
	}
	if (next_char(reader) != '(') {
		return DIT_E_INVALID;
	}
	filter = dit_arena_calloc(reader->scope->arena, 1, sizeof(*filter));
	if (filter == NULL) {
		return -ENOMEM;
	}
	dit_cut(&reader->in, 1);
	(void)dit_cut_spaces(&reader->in);
	r = read_inner(reader, depth, filter);
	if (r < 0) {
		return r;
	}
	if (next_char(reader) != ')') {
		return DIT_E_INVALID;
	}
	dit_cut(&reader->in, 1);
	*ret = filter;
	return 0;
}

int dit_filter_parse(const struct dit_value_scope *scope, struct dit_span text,
                     struct dit_filter **ret)
{
	struct reader reader = {scope, text};
	struct dit_filter *filter = NULL;
	int r = 0;

	if (next_char(&reader) == '(') {
		r = read_filter(&reader, 0, &filter);
		if (r == 0 && reader.in.len > 0) {
			r = DIT_E_INVALID;
		}
	} else {
		filter = dit_arena_calloc(scope->arena, 1, sizeof(*filter));
		r = filter == NULL ? -ENOMEM : read_item(&reader, text, filter);
	}
	if (r == 0) {
		*ret = filter;
	}
	return r;
}

/* Items that look for values say nothing, so only these two have a remark. */
static void remark(const struct dit_filter *filter, struct dit_notes *notes)
{
	bool is_presence = filter->written == DIT_FILTER_PRESENT;

	if (filter->is_unknown &&
	    (is_presence || filter->written == DIT_FILTER_SUBSTRINGS)) {
		dit_notes_add(notes, DIT_REPORT_DIAGNOSTIC,
		              "%s: conn 0 unknown attribute type=%.*s (17)",
		              is_presence ? "get_filter" : "get_ssa",
		              DIT_SPAN_ARGS(filter->attr));
	}
	for (const struct dit_filter *at = filter->first; at != NULL; at = at->next) {
		remark(at, notes);
	}
}

int dit_filter_read(const struct dit_schema *schema, struct dit_span text,
                    struct dit_arena *arena, struct dit_notes *notes,
                    struct dit_filter **ret)
{
	const struct dit_value_scope scope = {.schema = schema, .arena = arena};
	int r = dit_filter_parse(&scope, text, ret);

	if (r == 0 && notes != NULL) {
		remark(*ret, notes);
	}
	return r;
}
