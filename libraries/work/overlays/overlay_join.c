/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names and values meet: README.md has an example.
 *
 * In order, an entry that slapd refuses is as if it was not there. So names meet again,
 * without these entries, until no more are refused.
 *
 * By name, the key is a digest of a normal DN (of a value, with unique) and the kind of
 * the mention. By entry, it is ID, class, group, rule, and stored or wanted. Numbers in
 * keys are big-endian. The entry of a name sorts before those that mention it.
 */
#include "overlays/overlays.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/ids.h"
#include "base/object.h"
#include "sort/sort.h"

#define ARENA_BYTES 4096
#define SPACE_BYTES 512 /* of a value with a DN; a longer one is allocated */

/* ---- records ---- */

enum mention_kind {
	MENTION_ENTRY,  /* is called so */
	MENTION_MEMBER, /* by a group */
	MENTION_GROUP,  /* in memberOf */
	MENTION_REFERENCE,
	MENTION_VALUE, /* unique */
};

/* The key of a mention. */
#define DIGEST_BYTES 16
#define NAME_BYTES   (DIGEST_BYTES + 1 + 8) /* kind, ID */

struct mention {
	uint64_t id; /* not of the value */
	struct value {
		uint32_t number;
		uint16_t rule;
		uint16_t flags;
	} value;
	struct dit_span dn; /* of the entry; MENTION_VALUE in order alone */
};

#define FLAG_NO_GROUP 1u /* the entry is no group: addcheck alone sees it */
#define FLAG_ROOTDN   2u /* slapd does not look for the one who adds */

/* Of unique: the ordinal of the description, in place of rule and flags. */
static uint32_t ordinal_of(const struct mention *mention)
{
	return (uint32_t)mention->value.flags << 16 | mention->value.rule;
}

enum subject_class {
	SUBJECT_DANGLING,
	SUBJECT_REFERENCE,
	SUBJECT_MEMBER,
	SUBJECT_TWICE,
};

#define SUBJECT_BYTES 22 /* 8 ID, class, 8 other, 4 rule, stored or wanted */

struct subject {
	uint64_t id;
	enum subject_class class;
	uint64_t other;
	uint32_t rule;
	bool is_stored;
	struct about {
		uint32_t number;
		uint32_t is_early;
	} about;
	struct dit_span dn; /* of the other entry; points into a sorter */
};

/* ---- the object ---- */

