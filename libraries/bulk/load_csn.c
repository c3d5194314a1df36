/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contextCSN (-w, storage.md 6.3): for every server ID the highest entryCSN of the load
 * goes into the suffix entry of the chosen database, or, where the database is configured
 * so, into its subentry cn=ldapsync, which is made if there is none.
 *
 * What is there already stays unless one of its values is exceeded; then all known ones
 * are written. The values have no normal forms and are not indexed, and the subentry has
 * no operational attributes, as slapd itself writes them.
 */
#include "bulk/load_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/entry_edit.h"

#define SUBENTRY_RDN "cn=ldapsync"

/* A change sequence number: 40 bytes, of which the server's ID is the third part. */
#define CSN_MAX 63

struct csn {
	unsigned sid;
	size_t len;
	char text[CSN_MAX];
};

struct load_csns {
	struct csn *list; /* by ascending server ID */
	size_t n;
	size_t size;
};

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9') {
		return c - '0';
	}
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The server ID, three hexadecimal digits between the second # and the third; or -1. */
static int sid_of(struct dit_span csn)
{
	size_t at = 0;
	int sid = 0;

	for (int n = 0; n < 2; n++) {
		while (at < csn.len && csn.data[at] != '#') {
			at++;
		}
		at++;
	}
	if (csn.len > CSN_MAX || at + 3 >= csn.len || csn.data[at + 3] != '#') {
		return -1;
	}
	for (int i = 0; i < 3; i++) {
		int digit = hex_digit(csn.data[at + (size_t)i]);

		if (digit < 0) {
			return -1;
		}
		sid = sid * 16 + digit;
	}
	return sid;
}

static bool is_above(struct dit_span a, const struct csn *b)
{
	if (a.len != b->len) {
		return a.len > b->len;
	}
	return memcmp(a.data, b->text, a.len) > 0;
}

static void set_csn(struct csn *csn, unsigned sid, struct dit_span text)
{
	csn->sid = sid;
	csn->len = text.len;
	memcpy(csn->text, text.data, text.len);
}

static struct csn *find_csn(const struct load_csns *csns, unsigned sid, size_t *ret_place)
{
	size_t i = 0;

	while (i < csns->n && csns->list[i].sid < sid) {
		i++;
	}
	*ret_place = i;
	return i < csns->n && csns->list[i].sid == sid ? &csns->list[i] : NULL;
}

static int insert_csn(struct load_csns *csns, size_t place, unsigned sid,
                      struct dit_span text)
{
	if (csns->n == csns->size) {
		size_t size = csns->size == 0 ? 4 : csns->size * 2;
		struct csn *list = realloc(csns->list, size * sizeof(*list));

		if (list == NULL) {
			return -ENOMEM;
		}
		csns->list = list;
		csns->size = size;
	}
	memmove(&csns->list[place + 1], &csns->list[place],
	        (csns->n - place) * sizeof(*csns->list));
	csns->n++;
	set_csn(&csns->list[place], sid, text);
	return 0;
}

int load_csn_start(struct loader *loader)
{
	const struct dit_load_opts *opts = loader->opts;

	if (!opts->write_context_csn || !loader->db->lastmod || opts->is_dry_run) {
		return 0;
	}
	loader->csns = calloc(1, sizeof(*loader->csns));
	if (loader->csns == NULL) {
		return -ENOMEM;
	}
	return dit_ad_find(loader->settings->schema, NULL, DIT_SPAN("entryCSN"),
	                   &loader->entry_csn, NULL);
}

void load_csn_free(struct loader *loader)
{
	if (loader->csns != NULL) {
		free(loader->csns->list);
		free(loader->csns);
		loader->csns = NULL;
	}
}

