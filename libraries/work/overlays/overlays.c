/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Entries are taken: their names, members and values go into the tables. Then the tables
 * say what is asked of an entry.
 */
#include "overlays/overlays_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/slab.h"

/* ---- which attributes ---- */

bool dit_overlays_is_member(const struct dit_memberof_rule *rule, const struct dit_ad *ad)
{
	return ad == rule->member || (rule->member->options.len == 0 &&
	                              dit_type_is_a(ad->type, rule->member->type));
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

bool dit_overlays_want(const struct dit_overlay_rules *rules, const struct dit_ad *ad)
{
	bool is_wanted = strcmp(ad->type->name, "objectClass") == 0;

	for (size_t i = 0; i < rules->nmemberof && !is_wanted; i++) {
		is_wanted = ad == rules->memberof[i].memberof ||
		            dit_overlays_is_member(&rules->memberof[i], ad);
	}
	for (size_t i = 0; i < rules->nrefint && !is_wanted; i++) {
		is_wanted = ad == rules->refint[i].ad;
	}
	for (size_t i = 0; i < rules->nunique && !is_wanted; i++) {
		is_wanted = rules->unique[i].match.filter != NULL ||
		            is_unique(&rules->unique[i], ad) ||
		            is_unique(&rules->unique[i], &ad->type->ad);
	}
	return is_wanted;
}

static struct dit_span key_of(const struct dit_attr_view *attr, uint32_t number)
{
	return (attr->normal != NULL ? attr->normal : attr->values)[number];
}

static bool is_group(const struct dit_overlay_rules *rules,
                     const struct dit_entry_view *entry, const struct dit_class *group)
{
	for (uint32_t i = 0; i < entry->nattrs; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == NULL ||
		    strcmp(attr->ad->type->name, "objectClass") != 0) {
			continue;
		}
		for (uint32_t k = 0; k < attr->nvalues; k++) {
			const struct dit_class *oc =
				dit_schema_find_class(rules->schema, attr->values[k]);

			if (oc != NULL && dit_class_is_a(oc, group)) {
				return true;
			}
		}
	}
	return false;
}

/* ---- entries are taken ---- */

struct taking {
	struct dit_overlays *overlays;
	struct overlay_producer *producer;
	const struct dit_entry_view *entry;
	bool is_named;
};

static struct dit_sum128 digest_of(const struct dit_overlays *overlays,
                                   struct dit_span text)
{
	return dit_sum128_of(text, overlays->seed);
}

/* Of a value of a rule of unique. */
static struct dit_sum128 value_digest(const struct dit_overlays *overlays, size_t rule,
                                      const struct dit_ad *ad, struct dit_span value)
{
	const uint64_t about[] = {rule, ad->ordinal};
	struct dit_span bytes = {(const char *)about, sizeof(about)};

	return dit_sum128_of(value, dit_sum128_seed(bytes, overlays->seed));
}

static int push(const struct taking *taking, enum overlay_table_kind kind,
                struct dit_sum128 digest, uint32_t what)
{
	struct overlay_pushed *pushed = &taking->producer->pushed[kind];
	size_t at = pushed->n % OVERLAY_CHUNK;

	if (at == 0) {
		struct dit_pair *chunk = dit_slab_get(OVERLAY_CHUNK * sizeof(*chunk));
		int r = chunk == NULL ? -ENOMEM
		                      : DIT_APPEND(pushed->chunks, pushed->chunks_size,
		                                   pushed->nchunks, chunk);

		if (r < 0) {
			dit_slab_put(chunk, OVERLAY_CHUNK * sizeof(*chunk));
			return r;
		}
	}
	pushed->chunks[pushed->nchunks - 1][at] = (struct dit_pair){
		.key = digest.high,
		.value = taking->entry->id << 24 | (digest.low & 0xffff) << 8 | what};
	pushed->n++;
	return 0;
}