struct group {
	uint64_t id;
	struct dit_dn_text dn;
	uint32_t nleft;   /* values of `member` that are not dropped, in this meeting */
	uint32_t nvalues; /* of `member`, if the group must have it; 0: it need not */
};

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a;
	const struct group *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* [own: producer; main's when they are at rest] */
struct producer {
	struct dit_arena names; /* of groups */
	struct dit_arena scratch;
	struct group *groups; /* owned */
	size_t ngroups;
	size_t groups_size;
};

struct dit_overlays {
	struct dit_overlays_opts opts; /* [const] */
	struct producer *producers;
	struct dit_sorter *by_name;

	/* [own: main] */
	struct dit_sorter *by_entry;
	struct group *groups; /* of all producers, by ID; owned */
	size_t ngroups;
	uint64_t *refused; /* IDs, ascending; owned */
	size_t nrefused;
	size_t refused_size;
	size_t nsorted; /* of these */
	uint64_t nlate;
	struct subject next; /* that was read and not told */
	bool has_next;
};

static int new_sorter(struct dit_sorter **ret, const struct dit_overlays *overlays,
                      unsigned nproducers)
{
	const struct dit_overlays_opts *opts = &overlays->opts;
	size_t least = nproducers * DIT_SORT_SHARE_MIN;
	struct dit_sorter_opts sorter = {.size = sizeof(sorter),
	                                 .nproducers = nproducers,
	                                 .memory_bytes = opts->memory_bytes / 2,
	                                 .tmpdir = opts->shared.tmpdir,
	                                 .cipher = opts->shared.cipher};

	sorter.memory_bytes = sorter.memory_bytes < least ? least : sorter.memory_bytes;
	return dit_sorter_new(ret, &sorter);
}

int dit_overlays_new(struct dit_overlays **ret, const struct dit_overlays_opts *opts)
{
	struct dit_overlays *overlays = calloc(1, sizeof(*overlays));
	int r = overlays == NULL ? -ENOMEM : 0;

	if (r < 0) {
		return r;
	}
	overlays->opts = *opts;
	overlays->producers = calloc(opts->nproducers, sizeof(*overlays->producers));
	r = overlays->producers == NULL ? -ENOMEM : 0;
	for (unsigned i = 0; i < opts->nproducers && r == 0; i++) {
		dit_arena_init(&overlays->producers[i].names, ARENA_BYTES);
		dit_arena_init(&overlays->producers[i].scratch, ARENA_BYTES);
	}
	r = r ?: new_sorter(&overlays->by_name, overlays, opts->nproducers);
	return DIT_HAND_OVER(r, ret, overlays, dit_overlays_free);
}

void dit_overlays_free(struct dit_overlays *overlays)
{
	if (overlays == NULL) {
		return;
	}
	for (unsigned i = 0; overlays->producers != NULL && i < overlays->opts.nproducers;
	     i++) {
		dit_arena_deinit(&overlays->producers[i].names);
		dit_arena_deinit(&overlays->producers[i].scratch);
		free(overlays->producers[i].groups);
	}
	free(overlays->producers);
	free(overlays->groups);
	free(overlays->refused);
	dit_sorter_free(overlays->by_name);
	dit_sorter_free(overlays->by_entry);
	free(overlays);
}

/* ---- which attributes ---- */

/* Does a rule of unique name the description? Operational ones never matter. */
static bool is_unique(const struct dit_unique_rule *rule, const struct dit_ad *ad)
{
	size_t i = 0;

	if (ad->type->usage != DIT_USAGE_USER) {
		return false;
	}
	while (i < rule->nads && rule->ads[i] != ad) {
		i++;
	}
	return rule->nads == 0 || (i < rule->nads) != rule->is_ignored;
}

bool dit_overlays_is_member(const struct dit_memberof_rule *rule, const struct dit_ad *ad)
{
	return ad == rule->member || (rule->member->options.len == 0 &&
	                              dit_type_is_a(ad->type, rule->member->type));
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
		            is_unique(&rules->unique[i], ad);
	}
	return is_wanted;
}

/* ---- entries are taken ---- */

struct taking {
	struct dit_overlays *overlays;
	const struct dit_entry_view *entry;
	unsigned producer;
	bool has_group; /* the names of the group are kept */
};

static struct dit_span key_of(const struct dit_attr_view *attr, uint32_t number)
{
	return (attr->normal != NULL ? attr->normal : attr->values)[number];
}

static struct dit_span rest_of(struct dit_span value, size_t nbytes)
{
	return (struct dit_span){value.data + nbytes, value.len - nbytes};
}

/* A value of two pieces, the second of any length. */
static int push(struct dit_sorter *sorter, unsigned producer, struct dit_span key,
                struct dit_span fixed, struct dit_span rest)
{
	char space[SPACE_BYTES];
	size_t len = fixed.len + rest.len;
	char *bytes = len <= sizeof(space) ? space : malloc(len);
	int r = bytes == NULL ? -ENOMEM : 0;

	if (r == 0) {
		memcpy(bytes, fixed.data, fixed.len);
		memcpy(bytes + fixed.len, rest.len == 0 ? "" : rest.data, rest.len);
		r = dit_sorter_push(sorter, producer, key, (struct dit_span){bytes, len});
	}
	if (bytes != space) {
		free(bytes);
	}
	return r;
}

static int mention(const struct taking *taking, enum mention_kind kind,
                   struct dit_sum128 name, const struct mention *what)
{
	char key[NAME_BYTES];

