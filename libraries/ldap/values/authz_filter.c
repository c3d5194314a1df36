/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Filters: read as libldap does, evaluated against the schema as slapd does, and written
 * again.
 *
 *     (&(CN=Foo)(foo=x)(sn= A *B))      (&(cn=foo)(?foo=x)(sn=a *b))
 *     (cn:dn:2.5.13.5:=A  B)            (cn:dn:2.5.13.5:=A B)
 *     (cn:foo:=x)  (&)  (!(|))          (?=undefined)  (?=true)  (?=true)
 *
 * An item that cannot be evaluated is marked with a '?' and keeps its value: the
 * attribute is unknown, it has no rule for that kind of item, or the rule refuses the
 * value. Of an extensible item in that position nothing is left.
 *
 * Differs from slapd: it also prints a remark about unknown attributes in items of
 * presence and of substrings.
 */
#include "values/authz_filter.h"

#include <errno.h>

#include "base/ascii.h"
#include "base/error.h"
#include "schema/schema_private.h"
#include "values/utf8_prep.h"
#include "values/value.h"

#define FILTER_DEPTH_MAX 1000 /* what the stack bears; slapd has no limit */

struct filter {
	const struct dit_value_scope *scope;
	struct dit_span in; /* what is left to read */
	struct dit_text *out;
};

/* One item taken apart. */
struct item {
	const struct filter *filter;
	struct dit_span attr; /* as typed */
	struct dit_span value;
	const struct dit_ad *ad; /* NULL: unknown */
	bool is_approx;
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

/* ---- lexical ---- */

static bool is_name_char(char c)
{
	return dit_ascii_is_alpha(c) || dit_ascii_is_digit(c) || c == '-';
}

static bool is_options(struct dit_span text)
{
	for (size_t i = 0; i < text.len; i++) {
		bool is_mark = text.data[i] == ';';

		if (is_mark && (i + 1 == text.len || text.data[i + 1] == ';')) {
			return false;
		}
		if (!is_mark && !is_name_char(text.data[i])) {
			return false;
		}
	}
	return true;
}

/* "cn", "2.5.4.3", either with options if @p may_have_options. */
static bool is_description(struct dit_span text, bool may_have_options)
{
	bool is_oid = text.len > 0 && dit_ascii_is_digit(text.data[0]);
	size_t n = 0;

	while (n < text.len && text.data[n] != ';') {
		char c = text.data[n++];

		if (is_oid ? !dit_ascii_is_digit(c) && c != '.' : !is_name_char(c)) {
			return false;
		}
		if (c == '.' && (n == text.len || text.data[n] == '.')) {
			return false;
		}
	}
	if (n == 0 || (!is_oid && !dit_ascii_is_alpha(text.data[0]))) {
		return false;
	}
	return n == text.len ||
	       (may_have_options &&
	        is_options((struct dit_span){text.data + n, text.len - n}));
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
		int high = i + 2 < in.len ? dit_ascii_hex(in.data[i + 1]) : -1;
		int low = i + 2 < in.len ? dit_ascii_hex(in.data[i + 2]) : -1;

		if (c == '*' || c == '(' || c == ')' || (c == '\\' && i + 1 == in.len)) {
			return DIT_E_INVALID;
		}
		if (c == '\\' && high >= 0 && low >= 0) {
			c = (char)(high << 4 | low);
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

/* slapd escapes all that is not printable ASCII. */
static void put_value(struct dit_text *out, struct dit_span value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.data[i];

		if ((unsigned char)c < ' ' || (unsigned char)c >= 0x7F ||
		    strchr("*()\\", c) != NULL) {
			dit_text_hex(out, '\\', c);
		} else {
			dit_text_char(out, c);
		}
	}
}

/* ---- values ---- */

/* Assert a value by a rule. @return DIT_E_INVALID: it cannot be evaluated */
static int assert_by(const struct item *item, const struct dit_rule *rule,
                     struct dit_span *value)
{
	struct dit_value_scope scope = *item->filter->scope;
	enum dit_normalizer normalizer = rule->normalizer;
	bool is_utf8 = normalizer == DIT_NORM_UTF8_FOLD ||
	               normalizer == DIT_NORM_UTF8_EXACT ||
	               normalizer == DIT_NORM_POSTAL_LIST;
	int r = 0;

	/* Pieces have a syntax that says nothing about them. */
	if (rule->is_unsupported || (rule->syntax->validator == DIT_VALID_NONE &&
	                             rule->syntax->pretty == DIT_PRETTY_NONE)) {
		return DIT_E_INVALID;
	}
	scope.is_assertion = true;
	r = dit_scope_validate(&scope, rule->syntax->validator, *value);
	if (r == 0 && item->is_approx && is_utf8) {
		r = dit_utf8_to_ascii(*value, scope.arena, value);
	}
	if (r == 0 && normalizer != DIT_NORM_NONE) {
		r = dit_scope_normalize(&scope, normalizer, *value, value);
	}
	return r;
}

/* A value for an attribute: class names and UUIDs have forms of their own. */
static int assert_for(const struct item *item, const struct dit_rule *rule,
                      struct dit_span *value)
{
	const struct dit_value_scope *scope = item->filter->scope;
	const struct dit_attr_type *type = item->ad->type;
	struct dit_span rest = *value;
	size_t nprefix = dit_attr_order_prefix(type, rest);
	int r = 0;

	if (rule == NULL) {
		return DIT_E_INVALID;
	}
	if (type->pretty == DIT_PRETTY_CLASS_NAME) {
		return dit_scope_pretty(scope, type->pretty, rest, value);
	}
	if (rule->normalizer == DIT_NORM_UUID16) {
		r = dit_scope_validate(scope, rule->syntax->validator, rest);
		return r < 0 ? r
		             : dit_scope_pretty(scope, DIT_PRETTY_LOWERCASE, rest, value);
	}
	rest.data += nprefix;
	rest.len -= nprefix;
	r = assert_by(item, rule, &rest);
	if (r == 0) {
		const struct dit_span parts[] = {{value->data, nprefix}, rest};

		r = dit_arena_join(scope->arena, parts, 2, value);
	}
	return r;
}

static bool is_spaces(struct dit_span text)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.data[i] != ' ') {
			return false;
		}
	}
	return true;
}

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

	if (is_spaces(*piece)) {
		*piece = is_last || piece->len == 0 ? DIT_SPAN("") : DIT_SPAN(" ");
		return 0;
	}
	r = dit_arena_join(scope->arena, parts, 3, piece);
	if (r == 0) {
		r = dit_scope_normalize(scope, normalizer, *piece, piece);
	}
	if (r == 0) {
		piece->data += !is_first;
		piece->len -= (size_t)!is_first + (size_t)!is_last;
	}
	return r;
}