/* Keep the DN. @param nvalues  of `member` that the group must have */
static int keep_name(struct taking *taking, uint32_t nvalues)
{
	struct overlay_producer *producer = taking->producer;
	struct overlay_named named = {.id = taking->entry->id, .nvalues = nvalues};

	if (taking->is_named) {
		producer->named[producer->nnamed - 1].nvalues += nvalues;
		return 0;
	}
	taking->is_named = true;
	named.dn.pretty = dit_arena_copy(&producer->names, taking->entry->dn);
	named.dn.norm = dit_arena_copy(&producer->names, taking->entry->norm_dn);
	return named.dn.pretty.data == NULL || named.dn.norm.data == NULL
	               ? -ENOMEM
	               : DIT_APPEND(producer->named, producer->named_size,
	                            producer->nnamed, named);
}

/* Is a group refused that has lost all its members? */
static bool must_have(const struct dit_memberof_rule *rule)
{
	const struct dit_attr_type **must = rule->group->must;

	while (*must != NULL && *must != rule->member->type) {
		must++;
	}
	return *must != NULL && rule->dangling == DIT_DANGLING_DROP;
}

static int take_members(struct taking *taking, uint32_t number)
{
	const struct dit_entry_view *entry = taking->entry;
	const struct dit_overlay_rules *rules = taking->overlays->opts.rules;
	const struct dit_memberof_rule *rule = &rules->memberof[number];
	uint32_t what = number;
	int r = 0;

	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == NULL || !dit_overlays_is_member(rule, attr->ad)) {
			continue;
		}
		if (!is_group(rules, entry, rule->group)) {
			what |= FLAG_NO_GROUP;
		}
		if ((what & FLAG_NO_GROUP) != 0 && !rule->has_addcheck) {
			return 0;
		}
		r = keep_name(taking, must_have(rule) ? attr->nvalues : 0);
		for (uint32_t k = 0; k < attr->nvalues && r == 0; k++) {
			r = push(taking, MEMBERS,
			         digest_of(taking->overlays, key_of(attr, k)), what);
		}
	}
	return r;
}

/* slapd looks for the values of an entry below the base of the rule, in whatever depth,
 * among those of entries in the scope. */
static int matches(const struct dit_unique_rule *rule, bool with_scope,
                   const struct dit_entry_view *entry, struct dit_arena *arena)
{
	struct dit_entry_match match = rule->match;

	if (!with_scope) {
		match.scope = DIT_SCOPE_SUBTREE;
	}
	return dit_entry_matches(&match, entry, arena);
}

static int push_values(struct taking *taking, size_t number, const struct dit_ad *ad,
                       const struct dit_attr_view *attr, uint32_t flags)
{
	int r = keep_name(taking, 0);

	for (uint32_t k = 0; k < attr->nvalues && r == 0; k++) {
		r = push(taking, VALUES,
		         value_digest(taking->overlays, number, ad, key_of(attr, k)),
		         flags);
	}
	return r;
}

static int take_values(struct taking *taking, size_t number)
{
	const struct dit_entry_view *entry = taking->entry;
	const struct dit_unique_rule *rule =
		&taking->overlays->opts.rules->unique[number];
	struct dit_arena *arena = &taking->producer->scratch;
	int is_below = matches(rule, false, entry, arena);
	int is_in_scope = is_below <= 0 ? is_below : matches(rule, true, entry, arena);
	uint32_t found = is_in_scope > 0 ? FLAG_FOUND : 0;
	int r = is_in_scope < 0 ? is_in_scope : 0;

	for (uint32_t i = 0; is_below > 0 && i < entry->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == NULL) {
			continue;
		}
		if (is_unique(rule, attr->ad)) {
			r = push_values(taking, number, attr->ad, attr,
			                FLAG_SEEKS | found);
		}
		/* A filter without options finds values that have some. */
		if (r == 0 && found != 0 && attr->ad != &attr->ad->type->ad &&
		    is_unique(rule, &attr->ad->type->ad)) {
			r = push_values(taking, number, &attr->ad->type->ad, attr, found);
		}
	}
	return r;
}

