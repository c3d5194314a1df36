/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Attribute descriptions: "cn", "2.5.4.3", "CN;lang-EN;lang-de" (values.md 3.6).
 *
 * A description without options is part of its type. One with options is made canonical
 *
 *     CommonName;lang-EN;lang-de;lang-en   ->   cn;lang-de;lang-en
 *
 * and looked up in the schema's table by that name, which the lock guards; the first who
 * asks makes it.
 *
 * Loading looks up one description per line of LDIF, nearly always in a spelling that it
 * has met before. So each thread remembers spellings: one hash, one comparison, no lock.
 * Names that want the same slot replace each other, which costs a look-up. Most entries
 * have their attributes in the order of the entry before. So each spelling remembers
 * which one came next, and then there is no hash either. Without the cache a load takes
 * 5 % more instructions.
 */
#include "schema/schema.h"

#include <assert.h>
#include <errno.h>

#include <xxhash.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/pattern.h"
#include "schema/schema_private.h"

/* slapd's limits; duplicates count against both. */
#define OPTIONS_MAX       128
#define OPTIONS_BYTES_MAX 1024 /* each with its ';' */

/* A description taken apart. */
struct parsed_desc {
	const struct dit_attr_type *type;
	struct dit_span options[OPTIONS_MAX + 1]; /* sorted, each once; also "binary" */
	size_t noptions;
	bool is_binary;
};

static const struct dit_span binary = {"binary", 6};

/* Order of options: bytewise, without case. */
static int compare_nocase(struct dit_span a, struct dit_span b)
{
	int diff = dit_ascii_strncasecmp(a.data, b.data, a.len < b.len ? a.len : b.len);

	return diff != 0 ? diff : (a.len > b.len) - (a.len < b.len);
}

static bool is_prefix_option(struct dit_span option)
{
	return option.data[option.len - 1] == '-' || option.data[option.len - 1] == '=';
}

static bool starts_with(struct dit_span text, struct dit_span prefix)
{
	return text.len >= prefix.len &&
	       dit_ascii_strncasecmp(text.data, prefix.data, prefix.len) == 0;
}

static bool is_registered(const struct dit_schema *schema, struct dit_span option)
{
	for (const struct dit_word *o = schema->options; o != NULL; o = o->next) {
		if (dit_span_eq_nocase(o->text, option) ||
		    (is_prefix_option(o->text) && starts_with(option, o->text))) {
			return true;
		}
	}
	return false;
}

void dit_schema_clear_options(struct dit_schema *schema)
{
	assert(!schema->is_frozen);
	schema->options = NULL;
	schema->has_default_options = false;
}

int dit_schema_define_option(struct dit_schema *schema, const char *option,
                             struct dit_schema_error *error)
{
	struct dit_span name = dit_span_of(option);
	int r = 0;

	assert(!schema->is_frozen);
	if (schema->has_default_options) {
		dit_schema_clear_options(schema);
	}
	if (name.len == 0 || !dit_pattern_is(name, DIT_NAME "*=?")) {
		dit_schema_say(error, "illegal option name \"%s\"", option);
		return DIT_E_INVALID;
	}
	if (dit_span_eq_nocase(name, binary) || is_registered(schema, name)) {
		dit_schema_say(error, "option \"%s\" is already defined", option);
		return DIT_E_DUPLICATE;
	}
	for (const struct dit_word *o = schema->options; o != NULL; o = o->next) {
		if (is_prefix_option(name) && starts_with(o->text, name)) {
			dit_schema_say(error, "option \"%s\" overrides previous option",
			               option);
			return DIT_E_DUPLICATE;
		}
	}

	r = dit_words_add(&schema->options, name, &schema->arena);
	schema->has_equals_option |= r == 0 && option[name.len - 1] == '=';
	return r;
}

/* NULL, or the reason why the bytes cannot be a description. */
static const char *check_bytes(const struct dit_schema *schema, struct dit_span name)
{
	const char *pattern = schema == NULL || schema->has_equals_option
	                              ? "[0-9A-Za-z][-.;=0-9A-Za-z]*"
	                              : "[0-9A-Za-z][-.;0-9A-Za-z]*";

	if (name.len == 0) {
		return "empty AttributeDescription";
	}
	return dit_pattern_is(name, pattern)
	               ? NULL
	               : "AttributeDescription contains inappropriate characters";
}