/* The same for lists: each line is such a piece. */
static int normalize_lines(const struct dit_value_scope *scope, bool is_first,
                           bool is_last, struct dit_span *piece)
{
	struct dit_text text = {.arena = scope->arena};
	struct dit_span rest = *piece;
	bool is_end = false;

	while (!is_end) {
		const char *stop =
			rest.len == 0 ? NULL : memchr(rest.data, '$', rest.len);
		struct dit_span line = rest;
		int r = 0;

		is_end = stop == NULL;
		if (!is_end) {
			line.len = (size_t)(stop - rest.data);
			rest.data += line.len + 1;
			rest.len -= line.len + 1;
		}
		r = normalize_string(scope, DIT_NORM_UTF8_FOLD, is_first, is_last, &line);
		if (r < 0) {
			return r;
		}
		dit_text_span(&text, line);
		if (!is_end) {
			dit_text_char(&text, '$');
		}
	}
	*piece = (struct dit_span){text.at, text.n};
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
		return normalize_lines(scope, is_first, is_last, piece);
	}
	return dit_scope_normalize(scope, normalizer, *piece, piece);
}

/* ---- items ---- */

static void put_name(struct dit_text *out, const struct item *item, bool is_defined)
{
	if (!is_defined) {
		dit_text_char(out, '?');
	}
	dit_text_span(out, item->ad == NULL ? item->attr : item->ad->name);
}

