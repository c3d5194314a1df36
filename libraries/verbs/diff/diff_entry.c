/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two entries: which values have to be deleted and added. The values of an attribute are
 * sorted by their normal forms on both sides and merged:
 *
 *   first    Alpha  beta  gamma        delete: beta, Alpha
 *   second   ALPHA  gamma  delta       add:    ALPHA, delta
 *
 * One value of 50,000 is one line. The whole attribute is replaced if slapd cannot find a
 * value of it (there is no equality rule, or the value is not in the first block), if the
 * schema allows one value, if the order of its values counts (and new ones do not just
 * follow the others), if none of them stays, or if values of one normal form are there:
 * no value can be added that equals another one, and the first of them would be deleted.
 * slapd takes no such replacement, so only exact changes have it.
 * contextCSN is replaced as well: digests do not tell whether it is the one that was
 * compared.
 *
 * slapd changes the values of RDNs when an entry is renamed, so the first side is what it
 * is after that. It stamps an entry that it changes or renames, unless the change has
 * stamps. So they are replaced even if both sides have the same ones.
 */
#include <errno.h>
#include <string.h>

#include "base/cut.h"
#include "base/grow.h"
#include "codec/attr_values.h"
#include "diff/diff_impl.h"
#include "schema/schema.h"
#include "values/dn.h"
#include "values/value.h"

#define MORE_MAX 64u /* values that are compared with all before them */

/* ---- values of a side ---- */

static int compare_values(const void *a, const void *b)
{
	const struct dit_value *x = a;
	const struct dit_value *y = b;
	int order = dit_span_compare(x->normal, y->normal);

	return order != 0 ? order : dit_span_compare(x->pretty, y->pretty);
}

static bool is_ordered(const struct dit_attr_view *attr)
{
	return attr->ad != NULL && (attr->ad->type->flags & DIT_TYPE_ORDERED_VALUES) != 0;
}

/* Several blocks may have one value. */
static void leave_one_of_each(struct dit_attr_values *values)
{
	size_t n = 0;

	for (size_t i = 0; i < values->n; i++) {
		if (n == 0 ||
		    !dit_span_eq(values->list[i].normal, values->list[n - 1].normal)) {
			values->list[n++] = values->list[i];
		}
	}
	values->n = n;
}

/* The values of a type. */
static int take(struct dit_diff *diff, const struct dit_entry_view *entry,
                const struct dit_attr_type *type, struct dit_attr_values *ret)
{
	const struct dit_attr_view wanted = {.ad = &type->ad};

	*ret = (struct dit_attr_values){.entry = entry};
	dit_attr_values_find(ret, &wanted, 0);
	return dit_attr_values_take(ret, 0, &diff->arena);
}

/* ---- after a new RDN ---- */

/* The two RDNs of a node, which was renamed. */
struct rdns {
	struct dit_dn old;
	struct dit_dn new;
	bool old_stays; /* its values, too */
};

/* None, if the schema does not know an attribute any more. */
static int parse_rdns(struct dit_diff *diff, struct dit_diff_item *const item[2],
                      struct rdns *ret)
{
	const struct dit_schema *schema = diff->job.chosen.settings->schema;
	int r = dit_dn_parse(schema, item[0]->rdn, &diff->arena, NULL, &ret->old);

	r = r ?: dit_dn_parse(schema, item[1]->rdn, &diff->arena, NULL, &ret->new);
	if (r == DIT_E_INVALID) {
		*ret = (struct rdns){.old_stays = true};
	}
	return r == DIT_E_INVALID ? 0 : r;
}

static int read_both(struct dit_diff *diff, struct dit_diff_item *const item[2],
                     struct dit_entry_view ret[2])
{
	int r = dit_diff_read(diff, 0, item[0]->id, &ret[0]);

	return r ?: dit_diff_read(diff, 1, item[1]->id, &ret[1]);
}