int load_csn_note(struct loader *loader, const struct load_item *item)
{
	const struct dit_attr *attr = NULL;
	struct dit_span text = {0};
	struct csn *csn = NULL;
	size_t place = 0;
	int sid = 0;

	if (loader->csns == NULL) {
		return 0;
	}
	attr = dit_entry_find(&item->entry, loader->entry_csn);
	if (attr == NULL || attr->nvalues == 0) {
		return 0;
	}
	text = attr->normal != NULL ? attr->normal[0] : attr->values[0];
	sid = sid_of(text);
	if (sid < 0) {
		load_report(loader, DIT_REPORT_ERROR,
		            "could not extract SID from entryCSN=%.*s, entry "
		            "dn=\"%.*s\"",
		            DIT_SPAN_ARGS(text), DIT_SPAN_ARGS(item->entry.dn.pretty));
		return 0;
	}
	csn = find_csn(loader->csns, (unsigned)sid, &place);
	if (csn == NULL) {
		return insert_csn(loader->csns, place, (unsigned)sid, text);
	}
	if (is_above(text, csn)) {
		set_csn(csn, (unsigned)sid, text);
	}
	return 0;
}

/* ---- writing ---- */

/* Take over what the entry has. 1: one of its values is exceeded; 0; -ENOMEM */
static int merge_stored(struct load_csns *csns, const struct dit_stored_attr *attr)
{
	int is_changed = 0;

	for (uint32_t i = 0; i < attr->nvalues; i++) {
		struct dit_span text = attr->values[i];
		int sid = sid_of(text);
		size_t place = 0;
		struct csn *csn = NULL;
		int r = 0;

		if (sid < 0) {
			continue;
		}
		csn = find_csn(csns, (unsigned)sid, &place);
		if (csn == NULL) {
			r = insert_csn(csns, place, (unsigned)sid, text);
		} else if (csn->len > text.len ||
		           (csn->len == text.len &&
		            memcmp(csn->text, text.data, text.len) > 0)) {
			is_changed = 1;
		} else {
			set_csn(csn, (unsigned)sid, text);
		}
		if (r < 0) {
			return r;
		}
	}
	return is_changed;
}

/* @return 1: the values of the attribute have to be written; 0: they stay; error */
static int compare_stored(struct load_csns *csns, struct dit_span record, uint32_t number,
                          struct dit_arena *arena)
{
	struct dit_stored_entry entry = {0};
	int r = dit_entry_decode(record, arena, &entry);

	if (r < 0) {
		return r;
	}
	for (uint32_t i = 0; i < entry.nattrs; i++) {
		if (entry.attrs[i].ad_number != number) {
			continue;
		}
		return entry.attrs[i].values == NULL
		               ? DIT_E_UNSUPPORTED
		               : merge_stored(csns, &entry.attrs[i]);
	}
	return 1;
}

static struct dit_span *make_values(const struct load_csns *csns, struct dit_arena *arena)
{
	struct dit_span *values = dit_arena_alloc(arena, csns->n * sizeof(*values));

	for (size_t i = 0; values != NULL && i < csns->n; i++) {
		values[i] = (struct dit_span){csns->list[i].text, csns->list[i].len};
	}
	return values;
}

static int number_of(struct load_target *target, const struct dit_ad *ad, uint32_t *ret)
{
	int r = 0;

	if (ad->ordinal >= target->ad_numbers_size ||
	    target->ad_numbers[ad->ordinal] == 0) {
		r = load_number_ad(target, ad);
	}
	if (r == 0) {
		*ret = target->ad_numbers[ad->ordinal];
	}
	return r;
}

/* Change the record of an entry that is there. */
static int rewrite(struct load_target *target, uint32_t id, const struct dit_ad *ad,
                   struct dit_arena *arena)
{
	struct load_csns *csns = target->loader->csns;
	struct dit_span record = {0};
	struct dit_span *values = NULL;
	uint32_t number = 0;
	int r = dit_output_find_entry(target->output, id, &record);