	dit_be_put(key, name.high, 8);
	dit_be_put(key + 8, name.low, 8);
	key[DIGEST_BYTES] = (char)kind;
	dit_be_put(key + DIGEST_BYTES + 1, what->id, 8);
	return push(taking->overlays->by_name, taking->producer,
	            (struct dit_span){key, sizeof(key)},
	            (struct dit_span){(const char *)&what->value, sizeof(what->value)},
	            what->dn);
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

static int keep_group(struct taking *taking, uint32_t nvalues)
{
	struct producer *producer = &taking->overlays->producers[taking->producer];
	struct group group = {.id = taking->entry->id, .nvalues = nvalues};

	if (taking->has_group) {
		producer->groups[producer->ngroups - 1].nvalues += nvalues;
		return 0;
	}
	taking->has_group = true;
	group.dn.pretty = dit_arena_copy(&producer->names, taking->entry->dn);
	group.dn.norm = dit_arena_copy(&producer->names, taking->entry->norm_dn);
	return group.dn.pretty.data == NULL || group.dn.norm.data == NULL
	               ? -ENOMEM
	               : DIT_APPEND(producer->groups, producer->groups_size,
	                            producer->ngroups, group);
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

static int take_members(struct taking *taking, uint16_t number)
{
	const struct dit_entry_view *entry = taking->entry;
	const struct dit_overlay_rules *rules = taking->overlays->opts.rules;
	const struct dit_memberof_rule *rule = &rules->memberof[number];
	struct mention what = {.id = entry->id, .value.rule = number};
	int r = 0;

	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		const struct dit_attr_view *attr = &entry->attrs[i];

		if (attr->ad == NULL || !dit_overlays_is_member(rule, attr->ad)) {
			continue;
		}
		if (what.value.number == 0 && !is_group(rules, entry, rule->group)) {
			if (!rule->has_addcheck) {
				return 0;
			}
			what.value.flags = FLAG_NO_GROUP;
		}
		r = keep_group(taking, must_have(rule) ? attr->nvalues : 0);
		for (uint32_t k = 0; k < attr->nvalues && r == 0; k++) {
			struct dit_span dn = key_of(attr, k);
			struct mention one = what;

			one.value.flags |=
				dit_span_eq(dn, rules->rootdn) ? FLAG_ROOTDN : 0;
			r = mention(taking, MENTION_MEMBER, dit_sum128_of(dn, 0), &one);
			what.value.number++;
		}
	}
	return r;
}

/* All values of an attribute are names. */
static int take_names(const struct taking *taking, enum mention_kind kind,
                      const struct dit_attr_view *attr, uint16_t rule,
                      struct dit_span but)
{
	int r = 0;