static bool has(const struct dit_attr_values *values, struct dit_span normal)
{
	for (size_t i = 0; i < values->n; i++) {
		if (dit_span_eq(values->list[i].normal, normal)) {
			return true;
		}
	}
	return false;
}

static void remove_old(struct dit_attr_values *values, const struct dit_ava *ava)
{
	size_t kept = 0;

	for (size_t i = 0; i < values->n; i++) {
		if (!dit_span_eq(values->list[i].normal, ava->norm)) {
			values->list[kept++] = values->list[i];
		}
	}
	values->n = kept;
}

/* A value of the new RDN that @p second lacks stays: slapd deletes none. Exact changes
 * set the attribute (is_set()). */
static void rename_values(const struct rdns *rdns, const struct dit_attr_view *attr,
                          struct dit_attr_values *values,
                          const struct dit_attr_values *second)
{
	const struct dit_attr_type *type =
		attr->ad == NULL || attr->ad->options.len > 0 ? NULL : attr->ad->type;

	for (unsigned i = 0; i < rdns->old.navas && !rdns->old_stays; i++) {
		if (rdns->old.avas[i].type == type) {
			remove_old(values, &rdns->old.avas[i]);
		}
	}
	for (unsigned i = 0; i < rdns->new.navas; i++) {
		const struct dit_ava *ava = &rdns->new.avas[i];

		if (ava->type == type && !has(values, ava->norm) &&
		    has(second, ava->norm)) {
			values->list[values->n++] =
				(struct dit_value){ava->value, ava->norm};
		}
	}
}

static bool is_in_rdn(const struct dit_dn *rdn, const struct dit_attr_type *type)
{
	for (unsigned i = 0; i < rdn->navas; i++) {
		if (rdn->avas[i].type == type) {
			return true;
		}
	}
	return false;
}

int dit_diff_keeps_rdn(struct dit_diff *diff, const struct dit_diff_node *node)
{
	struct dit_entry_view entries[2];
	struct rdns rdns;
	bool all_stay = true;
	int r = 0;

	dit_arena_reset(&diff->arena);
	r = parse_rdns(diff, node->item, &rdns);
	r = r ?: read_both(diff, node->item, entries);
	for (unsigned i = 0; i < rdns.old.navas && r == 0; i++) {
		const struct dit_ava *ava = &rdns.old.avas[i];
		struct dit_attr_values sides[2];

		r = take(diff, &entries[0], ava->type, &sides[0]);
		r = r ?: take(diff, &entries[1], ava->type, &sides[1]);
		/* The entry may need a value of this type until it is modified. slapd
		 * may not find one of several blocks, and none that is not there. */
		if (r == 0 && (!is_in_rdn(&rdns.new, ava->type) || sides[0].nblocks > 1 ||
		               !has(&sides[0], ava->norm))) {
			return 1;
		}
		all_stay = r == 0 && all_stay && has(&sides[1], ava->norm);
	}
	return r ?: all_stay;
}

/* ---- before a new RDN ---- */

static bool has_types_of(const struct dit_dn *rdn, const struct dit_dn *other)
{
	for (unsigned i = 0; i < other->navas; i++) {
		if (!is_in_rdn(rdn, other->avas[i].type)) {
			return false;
		}
	}
	return true;
}

/* Are the classes of the second entry those of the first, or some of them? 1; 0; error */
static int has_classes(struct dit_diff *diff, const struct dit_entry_view entries[2])
{
	const struct dit_attr_type *type = dit_schema_find_type(
		diff->job.chosen.settings->schema, DIT_SPAN("objectClass"));
	struct dit_attr_values sides[2];
	int r = take(diff, &entries[0], type, &sides[0]);

	r = r ?: take(diff, &entries[1], type, &sides[1]);
	for (size_t i = 0; r >= 0 && i < sides[1].n; i++) {
		if (!has(&sides[0], sides[1].list[i].normal)) {
			return 0;
		}
	}
	return r ?: 1;
}

