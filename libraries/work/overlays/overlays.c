/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries are taken: their names, members and values go into the tables. Then the tables
 * say what is asked of an entry. Both go through members and unique values in one way.
 */
#include "overlays/overlays_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "filter/filter_match.h"

struct walk {
	struct dit_overlays *overlays;
	struct overlay_producer *producer;
	const struct dit_entry_view *entry;
	bool is_asking; /* or the entry is taken */
	bool is_kept;   /* its DN */
};

/* ---- which attributes ---- */

typedef bool (*is_meant_fn)(const void *rule, const struct dit_ad *ad);

static bool is_of_type(const void *type, const struct dit_ad *ad)
{
	return ad->type == type;
}

static bool is_ad(const void *wanted, const struct dit_ad *ad)
{
	return ad == wanted;
}

/* Is the description the rule's `member`, or derived from it? */
static bool is_member(const void *memberof_rule, const struct dit_ad *ad)
{
	const struct dit_memberof_rule *rule = memberof_rule;

	return dit_ad_is_below(ad, rule->member);
}

/* Does a rule of unique name the description? Operational ones never matter, and no value
 * is found that has no rule for equality. */
static bool is_unique(const struct dit_unique_rule *rule, const struct dit_ad *ad)
{
	size_t i = 0;

	if (ad->type->usage != DIT_USAGE_USER || ad->type->equality == NULL) {
		return false;
	}
	while (i < rule->nads && rule->ads[i] != ad) {
		i++;
	}
	return rule->nads == 0 || (i < rule->nads) != rule->is_ignored;
}

/* A filter without options finds values that have some. */
static bool is_unique_somehow(const void *rule, const struct dit_ad *ad)
{
	return is_unique(rule, ad) || is_unique(rule, &ad->type->ad);
}

bool dit_overlays_want(const struct dit_overlay_rules *rules, const struct dit_ad *ad)
{
	bool is_wanted = ad->type == rules->object_class;

	for (size_t i = 0; i < rules->nmemberof && !is_wanted; i++) {
		is_wanted = ad == rules->memberof[i].memberof ||
		            is_member(&rules->memberof[i], ad);
	}
	for (size_t i = 0; i < rules->nrefint && !is_wanted; i++) {
		is_wanted = ad == rules->refint[i].ad;
	}
	for (size_t i = 0; i < rules->nunique && !is_wanted; i++) {
		is_wanted = rules->unique[i].match.filter != NULL ||
		            is_unique_somehow(&rules->unique[i], ad);
	}
	return is_wanted;
}

/* ---- values ---- */

/* A value of an entry. Zero: the first one is next. */
struct value {
	const struct dit_attr_view *attr;
	struct dit_span key;
	uint32_t block; /* its place, as in dit_overlay_item */
	uint32_t number;
	uint32_t next; /* number of the value after it */
};

/* The next value of the attributes that a rule means. */
static inline bool next_value(const struct dit_entry_view *entry, is_meant_fn is_meant,
                              const void *rule, struct value *at)
{
	while (at->block < entry->nattrs) {
		at->attr = &entry->attrs[at->block];
		if (at->next < at->attr->nvalues && at->attr->ad != NULL &&
		    (at->next > 0 || is_meant(rule, at->attr->ad))) {
			at->number = at->next++;
			at->key = (at->attr->normal ?: at->attr->values)[at->number];
			return true;
		}
		at->block++;
		at->next = 0;
	}
	return false;
}

static bool is_group(const struct dit_overlay_rules *rules,
                     const struct dit_entry_view *entry, const struct dit_class *group)
{
	struct value at = {.next = 0};

	while (next_value(entry, is_of_type, rules->object_class, &at)) {
		const struct dit_class *oc =
			dit_schema_find_class(rules->schema, at.attr->values[at.number]);

		if (oc != NULL && dit_class_is_a(oc, group)) {
			return true;
		}
	}
	return false;
}

static struct dit_sum128 digest_of(const struct walk *walk, struct dit_span text)
{
	return dit_sum128_of(text, walk->overlays->seed);
}

static int push(const struct walk *walk, enum overlay_table_kind kind,
                struct dit_sum128 digest, uint32_t what)
{
	return dit_overlay_push(&walk->producer->tables[kind], digest.high,
	                        walk->entry->id << 24 | (digest.low & 0xffff) << 8 |
	                                what);
}

