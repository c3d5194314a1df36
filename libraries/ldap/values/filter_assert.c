/* SPDX-License-Identifier: BSD-2-Clause */
#include "values/filter.h"

#include <errno.h>

#include "base/cut.h"
#include "base/error.h"
#include "values/authz_text.h"
#include "values/utf8_prep.h"
#include "values/value.h"

/* ---- whole values ---- */

int dit_filter_assert(const struct dit_value_scope *in, const struct dit_rule *rule,
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

int dit_filter_assert_for(const struct dit_value_scope *scope,
                          const struct dit_attr_type *type, const struct dit_rule *rule,
                          bool is_approx, struct dit_span *value)
{
	struct dit_span rest = *value;
	size_t nprefix = dit_attr_order_prefix(type, rest);
	int r = 0;

	if (rule == NULL) {
		return DIT_E_INVALID;
	}
	if (type->validator == DIT_VALID_CLASS_NAME) {
		return dit_scope_pretty(scope, type->validator, rest, value);
	}
	if (rule->normalizer == DIT_NORM_UUID16) {
		r = dit_scope_validate(scope, rule->syntax->validator, rest);
		return r < 0 ? r : dit_scope_pretty(scope, DIT_VALID_UUID, rest, value);
	}
	dit_cut(&rest, nprefix);
	r = dit_filter_assert(scope, rule, is_approx, &rest);
	if (r == 0) {
		const struct dit_span parts[] = {{value->data, nprefix}, rest};

		r = dit_arena_join(scope->arena, parts, 2, value);
	}
	return r;
}

/* ---- pieces ---- */

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
	r = r ?: dit_scope_normalize(scope, normalizer, *piece, piece);
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

int dit_filter_assert_piece(const struct dit_value_scope *scope,
                            const struct dit_attr_type *type, bool is_first, bool is_last,
                            struct dit_span *piece)
{
	int r = 0;

	if (type->equality == NULL) {
		return DIT_E_INVALID;
	}
	if (type->substr == NULL) {
		r = type->equality->normalizer == DIT_NORM_UUID16
		            ? dit_filter_assert(scope, type->equality, false, piece)
		            : dit_filter_assert_for(scope, type, type->equality, false,
		                                    piece);
		return r == 0 ? DIT_E_INVALID : r;
	}
	/* The equality rule tells which form a piece must have. */
	r = dit_scope_validate(scope, type->equality->syntax->validator, *piece);
	return r < 0 ? r : normalize_piece(scope, type->substr, is_first, is_last, piece);
}