bool dit_ad_is_spelled(const struct dit_schema *schema, struct dit_span name)
{
	return check_bytes(schema, name) == NULL;
}

/* Insertion sort from the end: options mostly come sorted. */
static void insert_option(struct parsed_desc *desc, struct dit_span option)
{
	size_t i = desc->noptions;

	while (i > 0 && compare_nocase(desc->options[i - 1], option) > 0) {
		i--;
	}
	if (i > 0 && compare_nocase(desc->options[i - 1], option) == 0) {
		return;
	}
	memmove(&desc->options[i + 1], &desc->options[i],
	        (desc->noptions - i) * sizeof(desc->options[0]));
	desc->options[i] = option;
	desc->noptions++;
}

static const char *parse_option(const struct dit_schema *schema, struct dit_span option,
                                struct parsed_desc *desc)
{
	if (option.len == 0) {
		return "zero length option is invalid";
	}
	if (dit_span_eq_nocase(option, binary)) {
		if (desc->is_binary) {
			return "option \"binary\" specified multiple times";
		}
		if ((desc->type->syntax->flags & DIT_SYNTAX_BINARY) == 0) {
			return "option \"binary\" not supported with type";
		}
		desc->is_binary = true;
		insert_option(desc, option);
		return NULL;
	}
	if (!is_registered(schema, option)) {
		return "unrecognized option";
	}
	if (desc->noptions - desc->is_binary >= OPTIONS_MAX) {
		return "too many tagging options";
	}
	insert_option(desc, option);
	return NULL;
}

/* @param list  what follows the type and its ';' */
static const char *parse_options(const struct dit_schema *schema, struct dit_span list,
                                 struct parsed_desc *desc)
{
	size_t nbytes = 0;
	bool has_more = true;

	if (dit_type_is_operational(desc->type)) {
		return "operational attribute with options undefined";
	}
	while (has_more) {
		struct dit_span option = {0};
		const char *reason = NULL;

		has_more = dit_cut_until(&list, ';', &option);
		reason = parse_option(schema, option, desc);
		if (reason != NULL) {
			return reason;
		}
		nbytes += dit_span_eq_nocase(option, binary) ? 0 : option.len + 1;
	}
	return nbytes > OPTIONS_BYTES_MAX ? "tagging options too long" : NULL;
}

static const char *parse_desc(const struct dit_schema *schema, struct dit_span name,
                              struct parsed_desc *desc)
{
	const char *reason = check_bytes(schema, name);
	struct dit_span type = {0};
	bool has_options = false;

	if (reason != NULL) {
		return reason;
	}
	has_options = dit_cut_until(&name, ';', &type);
	desc->type = dit_schema_find_type(schema, type);
	desc->noptions = 0;
	desc->is_binary = false;
	if (desc->type == NULL) {
		return "attribute type undefined";
	}
	return has_options ? parse_options(schema, name, desc) : NULL;
}

/* Write the canonical options, ";a;b". */
static void put_options(struct dit_text *text, const struct parsed_desc *desc,
                        bool with_binary)
{
	for (size_t i = 0; i < desc->noptions; i++) {
		struct dit_span option = desc->options[i];

		if (!with_binary && dit_span_eq_nocase(option, binary)) {
			continue;
		}
		dit_text_char(text, ';');
		for (size_t k = 0; k < option.len; k++) {
			dit_text_char(text, dit_ascii_lower(option.data[k]));
		}
	}
	dit_text_char(text, '\0');
}

/*
 * Make the description and give it the next ordinal. Called with the lock held.
 *
 * @param name  the canonical name, in the arena, with a NUL after it
 */
static int make_ad(struct dit_schema *schema, const struct parsed_desc *desc,
                   struct dit_span name, const struct dit_ad **ret)
{
	struct dit_ad *ad = dit_arena_calloc(&schema->ads_arena, 1, sizeof(*ad));
	struct dit_text options = {.arena = &schema->ads_arena};

