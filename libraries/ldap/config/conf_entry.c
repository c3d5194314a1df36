/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One entry of cn=config: its attributes as directives (config.md 6.3).
 *
 *     olcDatabase: {1}mdb          database mdb
 *     olcSuffix: dc=x              suffix dc=x
 *     olcDbIndex: cn,sn eq         index cn,sn eq
 *
 * Attributes act in the order in which the object classes list them, those of a superior
 * class first, not in the order of the file: a schema entry has its macros before the
 * definitions that use them wherever they stand. Attributes that no class lists come
 * last.
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/ids.h"
#include "entry/entry.h"

/*
 * Each kind of entry with its class and its naming attribute. The first class of the
 * entry that is in this table, or below one that is, says its kind. Overlays and types of
 * databases have classes that their modules define and that are not known here; then the
 * naming attribute alone says the kind.
 */
static const struct dit_conf_kind kinds[] = {
	{"olcGlobal", "cn", DIT_CONF_ENTRY_GLOBAL},
	{"olcIncludeFile", NULL, DIT_CONF_ENTRY_INCLUDE}, /* slapd skips it, too */
	{"olcModuleList", "cn", DIT_CONF_ENTRY_MODULES},
	{"olcSchemaConfig", "cn", DIT_CONF_ENTRY_SCHEMA},
	{"olcBackendConfig", "olcBackend", DIT_CONF_ENTRY_BACKEND},
	{"olcDatabaseConfig", "olcDatabase", DIT_CONF_ENTRY_DATABASE},
	{"olcFrontendConfig", "olcDatabase", DIT_CONF_ENTRY_DATABASE},
	{"olcOverlayConfig", "olcOverlay", DIT_CONF_ENTRY_OVERLAY},
	{"olcMetaTargetConfig", "olcMetaSub", DIT_CONF_ENTRY_TARGET},
	{"olcAsyncMetaTargetConfig", "olcAsyncMetaSub", DIT_CONF_ENTRY_TARGET},
};

static const struct dit_conf_kind other = {.kind = DIT_CONF_ENTRY_OTHER};

#define NKINDS (sizeof(kinds) / sizeof(kinds[0]))

const struct dit_attr *dit_conf_find_attr(const struct dit_entry *entry, const char *name)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		if (strcmp(entry->attrs[i].ad->name.data, name) == 0) {
			return &entry->attrs[i];
		}
	}
	return NULL;
}

static bool has_undefined_class(const struct dit_schema *schema,
                                const struct dit_entry *entry)
{
	const struct dit_attr *classes = dit_conf_find_attr(entry, "objectClass");
	uint32_t i = 0;

	while (classes != NULL && i < classes->nvalues &&
	       dit_schema_find_class(schema, classes->values[i]) != NULL) {
		i++;
	}
	return classes != NULL && i < classes->nvalues;
}

/*
 * "cn" names entries of several kinds, so it says none. An entry that is named as a
 * database is one only if it has a class that is not defined here, which may be that of a
 * module. An overlay may have any class.
 */
static const struct dit_conf_kind *kind_by_name(const struct dit_schema *schema,
                                                const struct dit_entry *entry)
{
	const char *type = NULL;

	if (entry->dn.nrdns != 1) {
		return &other;
	}
	type = entry->dn.avas[0].type->name;
	for (size_t i = 0; strcmp(type, "cn") != 0 && i < NKINDS; i++) {
		if (kinds[i].naming == NULL || strcmp(type, kinds[i].naming) != 0) {
			continue;
		}
		if (kinds[i].kind != DIT_CONF_ENTRY_DATABASE ||
		    has_undefined_class(schema, entry)) {
			return &kinds[i];
		}
	}
	return &other;
}

const struct dit_conf_kind *dit_conf_kind_of(const struct dit_schema *schema,
                                             const struct dit_entry *entry)
{
	const struct dit_attr *classes = dit_conf_find_attr(entry, "objectClass");

	for (uint32_t i = 0; classes != NULL && i < classes->nvalues; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(schema, classes->values[i]);

		for (size_t j = 0; oc != NULL && j < NKINDS; j++) {
			const struct dit_class *of = dit_schema_find_class(
				schema, dit_span_of(kinds[j].class));

			if (of != NULL && dit_class_is_a(oc, of)) {
				return &kinds[j];
			}
		}
	}
	return kind_by_name(schema, entry);
}