	for (uint32_t i = 0; i < attr->nvalues && r == 0; i++) {
		struct dit_span dn = key_of(attr, i);

		if (but.data == NULL || !dit_span_eq(dn, but)) {
			r = mention(
				taking, kind, dit_sum128_of(dn, 0),
				&(struct mention){.id = taking->entry->id,
			                          .value = {.number = i, .rule = rule}});
		}
	}
	return r;
}

static int take_references(const struct taking *taking, const struct dit_attr_view *attr)
{
	const struct dit_overlay_rules *rules = taking->overlays->opts.rules;
	int r = 0;

	for (size_t i = 0;
	     i < rules->nmemberof && r == 0 && taking->overlays->opts.with_memberof;
	     i++) {
		if (attr->ad == rules->memberof[i].memberof) {
			r = take_names(taking, MENTION_GROUP, attr, (uint16_t)i,
			               (struct dit_span){0});
		}
	}
	for (size_t i = 0;
	     i < rules->nrefint && r == 0 && taking->overlays->opts.with_refint; i++) {
		if (attr->ad == rules->refint[i].ad) {
			r = take_names(taking, MENTION_REFERENCE, attr, (uint16_t)i,
			               rules->refint[i].nothing);
		}
	}
	return r;
}

static int take_values(const struct taking *taking, const struct dit_attr_view *attr,
                       size_t rule)
{
	uint32_t ordinal = attr->ad->ordinal;
	uint64_t seed = dit_sum128_seed(
		(struct dit_span){(const char *)&ordinal, sizeof(ordinal)}, rule + 1);
	struct mention what = {
		.id = taking->entry->id,
		.value = {.rule = (uint16_t)ordinal, .flags = (uint16_t)(ordinal >> 16)}};
	int r = 0;

	if (taking->overlays->opts.in_order) {
		what.dn = taking->entry->dn;
	}

	for (; what.value.number < attr->nvalues && r == 0; what.value.number++) {
		r = mention(taking, MENTION_VALUE,
		            dit_sum128_of(key_of(attr, what.value.number), seed), &what);
	}
	return r;
}

static int take_unique(const struct taking *taking, size_t number)
{
	const struct dit_entry_view *entry = taking->entry;
	const struct dit_unique_rule *rule =
		&taking->overlays->opts.rules->unique[number];
	struct producer *producer = &taking->overlays->producers[taking->producer];
	int is_match = dit_entry_matches(&rule->match, entry, &producer->scratch);
	int r = is_match < 0 ? is_match : 0;

	for (uint32_t i = 0; is_match > 0 && i < entry->nattrs && r == 0; i++) {
		if (entry->attrs[i].ad != NULL && is_unique(rule, entry->attrs[i].ad)) {
			r = take_values(taking, &entry->attrs[i], number);
		}
	}
	return r;
}

int dit_overlays_take(struct dit_overlays *overlays, unsigned producer,
                      const struct dit_entry_view *entry)
{
	const struct dit_overlay_rules *rules = overlays->opts.rules;
	struct taking taking = {
		.overlays = overlays, .entry = entry, .producer = producer};
	int r = 0;

	if (entry->is_hole || entry->name_error != 0 || entry->record_error != 0) {
		return 0;
	}
	r = mention(&taking, MENTION_ENTRY, dit_sum128_of(entry->norm_dn, 0),
	            &(struct mention){.id = entry->id});
	for (size_t i = 0; i < rules->nmemberof && r == 0 && overlays->opts.with_memberof;
	     i++) {
		r = take_members(&taking, (uint16_t)i);
	}
	for (uint32_t i = 0; i < entry->nattrs && r == 0; i++) {
		if (entry->attrs[i].ad != NULL) {
			r = take_references(&taking, &entry->attrs[i]);
		}
	}
	for (size_t i = 0; i < rules->nunique && r == 0 && overlays->opts.with_unique;
	     i++) {
		r = take_unique(&taking, i);
	}
	return r;
}

/* ---- entries that are refused ---- */

static bool is_refused(const struct dit_overlays *overlays, uint64_t id)
{
	return overlays->nsorted > 0 && bsearch(&id, overlays->refused, overlays->nsorted,
	                                        sizeof(id), dit_compare_ids) != NULL;
}

static int refuse(struct dit_overlays *overlays, uint64_t id)
{
	return !overlays->opts.in_order || is_refused(overlays, id)
	               ? 0
	               : DIT_APPEND(overlays->refused, overlays->refused_size,
	                            overlays->nrefused, id);
}

static struct group *find_group(const struct dit_overlays *overlays, uint64_t id)
{
	const struct group wanted = {.id = id};