/* @param at  NULL: the item names no value */
static int ask(const struct walk *walk, struct dit_overlay_item item,
               const struct value *at)
{
	struct overlay_producer *producer = walk->producer;

	item.block = at == NULL ? 0 : at->block;
	item.number = at == NULL ? 0 : at->number;
	return DIT_APPEND(producer->items, producer->items_size, producer->nitems, item);
}

static int keep_name(struct walk *walk)
{
	struct overlay_producer *producer = walk->producer;
	const struct dit_entry_view *entry = walk->entry;
	struct dit_dn_text *kept = NULL;

	if (walk->is_kept) {
		return 0;
	}
	walk->is_kept = true;
	kept = dit_arena_calloc(&producer->kept, 1, sizeof(*kept));
	if (kept == NULL) {
		return -ENOMEM;
	}
	kept->pretty = dit_arena_copy(&producer->kept, entry->dn);
	kept->norm = dit_span_eq(entry->dn, entry->norm_dn)
	                     ? kept->pretty
	                     : dit_arena_copy(&producer->kept, entry->norm_dn);
	return kept->pretty.data == NULL || kept->norm.data == NULL
	               ? -ENOMEM
	               : dit_overlay_push(&producer->tables[KEPT],
	                                  dit_overlay_kept_key(entry->id),
	                                  (uintptr_t)kept);
}

/* ---- members ---- */

static int walk_members(struct walk *walk, uint32_t number)
{
	const struct dit_overlay_rules *rules = walk->overlays->opts.rules;
	const struct dit_memberof_rule *rule = &rules->memberof[number];
	const struct dit_overlay_item item = {.kind = DIT_OVERLAY_DANGLING,
	                                      .rule = number};
	struct value at = {.next = 0};
	bool is_no_group = false;
	int r = 0;

	if ((walk->is_asking && rule->dangling == DIT_DANGLING_IGNORE) ||
	    !next_value(walk->entry, is_member, rule, &at)) {
		return 0;
	}
	is_no_group = !is_group(rules, walk->entry, rule->group);
	if (is_no_group && (walk->is_asking || !rule->has_addcheck)) {
		return 0;
	}
	do {
		struct dit_sum128 digest = digest_of(walk, at.key);

		if (!walk->is_asking) {
			r = push(walk, MEMBERS, digest,
			         number << RULE_SHIFT | is_no_group * FLAG_NO_GROUP);
		} else if (dit_overlay_is_dangling(walk->overlays, walk->entry->id,
		                                   digest)) {
			r = ask(walk, item, &at);
		}
	} while (r == 0 && next_value(walk->entry, is_member, rule, &at));
	return r < 0 || walk->is_asking ? r : keep_name(walk);
}

/* ---- unique values ---- */

/* slapd looks for the values of an entry below the base of the rule, in whatever depth,
 * among those of entries in the scope. */
static int matches(const struct dit_unique_rule *rule, bool with_scope,
                   const struct walk *walk)
{
	struct dit_entry_match match = rule->match;

	if (!with_scope) {
		match.scope = DIT_SCOPE_SUBTREE;
	}
	return dit_entry_matches(&match, walk->entry, &walk->producer->scratch);
}

/* @param flags  of the pair, if the value is taken */
static int walk_value(struct walk *walk, uint32_t rule, const struct dit_ad *ad,
                      uint32_t flags, const struct value *at)
{
	const uint64_t about[] = {rule, ad->ordinal};
	struct dit_span bytes = {(const char *)about, sizeof(about)};
	struct dit_sum128 digest =
		dit_sum128_of(at->key, dit_sum128_seed(bytes, walk->overlays->seed));
	struct dit_overlay_item item = {.kind = DIT_OVERLAY_TWICE, .rule = rule};

	if (!walk->is_asking) {
		int r = keep_name(walk);

		return r ?: push(walk, VALUES, digest, flags);
	}
	item.other = dit_overlay_first(walk->overlays, VALUES, digest);
	if (item.other == 0 || item.other >= walk->entry->id) {
		return 0;
	}
	item.name = dit_overlay_kept_find(walk->overlays, item.other);
	return ask(walk, item, at);
}