/* ---- values in their order ---- */

struct ordered {
	struct dit_span text; /* without "{n}" */
	long number;
	uint32_t place;
};

/* Cut "{n}" off; false: there is none. */
static bool cut_order(struct dit_span *text, long *ret)
{
	const char *end = NULL;

	if (text->len == 0 || text->data[0] != '{') {
		return false;
	}
	end = memchr(text->data, '}', text->len);
	if (end == NULL) {
		return false;
	}
	*ret = strtol(text->data + 1, NULL, 10); /* '}' ends it */
	text->len -= (size_t)(end + 1 - text->data);
	text->data = end + 1;
	return true;
}

static int compare_ordered(const void *left, const void *right)
{
	const struct ordered *a = left;
	const struct ordered *b = right;

	return DIT_ORDER_OF(a->number, b->number) ?: DIT_ORDER_OF(a->place, b->place);
}

/* The values in the order in which they act, for the caller to free. NULL: no memory. */
static struct ordered *order_values(const struct dit_attr *attr)
{
	struct ordered *values = calloc(attr->nvalues + 1, sizeof(*values));

	for (uint32_t i = 0; values != NULL && i < attr->nvalues; i++) {
		values[i] = (struct ordered){.text = attr->values[i], .place = i};
		if (dit_type_is_ordered(attr->ad->type)) {
			(void)cut_order(&values[i].text, &values[i].number);
		}
	}
	if (values != NULL) {
		qsort(values, attr->nvalues, sizeof(*values), compare_ordered);
	}
	return values;
}

/* Some values with "{n}" and some without cannot be put in order. */
static int check_orders(struct dit_conf_parser *parser, const struct dit_entry *entry)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *attr = &entry->attrs[i];
		uint32_t nnumbers = 0;

		for (uint32_t k = 0;
		     dit_type_is_ordered(attr->ad->type) && k < attr->nvalues; k++) {
			struct dit_span text = attr->values[k];
			long number = 0;

			nnumbers += cut_order(&text, &number);
		}
		if (nnumbers != 0 && nnumbers != attr->nvalues) {
			return dit_conf_say(parser, DIT_SAY_LATER,
			                    "ordered_value_sort failed on attr %s",
			                    entry->attrs[i].ad->name.data);
		}
	}
	return 0;
}

/* ---- values to directives ---- */

static void split_value(struct dit_conf_parser *parser, char *text, unsigned flags)
{
	char *culprit = NULL;

	if ((flags & DIT_DIRECTIVE_ONE_WORD) != 0 && *text != '"') {
		parser->scope.nwords = *text == '\0' ? 0 : 1;
		parser->scope.words[0] = text;
	} else {
		/* An open quote ends with the value. */
		(void)dit_conf_split(parser, text, &culprit);
	}
	memmove(parser->scope.words + 1, parser->scope.words,
	        parser->scope.nwords * sizeof(*parser->scope.words));
	parser->scope.nwords++;
	parser->scope.words[parser->scope.nwords] = NULL;
}

static int run_value(struct dit_conf_parser *parser,
                     const struct dit_directive *directive, const char *raw)
{
	char name[64];
	char *text = dit_conf_begin_line(parser, raw);
	int r = 0;

	if (text == NULL) {
		return -ENOMEM;
	}
	(void)snprintf(name, sizeof(name), "%s", directive->attribute);
	split_value(parser, text, directive->flags);
	parser->scope.words[0] = name;
	r = dit_conf_run_directive(parser, directive);
	dit_conf_end_line(parser);
	return r;
}