int dit_overlays_take(struct dit_overlays *overlays, unsigned producer,
                      const struct dit_entry_view *entry)
{
	const struct dit_overlay_rules *rules = overlays->opts.rules;
	struct taking taking = {.overlays = overlays,
	                        .producer = &overlays->producers[producer],
	                        .entry = entry};
	int r = 0;

	if (entry->is_hole || entry->name_error != 0 || entry->record_error != 0) {
		return 0;
	}
	r = entry->id > ID_MAX ? DIT_E_TOOLONG
	                       : push(&taking, NAMES, digest_of(overlays, entry->norm_dn),
	                              FLAG_SEEKS | FLAG_FOUND);
	for (uint32_t i = 0;
	     i < rules->nmemberof && r == 0 && overlays->opts.with_memberof; i++) {
		r = take_members(&taking, i);
	}
	for (size_t i = 0; i < rules->nunique && r == 0 && overlays->opts.with_unique;
	     i++) {
		r = take_values(&taking, i);
	}
	return r;
}

/* ---- what is asked of an entry ---- */

struct asking {
	const struct dit_overlays *overlays;
	const struct dit_entry_view *entry;
	struct overlay_producer *producer;
};

static int ask(const struct asking *asking, const struct dit_overlay_item *item)
{
	return DIT_APPEND(asking->producer->items, asking->producer->items_size,
	                  asking->producer->nitems, *item);
}

static int ask_members(const struct asking *asking, uint32_t number)
{
	const struct dit_entry_view *entry = asking->entry;
	const struct dit_overlays *overlays = asking->overlays;
	const struct dit_memberof_rule *rule = &overlays->opts.rules->memberof[number];
	struct dit_overlay_item item = {.kind = DIT_OVERLAY_DANGLING, .rule = number};
	int r = 0;

	if (rule->dangling == DIT_DANGLING_IGNORE) {
		return 0;
	}
	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == NULL || !dit_overlays_is_member(rule, attr->ad)) {
			continue;
		}
		if (!is_group(overlays->opts.rules, entry, rule->group)) {
			return 0;
		}
		for (uint32_t k = 0; k < attr->nvalues && r == 0; k++, item.number++) {
			r = dit_overlay_is_dangling(overlays, entry->id,
			                            digest_of(overlays, key_of(attr, k)))
			            ? ask(asking, &item)
			            : 0;
		}
	}
	return r;
}

/* A value of nameUID syntax may have a bit string after its DN: #'0101'B */
static struct dit_span dn_of(const struct dit_attr_view *attr, uint32_t number)
{
	struct dit_span dn = key_of(attr, number);
	const char *bits = strcmp(attr->ad->type->syntax->oid, SYNTAX_NAME_UID) != 0
	                           ? NULL
	                           : memrchr(dn.data, '#', dn.len);

	if (bits != NULL && dn.data[dn.len - 1] == 'B') {
		dn.len = (size_t)(bits - dn.data);
	}
	return dn;
}

static int ask_references(const struct asking *asking, uint32_t number)
{
	const struct dit_refint_rule *rule =
		&asking->overlays->opts.rules->refint[number];
	struct dit_overlay_item item = {.kind = DIT_OVERLAY_REFERENCE, .rule = number};
	int r = 0;

	for (uint32_t i = 0; i < asking->entry->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &asking->entry->attrs[i];

		for (uint32_t k = 0; attr->ad == rule->ad && k < attr->nvalues && r == 0;
		     k++, item.number++) {
			struct dit_span dn = dn_of(attr, k);
			bool is_nothing = rule->nothing.data != NULL &&
			                  dit_span_eq(dn, rule->nothing);

			r = !is_nothing && dit_overlay_first(
						   asking->overlays, NAMES,
						   digest_of(asking->overlays, dn)) == 0
			            ? ask(asking, &item)
			            : 0;
		}
	}
	return r;
}