	if (r <= 0) {
		return r; /* a hole stays one */
	}
	r = number_of(target, ad, &number);
	if (r == 0) {
		r = compare_stored(csns, record, number, arena);
	}
	if (r <= 0) {
		return r;
	}
	values = make_values(csns, arena);
	if (values == NULL) {
		return -ENOMEM;
	}
	r = dit_entry_set_values(record, number, values, (uint32_t)csns->n, arena,
	                         &record);
	if (r == 0) {
		r = dit_output_replace_entry(target->output, id, record);
	}
	if (r < 0) {
		return r;
	}
	if (target->loader->opts->is_verbose) {
		/* slapadd's words */
		load_report(target->loader, DIT_REPORT_ADDED,
		            "modified: \"(null)\" (%08lx)", (unsigned long)id);
	}
	return 0;
}

/*
 * The same, or, in a new database, when it takes changes; only the attribute must have its
 * number before that.
 */
static int rewrite_in_time(struct load_target *target, uint32_t id,
                           const struct dit_ad *ad, struct dit_arena *arena)
{
	const struct load_hole *hole = NULL;
	uint32_t number = 0;

	if (!target->output->wants_order) {
		return rewrite(target, id, ad, arena);
	}
	hole = load_find_hole(target, id);
	if (hole != NULL && !hole->is_filled) {
		return 0;
	}
	target->has_csn_entry = true;
	target->csn_id = id;
	return number_of(target, ad, &number);
}

static int add_attr(struct load_target *target, struct dit_entry *entry, const char *name,
                    struct dit_span *values, uint32_t nvalues, struct dit_arena *arena)
{
	const struct dit_ad *ad = NULL;
	struct dit_attr *attr = NULL;
	int r = dit_ad_find(target->loader->settings->schema, NULL, dit_span_of(name),
	                    &ad, NULL);

	if (r < 0) {
		return r;
	}
	attr = dit_entry_add(entry, ad, arena);
	if (attr == NULL) {
		return -ENOMEM;
	}
	attr->values = values;
	attr->nvalues = nvalues;
	return 0;
}

/* The subentry with its DN given becomes complete. */
static int make_subentry(struct load_target *target, struct load_item *item,
                         struct dit_arena *arena)
{
	static struct dit_span classes[] = {
		{"top", 3}, {"subentry", 8}, {"syncProviderSubentry", 20}};
	static struct dit_span structural[] = {{"subentry", 8}};
	static struct dit_span cn[] = {{"ldapsync", 8}};
	static struct dit_span everything[] = {{"{}", 2}};
	struct load_csns *csns = target->loader->csns;
	struct dit_span *values = make_values(csns, arena);
	struct dit_entry *entry = &item->entry;
	int r = values == NULL ? -ENOMEM : 0;

	entry->oc_flags = DIT_OC_COMPUTED | DIT_OC_SYNC_PROVIDER | DIT_OC_SUBENTRY |
	                  DIT_OC_OPERATIONAL | DIT_OC_HIDDEN | DIT_OC_BUILTIN;
	if (r == 0) {
		r = add_attr(target, entry, "objectClass", classes, 3, arena);
	}
	if (r == 0) {
		r = add_attr(target, entry, "structuralObjectClass", structural, 1,
		             arena);
	}
	if (r == 0) {
		r = add_attr(target, entry, "cn", cn, 1, arena);
	}
	if (r == 0) {
		r = add_attr(target, entry, "subtreeSpecification", everything, 1, arena);
	}
	if (r == 0) {
		r = add_attr(target, entry, "contextCSN", values, (uint32_t)csns->n,
		             arena);
	}
	return r < 0 ? r
	             : dit_entry_encode(entry, load_split_rules(target), arena,
	                                &item->encoded);
}

static int add_subentry(struct load_target *target, struct load_item *item,
                        struct dit_arena *arena)
{
	unsigned first = 0;
	uint32_t parent = 0;
	int r = make_subentry(target, item, arena);