static int run_ordered(struct dit_conf_parser *parser,
                       const struct dit_directive *directive, const struct ordered *value,
                       uint32_t place)
{
	char where[96];
	char *raw = strndup(value->text.data, value->text.len);
	int r = -ENOMEM;

	if (raw != NULL) {
		(void)snprintf(where, sizeof(where), "%s: value #%u",
		               directive->attribute, place);
		parser->reporter->place.value = where;
		(void)dit_conf_forget(parser);
		r = run_value(parser, directive, raw);
		parser->reporter->place.value = NULL;
		explicit_bzero(raw, strlen(raw)); /* it may be a passphrase */
	}
	if (r == DIT_E_CONFIG && parser->reporter->message[0] == '\0') {
		(void)dit_conf_say(parser, DIT_SAY_LATER, "<%s> handler exited with 1",
		                   directive->attribute);
	}
	free(raw);
	return r;
}

/* Directives of other types of databases do not matter. */
static int run_attr(struct dit_conf_parser *parser, const struct dit_attr *attr)
{
	const struct dit_directive *directive =
		dit_conf_find_directive(parser, DIT_CONF_ATTRIBUTE, attr->ad->name.data);
	struct ordered *values = NULL;
	int r = 0;

	if (directive == NULL) {
		return 0;
	}
	values = order_values(attr);
	if (values == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; r == 0 && i < attr->nvalues; i++) {
		r = run_ordered(parser, directive, &values[i], i);
	}
	free(values);
	return r;
}

/* ---- attributes in their order ---- */

struct running {
	struct dit_conf_parser *parser;
	const struct dit_entry *entry;
	bool *is_done; /* for each attribute */
};

static int run_once(struct running *running, uint32_t i)
{
	if (running->is_done[i]) {
		return 0;
	}
	running->is_done[i] = true;
	return run_attr(running->parser, &running->entry->attrs[i]);
}

static int run_types(struct running *running, const struct dit_attr_type **types)
{
	int r = 0;

	for (; *types != NULL; types++) {
		for (uint32_t i = 0; i < running->entry->nattrs && r == 0; i++) {
			if (running->entry->attrs[i].ad == &(*types)->ad) {
				r = run_once(running, i);
			}
		}
	}
	return r;
}

static int run_lists(struct running *running, const struct dit_class *oc)
{
	int r = run_types(running, oc->must);

	return r < 0 ? r : run_types(running, oc->may);
}

/* The lists of a class have what it inherits as well. */
static int run_class(struct running *running, const struct dit_class *oc)
{
	int r = 0;

	for (const struct dit_class **sup = oc->sups; *sup != NULL && r == 0; sup++) {
		r = run_lists(running, *sup);
	}
	return r ?: run_lists(running, oc);
}

/* The classes that the entry names, then the class of its kind. */
static int run_classes(struct running *running)
{
	const struct dit_entry *entry = running->entry;
	const struct dit_schema *schema = running->parser->settings->schema;
	const struct dit_attr *classes = dit_conf_find_attr(entry, "objectClass");
	const struct dit_conf_kind *kind = dit_conf_kind_of(schema, entry);
	bool is_database = kind->kind == DIT_CONF_ENTRY_DATABASE; /* or the front end */
	const struct dit_class *own = dit_schema_find_class(
		schema, dit_span_of(is_database ? "olcDatabaseConfig" : kind->class));
	int r = 0;

	for (uint32_t i = 0; classes != NULL && i < classes->nvalues && r == 0; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(schema, classes->values[i]);

		r = oc == NULL ? 0 : run_class(running, oc);
	}
	return r < 0 || own == NULL ? r : run_class(running, own);
}

static int run_all(struct running *running)
{
	int r = check_orders(running->parser, running->entry);

	r = r ?: run_classes(running);
	for (uint32_t i = 0; r == 0 && i < running->entry->nattrs; i++) {
		r = run_once(running, i);
	}
	return r;
}

int dit_conf_run_entry(struct dit_conf_parser *parser, const struct dit_entry *entry)
{
	struct running running = {
		.parser = parser,
		.entry = entry,
		.is_done = calloc(entry->nattrs + 1, sizeof(*running.is_done)),
	};
	int r = -ENOMEM;

	if (running.is_done != NULL) {
		(void)dit_conf_forget(parser);
		r = run_all(&running);
	}
	free(running.is_done);
	return r;
}