/* A group that names the entry as its member. */
static int ask_group(const struct asking *asking, const struct dit_pair *pair)
{
	const struct dit_overlays *overlays = asking->overlays;
	uint32_t number = pair->value & RULE_MASK;
	const struct dit_memberof_rule *rule = &overlays->opts.rules->memberof[number];
	bool is_no_group = (pair->value & FLAG_NO_GROUP) != 0;
	struct dit_overlay_item item = {.kind = DIT_OVERLAY_MISSING,
	                                .other = dit_overlay_id(pair),
	                                .rule = number,
	                                .first = rule->first};
	uint64_t id = asking->entry->id;

	if (item.other == id || dit_overlay_is_refused(overlays, item.other)) {
		return 0;
	}
	item.is_early = overlays->opts.in_order && item.other < id;
	/* slapd has made such a membership if the entry came later: both are right. */
	if (!item.is_early && is_no_group) {
		item.kind = DIT_OVERLAY_ALLOWED;
		return overlays->opts.in_order ? 0 : ask(asking, &item);
	}
	if (item.is_early && !rule->has_addcheck) {
		asking->producer->nlate += !is_no_group;
		return 0;
	}
	/* A value that was dropped is not found later. */
	return item.is_early && rule->dangling != DIT_DANGLING_IGNORE && !is_no_group
	               ? 0
	               : ask(asking, &item);
}

/* A group, and the attribute that it is to be in. */
static int compare_groups(const void *a, const void *b)
{
	const struct dit_overlay_item *x = a;
	const struct dit_overlay_item *y = b;

	return x->other != y->other ? (x->other < y->other ? -1 : 1)
	                            : (x->first > y->first) - (x->first < y->first);
}

static int compare_items(const void *a, const void *b)
{
	const struct dit_overlay_item *x = a;
	const struct dit_overlay_item *y = b;

	return compare_groups(a, b) ?: (x->rule > y->rule) - (x->rule < y->rule);
}

/* Each group once, though several rules or descriptions may name it. */
static int ask_groups(const struct asking *asking)
{
	const struct overlay_table *table = &asking->overlays->tables[MEMBERS];
	struct dit_sum128 digest = digest_of(asking->overlays, asking->entry->norm_dn);
	size_t at = dit_overlay_find(table, digest);
	struct overlay_producer *ret = asking->producer;
	size_t first = ret->nitems;
	size_t n = first;
	int r = 0;

	for (; at < table->n && r == 0; at = dit_overlay_find_next(table, at, digest)) {
		r = ask_group(asking, &table->list[at]);
	}
	dit_sort_items(ret->items + first, ret->nitems - first, sizeof(*ret->items),
	               compare_items);
	for (size_t i = first; i < ret->nitems; i++) {
		if (n == first ||
		    compare_groups(&ret->items[n - 1], &ret->items[i]) != 0) {
			ret->items[n++] = ret->items[i];
		} else if (ret->items[n - 1].kind == DIT_OVERLAY_ALLOWED) {
			ret->items[n - 1] = ret->items[i];
		}
	}
	ret->nitems = n;
	return r;
}

/* A stored value of memberOf: one of the groups, for the first time, or too much. */
static int ask_value(const struct asking *asking, size_t first, size_t end,
                     const struct dit_overlay_item *stored, struct dit_span dn)
{
	struct dit_overlay_item *items = asking->producer->items + first;
	struct dit_overlay_item wanted = *stored;
	struct dit_overlay_item *found = NULL;

	wanted.other = dit_overlay_first(asking->overlays, NAMES,
	                                 digest_of(asking->overlays, dn));
	found = end == first ? NULL
	                     : bsearch(&wanted, items, end - first, sizeof(*items),
	                               compare_groups);
	if (found == NULL || found->kind == DIT_OVERLAY_MEMBER) {
		return ask(asking, &wanted);
	}
	found->kind = DIT_OVERLAY_MEMBER;
	found->number = stored->number;
	return 0;
}