static int walk_values(struct walk *walk, uint32_t number)
{
	const struct dit_unique_rule *rule = &walk->overlays->opts.rules->unique[number];
	struct value at = {.next = 0};
	int is_below = matches(rule, false, walk);
	int is_found = is_below <= 0 || walk->is_asking ? 0 : matches(rule, true, walk);
	uint32_t found = is_found > 0 ? FLAG_FOUND : 0;
	int r = is_below < 0 ? is_below : is_found < 0 ? is_found : 0;

	while (is_below > 0 && r == 0 &&
	       next_value(walk->entry, is_unique_somehow, rule, &at)) {
		const struct dit_ad *ad = at.attr->ad;

		if (is_unique(rule, ad)) {
			r = walk_value(walk, number, ad, FLAG_SEEKS | found, &at);
		}
		if (r == 0 && found != 0 && ad != &ad->type->ad &&
		    is_unique(rule, &ad->type->ad)) {
			r = walk_value(walk, number, &ad->type->ad, found, &at);
		}
	}
	return r;
}

/* ---- entries are taken ---- */

int dit_overlays_show(struct dit_overlays *overlays, unsigned producer,
                      const struct dit_entry *entry, uint64_t id,
                      struct dit_entry_view *ret)
{
	struct dit_arena *arena = &overlays->producers[producer].scratch;
	struct dit_attr_view *attrs = NULL;

	dit_arena_reset(arena);
	attrs = dit_arena_alloc(arena, (entry->nattrs + 1) * sizeof(*attrs));
	if (attrs == NULL) {
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr *from = &entry->attrs[i];

		attrs[i] = (struct dit_attr_view){.ad = from->ad,
		                                  .name = from->ad->name,
		                                  .is_sorted = from->is_sorted,
		                                  .nvalues = from->nvalues,
		                                  .values = from->values,
		                                  .normal = from->normal};
	}
	*ret = (struct dit_entry_view){.id = id,
	                               .dn = entry->dn.pretty,
	                               .norm_dn = entry->dn.norm,
	                               .attrs = attrs,
	                               .nattrs = entry->nattrs};
	return 0;
}

static bool is_readable(const struct dit_entry_view *entry)
{
	return !entry->is_hole && entry->name_error == 0 && entry->record_error == 0;
}

int dit_overlays_take(struct dit_overlays *overlays, unsigned producer,
                      const struct dit_entry_view *entry)
{
	const struct dit_overlay_rules *rules = overlays->opts.rules;
	struct walk walk = {.overlays = overlays,
	                    .producer = &overlays->producers[producer],
	                    .entry = entry};
	int r = 0;

	if (!is_readable(entry)) {
		return 0;
	}
	r = entry->id > ID_MAX ? DIT_E_TOOLONG
	                       : push(&walk, NAMES, digest_of(&walk, entry->norm_dn),
	                              FLAG_SEEKS | FLAG_FOUND);
	for (uint32_t i = 0; i < rules->nmemberof && r == 0; i++) {
		r = walk_members(&walk, i);
	}
	for (uint32_t i = 0; i < rules->nunique && r == 0; i++) {
		r = walk_values(&walk, i);
	}
	return r;
}

/* ---- what else is asked of an entry ---- */

/* A value of nameUID syntax may have a bit string after its DN: #'0101'B */
static struct dit_span dn_of(const struct value *at)
{
	struct dit_span dn = at->key;
	const char *bits = strcmp(at->attr->ad->type->syntax->oid, SYNTAX_NAME_UID) != 0
	                           ? NULL
	                           : memrchr(dn.data, '#', dn.len);

	if (bits != NULL && dn.data[dn.len - 1] == 'B') {
		dn.len = (size_t)(bits - dn.data);
	}
	return dn;
}

static int ask_references(const struct walk *walk, uint32_t number)
{
	const struct dit_refint_rule *rule = &walk->overlays->opts.rules->refint[number];
	const struct dit_overlay_item item = {.kind = DIT_OVERLAY_REFERENCE,
	                                      .rule = number};
	struct value at = {.next = 0};
	int r = 0;

	while (r == 0 && next_value(walk->entry, is_ad, rule->ad, &at)) {
		struct dit_span dn = dn_of(&at);
		bool is_nothing =
			rule->nothing.data != NULL && dit_span_eq(dn, rule->nothing);

		if (!is_nothing &&
		    dit_overlay_first(walk->overlays, NAMES, digest_of(walk, dn)) == 0) {
			r = ask(walk, item, &at);
		}
	}
	return r;
}

/* Each group once, though several rules or descriptions may name it. Pairs come in the
 * order of groups, then of rules. @param first  number of the first such item */
