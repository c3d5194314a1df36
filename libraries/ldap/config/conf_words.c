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
	return dit_conf_say(parser->reporter, "<%s> invalid value",
	                    parser->scope.words[0]);
}

/* A number with C's base rules and nothing after it. */
static bool to_ulong(const char *word, unsigned long max, unsigned long *ret)
{
	const char *digits = word + strspn(word, " \t");
	char *end = NULL;

	/* strtoul() would take "-1" for the largest number. */
	if (!((*digits >= '0' && *digits <= '9') || *digits == '+')) {
		return false;
	}
	errno = 0;
	*ret = strtoul(word, &end, 0);
	return errno == 0 && end != word && *end == '\0' && *ret <= max;
}

int dit_conf_ulong(const struct dit_conf_parser *parser, const char *word,
                   unsigned long *ret)
{
	unsigned long value = 0;

	if (!to_ulong(word, ULONG_MAX, &value)) {
		return dit_conf_say(parser->reporter,
		                    "<%s> unable to parse \"%s\" as unsigned long",
		                    parser->scope.words[0], word);
	}
	*ret = value;
	return 0;
}

int dit_conf_uint(const struct dit_conf_parser *parser, const char *word, unsigned *ret)
{
	unsigned long value = 0;

	if (!to_ulong(word, UINT_MAX, &value)) {
		return dit_conf_say(parser->reporter,
		                    "<%s> unable to parse \"%s\" as unsigned int",
		                    parser->scope.words[0], word);
	}
	*ret = (unsigned)value;
	return 0;
}

int dit_conf_int(const struct dit_conf_parser *parser, const char *word, int *ret)
{
	char *end = NULL;
	long value = 0;

	errno = 0;
	value = strtol(word, &end, 0);
	if (errno != 0 || end == word || *end != '\0' || value < INT_MIN ||
	    value > INT_MAX) {
		return dit_conf_say(parser->reporter,
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
		return dit_conf_say(parser->reporter,
		                    "<%s> DN not supported by this release",
		                    parser->scope.words[0]);
	}
	if (r < 0) {
		return dit_conf_say(parser->reporter,
		                    "<%s> invalid DN 21 (Invalid syntax)",
		                    parser->scope.words[0]);
	}
	/* An empty DN is not the same as none: its data is not NULL. */
	*ret = dn.pretty.len == 0 ? DIT_SPAN("") : dn.pretty;
	*ret_norm = dn.norm.len == 0 ? DIT_SPAN("") : dn.norm;
	return 0;
}
