/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of databases: notes of each member, summed up at the end. */
#include "check/check_sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ids.h"

#define KEY_MAX 511

struct longest {
	/* The longest first. Their values are owned; of a member they are not known. */
	struct dit_check_list lists[DIT_CHECK_LONGEST];
	char keys[DIT_CHECK_LONGEST][KEY_MAX]; /* of these, in any order */
};

/* Notes about one database: of one member, or of all, with its size. */
struct notes {
	struct dit_check_database told; /* of all: its name is owned */
	uint64_t nlists[DIT_LIST_LENGTHS];
	struct longest *longest; /* owned; NULL: none yet */
};

/* [own: the member] */
struct counter {
	struct notes *notes; /* by number of the database */
	size_t nnotes;
	int error;
};

struct dit_check_sizes {
	struct counter *members;
	unsigned nmembers;
	struct notes *databases; /* when all members are done */
	size_t ndatabases;
	size_t size;
	int error;
};

/* ---- members ---- */

static struct notes *notes_of(struct counter *member, size_t database)
{
	if (database >= member->nnotes &&
	    DIT_GROW_CLEARED(member->notes, member->nnotes, database + 1) < 0) {
		member->error = -ENOMEM;
		return NULL;
	}
	return &member->notes[database];
}

/* Longer first; of the same length by key. */
static int compare_lists(const struct dit_check_list *a, const struct dit_check_list *b)
{
	int order = (a->nids < b->nids) - (a->nids > b->nids);

	return order != 0 ? order : dit_span_compare(a->key, b->key);
}

static int insert(struct notes *notes, const struct dit_check_list *list)
{
	size_t *n = &notes->told.nlongest;
	struct dit_check_list *lists = NULL;
	char *key = NULL;
	size_t at = 0;

	if (notes->longest == NULL) {
		notes->longest = calloc(1, sizeof(*notes->longest));
		if (notes->longest == NULL) {
			return -ENOMEM;
		}
	}
	lists = notes->longest->lists;
	while (at < *n && compare_lists(&lists[at], list) < 0) {
		at++;
	}
	if (at == DIT_CHECK_LONGEST) {
		return 0;
	}
	key = *n < DIT_CHECK_LONGEST ? notes->longest->keys[(*n)++]
	                             : (char *)lists[*n - 1].key.data; /* that one goes */
	memmove(&lists[at + 1], &lists[at], (*n - at - 1) * sizeof(*list));
	lists[at] = (struct dit_check_list){
		.key = {key, list->key.len < KEY_MAX ? list->key.len : KEY_MAX},
		.nids = list->nids};
	memcpy(key, list->key.data, lists[at].key.len);
	return 0;
}

static bool is_range(const struct dit_walk_list *list)
{
	return list->items.len == DIT_RANGE_IDS * sizeof(uint64_t) &&
	       dit_id_at(list->items, 0) == 0;
}

/* Four bytes of zero; of integer keys eight (storage.md 5.4). */
static bool is_presence(struct dit_span key)
{
	for (size_t i = 0; i < key.len; i++) {
		if (key.data[i] != '\0') {
			return false;
		}
	}
	return key.len == 4 || key.len == 8;
}

static void note_presence(struct dit_check_database *told,
                          const struct dit_walk_list *list)
{
	told->has_presence = true;
	told->is_presence_range = is_range(list);
	told->npresent = told->is_presence_range ? 0 : list->nitems;
}

void dit_check_sizes_note(void *ctx, unsigned member, const struct dit_walk_list *list)
{
	struct dit_check_sizes *sizes = ctx;
	struct counter *own = &sizes->members[member];
	struct notes *notes = notes_of(own, list->database);
	const struct dit_check_list noted = {.key = list->key, .nids = list->nitems};
	unsigned class = 63 - (unsigned)__builtin_clzll(list->nitems | 1);

	if (notes == NULL || list->is_more) {
		return;
	}
	if (is_presence(list->key)) {
		note_presence(&notes->told, list);
	}
	if (is_range(list)) {
		notes->told.nranges++;
		return;
	}
	notes->nlists[class & (DIT_LIST_LENGTHS - 1)]++;
	if (notes->told.nlongest == DIT_CHECK_LONGEST &&
	    list->nitems < notes->longest->lists[DIT_CHECK_LONGEST - 1].nids) {
		return;
	}
	if (insert(notes, &noted) < 0) {
		own->error = -ENOMEM;
	}
}

/* ---- databases ---- */