static int ask_group_once(const struct walk *walk, size_t first,
                          const struct dit_overlay_item *item)
{
	struct dit_overlay_item *items = walk->producer->items;
	size_t at = walk->producer->nitems;

	while (at > first && items[at - 1].other == item->other &&
	       items[at - 1].first != item->first) {
		at--;
	}
	if (at == first || items[at - 1].other != item->other) {
		return ask(walk, *item, NULL);
	}
	if (items[at - 1].kind == DIT_OVERLAY_ALLOWED) {
		items[at - 1] = *item;
	}
	return 0;
}

/* A group that names the entry as its member. */
static int ask_group(const struct walk *walk, size_t first, const struct dit_pair *pair)
{
	const struct dit_overlays *overlays = walk->overlays;
	uint32_t number = dit_overlay_rule(pair);
	const struct dit_memberof_rule *rule = &overlays->opts.rules->memberof[number];
	bool is_no_group = (pair->value & FLAG_NO_GROUP) != 0;
	struct dit_overlay_item item = {.kind = DIT_OVERLAY_MISSING,
	                                .other = dit_overlay_id(pair),
	                                .rule = number,
	                                .first = rule->first};
	uint64_t id = walk->entry->id;

	if (item.other == id || dit_overlay_is_refused(overlays, item.other)) {
		return 0;
	}
	dit_overlay_kept_prefetch(overlays, item.other);
	item.is_early = overlays->opts.in_order && item.other < id;
	/* slapd has made such a membership if the entry came later: both are right. */
	if (!item.is_early && is_no_group) {
		item.kind = DIT_OVERLAY_ALLOWED;
		return overlays->opts.in_order ? 0 : ask_group_once(walk, first, &item);
	}
	if (item.is_early && !rule->has_addcheck) {
		walk->producer->nlate += !is_no_group;
		return 0;
	}
	/* A value that was dropped is not found later. */
	return item.is_early && rule->dangling != DIT_DANGLING_IGNORE && !is_no_group
	               ? 0
	               : ask_group_once(walk, first, &item);
}

/* A stored value of memberOf: one of the groups, for the first time, or too much. */
static int ask_membership(const struct walk *walk, size_t first, size_t end,
                          uint32_t rule, const struct value *at)
{
	struct dit_overlay_item *items = walk->producer->items;
	struct dit_overlay_item item = {
		.kind = DIT_OVERLAY_SURPLUS, .rule = rule, .first = rule};
	size_t i = 0;

	item.other = dit_overlay_first(walk->overlays, NAMES, digest_of(walk, at->key));
	i = first + dit_first_id(items + first, end - first, sizeof(item), item.other);
	while (i < end && items[i].other == item.other && items[i].first != rule) {
		i++;
	}
	if (i == end || items[i].other != item.other ||
	    items[i].kind == DIT_OVERLAY_MEMBER) {
		return ask(walk, item, at);
	}
	items[i].kind = DIT_OVERLAY_MEMBER;
	items[i].block = at->block;
	items[i].number = at->number;
	return 0;
}

/* Only once they all are known: each look-up waits for memory. */
static void find_names(const struct walk *walk, size_t first, size_t end)
{
	bool in_order = walk->overlays->opts.in_order;

	for (size_t i = first; i < end; i++) {
		struct dit_overlay_item *item = &walk->producer->items[i];

		if (item->kind == DIT_OVERLAY_MISSING ||
		    (in_order && item->kind == DIT_OVERLAY_MEMBER)) {
			item->name = dit_overlay_kept_find(walk->overlays, item->other);
			__builtin_prefetch(item->name);
			__builtin_prefetch((const char *)item->name + 64);
		}
	}
}

static int ask_memberships(const struct walk *walk)
{
	const struct dit_overlay_rules *rules = walk->overlays->opts.rules;
	const struct overlay_table *table = &walk->overlays->tables[MEMBERS];
	struct dit_sum128 digest = digest_of(walk, walk->entry->norm_dn);
	const struct dit_pair *pair = dit_overlay_next(table, digest, NULL);
	size_t first = walk->producer->nitems;
	size_t end = 0;
	int r = 0;

	for (; pair != NULL && r == 0; pair = dit_overlay_next(table, digest, pair)) {
		r = ask_group(walk, first, pair);
	}
	end = walk->producer->nitems;
	for (uint32_t i = 0; i < rules->nmemberof && r == 0; i++) {
		struct value at = {.next = 0};

		while (rules->memberof[i].first == i && r == 0 &&
		       next_value(walk->entry, is_ad, rules->memberof[i].memberof, &at)) {
			r = ask_membership(walk, first, end, i, &at);
		}
	}
	find_names(walk, first, end);
	return r;
}

