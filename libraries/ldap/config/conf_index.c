/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * index ATTRS [TYPES] (config.md 3.5)
 *
 * slapd keeps one record of a description for "index" and "multival". A "multival" line
 * with a LO of 4294967295 makes a record that no "index" line may follow (config.md 3.6).
 *
 * From 2.7 on slapd sees to it that objectClass is indexed (storage-2.7.md 2.2): "eq"
 * where objectClass has no record, and the first definition where there are several.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/grow.h"
#include "config/conf_parser.h"

/* Words that only restrict searches. An index with no other word still exists. */
#define KIND_SEARCH_ONLY 0x100u

static unsigned kind_of(const char *word)
{
	static const struct {
		const char *word;
		unsigned kind;
	} kinds[] = {
		{"pres", DIT_INDEX_PRES},     {"eq", DIT_INDEX_EQ},
		{"approx", DIT_INDEX_APPROX}, {"sub", DIT_INDEX_SUB},
		{"substr", DIT_INDEX_SUB},    {"subinitial", DIT_INDEX_SUB},
		{"subany", DIT_INDEX_SUB},    {"subfinal", DIT_INDEX_SUB},
		{"nolang", KIND_SEARCH_ONLY}, {"nosubtypes", KIND_SEARCH_ONLY},
		{"notags", KIND_SEARCH_ONLY},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (dit_ascii_strcasecmp(word, kinds[i].word) == 0) {
			return kinds[i].kind;
		}
	}
	return 0;
}

static int parse_kinds(struct dit_conf_parser *parser, char *list, unsigned *ret)
{
	const char *word = NULL;
	unsigned kinds = 0;

	while ((word = dit_conf_part(&list)) != NULL) {
		unsigned kind = kind_of(word);

		if (kind == 0) {
			return dit_conf_say(parser, DIT_SAY_LINE,
			                    "index type \"%s\" undefined", word);
		}
		kinds |= kind;
	}
	*ret = kinds;
	return 0;
}

static bool has_indexer(const struct dit_rule *rule)
{
	return rule != NULL && rule->indexer != DIT_INDEXER_NONE;
}

static int disallowed(struct dit_conf_parser *parser, const char *kind, const char *attr)
{
	return dit_conf_say(parser, DIT_SAY_LINE,
	                    "%sindex of attribute \"%s\" disallowed", kind, attr);
}

static int check_kinds(struct dit_conf_parser *parser, const struct dit_attr_type *type,
                       unsigned kinds, const char *attr)
{
	if ((kinds & DIT_INDEX_APPROX) != 0 && !has_indexer(type->approx)) {
		return disallowed(parser, "approx ", attr);
	}
	if ((kinds & DIT_INDEX_EQ) != 0 && !has_indexer(type->equality)) {
		return disallowed(parser, "equality ", attr);
	}
	if ((kinds & DIT_INDEX_SUB) != 0 && !has_indexer(type->substr)) {
		return disallowed(parser, "substr ", attr);
	}
	return 0;
}

static const struct dit_openldap_range indexes_object_class = {.first = DIT_OPENLDAP_2_7};

static bool is_defined(const struct dit_database *database, const struct dit_ad *ad)
{
	size_t i = 0;

	while (i < database->nindexes && database->indexes[i].ad != ad) {
		i++;
	}
	return i < database->nindexes;
}

/* objectClass where slapd itself sees to its index; else NULL. */
static const struct dit_ad *own_index(const struct dit_conf_parser *parser)
{
	const struct dit_attr_type *type = NULL;

	if (!dit_openldap_is_in(parser->openldap, indexes_object_class)) {
		return NULL;
	}
	type = dit_schema_find_type(parser->settings->schema, DIT_SPAN("objectClass"));
	return &type->ad;
}

static int put_index(struct dit_database *database, const struct dit_ad *ad,
                     unsigned kinds)
{
	return DIT_APPEND(database->indexes, database->indexes_size, database->nindexes,
	                  (struct dit_index_spec){
				  .ad = ad,
				  .kinds = kinds & ~KIND_SEARCH_ONLY,
			  });
}

static int add_index(struct dit_conf_parser *parser, const struct dit_ad *ad,
                     unsigned kinds, const char *attr)
{
	struct dit_database *database = dit_conf_database(parser);

	const struct dit_multival_spec *multival =
		dit_conf_find_multival(&database->multival, ad);

	if (!is_defined(database, ad) &&
	    (multival == NULL || multival->lo != DIT_MULTIVAL_NONE)) {
		return put_index(database, ad, kinds);
	}
	if (ad == own_index(parser)) {
		return 0; /* in silence */
	}
	return dit_conf_say(parser, DIT_SAY_LINE,
	                    "duplicate index definition for attr \"%s\"", attr);
}