/* "attr=value" and its kin; @p rule may be NULL */
static int put_assertion(struct item *item, const char *operator,
                         const struct dit_rule * rule)
{
	struct dit_text *out = item->filter->out;
	int r = unescape(item->value, item->filter->scope->arena, &item->value);

	if (r < 0) {
		return r;
	}
	r = item->ad == NULL ? DIT_E_INVALID : assert_for(item, rule, &item->value);
	if (r < 0 && r != DIT_E_INVALID && r != DIT_E_UNKNOWN) {
		return r;
	}
	put_name(out, item, r == 0);
	dit_text_span(out, dit_span_of(operator));
	put_value(out, item->value);
	return 0;
}

static int put_presence(const struct item *item)
{
	put_name(item->filter->out, item, item->ad != NULL);
	dit_text_span(item->filter->out, DIT_SPAN("=*"));
	return 0;
}

/*
 * The normal form of a piece. Without a rule for pieces it is that of a whole value,
 * where it has one, and the item cannot be evaluated.
 */
static int assert_piece(const struct item *item, bool is_first, bool is_last,
                        struct dit_span *piece)
{
	const struct dit_value_scope *scope = item->filter->scope;
	const struct dit_attr_type *type = item->ad == NULL ? NULL : item->ad->type;
	int r = 0;

	if (type == NULL || type->equality == NULL) {
		return DIT_E_INVALID;
	}
	if (type->substr == NULL) {
		r = type->equality->normalizer == DIT_NORM_UUID16
		            ? assert_by(item, type->equality, piece)
		            : assert_for(item, type->equality, piece);
		return r == 0 ? DIT_E_INVALID : r;
	}
	/* What a piece must look like the equality rule tells. */
	r = dit_scope_validate(scope, type->equality->syntax->validator, *piece);
	return r < 0 ? r : normalize_piece(scope, type->substr, is_first, is_last, piece);
}

/* One piece of a substring item. @return 1: it cannot be evaluated */
static int put_piece(const struct item *item, struct dit_span piece, bool is_first,
                     bool is_last, struct dit_text *out)
{
	int r = unescape(piece, item->filter->scope->arena, &piece);

	if (r < 0) {
		return r;
	}
	r = assert_piece(item, is_first, is_last, &piece);
	if (r < 0 && r != DIT_E_INVALID && r != DIT_E_UNKNOWN) {
		return r;
	}
	put_value(out, piece);
	return r < 0;
}

static int put_substrings(const struct item *item)
{
	struct dit_text pieces = {.arena = item->filter->scope->arena};
	struct dit_span rest = item->value;
	bool is_defined = true;
	bool is_first = true;

	for (;;) {
		struct dit_span piece = {rest.data, piece_len(rest)};
		bool is_last = piece.len == rest.len;

		if (piece.len == 0 && !is_first && !is_last) {
			return DIT_E_INVALID; /* "**" */
		}
		if (piece.len > 0) {
			int r = put_piece(item, piece, is_first, is_last, &pieces);

			if (r < 0) {
				return r;
			}
			is_defined = is_defined && r == 0;
		}
		if (is_last) {
			break;
		}
		dit_text_char(&pieces, '*');
		is_first = false;
		rest.data += piece.len + 1;
		rest.len -= piece.len + 1;
	}
	item->filter->out->failed |= pieces.failed;
	put_name(item->filter->out, item, is_defined);
	dit_text_char(item->filter->out, '=');
	dit_text_span(item->filter->out, (struct dit_span){pieces.at, pieces.n});
	return 0;
}

static int put_equality(struct item *item)
{
	const struct dit_rule *rule = item->ad == NULL ? NULL : item->ad->type->equality;

	if (dit_span_eq(item->value, DIT_SPAN("*"))) {
		return put_presence(item);
	}
	return piece_len(item->value) < item->value.len ? put_substrings(item)
	                                                : put_assertion(item, "=", rule);
}

