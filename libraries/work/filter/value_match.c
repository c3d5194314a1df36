/* SPDX-License-Identifier: BSD-2-Clause */
#include "filter/filter_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cut.h"
#include "index/key_bytes.h"
#include "values/dn.h"
#include "values/value_order.h"

#define NUMBER_MAX 32 /* digits of a number whose bits are asked for */

/* ---- orders ---- */

static int by_bytes(struct dit_span a, struct dit_span b, size_t ignored)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n <= ignored ? 0 : memcmp(a.data, b.data, n - ignored);

	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

int dit_rule_compare(const struct dit_rule *ordering, struct dit_span value,
                     struct dit_span asserted)
{
	if (ordering->syntax->validator == DIT_VALID_INTEGER) {
		return dit_rule_order(ordering)(value, asserted);
	}
	/* The 'Z' after a time is not compared: a fraction may be in its place. */
	return by_bytes(value, asserted,
	                ordering->normalizer == DIT_NORM_GENERALIZED_TIME ? 1 : 0);
}

/* ---- rules by name ---- */

static bool is_child(struct dit_span value, struct dit_span asserted)
{
	/* No name is a child of the empty one. */
	return asserted.len > 0 && dit_span_eq(dit_dn_parent(value), asserted);
}

static bool is_subordinate(struct dit_span value, struct dit_span asserted)
{
	return !dit_span_eq(value, asserted) && dit_dn_is_below(value, asserted);
}

static bool is_superior(struct dit_span value, struct dit_span asserted)
{
	return is_subordinate(asserted, value);
}

/* @return false: it is too large for slapd */
static bool read_number(struct dit_span text, long *ret)
{
	char digits[NUMBER_MAX + 1];
	size_t n = text.len < NUMBER_MAX ? text.len : NUMBER_MAX;

	if (n > 0) {
		memcpy(digits, text.data, n);
	}
	digits[n] = '\0';
	errno = 0;
	*ret = strtol(digits, NULL, 10);
	return errno != ERANGE;
}

static enum dit_truth match_bits(struct dit_span value, struct dit_span asserted,
                                 bool is_all)
{
	long bits = 0;
	long wanted = 0;

	if (!read_number(value, &bits) || !read_number(asserted, &wanted)) {
		return DIT_UNDEFINED;
	}
	bits &= wanted;
	return (is_all ? bits == wanted : bits != 0) ? DIT_TRUE : DIT_FALSE;
}

static const struct {
	const char *oid;
	bool (*match)(struct dit_span value, struct dit_span asserted);
} named[] = {
	{"1.3.6.1.4.1.4203.666.4.4", dit_sounds_alike},
	{"1.3.6.1.4.1.4203.666.4.5", dit_sounds_alike},
	{"1.3.6.1.4.1.4203.666.4.8", is_child},
	{"1.3.6.1.4.1.4203.666.4.9", dit_dn_is_below},
	{"1.3.6.1.4.1.4203.666.4.10", is_subordinate},
	{"1.3.6.1.4.1.4203.666.4.11", is_superior},
};

static bool is_ordering(const struct dit_rule *rule)
{
	static const char suffix[] = "OrderingMatch";
	size_t n = strlen(rule->name);

	return n >= strlen(suffix) &&
	       strcmp(rule->name + n - strlen(suffix), suffix) == 0;
}

enum dit_truth dit_rule_matches(const struct dit_rule *rule, struct dit_span value,
                                struct dit_span asserted)
{
	bool is_all = strcmp(rule->oid, "1.2.840.113556.1.4.803") == 0;

	if (is_all || strcmp(rule->oid, "1.2.840.113556.1.4.804") == 0) {
		return match_bits(value, asserted, is_all);
	}
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (strcmp(rule->oid, named[i].oid) == 0) {
			return named[i].match(value, asserted);
		}
	}
	if (is_ordering(rule)) {
		return dit_rule_compare(rule, value, asserted) < 0;
	}
	return dit_rule_order(rule)(value, asserted) == 0;
}

/* ---- sounds ---- */

bool dit_sounds_alike(struct dit_span value, struct dit_span asserted)
{
	struct dit_sound wanted;
	struct dit_sound sound;
	bool has_wanted = true;
	bool has_sound = true;
	bool is_heard = false;

	while (has_wanted) {
		has_wanted = dit_sound_next(&asserted, &wanted);
		if (wanted.is_empty) {
			continue;
		}
		do {
			if (!has_sound) {
				return false;
			}
			has_sound = dit_sound_next(&value, &sound);
			/* A word of digits has no key, and sounds like any other such. */
		} while (sound.len != wanted.len ||
		         memcmp(sound.key, wanted.key, sound.len) != 0);
		is_heard = true;
	}
	return is_heard;
}

/* ---- pieces ---- */

bool dit_has_pieces(struct dit_span value, const struct dit_span *pieces, uint32_t n)
{
	struct dit_span first = pieces[0];
	struct dit_span last = pieces[n - 1];

	if (value.len < first.len + last.len ||
	    memcmp(value.data, first.data, first.len) != 0 ||
	    memcmp(value.data + value.len - last.len, last.data, last.len) != 0) {
		return false;
	}
	dit_cut(&value, first.len);
	value.len -= last.len;
	for (uint32_t i = 1; i + 1 < n; i++) {
		const char *at = pieces[i].len == 0
		                         ? value.data
		                         : memmem(value.data, value.len, pieces[i].data,
		                                  pieces[i].len);

		if (at == NULL) {
			return false;
		}
		value.len -= (size_t)(at - value.data) + pieces[i].len;
		value.data = at + pieces[i].len;
	}
	return true;
}