/* Notes of all members about one index. */
static int sum_up(const struct dit_check_sizes *sizes, size_t number, struct notes *ret)
{
	for (unsigned i = 0; i < sizes->nmembers; i++) {
		const struct counter *member = &sizes->members[i];
		const struct notes *notes = NULL;

		if (number >= member->nnotes) {
			continue;
		}
		notes = &member->notes[number];
		for (size_t k = 0; k < notes->told.nlongest; k++) {
			if (insert(ret, &notes->longest->lists[k]) < 0) {
				return -ENOMEM;
			}
		}
		for (size_t k = 0; k < DIT_LIST_LENGTHS; k++) {
			ret->nlists[k] += notes->nlists[k];
		}
		ret->told.nranges += notes->told.nranges;
		if (notes->told.has_presence) {
			ret->told.has_presence = true;
			ret->told.is_presence_range = notes->told.is_presence_range;
			ret->told.npresent = notes->told.npresent;
		}
	}
	return 0;
}

static int take(struct dit_check_sizes *sizes, const struct dit_walk_size *size)
{
	struct notes database = {
		.told = {.name = strdup(size->name),
	                 .is_index = (size->flags & DIT_DB_DUPFIXED) != 0,
	                 .depth = size->depth,
	                 .nkeys = size->nkeys,
	                 .nrecords = size->nitems,
	                 .nbranches = size->nbranches,
	                 .nleaves = size->nleaves,
	                 .noverflows = size->noverflows,
	                 .used_bytes = size->used_bytes}};
	size_t number = sizes->ndatabases;
	int r = database.told.name == NULL ? -ENOMEM : 0;

	r = r ?: DIT_APPEND(sizes->databases, sizes->size, sizes->ndatabases, database);
	if (r < 0) {
		free((char *)database.told.name);
		return r;
	}
	return database.told.is_index ? sum_up(sizes, number, &sizes->databases[number])
	                              : 0;
}

void dit_check_sizes_take(void *ctx, const struct dit_walk_size *size)
{
	struct dit_check_sizes *sizes = ctx;

	if (take(sizes, size) < 0) {
		sizes->error = -ENOMEM;
	}
}

/* ---- values ---- */

/* NULL: there is none. */
static const struct notes *find(const struct dit_check_sizes *sizes, const char *name)
{
	for (size_t i = 0; i < sizes->ndatabases; i++) {
		if (strcmp(sizes->databases[i].told.name, name) == 0) {
			return &sizes->databases[i];
		}
	}
	return NULL;
}

struct dit_check_list *dit_check_sizes_list(const struct dit_check_sizes *sizes,
                                            const char *name, struct dit_span key)
{
	const struct notes *database = find(sizes, name);

	for (size_t i = 0; database != NULL && i < database->told.nlongest; i++) {
		struct dit_check_list *list = &database->longest->lists[i];

		if (dit_span_eq(list->key, key)) {
			return list->value == NULL ? list : NULL;
		}
	}
	return NULL;
}

int dit_check_sizes_tell(const struct dit_check_sizes *sizes, const char *file,
                         unsigned page_bytes, dit_check_database_fn told, void *ctx)
{
	const struct notes *id2e = find(sizes, "id2e");
	int r = sizes->error;

	for (unsigned i = 0; i < sizes->nmembers && r == 0; i++) {
		r = sizes->members[i].error;
	}
	for (size_t i = 0; i < sizes->ndatabases && r == 0; i++) {
		const struct notes *notes = &sizes->databases[i];
		struct dit_check_database database = notes->told;

		database.file = file;
		database.nentries = id2e == NULL ? 0 : id2e->told.nkeys;
		database.page_bytes = page_bytes;
		database.bytes =
			(database.nbranches + database.nleaves + database.noverflows) *
			page_bytes;
		database.nlists = notes->nlists;
		database.longest = notes->longest == NULL ? NULL : notes->longest->lists;
		told(ctx, &database);
	}
	return r;
}

/* ---- the whole ---- */

int dit_check_sizes_new(struct dit_check_sizes **ret, unsigned nmembers)
{
	struct dit_check_sizes *sizes = calloc(1, sizeof(*sizes));

	if (sizes == NULL) {
		return -ENOMEM;
	}
	sizes->nmembers = nmembers;
	sizes->members = calloc(nmembers, sizeof(*sizes->members));
	if (sizes->members == NULL) {
		free(sizes);
		return -ENOMEM;
	}
	*ret = sizes;
	return 0;
}

void dit_check_sizes_free(struct dit_check_sizes *sizes)
{
	if (sizes == NULL) {
		return;
	}
	for (unsigned i = 0; i < sizes->nmembers; i++) {
		struct counter *member = &sizes->members[i];

		for (size_t k = 0; k < member->nnotes; k++) {
			free(member->notes[k].longest);
		}
		free(member->notes);
	}
	for (size_t i = 0; i < sizes->ndatabases; i++) {
		struct notes *database = &sizes->databases[i];

		for (size_t k = 0; k < database->told.nlongest; k++) {
			free((char *)database->longest->lists[k].value);
		}
		free(database->longest);
		free((char *)database->told.name);
	}
	free(sizes->databases);
	free(sizes->members);
	free(sizes);
}