	return bsearch(&wanted, overlays->groups, overlays->ngroups,
	               sizeof(*overlays->groups), compare_groups);
}

/* ---- names meet ---- */

static int put(struct dit_overlays *overlays, const struct subject *subject)
{
	char key[SUBJECT_BYTES];

	dit_be_put(key, subject->id, 8);
	key[8] = (char)subject->class;
	dit_be_put(key + 9, subject->other, 8);
	dit_be_put(key + 17, subject->rule, 4);
	key[21] = subject->is_stored ? 1 : 0;
	return push(
		overlays->by_entry, 0, (struct dit_span){key, sizeof(key)},
		(struct dit_span){(const char *)&subject->about, sizeof(subject->about)},
		subject->dn);
}

static int put_dangling(struct dit_overlays *overlays, const struct mention *mention)
{
	const struct dit_memberof_rule *rule =
		&overlays->opts.rules->memberof[mention->value.rule];

	int r = 0;

	if (rule->dangling == DIT_DANGLING_IGNORE || mention->value.flags != 0) {
		return 0;
	}
	if (rule->dangling == DIT_DANGLING_ERROR) {
		r = refuse(overlays, mention->id);
	} else {
		struct group *group = find_group(overlays, mention->id);

		r = group->nvalues > 0 && --group->nleft == 0
		            ? refuse(overlays, mention->id)
		            : 0;
	}
	return r
	               ?: put(overlays,
	                      &(struct subject){.id = mention->id,
	                                        .class = SUBJECT_DANGLING,
	                                        .other = mention->value.number,
	                                        .rule = mention->value.rule,
	                                        .about.number = mention->value.number});
}

/* @param id  0: no entry has the name */
static int meet_member(struct dit_overlays *overlays, uint64_t id,
                       const struct mention *mention)
{
	const struct dit_memberof_rule *rule =
		&overlays->opts.rules->memberof[mention->value.rule];
	bool is_no_group = (mention->value.flags & FLAG_NO_GROUP) != 0;
	bool is_early = overlays->opts.in_order && id > mention->id;
	/* While a group is added it is not there itself. */
	bool is_dangling = id == 0 || (overlays->opts.in_order && id >= mention->id);
	bool is_made = id != 0 && id != mention->id && !is_refused(overlays, mention->id);
	int r = is_dangling ? put_dangling(overlays, mention) : 0;

	if (is_early || is_no_group) {
		overlays->nlate += is_made && !rule->has_addcheck && !is_no_group;
		/* A value that was dropped is not found later. */
		is_made &= is_early && rule->has_addcheck &&
		           (rule->dangling == DIT_DANGLING_IGNORE ||
		            mention->value.flags != 0);
	}
	return r < 0 || !is_made
	               ? r
	               : put(overlays, &(struct subject){.id = id,
	                                                 .class = SUBJECT_MEMBER,
	                                                 .other = mention->id,
	                                                 .rule = mention->value.rule,
	                                                 .about.is_early = is_early});
}

/* The entry that a digest of names, or of values, began with. */
struct meeting {
	char name[DIGEST_BYTES];
	uint64_t id; /* 0: none */
	char *dn;    /* of a value's first entry; owned */
	size_t dn_len;
	size_t dn_size;
};

static int meet_value(struct dit_overlays *overlays, struct meeting *meeting,
                      struct subject *subject)
{
	int r = 0;

	if (meeting->id == 0 && !is_refused(overlays, subject->id)) {
		meeting->id = subject->id;
		meeting->dn_len = subject->dn.len;
		r = DIT_GROW(meeting->dn, meeting->dn_size, subject->dn.len + 1);
		if (r == 0 && subject->dn.len > 0) {
			memcpy(meeting->dn, subject->dn.data, subject->dn.len);
		}
		return r;
	}
	if (meeting->id == 0 || meeting->id == subject->id) {
		return 0;
	}
	subject->other = meeting->id;
	subject->dn = (struct dit_span){meeting->dn, meeting->dn_len};
	r = refuse(overlays, subject->id);
	return r ?: put(overlays, subject);
}

/* Of several entries of one name the first one is stored. */
static int meet_entry(struct dit_overlays *overlays, struct meeting *meeting, uint64_t id)
{
	if (meeting->id != 0) {
		return refuse(overlays, id);
	}
	meeting->id = is_refused(overlays, id) ? 0 : id;
	return 0;
}

static int meet(struct dit_overlays *overlays, struct meeting *meeting,
                enum mention_kind kind, const struct mention *mention)
{
	struct subject subject = {.id = mention->id,
	                          .rule = mention->value.rule,
	                          .about.number = mention->value.number};

