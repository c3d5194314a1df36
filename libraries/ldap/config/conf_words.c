/* SPDX-License-Identifier: BSD-2-Clause */
/* Typed arguments of directives (config.md 1, last paragraph). */
#include "config/conf_parser.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "values/dn.h"

int dit_conf_bool(const struct dit_conf_parser *parser, const char *word, bool *ret)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
		{"on", true},   {"true", true},   {"yes", true},
		{"off", false}, {"false", false}, {"no", false},
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcasecmp(word, words[i].word) == 0) {
			*ret = words[i].value;
			return 0;
		}
	}
	return dit_conf_say(parser->reporter, DIT_SAY_VALUE, "<%s> invalid value",
	                    parser->scope.words[0]);
}

/* A number with C's base rules and nothing after it. @param type  for the message */
static int to_number(const struct dit_conf_parser *parser, const char *word,
                     unsigned long max, const char *type, unsigned long *ret)
{
	const char *digits = word + strspn(word, " \t");
	char *end = NULL;
	unsigned long value = 0;

	errno = 0;
	/* strtoul() would take "-1" for the largest number. */
	if ((*digits >= '0' && *digits <= '9') || *digits == '+') {
		value = strtoul(word, &end, 0);
	}
	if (errno != 0 || end == NULL || end == word || *end != '\0' || value > max) {
		return dit_conf_say(parser->reporter, DIT_SAY_VALUE,
		                    "<%s> unable to parse \"%s\" as unsigned %s",
		                    parser->scope.words[0], word, type);
	}
	*ret = value;
	return 0;
}

int dit_conf_ulong(const struct dit_conf_parser *parser, const char *word,
                   unsigned long *ret)
{
	return to_number(parser, word, ULONG_MAX, "long", ret);
}

int dit_conf_uint(const struct dit_conf_parser *parser, const char *word, unsigned *ret)
{
	unsigned long value = 0;
	int r = to_number(parser, word, UINT_MAX, "int", &value);

	if (r == 0) {
		*ret = (unsigned)value;
	}
	return r;
}

int dit_conf_int(const struct dit_conf_parser *parser, const char *word, int *ret)
{
	char *end = NULL;
	long value = 0;

	errno = 0;
	value = strtol(word, &end, 0);
	if (errno != 0 || end == word || *end != '\0' || value < INT_MIN ||
	    value > INT_MAX) {
		return dit_conf_say(parser->reporter, DIT_SAY_VALUE,
		                    "<%s> unable to parse \"%s\" as int",
		                    parser->scope.words[0], word);
	}
	*ret = (int)value;
	return 0;
}

int dit_conf_dn(struct dit_conf_parser *parser, const char *word, struct dit_span *ret,
                struct dit_span *ret_norm)
{
	struct dit_dn dn = {0};
	int r = dit_dn_parse(parser->settings->schema, dit_span_of(word),
	                     dit_conf_arena(parser), NULL, &dn);

	if (r == -ENOMEM) {
		return r;
	}
	if (r == DIT_E_UNSUPPORTED) {
		return dit_conf_say(parser->reporter, DIT_SAY_VALUE,
		                    "<%s> DN not supported by this release",
		                    parser->scope.words[0]);
	}
	if (r < 0) {
		return dit_conf_say(parser->reporter, DIT_SAY_VALUE,
		                    "<%s> invalid DN 21 (Invalid syntax)",
		                    parser->scope.words[0]);
	}
	/* An empty DN is not the same as none: its data is not NULL. */
	*ret = dn.pretty.len == 0 ? DIT_SPAN("") : dn.pretty;
	*ret_norm = dn.norm.len == 0 ? DIT_SPAN("") : dn.norm;
	return 0;
}