int dit_conf_complete_indexes(struct dit_conf_parser *parser)
{
	struct dit_settings *settings = parser->settings;
	const struct dit_ad *ad = own_index(parser);
	int r = 0;

	for (size_t i = 0; ad != NULL && i < settings->ndatabases && r == 0; i++) {
		struct dit_database *database = &settings->databases[i];

		if (strcmp(database->type, "mdb") == 0 && !is_defined(database, ad) &&
		    dit_conf_find_multival(&database->multival, ad) == NULL) {
			r = put_index(database, ad, DIT_INDEX_EQ);
		}
	}
	return r;
}

static int find_ad(struct dit_conf_parser *parser, const char *keyword, const char *attr,
                   const struct dit_ad **ret)
{
	int r = dit_ad_find(parser->settings->schema, NULL, dit_span_of(attr), ret, NULL);

	return r == 0 || r == -ENOMEM
	               ? r
	               : dit_conf_say(parser, DIT_SAY_LINE,
	                              "%s attribute \"%s\" undefined", keyword, attr);
}

bool dit_conf_can_index(const struct dit_ad *ad)
{
	return !ad->is_binary && strcmp(ad->type->oid, "1.3.6.1.1.20") != 0;
}

static int index_attr(struct dit_conf_parser *parser, const char *attr, unsigned kinds)
{
	const struct dit_ad *ad = NULL;
	int r = 0;

	if (dit_ascii_strcasecmp(attr, "default") == 0) {
		parser->scope.default_kinds |= kinds;
		return 0;
	}
	r = find_ad(parser, "index", attr, &ad);
	if (r < 0) {
		return r;
	}
	if (!dit_conf_can_index(ad)) {
		return disallowed(parser, "", attr);
	}
	r = check_kinds(parser, ad->type, kinds, attr);
	return r < 0 ? r : add_index(parser, ad, kinds, attr);
}

int dit_conf_run_index(struct dit_conf_parser *parser)
{
	char *attrs = parser->scope.words[1];
	const char *attr = NULL;
	unsigned kinds = parser->scope.default_kinds;
	int r = 0;

	if (parser->scope.nwords > 2) {
		r = parse_kinds(parser, parser->scope.words[2], &kinds);
	}
	if (r < 0) {
		return r;
	}
	if (kinds == 0) {
		return dit_conf_say(parser, DIT_SAY_LINE, "no indexes selected");
	}
	while (r == 0 && (attr = dit_conf_part(&attrs)) != NULL) {
		r = index_attr(parser, attr, kinds);
	}
	return r;
}

/* ---- sortvals ATTR... (config.md 3.1) ---- */

/* The type of a word; NULL after a report, and *ret_r is the error then. */
static const struct dit_attr_type *sortable_type(struct dit_conf_parser *parser,
                                                 size_t place, int *ret_r)
{
	const char *attr = parser->scope.words[place];
	const char *why = "unknown";
	const struct dit_ad *ad = NULL;
	int r = dit_ad_find(parser->settings->schema, NULL, dit_span_of(attr), &ad, NULL);

	if (r == 0 && (ad->type->flags & (DIT_TYPE_SINGLE | DIT_TYPE_ORDERED)) == 0) {
		return ad->type;
	}
	if (r == 0) {
		why = "inappropriate";
	}
	*ret_r = r;
	if (r != -ENOMEM) {
		(void)DIT_CONF_REFUSE(parser, "%s attribute type #%zu %s", why, place,
		                      attr);
		*ret_r = DIT_CONF_KEEP(parser, "%s attribute type #%zu", why, place);
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

/* ---- multival ATTRS HI,LO (config.md 3.6) ---- */

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
		return dit_conf_say(parser, DIT_SAY_LINE,
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

	if (dit_ascii_strcasecmp(attr, "default") == 0) {
		database->multival.hi = spec.hi;
		database->multival.lo = spec.lo;
		return 0;
	}
	r = find_ad(parser, "multival", attr, &spec.ad);
	return r < 0 ? r : add_multival(parser, &spec, attr);
}

int dit_conf_run_multival(struct dit_conf_parser *parser)
{
	struct dit_multival_spec spec = {0};
	char *attrs = parser->scope.words[1];
	const char *attr = NULL;
	int r = 0;

	if (!parse_thresholds(parser->scope.words[2], &spec.hi, &spec.lo)) {
		return dit_conf_say(parser, DIT_SAY_LINE, "invalid hi/lo thresholds");
	}
	while (r == 0 && (attr = dit_conf_part(&attrs)) != NULL) {
		r = multival_attr(parser, attr, spec);
	}
	return r;
}