	switch (kind) {
	case MENTION_ENTRY:
		return meet_entry(overlays, meeting, mention->id);
	case MENTION_MEMBER:
		return meet_member(overlays, meeting->id, mention);
	case MENTION_GROUP:
		subject.class = SUBJECT_MEMBER;
		subject.other = meeting->id;
		subject.is_stored = true;
		return put(overlays, &subject);
	case MENTION_REFERENCE:
		subject.class = SUBJECT_REFERENCE;
		subject.other = mention->value.number;
		return meeting->id != 0 ? 0 : put(overlays, &subject);
	case MENTION_VALUE:
		break;
	}
	subject.class = SUBJECT_TWICE;
	subject.rule = ordinal_of(mention);
	subject.dn = mention->dn;
	return meet_value(overlays, meeting, &subject);
}

static int gather_groups(struct dit_overlays *overlays)
{
	unsigned n = overlays->opts.nproducers;

	for (unsigned i = 0; i < n; i++) {
		overlays->ngroups += overlays->producers[i].ngroups;
	}
	overlays->groups = calloc(overlays->ngroups + 1, sizeof(*overlays->groups));
	if (overlays->groups == NULL) {
		return -ENOMEM;
	}
	overlays->ngroups = 0;
	for (unsigned i = 0; i < n; i++) {
		struct producer *producer = &overlays->producers[i];

		if (producer->ngroups > 0) {
			memcpy(overlays->groups + overlays->ngroups, producer->groups,
			       producer->ngroups * sizeof(*producer->groups));
		}
		overlays->ngroups += producer->ngroups;
	}
	dit_sort_items(overlays->groups, overlays->ngroups, sizeof(*overlays->groups),
	               compare_groups);
	return 0;
}

/* All names meet once, without the entries that are known to be refused. */
static int meet_all(struct dit_overlays *overlays, struct dit_sort_cursor *cursor)
{
	static const struct dit_span open_end = {NULL, 0};
	struct meeting meeting = {.id = 0};
	struct dit_sort_record record;
	struct mention mention;
	int r = dit_sort_cursor_range(cursor, open_end, open_end);

	overlays->nlate = 0;
	for (size_t i = 0; i < overlays->ngroups; i++) {
		overlays->groups[i].nleft = overlays->groups[i].nvalues;
	}
	dit_sorter_free(overlays->by_entry);
	overlays->by_entry = NULL;
	r = r ?: new_sorter(&overlays->by_entry, overlays, 1);
	while (r == 0 && (r = dit_sort_cursor_next(cursor, &record)) > 0) {
		if (memcmp(record.key.data, meeting.name, sizeof(meeting.name)) != 0) {
			memcpy(meeting.name, record.key.data, sizeof(meeting.name));
			meeting.id = 0;
		}
		mention.id = dit_be_get(record.key.data + DIGEST_BYTES + 1, 8);
		memcpy(&mention.value, record.value.data, sizeof(mention.value));
		mention.dn = rest_of(record.value, sizeof(mention.value));
		r = meet(overlays, &meeting,
		         (enum mention_kind)record.key.data[DIGEST_BYTES], &mention);
		dit_tick_often(overlays->opts.shared.ticker);
		if (dit_stop_is_set(overlays->opts.shared.stop)) {
			r = DIT_E_STOPPED;
		}
	}
	free(meeting.dn);
	return r;
}

/* @return have more entries been refused? */
static bool sort_refused(struct dit_overlays *overlays)
{
	bool has_more = overlays->nrefused > overlays->nsorted;
	size_t n = 0;

	dit_sort_items(overlays->refused, overlays->nrefused, sizeof(uint64_t),
	               dit_compare_ids);
	for (size_t i = 0; i < overlays->nrefused; i++) {
		if (n == 0 || overlays->refused[n - 1] != overlays->refused[i]) {
			overlays->refused[n++] = overlays->refused[i];
		}
	}
	overlays->nrefused = n;
	overlays->nsorted = n;
	return has_more;
}

int dit_overlays_join(struct dit_overlays *overlays)
{
	struct dit_sort_view *view = NULL;
	struct dit_sort_cursor *cursor = NULL;
	int r = gather_groups(overlays);

	r = r ?: dit_sorter_seal(overlays->by_name);
	r = r ?: dit_sort_view_open(&view, overlays->by_name);
	r = r ?: dit_sort_cursor_open(&cursor, view);
	do {
		r = r ?: meet_all(overlays, cursor);
	} while (r == 0 && sort_refused(overlays));
	dit_sort_cursor_close(cursor);
	dit_sort_view_close(view);
	dit_sorter_free(overlays->by_name);
	overlays->by_name = NULL;
	return r < 0 ? r : dit_sorter_seal(overlays->by_entry);
}

/* ---- by entry ---- */

static int read_subject(struct dit_overlays *overlays, struct subject *ret)
{
	struct dit_sort_record record;
	int r = dit_sorter_next(overlays->by_entry, &record);
	const char *key = record.key.data;

	if (r <= 0) {
		return r;
	}
	*ret = (struct subject){.id = dit_be_get(key, 8),
	                        .class = (enum subject_class)key[8],
	                        .other = dit_be_get(key + 9, 8),
	                        .rule = (uint32_t)dit_be_get(key + 17, 4),
	                        .is_stored = key[21] != 0};
	memcpy(&ret->about, record.value.data, sizeof(ret->about));
	ret->dn = rest_of(record.value, sizeof(ret->about));
	return 1;
}

static int peek(struct dit_overlays *overlays)
{
	int r = overlays->has_next ? 1 : read_subject(overlays, &overlays->next);

	overlays->has_next = r > 0;
	return r;
}

static bool is_same(const struct subject *a, const struct subject *b)
{
	return a->id == b->id && a->class == b->class && a->other == b->other &&
	       a->rule == b->rule;
}

/* A group may be wanted several times, under several names of the attribute, and a value
 * without a group is on its own. */
static int pair(struct dit_overlays *overlays, const struct subject *first,
                struct dit_overlay_item *ret)
{
	bool is_wanted = !first->is_stored;
	bool is_stored = first->is_stored;
	int r = 0;