	put_options(&options, desc, false);
	if (ad == NULL || options.failed || dit_name_table_reserve(&schema->ads, 1) < 0) {
		return -ENOMEM;
	}
	ad->type = desc->type;
	ad->is_binary = desc->is_binary;
	ad->name = name;
	if (options.n > 1) {
		ad->options = (struct dit_span){options.at + 1, options.n - 2};
	}
	dit_name_table_put(&schema->ads, name, ad);
	ad->name_sum = dit_sum128_seed(name, 0);
	ad->ordinal = schema->nads++;
	*ret = ad;
	return 0;
}

/* With the lock held. The name is put where it stays if the description is new. */
static int find_locked(struct dit_schema *schema, const struct parsed_desc *desc,
                       const struct dit_ad **ret)
{
	struct dit_arena_mark mark = dit_arena_mark(&schema->ads_arena);
	struct dit_text text = {.arena = &schema->ads_arena};
	struct dit_span name = {0};
	const struct dit_ad *known = NULL;
	bool is_known = false;
	int r = 0;

	dit_text_span(&text, desc->type->ad.name);
	put_options(&text, desc, true);
	if (text.failed) {
		return -ENOMEM;
	}
	name = (struct dit_span){text.at, text.n - 1};
	known = dit_name_table_find(&schema->ads, name);
	is_known = known != NULL;
	r = is_known ? 0 : make_ad(schema, desc, name, &known);
	if (is_known || r < 0) {
		dit_arena_rewind(&schema->ads_arena, mark);
	}
	if (r == 0) {
		*ret = known;
	}
	return r;
}

static int resolve(struct dit_schema *schema, struct dit_span name,
                   const struct dit_ad **ret, const char **ret_reason)
{
	struct parsed_desc desc; /* 2 KiB; parse_desc() sets what is read */
	const char *reason = parse_desc(schema, name, &desc);
	int r = 0;

	if (reason != NULL) {
		if (ret_reason != NULL) {
			*ret_reason = reason;
		}
		return DIT_E_UNKNOWN;
	}
	if (desc.noptions == 0) {
		*ret = &desc.type->ad;
		return 0;
	}
	(void)pthread_mutex_lock(&schema->lock);
	r = find_locked(schema, &desc, ret);
	(void)pthread_mutex_unlock(&schema->lock);
	return r;
}

/* Failures are not kept: they end an entry or the load. */
int dit_ad_find_hashed(struct dit_schema *schema, struct dit_ad_cache *cache,
                       struct dit_span name, const struct dit_ad **ret,
                       const char **ret_reason)
{
	struct dit_ad_cache_slot *slot = NULL;
	int r = 0;

	if (cache == NULL || name.len == 0 || name.len > DIT_AD_CACHE_BYTES) {
		return resolve(schema, name, ret, ret_reason);
	}
	slot = &cache->slots[XXH3_64bits(name.data, name.len) & (DIT_AD_CACHE_SLOTS - 1)];
	if (slot->ad != NULL && dit_ad_slot_is(slot, name)) {
		*ret = slot->ad;
	} else {
		r = resolve(schema, name, ret, ret_reason);
	}
	if (r == 0) {
		slot->ad = *ret;
		slot->len = (unsigned char)name.len;
		memcpy(slot->name, name.data, name.len);
		if (cache->last != NULL) {
			cache->last->next = slot;
		}
		cache->last = slot;
	}
	return r;
}

/* slapd takes these from nobody, not even with the relax control. */
static bool is_of_slapd(const struct dit_ad *ad)
{
	static const char *const names[] = {"structuralObjectClass", "entryCSN",
	                                    "contextCSN", NULL};

	return dit_ascii_is_one_of(ad->name, names);
}

bool dit_ad_is_content(const struct dit_ad *ad, bool operational)
{
	return ad->type->usage == DIT_USAGE_USER || (operational && !is_of_slapd(ad)) ||
	       (ad->type->flags & (DIT_TYPE_REFERRAL_ONLY | DIT_TYPE_SUBENTRY_ONLY |
	                           DIT_TYPE_ADMIN_ROLE)) != 0;
}