/* 1; 0; error */
static int can_get(struct dit_diff *diff, const struct dit_entry_view entries[2],
                   const struct dit_ava *ava)
{
	struct dit_attr_values values;
	int r = take(diff, &entries[0], ava->type, &values);

	if (r < 0) {
		return r;
	}
	if (values.n == 0) {
		return has_classes(diff, entries);
	}
	return (ava->type->flags & DIT_TYPE_SINGLE) == 0 || has(&values, ava->norm);
}

int dit_diff_can_rename(struct dit_diff *diff, struct dit_diff_item *const item[2])
{
	struct dit_entry_view entries[2];
	struct rdns rdns;
	int r = 0;

	dit_arena_reset(&diff->arena);
	r = parse_rdns(diff, item, &rdns);
	if (r < 0 ||
	    (has_types_of(&rdns.old, &rdns.new) && has_types_of(&rdns.new, &rdns.old))) {
		return r ?: 1;
	}
	r = read_both(diff, item, entries) ?: 1;
	for (unsigned i = 0; i < rdns.new.navas &&r > 0; i++) {
		r = can_get(diff, entries, &rdns.new.avas[i]);
	}
	return r;
}

/* ---- one attribute ---- */

static bool are_equal(const struct dit_attr_values sides[2])
{
	bool are_same = sides[0].n == sides[1].n;

	for (size_t i = 0; i < sides[0].n && are_same; i++) {
		are_same = compare_values(&sides[0].list[i], &sides[1].list[i]) == 0;
	}
	return are_same;
}

static int write_values(struct dit_diff *diff, const char *what, struct dit_span name,
                        const struct dit_attr_values *values)
{
	int r = dit_ldif_write_value(&diff->text, dit_span_of(what), name, false);

	for (size_t i = 0; values != NULL && i < values->n && r == 0; i++) {
		r = dit_ldif_write_value(&diff->text, name, values->list[i].pretty,
		                         false);
	}
	return r ?: dit_ldif_write_raw(&diff->text, DIT_SPAN("-\n"));
}

static bool is_replaced(const struct dit_attr_view *view)
{
	const struct dit_ad *ad = view->ad;

	return ad == NULL || ad->type->equality == NULL ||
	       (ad->type->flags & DIT_TYPE_SINGLE) != 0 || is_ordered(view) ||
	       dit_span_eq(ad->name, DIT_SPAN("contextCSN"));
}

static bool has_twice(const struct dit_attr_values *values)
{
	for (size_t i = 1; i < values->n; i++) {
		if (dit_span_eq(values->list[i].normal, values->list[i - 1].normal)) {
			return true;
		}
	}
	return false;
}

/* "{1}text" without its number */
static struct dit_span text_of(struct dit_span value)
{
	dit_cut(&value, dit_value_order_prefix(value));
	return value;
}

/*
 * Do a few values follow the others of an ordered attribute, none of which slapd takes
 * for one that is there? It adds to lists that it never replaces, such as olcModuleLoad.
 */
static bool is_longer(const struct dit_attr_values sides[2])
{
	const struct dit_value *values = sides[1].list;
	struct dit_attr_values first = {.list = sides[1].list, .n = sides[0].n};

	if (sides[1].n <= first.n || sides[1].n - first.n > MORE_MAX ||
	    !are_equal((const struct dit_attr_values[]){sides[0], first})) {
		return false;
	}
	for (size_t i = first.n; i < sides[1].n; i++) {
		for (size_t k = 0; k < i; k++) {
			if (dit_span_eq(text_of(values[i].normal),
			                text_of(values[k].normal))) {
				return false;
			}
		}
	}
	return true;
}

/* slapd finds values of the first block alone, and a replacement deletes that one. */
static int write_blocks(struct dit_diff *diff, struct dit_span name,
                        const struct dit_attr_values sides[2])
{
	int r = 0;

	for (uint32_t i = sides[0].nblocks; i > 0 && r == 0; i--) {
		r = write_values(diff, "replace", name, i == 1 ? &sides[1] : NULL);
	}
	return r;
}