static int ask_memberships(const struct asking *asking)
{
	const struct dit_overlay_rules *rules = asking->overlays->opts.rules;
	size_t first = asking->producer->nitems;
	int r = ask_groups(asking);
	size_t end = asking->producer->nitems;

	for (uint32_t i = 0; i < rules->nmemberof && r == 0; i++) {
		struct dit_overlay_item item = {
			.kind = DIT_OVERLAY_SURPLUS, .rule = i, .first = i};

		for (uint32_t k = 0;
		     rules->memberof[i].first == i && k < asking->entry->nattrs && r == 0;
		     k++) {
			const struct dit_attr_view *attr = &asking->entry->attrs[k];

			for (uint32_t n = 0; attr->ad == rules->memberof[i].memberof &&
			                     n < attr->nvalues && r == 0;
			     n++, item.number++) {
				r = ask_value(asking, first, end, &item, key_of(attr, n));
			}
		}
	}
	return r;
}

/* Values of the same description in the blocks before this one. */
static uint32_t count_before(const struct dit_entry_view *entry, uint32_t number)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < number; i++) {
		n += entry->attrs[i].ad == entry->attrs[number].ad
		             ? entry->attrs[i].nvalues
		             : 0;
	}
	return n;
}

static int ask_unique(const struct asking *asking, size_t number)
{
	const struct dit_overlays *overlays = asking->overlays;
	const struct dit_entry_view *entry = asking->entry;
	const struct dit_unique_rule *rule = &overlays->opts.rules->unique[number];
	struct dit_overlay_item item = {.kind = DIT_OVERLAY_TWICE};
	int is_match = matches(rule, false, entry, &asking->producer->scratch);
	int r = is_match < 0 ? is_match : 0;

	for (uint32_t i = 0; is_match > 0 && i < entry->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == NULL || !is_unique(rule, attr->ad)) {
			continue;
		}
		item.rule = attr->ad->ordinal;
		item.number = count_before(entry, i);
		for (uint32_t k = 0; k < attr->nvalues && r == 0; k++, item.number++) {
			item.other =
				dit_overlay_first(overlays, VALUES,
			                          value_digest(overlays, number, attr->ad,
			                                       key_of(attr, k)));
			r = item.other != 0 && item.other < entry->id ? ask(asking, &item)
			                                              : 0;
		}
	}
	return r;
}

int dit_overlays_ask(struct dit_overlays *overlays, unsigned producer,
                     const struct dit_entry_view *entry, struct dit_overlay_asked *ret)
{
	const struct dit_overlays_opts *opts = &overlays->opts;
	const struct asking asking = {.overlays = overlays,
	                              .entry = entry,
	                              .producer = &overlays->producers[producer]};
	int r = 0;

	*ret = (struct dit_overlay_asked){.n = 0};
	asking.producer->nitems = 0;
	if (entry->is_hole || entry->name_error != 0 || entry->record_error != 0) {
		return 0;
	}
	for (uint32_t i = 0; opts->with_memberof && i < opts->rules->nmemberof && r == 0;
	     i++) {
		r = ask_members(&asking, i);
	}
	for (uint32_t i = 0; opts->with_refint && i < opts->rules->nrefint && r == 0;
	     i++) {
		r = ask_references(&asking, i);
	}
	if (r == 0 && opts->with_memberof &&
	    !dit_overlay_is_refused(overlays, entry->id)) {
		r = ask_memberships(&asking);
	}
	for (size_t i = 0; opts->with_unique && i < opts->rules->nunique && r == 0; i++) {
		r = ask_unique(&asking, i);
	}
	ret->items = asking.producer->items;
	ret->n = asking.producer->nitems;
	return r;
}

uint64_t dit_overlays_nlate(const struct dit_overlays *overlays)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < overlays->opts.nproducers; i++) {
		n += overlays->producers[i].nlate;
	}
	return n;
}
