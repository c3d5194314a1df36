/* SPDX-License-Identifier: BSD-2-Clause */
/* sortvals ATTR... (config.md 3.1) and multival ATTRS HI,LO (config.md 3.6) */
#include "config/conf_parser.h"

#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "base/grow.h"

/* ---- sortvals ---- */

/* The type of a word; NULL after a report, and *ret_r is the error then. */
static const struct dit_attr_type *sortable_type(struct dit_conf_parser *parser,
                                                 size_t place, int *ret_r)
{
	const unsigned unsortable =
		DIT_TYPE_SINGLE | DIT_TYPE_ORDERED_VALUES | DIT_TYPE_ORDERED_SIBLINGS;
	const char *attr = parser->scope.words[place];
	const char *why = "unknown";
	const struct dit_ad *ad = NULL;
	int r = dit_ad_find(parser->settings->schema, NULL, dit_span_of(attr), &ad, NULL);

	if (r == 0 && (ad->type->flags & unsortable) == 0) {
		return ad->type;
	}
	if (r == 0) {
		why = "inappropriate";
	}
	*ret_r = r;
	if (r != -ENOMEM) {
		(void)dit_conf_say(parser->reporter, DIT_SAY_VALUE,
		                   "<%s> %s attribute type #%zu %s",
		                   parser->scope.words[0], why, place, attr);
		*ret_r = dit_conf_say(parser->reporter, DIT_SAY_LATER,
		                      "<%s> %s attribute type #%zu",
		                      parser->scope.words[0], why, place);
	}
	return NULL;
}

static int add_sortvals(struct dit_settings *settings, const struct dit_attr_type *type)
{
	for (size_t i = 0; i < settings->nsortvals; i++) {
		if (settings->sortvals[i] == type) {
			return 0;
		}
	}
	return DIT_APPEND(settings->sortvals, settings->sortvals_size,
	                  settings->nsortvals, type);
}

int dit_conf_run_sortvals(struct dit_conf_parser *parser)
{
	int r = 0;

	for (size_t i = 1; r == 0 && i < parser->scope.nwords; i++) {
		const struct dit_attr_type *type = sortable_type(parser, i, &r);

		if (type != NULL) {
			r = add_sortvals(parser->settings, type);
		}
	}
	return r;
}

/* ---- multival ---- */

/*
 * "HI,LO" in decimal. As in slapd, a number is an unsigned long of C, of which 32 bits
 * are kept, so that -1 is a very high number.
 */
static bool parse_thresholds(const char *text, uint32_t *ret_hi, uint32_t *ret_lo)
{
	char *end = NULL;
	uint32_t hi = (uint32_t)strtoul(text, &end, 10);
	uint32_t lo = 0;

	if (end == text || *end != ',') {
		return false;
	}
	text = end + 1;
	lo = (uint32_t)strtoul(text, &end, 10);
	if (end == text || *end != '\0' || lo > hi) {
		return false;
	}
	*ret_hi = hi;
	*ret_lo = lo;
	return true;
}

struct dit_multival_spec *dit_conf_find_multival(const struct dit_multival_rules *rules,
                                                 const struct dit_ad *ad)
{
	for (size_t i = 0; i < rules->nspecs; i++) {
		if (rules->specs[i].ad == ad) {
			return &rules->specs[i];
		}
	}
	return NULL;
}

static int add_multival(struct dit_conf_parser *parser,
                        const struct dit_multival_spec *spec, const char *attr)
{
	struct dit_multival_rules *rules = &dit_conf_database(parser)->multival;
	struct dit_multival_spec *known = dit_conf_find_multival(rules, spec->ad);

	/* To slapd a LO of DIT_MULTIVAL_NONE says that there is no line yet. */
	if (known != NULL && known->lo != DIT_MULTIVAL_NONE) {
		return dit_conf_say(parser->reporter, DIT_SAY_LINE,
		                    "duplicate multival definition for attr \"%s\"",
		                    attr);
	}
	if (known != NULL) {
		*known = *spec;
		return 0;
	}
	return DIT_APPEND(rules->specs, rules->specs_size, rules->nspecs, *spec);
}

static int multival_attr(struct dit_conf_parser *parser, const char *attr,
                         struct dit_multival_spec spec)
{
	struct dit_database *database = dit_conf_database(parser);
	int r = 0;

	if (strcasecmp(attr, "default") == 0) {
		database->multival.hi = spec.hi;
		database->multival.lo = spec.lo;
		return 0;
	}
	r = dit_ad_find(parser->settings->schema, NULL, dit_span_of(attr), &spec.ad,
	                NULL);
	if (r == -ENOMEM) {
		return r;
	}
	if (r < 0) {
		return dit_conf_say(parser->reporter, DIT_SAY_LINE,
		                    "multival attribute \"%s\" undefined", attr);
	}
	return add_multival(parser, &spec, attr);
}

int dit_conf_run_multival(struct dit_conf_parser *parser)
{
	struct dit_multival_spec spec = {0};
	char *attrs = parser->scope.words[1];
	const char *attr = NULL;
	int r = 0;

	if (!parse_thresholds(parser->scope.words[2], &spec.hi, &spec.lo)) {
		return dit_conf_say(parser->reporter, DIT_SAY_LINE,
		                    "invalid hi/lo thresholds");
	}
	while (r == 0 && (attr = dit_conf_part(&attrs)) != NULL) {
		r = multival_attr(parser, attr, spec);
	}
	return r;
}