	while ((r = peek(overlays)) > 0 && is_same(&overlays->next, first) &&
	       first->other != 0 && !(is_stored && overlays->next.is_stored)) {
		is_stored |= overlays->next.is_stored;
		is_wanted |= !overlays->next.is_stored;
		if (is_stored) {
			ret->number = overlays->next.about.number;
		}
		overlays->has_next = false;
	}
	ret->kind = !is_wanted   ? DIT_OVERLAY_SURPLUS
	            : !is_stored ? DIT_OVERLAY_MISSING
	                         : DIT_OVERLAY_MEMBER;
	return r < 0 ? r : 1;
}

int dit_overlays_next(struct dit_overlays *overlays, struct dit_overlay_item *ret)
{
	static const enum dit_overlay_kind kinds[] = {
		[SUBJECT_DANGLING] = DIT_OVERLAY_DANGLING,
		[SUBJECT_REFERENCE] = DIT_OVERLAY_REFERENCE,
		[SUBJECT_TWICE] = DIT_OVERLAY_TWICE,
	};
	struct subject first;
	int r = peek(overlays);

	if (r <= 0) {
		return r;
	}
	first = overlays->next;
	overlays->has_next = false;
	*ret = (struct dit_overlay_item){.id = first.id,
	                                 .number = first.about.number,
	                                 .other = first.other,
	                                 .rule = first.rule,
	                                 .is_early = first.about.is_early != 0};
	if (first.class == SUBJECT_MEMBER) {
		return pair(overlays, &first, ret);
	}
	ret->other_dn = first.dn;
	ret->kind = kinds[first.class];
	return 1;
}

const struct dit_dn_text *dit_overlays_group(const struct dit_overlays *overlays,
                                             uint64_t id)
{
	const struct group *found = find_group(overlays, id);

	return found == NULL ? NULL : &found->dn;
}

uint64_t dit_overlays_nlate(const struct dit_overlays *overlays)
{
	return overlays->nlate;
}