/* ---- lists ---- */

/* slapd passes over what is no LDAP URL, over URLs of other servers, and over those whose
 * parts it cannot read. @return 0: it takes this one; -ENOMEM; another error */
static int check_url(const struct walk *walk, const struct dit_dynlist_rule *rule,
                     struct dit_span text)
{
	static const struct dit_job silent;
	const char *copy = dit_arena_copy(&walk->producer->scratch, text).data;
	struct dit_entry_match_opts opts = {.base = NULL};
	struct dit_entry_match match = {.has_base = false};
	LDAPURLDesc *url = NULL;
	int r = copy == NULL ? -ENOMEM : dit_overlay_url_read(copy, &opts, &url);

	if (r == 0 &&
	    (url->lud_host != NULL || (rule->lists_members && url->lud_attrs != NULL))) {
		r = DIT_E_INVALID;
	}
	r = r ?: dit_entry_match_make(&match, &silent, rule->match.schema, &opts);
	dit_arena_deinit(&match.arena);
	ldap_free_urldesc(url);
	return r;
}

static int ask_lists(const struct walk *walk, uint32_t number)
{
	const struct dit_overlay_rules *rules = walk->overlays->opts.rules;
	const struct dit_dynlist_rule *rule = &rules->dynlist[number];
	struct dit_overlay_item item = {.kind = DIT_OVERLAY_LIST, .rule = number};
	struct dit_arena *arena = &walk->producer->scratch;
	struct dit_arena_mark mark = dit_arena_mark(arena);
	struct value at = {.next = 0};
	int r = !is_group(rules, walk->entry, rule->group)
	                ? 0
	                : dit_entry_matches(&rule->match, walk->entry, arena);

	if (r <= 0) {
		return r;
	}
	r = ask(walk, item, NULL);
	while (r == 0 && next_value(walk->entry, is_ad, rule->url, &at)) {
		r = check_url(walk, rule, at.key);
		item.kind = r == 0 ? DIT_OVERLAY_URL : DIT_OVERLAY_NO_URL;
		r = r == -ENOMEM ? r : ask(walk, item, &at);
	}
	dit_arena_rewind(arena, mark);
	return r;
}

int dit_overlays_ask(struct dit_overlays *overlays, unsigned producer,
                     const struct dit_entry_view *entry, struct dit_overlay_asked *ret)
{
	const struct dit_overlay_rules *rules = overlays->opts.rules;
	struct walk walk = {.overlays = overlays,
	                    .producer = &overlays->producers[producer],
	                    .entry = entry,
	                    .is_asking = true};
	int r = 0;

	*ret = (struct dit_overlay_asked){.n = 0};
	walk.producer->nitems = 0;
	if (!is_readable(entry)) {
		return 0;
	}
	for (uint32_t i = 0; i < rules->nmemberof && r == 0; i++) {
		r = walk_members(&walk, i);
	}
	for (uint32_t i = 0; i < rules->nrefint && r == 0; i++) {
		r = ask_references(&walk, i);
	}
	if (r == 0 && rules->nmemberof > 0 &&
	    !dit_overlay_is_refused(overlays, entry->id)) {
		r = ask_memberships(&walk);
	}
	for (uint32_t i = 0; i < rules->nunique && r == 0; i++) {
		r = walk_values(&walk, i);
	}
	for (uint32_t i = 0; i < rules->ndynlist && r == 0; i++) {
		r = ask_lists(&walk, i);
	}
	ret->items = walk.producer->items;
	ret->n = walk.producer->nitems;
	return r;
}

/* Each look-up waits for memory twice; here all wait at once. */
void dit_overlays_expect(const struct dit_overlays *overlays, const struct dit_span *dns,
                         size_t n)
{
	const struct overlay_table *table = &overlays->tables[MEMBERS];
	const uint32_t *starts[DIT_OVERLAYS_EXPECTED];

	n = table->n == 0 ? 0 : n;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = dit_sum128_of(dns[i], overlays->seed).high;

		starts[i] = &table->starts[key >> table->shift];
		__builtin_prefetch(starts[i]);
	}
	for (size_t i = 0; i < n; i++) {
		__builtin_prefetch(&table->list[*starts[i]]);
	}
}

uint64_t dit_overlays_nlate(const struct dit_overlays *overlays)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < overlays->opts.nproducers; i++) {
		n += overlays->producers[i].nlate;
	}
	return n;
}
