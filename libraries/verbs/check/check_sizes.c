/* SPDX-License-Identifier: BSD-2-Clause */
/* Sizes of databases: notes of each member, summed up at the end. */
#include "check/check_sizes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ids.h"

#define KEY_MAX 511

struct long_list {
	uint64_t nitems;
	size_t key_len;
	char key[KEY_MAX];
	char *value; /* owned; NULL: not known, as in the notes of a member */
};

/* Notes about one database, of one member or of all. */
struct notes {
	bool has_presence;
	bool is_presence_range;
	uint64_t npresent;
	uint64_t nranges;
	uint64_t nlists[DIT_LIST_LENGTHS];
	struct long_list *longest; /* the longest first; owned */
	size_t nlongest;
};

/* [own: the member] */
struct counter {
	struct notes *notes; /* by number of the database */
	size_t nnotes;
	int error;
};

/* A database when all members are done. */
struct sized {
	struct dit_walk_size size; /* its name owned */
	struct notes notes;
};

struct dit_check_sizes {
	struct counter *members;
	unsigned nmembers;
	struct sized *databases;
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
static int compare_lists(const struct long_list *a, const struct long_list *b)
{
	int order = (a->nitems < b->nitems) - (a->nitems > b->nitems);

	return order != 0 ? order
	                  : dit_span_compare((struct dit_span){a->key, a->key_len},
	                                     (struct dit_span){b->key, b->key_len});
}

static int insert(struct notes *notes, const struct long_list *list)
{
	size_t at = 0;

	if (notes->longest == NULL) {
		notes->longest = calloc(DIT_CHECK_LONGEST, sizeof(*notes->longest));
		if (notes->longest == NULL) {
			return -ENOMEM;
		}
	}
	while (at < notes->nlongest && compare_lists(&notes->longest[at], list) < 0) {
		at++;
	}
	if (at == DIT_CHECK_LONGEST) {
		return 0;
	}
	if (notes->nlongest < DIT_CHECK_LONGEST) {
		notes->nlongest++;
	}
	memmove(&notes->longest[at + 1], &notes->longest[at],
	        (notes->nlongest - at - 1) * sizeof(*list));
	notes->longest[at] = *list;
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

static void note_presence(struct notes *notes, const struct dit_walk_list *list)
{
	notes->has_presence = true;
	notes->is_presence_range = is_range(list);
	notes->npresent = notes->is_presence_range ? 0 : list->nitems;
}

void dit_check_sizes_note(void *ctx, unsigned member, const struct dit_walk_list *list)
{
	struct dit_check_sizes *sizes = ctx;
	struct counter *own = &sizes->members[member];
	struct notes *notes = notes_of(own, list->database);
	struct long_list noted = {.nitems = list->nitems};
	unsigned class = 63 - (unsigned)__builtin_clzll(list->nitems | 1);

	if (notes == NULL || list->is_more) {
		return;
	}
	if (is_presence(list->key)) {
		note_presence(notes, list);
	}
	if (is_range(list)) {
		notes->nranges++;
		return;
	}
	notes->nlists[class & (DIT_LIST_LENGTHS - 1)]++;
	if (notes->nlongest == DIT_CHECK_LONGEST &&
	    list->nitems < notes->longest[DIT_CHECK_LONGEST - 1].nitems) {
		return;
	}
	noted.key_len = list->key.len < KEY_MAX ? list->key.len : KEY_MAX;
	memcpy(noted.key, list->key.data, noted.key_len);
	if (insert(notes, &noted) < 0) {
		own->error = -ENOMEM;
	}
}

/* ---- databases ---- */

/* Notes of all members about one database. */
static int sum_up(const struct dit_check_sizes *sizes, size_t number, struct notes *ret)
{
	for (unsigned i = 0; i < sizes->nmembers; i++) {
		const struct counter *member = &sizes->members[i];
		const struct notes *notes =
			number < member->nnotes ? &member->notes[number] : NULL;

		for (size_t k = 0; notes != NULL && k < notes->nlongest; k++) {
			if (insert(ret, &notes->longest[k]) < 0) {
				return -ENOMEM;
			}
		}
		for (size_t k = 0; notes != NULL && k < DIT_LIST_LENGTHS; k++) {
			ret->nlists[k] += notes->nlists[k];
		}
		ret->nranges += notes == NULL ? 0 : notes->nranges;
		if (notes != NULL && notes->has_presence) {
			ret->has_presence = true;
			ret->is_presence_range = notes->is_presence_range;
			ret->npresent = notes->npresent;
		}
	}
	return 0;
}

static int take(struct dit_check_sizes *sizes, const struct dit_walk_size *size)
{
	struct sized *database = NULL;
	char *name = NULL;

	if (DIT_GROW(sizes->databases, sizes->size, sizes->ndatabases + 1) < 0) {
		return -ENOMEM;
	}
	name = strdup(size->name);
	if (name == NULL) {
		return -ENOMEM;
	}
	database = &sizes->databases[sizes->ndatabases];
	*database = (struct sized){.size = *size};
	database->size.name = name;
	return sum_up(sizes, sizes->ndatabases++, &database->notes);
}

void dit_check_sizes_take(void *ctx, const struct dit_walk_size *size)
{
	struct dit_check_sizes *sizes = ctx;

	if (take(sizes, size) < 0) {
		sizes->error = -ENOMEM;
	}
}

static void tell_one(const struct sized *database, struct dit_check_database *told,
                     dit_check_database_fn fn, void *ctx)
{
	const struct dit_walk_size *size = &database->size;
	const struct notes *notes = &database->notes;
	struct dit_check_list longest[DIT_CHECK_LONGEST];

	for (size_t i = 0; i < notes->nlongest; i++) {
		longest[i] = (struct dit_check_list){
			.key = {notes->longest[i].key, notes->longest[i].key_len},
			.nids = notes->longest[i].nitems,
			.value = notes->longest[i].value};
	}
	told->name = size->name;
	told->is_index = (size->flags & DIT_DB_DUPFIXED) != 0;
	told->depth = size->depth;
	told->nkeys = size->nkeys;
	told->nrecords = size->nitems;
	told->nbranches = size->nbranches;
	told->nleaves = size->nleaves;
	told->noverflows = size->noverflows;
	told->bytes =
		(size->nbranches + size->nleaves + size->noverflows) * told->page_bytes;
	told->used_bytes = size->used_bytes;
	if (told->is_index) {
		told->has_presence = notes->has_presence;
		told->is_presence_range = notes->is_presence_range;
		told->npresent = notes->npresent;
		told->nranges = notes->nranges;
		told->nlists = notes->nlists;
		told->longest = longest;
		told->nlongest = notes->nlongest;
	}
	fn(ctx, told);
}

/* ---- values ---- */

/* NULL: there is none. */
static struct sized *find(const struct dit_check_sizes *sizes, const char *name)
{
	for (size_t i = 0; i < sizes->ndatabases; i++) {
		if (strcmp(sizes->databases[i].size.name, name) == 0) {
			return &sizes->databases[i];
		}
	}
	return NULL;
}

char **dit_check_sizes_value(const struct dit_check_sizes *sizes, const char *name,
                             struct dit_span key)
{
	const struct sized *database = find(sizes, name);

	for (size_t i = 0; database != NULL && i < database->notes.nlongest; i++) {
		struct long_list *list = &database->notes.longest[i];

		if (dit_span_eq((struct dit_span){list->key, list->key_len}, key)) {
			return list->value == NULL ? &list->value : NULL;
		}
	}
	return NULL;
}

int dit_check_sizes_tell(const struct dit_check_sizes *sizes, const char *file,
                         unsigned page_bytes, dit_check_database_fn told, void *ctx)
{
	const struct sized *id2e = find(sizes, "id2e");
	int r = sizes->error;

	for (unsigned i = 0; i < sizes->nmembers && r == 0; i++) {
		r = sizes->members[i].error;
	}
	for (size_t i = 0; i < sizes->ndatabases && r == 0; i++) {
		struct dit_check_database database = {
			.file = file,
			.nentries = id2e == NULL ? 0 : id2e->size.nkeys,
			.page_bytes = page_bytes};

		tell_one(&sizes->databases[i], &database, told, ctx);
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

void dit_check_sizes_reset(struct dit_check_sizes *sizes)
{
	for (unsigned i = 0; i < sizes->nmembers; i++) {
		struct counter *member = &sizes->members[i];

		for (size_t k = 0; k < member->nnotes; k++) {
			free(member->notes[k].longest);
		}
		free(member->notes);
		*member = (struct counter){.notes = NULL};
	}
	for (size_t i = 0; i < sizes->ndatabases; i++) {
		struct sized *database = &sizes->databases[i];

		for (size_t k = 0; k < database->notes.nlongest; k++) {
			free(database->notes.longest[k].value);
		}
		free(database->notes.longest);
		free((char *)database->size.name);
	}
	sizes->ndatabases = 0;
	sizes->error = 0;
}

void dit_check_sizes_free(struct dit_check_sizes *sizes)
{
	if (sizes != NULL) {
		dit_check_sizes_reset(sizes);
		free(sizes->databases);
		free(sizes->members);
		free(sizes);
	}
}