static int write_attr(struct dit_diff *diff, const struct dit_attr_view *view,
                      struct dit_attr_values sides[2])
{
	struct dit_span name = view->name;
	struct dit_attr_values *old = &sides[0];
	struct dit_attr_values *new = &sides[1];
	size_t n[2] = {old->n, new->n}; /* that the other side lacks */
	int r = 0;

	if (old->nblocks > 1) {
		return write_blocks(diff, name, sides);
	}
	if (old->n == 0 || new->n == 0) {
		return write_values(diff, old->n == 0 ? "add" : "delete", name,
		                    old->n == 0 ? new : NULL);
	}
	if (is_ordered(view) && view->ad->type->equality != NULL && is_longer(sides)) {
		new->list += old->n;
		new->n -= old->n;
		return write_values(diff, "add", name, new);
	}
	if (!is_replaced(view) && !(has_twice(new) ? diff->opts.exact : has_twice(old))) {
		dit_pairs_subtract((void *const[]){old->list, new->list}, n,
		                   sizeof(*old->list), compare_values);
	}
	if (n[0] == old->n) { /* none stays, so the lists are as they were */
		return write_values(diff, "replace", name, new);
	}
	old->n = n[0];
	new->n = n[1];
	r = old->n == 0 ? 0 : write_values(diff, "delete", name, old);
	return r < 0 || new->n == 0 ? r : write_values(diff, "add", name, new);
}

/* ---- two entries ---- */

struct change {
	struct dit_diff *diff;
	struct dit_entry_view entries[2];
	struct rdns rdns;
	bool has_begun;
	bool differs;
};

static int read_attr(struct change *change, const struct dit_attr_view *view,
                     struct dit_attr_values sides[2])
{
	struct dit_arena *arena = &change->diff->arena;
	int r = dit_attr_values_take(&sides[0], change->rdns.new.navas, arena);

	r = r ?: dit_attr_values_take(&sides[1], 0, arena);
	if (r < 0) {
		return r;
	}
	rename_values(&change->rdns, view, &sides[0], &sides[1]);
	for (unsigned i = 0; i < 2 && !is_ordered(view); i++) {
		dit_sort_items(sides[i].list, sides[i].n, sizeof(*sides[i].list),
		               compare_values);
		if (sides[i].nblocks > 1) {
			leave_one_of_each(&sides[i]);
		}
	}
	return 0;
}

static int begin(struct change *change)
{
	if (change->has_begun) {
		return 0;
	}
	change->has_begun = true;
	return dit_diff_begin(change->diff, change->entries[1].dn, "modify");
}

/* The attribute changes. */
static int note(struct change *change, const struct dit_attr_view *view)
{
	struct dit_diff *diff = change->diff;
	int r = begin(change);

	change->differs = true;
	return r
	               ?: dit_diff_count(diff,
	                                 view->ad == NULL ? view->name : view->ad->name,
	                                 &diff->attrs);
}

static bool is_stamp(const struct dit_diff *diff, const struct dit_ad *ad)
{
	return ad != NULL && (ad == diff->stamp_ads[0] || ad == diff->stamp_ads[1]);
}

/* A rename, also one on the way, adds values of RDNs that an entry lacks. Exact changes
 * set the attribute afterwards. 1; 0; error */
static int is_set(struct change *change, const struct dit_attr_type *type)
{
	for (unsigned side = 0; side < 2 && change->diff->opts.exact; side++) {
		const struct dit_dn *rdn =
			side == 0 ? &change->rdns.old : &change->rdns.new;

		for (unsigned i = 0; i < rdn->navas; i++) {
			struct dit_attr_values values;
			int r = rdn->avas[i].type != type
			                ? 1
			                : take(change->diff, &change->entries[side], type,
			                       &values);

			if (r < 0 || (r == 0 && !has(&values, rdn->avas[i].norm))) {
				return r < 0 ? r : 1;
			}
		}
	}
	return 0;
}