/* "attr:dn:rule", each of them optional. @return false: not so */
static bool split_extensible(struct dit_span text, struct dit_span *ret_attr,
                             bool *ret_dn, struct dit_span *ret_rule)
{
	const char *colon = text.len == 0 ? NULL : memchr(text.data, ':', text.len);
	struct dit_span rest = DIT_SPAN("");

	*ret_attr = text;
	*ret_dn = false;
	*ret_rule = DIT_SPAN("");
	if (colon != NULL) {
		ret_attr->len = (size_t)(colon - text.data);
		rest = (struct dit_span){colon + 1, text.len - ret_attr->len - 1};
	}
	if (rest.len >= 2 && (rest.len == 2 || rest.data[2] == ':') &&
	    dit_span_eq_nocase((struct dit_span){rest.data, 2}, DIT_SPAN("dn"))) {
		*ret_dn = true;
		rest.data += rest.len > 2 ? 3 : 2;
		rest.len -= rest.len > 2 ? 3 : 2;
	}
	*ret_rule = rest;
	if (ret_attr->len == 0 && rest.len == 0) {
		return false;
	}
	return (ret_attr->len == 0 || is_description(*ret_attr, true)) &&
	       (rest.len == 0 || is_description(rest, false));
}

/* Assert the value of an extensible item. @return DIT_E_INVALID: it has none */
static int assert_extensible(struct item *item, struct dit_span rule_name)
{
	const struct dit_value_scope *scope = item->filter->scope;
	const struct dit_rule *rule = NULL;

	if (rule_name.len > 0) {
		rule = dit_schema_find_rule(scope->schema, rule_name);
	} else if (item->ad != NULL) {
		rule = item->ad->type->equality;
	}
	if (rule == NULL || (item->attr.len > 0 && item->ad == NULL) ||
	    (rule_name.len == 0 && !rule->is_extensible) ||
	    (item->ad != NULL && !dit_rule_suits(rule, item->ad->type))) {
		return DIT_E_INVALID;
	}
	return item->ad != NULL && rule_name.len == 0
	               ? assert_for(item, rule, &item->value)
	               : assert_by(item, rule, &item->value);
}

static int put_extensible(struct item *item)
{
	struct dit_text *out = item->filter->out;
	struct dit_span rule = {0};
	bool has_dn = false;
	int r = unescape(item->value, item->filter->scope->arena, &item->value);

	if (r == 0 && !split_extensible(item->attr, &item->attr, &has_dn, &rule)) {
		r = DIT_E_INVALID;
	}
	if (r == 0 && item->attr.len > 0) {
		r = dit_scope_find_ad(item->filter->scope, item->attr, &item->ad);
	}
	if (r < 0 && r != DIT_E_UNKNOWN) {
		return r;
	}
	r = assert_extensible(item, rule);
	if (r == DIT_E_INVALID || r == DIT_E_UNKNOWN) {
		dit_text_span(out, DIT_SPAN("?=undefined"));
		return 0;
	}
	if (r < 0) {
		return r;
	}
	dit_text_span(out, item->ad == NULL ? DIT_SPAN("") : item->ad->name);
	dit_text_span(out, has_dn ? DIT_SPAN(":dn") : DIT_SPAN(""));
	dit_text_span(out, rule.len > 0 ? DIT_SPAN(":") : DIT_SPAN(""));
	dit_text_span(out, rule);
	dit_text_span(out, DIT_SPAN(":="));
	put_value(out, item->value);
	return 0;
}

static int put_item(const struct filter *filter, struct dit_span text)
{
	struct item item = {.filter = filter};
	const char *equals = text.len == 0 ? NULL : memchr(text.data, '=', text.len);
	const struct dit_attr_type *type = NULL;
	char operator= '=';
	int r = 0;

	if (equals == NULL || equals == text.data) {
		return DIT_E_INVALID;
	}
	item.attr = (struct dit_span){text.data, (size_t)(equals - text.data)};
	item.value = (struct dit_span){equals + 1, text.len - item.attr.len - 1};
	if (strchr("<>~:", equals[-1]) != NULL) {
		operator= equals[-1];
		item.attr.len--;
	}
	if (operator== ':') {
		return put_extensible(&item);
	}
	if (!is_description(item.attr, true)) {
		return DIT_E_INVALID;
	}
	r = dit_scope_find_ad(filter->scope, item.attr, &item.ad);
	if (r < 0 && r != DIT_E_UNKNOWN) {
		return r;
	}
	type = item.ad == NULL ? NULL : item.ad->type;
	switch (operator) {
	case '<':
		return put_assertion(&item, "<=", type == NULL ? NULL : type->ordering);
	case '>':
		return put_assertion(&item, ">=", type == NULL ? NULL : type->ordering);
	case '~':
		item.is_approx = true;
		return put_assertion(&item, "~=", type == NULL ? NULL : type->equality);
	default:
		return put_equality(&item);
	}
}