	if (r == 0) {
		r = load_find_ancestor(target, item, &first, &parent);
	}
	if (r == 0 && !load_names_fit(target, &item->entry.dn, first)) {
		r = DIT_E_TOOLONG;
	}
	if (r == 0) {
		r = load_add_nodes(target, item, first, parent);
	}
	if (r == 0) {
		r = load_put_entry(target, item);
	}
	/* The members are at rest; one of them makes the keys. */
	return r < 0 ? r : load_key_item(&target->loader->members[0], item);
}

/* The DN of the entry that has contextCSN, with the rest of the item empty. */
static int make_item(struct load_target *target, struct dit_arena *arena,
                     struct load_item *ret)
{
	struct dit_span suffix = target->db->suffix;
	size_t size = sizeof(SUBENTRY_RDN) + 1 + suffix.len;
	char *text = dit_arena_alloc(arena, size);
	int len = 0;
	int r = 0;

	if (text == NULL) {
		return -ENOMEM;
	}
	if (target->db->sync_use_subentry) {
		len = snprintf(text, size, "%s%s%.*s", SUBENTRY_RDN,
		               suffix.len > 0 ? "," : "", DIT_SPAN_ARGS(suffix));
	} else {
		len = snprintf(text, size, "%.*s", DIT_SPAN_ARGS(suffix));
	}
	*ret = (struct load_item){.target = target->number};
	r = dit_dn_parse(target->loader->settings->schema,
	                 (struct dit_span){text, (size_t)len}, arena, NULL,
	                 &ret->entry.dn);
	if (r == 0) {
		load_fingerprints(ret);
	}
	return r;
}

static int find_context_csn(struct load_target *target, const struct dit_ad **ret)
{
	return dit_ad_find(target->loader->settings->schema, NULL, DIT_SPAN("contextCSN"),
	                   ret, NULL);
}

static int write_csns(struct load_target *target, struct dit_arena *arena)
{
	struct loader *loader = target->loader;
	const struct dit_ad *ad = NULL;
	struct load_item item;
	uint32_t id = 0;
	bool is_root = false;
	int r = make_item(target, arena, &item);

	if (r == 0) {
		r = find_context_csn(target, &ad);
	}
	is_root = r == 0 && item.entry.dn.nrdns == 0;
	if (r == 0 && !is_root) {
		r = load_find_self(target, &item, &id);
	}
	if (r < 0) {
		return r;
	}
	if (is_root) {
		/* slapadd says nothing if there is no such entry. */
		return target->has_root_entry ? rewrite_in_time(target, 0, ad, arena) : 0;
	}
	if (id != 0) {
		return rewrite_in_time(target, id, ad, arena);
	}
	if (target->db->sync_use_subentry) {
		return add_subentry(target, &item, arena);
	}
	load_report(loader, DIT_REPORT_ERROR, "context entry is missing");
	loader->stats->nmissing++;
	return 0;
}

int load_csn_write(struct load_target *target)
{
	const struct loader *loader = target->loader;
	struct dit_arena arena;
	int r = 0;

	if (loader->csns == NULL || loader->csns->n == 0 || loader->stats->nfailed > 0) {
		return 0;
	}
	dit_arena_init(&arena, 4096);
	r = write_csns(target, &arena);
	dit_arena_deinit(&arena);
	return r < 0 ? load_target_fail(target, r, "could not write contextCSN") : 0;
}

int load_csn_rewrite(struct load_target *target)
{
	const struct dit_ad *ad = NULL;
	struct dit_arena arena;
	int r = 0;

	if (!target->has_csn_entry) {
		return 0;
	}
	dit_arena_init(&arena, 4096);
	r = find_context_csn(target, &ad);
	if (r == 0) {
		r = rewrite(target, target->csn_id, ad, &arena);
	}
	dit_arena_deinit(&arena);
	return r < 0 ? load_target_fail(target, r, "could not write contextCSN") : 0;
}