/* Stamps that differ are written with all others, at the end. */
static int compare_attr(struct change *change, const struct dit_attr_view *view,
                        struct dit_attr_values sides[2])
{
	struct dit_diff *diff = change->diff;
	int set = view->ad == NULL || view->ad->options.len > 0
	                  ? 0
	                  : is_set(change, view->ad->type);
	int r = set < 0 ? set : read_attr(change, view, sides);

	if (r < 0 || (set == 0 && are_equal(sides))) {
		return r;
	}
	r = note(change, view);
	if (r < 0 || is_stamp(diff, view->ad)) {
		return r;
	}
	return set > 0 && sides[0].nblocks <= 1
	               ? write_values(diff, "replace", view->name, &sides[1])
	               : write_attr(diff, view, sides);
}

static int compare_attrs(struct change *change)
{
	struct dit_attr_values sides[2] = {{.entry = &change->entries[0]},
	                                   {.entry = &change->entries[1]}};
	struct dit_pairs pairs = dit_attr_pairs(sides);
	int r = 0;

	while (r == 0 && dit_pairs_next(&pairs) > 0) {
		const struct dit_attr_view *view = sides[0].first ?: sides[1].first;

		if (dit_diff_is_compared(change->diff, view->ad)) {
			r = compare_attr(change, view, sides);
		}
	}
	return r;
}

/* Attributes of RDNs that both entries lack are set, too. */
static int clear_attrs(struct change *change)
{
	const struct dit_dn *rdns[] = {&change->rdns.old, &change->rdns.new};
	int r = 0;

	for (unsigned i = 0; i < rdns[0]->navas + rdns[1]->navas && r == 0; i++) {
		bool is_new = i >= rdns[0]->navas;
		const struct dit_attr_type *type =
			is_new ? rdns[1]->avas[i - rdns[0]->navas].type
			       : rdns[0]->avas[i].type;
		const struct dit_attr_view view = {.ad = &type->ad,
		                                   .name = type->ad.name};
		struct dit_attr_values sides[2];

		r = take(change->diff, &change->entries[0], type, &sides[0]);
		r = r ?: take(change->diff, &change->entries[1], type, &sides[1]);
		if (r == 0 && sides[0].n + sides[1].n == 0 &&
		    !(is_new && is_in_rdn(rdns[0], type))) {
			r = note(change, &view);
			r = r ?: write_values(change->diff, "replace", view.name, NULL);
		}
	}
	return r;
}

static int write_stamps(struct change *change, bool is_moved)
{
	struct dit_diff *diff = change->diff;
	bool is_due = diff->stamp_ads[0] != NULL && (is_moved || change->has_begun);
	int r = is_due ? begin(change) : 0;

	for (size_t i = 0; i < 2 && is_due && r == 0; i++) {
		const struct dit_ad *ad = diff->stamp_ads[i];
		struct dit_attr_values stamps;

		r = take(diff, &change->entries[1], ad->type, &stamps);
		r = r ?: write_values(diff, "replace", ad->name, &stamps);
	}
	return r;
}

int dit_diff_modify(struct dit_diff *diff, struct dit_diff_node *node)
{
	struct change change = {.diff = diff};
	int r = 0;

	dit_arena_reset(&diff->arena);
	if (node->moves) { /* below a new parent it gets the values of its RDN as well */
		r = parse_rdns(diff, node->item, &change.rdns);
		change.rdns.old_stays = !node->takes_old;
	}
	r = r ?: read_both(diff, node->item, change.entries);
	r = r ?: compare_attrs(&change);
	r = r < 0 || !diff->opts.exact ? r : clear_attrs(&change);
	r = r ?: write_stamps(&change, node->moves);
	diff->stats.nmodified += r == 0 && change.differs;
	return r < 0 || !change.has_begun ? r : dit_diff_end(diff);
}