/* ---- filters ---- */

/* Up to the parenthesis that closes the item; those in it are counted. */
static bool take_item(struct filter *filter, struct dit_span *ret)
{
	size_t nopen = 1;

	for (size_t i = 0; i < filter->in.len; i++) {
		char c = filter->in.data[i];

		if (c == '\\') {
			i++;
		} else if (c == '(') {
			nopen++;
		} else if (c == ')' && --nopen == 0) {
			*ret = (struct dit_span){filter->in.data, i};
			skip(filter, i);
			return true;
		}
	}
	return false;
}

static int read_filter(struct filter *filter, unsigned depth);

/* The negation of what is known without looking at entries is known as well. */
static bool negate(struct dit_text *out, size_t from)
{
	static const char *const pairs[][2] = {
		{"(?=true)", "(?=false)"},
		{"(?=false)", "(?=true)"},
		{"(?=undefined)", "(?=error)"},
		{"(?=error)", "(?=error)"},
	};
	const struct dit_span inner = {out->at + from, out->n - from};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (dit_span_eq(inner, dit_span_of(pairs[i][0]))) {
			out->n = from - strlen("(!");
			dit_text_span(out, dit_span_of(pairs[i][1]));
			out->n--; /* the parenthesis that the caller puts */
			return true;
		}
	}
	return false;
}

/* "&(...)(...)", "|...", "!(...)" */
static int read_set(struct filter *filter, char kind, unsigned depth)
{
	struct dit_text *out = filter->out;
	size_t n = 0;
	size_t from = 0;
	int r = 0;

	dit_text_char(out, kind);
	from = out->n;
	skip(filter, 1);
	skip_spaces(filter);
	for (; r == 0 && next_char(filter) == '('; n++) {
		r = read_filter(filter, depth + 1);
		skip_spaces(filter);
	}
	if (r < 0 || (kind == '!' && n != 1)) {
		return r < 0 ? r : DIT_E_INVALID;
	}
	if (n == 0) {
		out->n--;
		dit_text_span(out,
		              kind == '&' ? DIT_SPAN("?=true") : DIT_SPAN("?=false"));
	} else if (kind == '!' && !out->failed) {
		(void)negate(out, from);
	}
	return 0;
}

static int read_filter(struct filter *filter, unsigned depth)
{
	struct dit_span item = {0};
	char kind = '\0';
	int r = 0;

	if (depth > FILTER_DEPTH_MAX) {
		return DIT_E_UNSUPPORTED;
	}
	if (next_char(filter) != '(') {
		return DIT_E_INVALID;
	}
	skip(filter, 1);
	skip_spaces(filter);
	dit_text_char(filter->out, '(');
	kind = next_char(filter);
	if (kind == '&' || kind == '|' || kind == '!') {
		r = read_set(filter, kind, depth);
	} else if (kind == '(' || !take_item(filter, &item)) {
		r = DIT_E_INVALID;
	} else {
		r = put_item(filter, item);
	}
	if (r < 0) {
		return r;
	}
	if (next_char(filter) != ')') {
		return DIT_E_INVALID;
	}
	skip(filter, 1);
	dit_text_char(filter->out, ')');
	return 0;
}

int dit_authz_filter(const struct dit_value_scope *scope, struct dit_span text,
                     struct dit_text *out)
{
	struct filter filter = {scope, text, out};
	int r = 0;

	if (next_char(&filter) == '(') {
		r = read_filter(&filter, 0);
		return r == 0 && filter.in.len > 0 ? DIT_E_INVALID : r;
	}
	dit_text_char(out, '(');
	r = put_item(&filter, text);
	dit_text_char(out, ')');
	return r;
}
