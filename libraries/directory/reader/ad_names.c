/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader/ad_names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

#define TEXTS_BYTES 4096

static uint32_t number_of(struct dit_span key)
{
	uint32_t number = 0;

	if (key.len == sizeof(number)) {
		memcpy(&number, key.data, sizeof(number));
	}
	return number <= DIT_AD_NUMBER_MAX ? number : 0;
}

/* A type that the configuration has no more is no error: its values can be printed. */
static int find_ad(struct dit_schema *schema, struct dit_ad_name *name)
{
	int r = 0;

	if (schema == NULL) {
		return 0;
	}
	r = dit_ad_find(schema, NULL, name->name, &name->ad, NULL);
	return r == DIT_E_UNKNOWN ? 0 : r;
}

static int read_all(struct dit_ad_names *names, struct dit_tree_cursor *cursor,
                    struct dit_schema *schema)
{
	struct dit_span key;
	struct dit_span value;
	int r = dit_tree_cursor_next(cursor, &key, &value);

	while (r > 0) {
		uint32_t number = number_of(key);

		if (number > 0) {
			struct dit_ad_name *name = &names->list[number];

			names->n = number >= names->n ? number + 1 : names->n;
			name->is_forged = !dit_ad_is_spelled(schema, value);
			if (!name->is_forged) {
				name->name = dit_arena_copy(&names->texts, value);
				r = name->name.data == NULL ? -ENOMEM
				                            : find_ad(schema, name);
			}
		}
		r = r < 0 ? r : dit_tree_cursor_next(cursor, &key, &value);
	}
	return r;
}

int dit_ad_names_read(struct dit_ad_names *ret, struct dit_snapshot *snapshot,
                      unsigned reader, struct dit_schema *schema)
{
	struct dit_ad_names names = {0};
	struct dit_tree_cursor *cursor = NULL;
	int r = dit_snapshot_cursor_open(&cursor, snapshot, reader, "ad2i");

	if (r < 0) {
		return r;
	}
	dit_arena_init(&names.texts, TEXTS_BYTES);
	names.list = calloc(DIT_AD_NUMBER_MAX + 1, sizeof(*names.list));
	r = names.list == NULL ? -ENOMEM : read_all(&names, cursor, schema);
	dit_tree_cursor_close(cursor);
	if (r < 0) {
		dit_ad_names_deinit(&names);
		return r;
	}
	*ret = names;
	return 0;
}

int dit_ad_names_choose(struct dit_ad_names *names, dit_ad_wanted_fn wanted, void *ctx)
{
	bool *is_unwanted = calloc((size_t)names->n + 1, sizeof(*is_unwanted));
	int r = is_unwanted == NULL ? -ENOMEM : 0;

	for (uint32_t i = 0; i < names->n && r >= 0; i++) {
		const struct dit_ad_name *name = dit_ad_names_get(names, i);

		if (name == NULL) {
			continue; /* an entry that has this number is damaged */
		}
		r = name->ad == NULL ? 0 : wanted(ctx, name->ad);
		is_unwanted[i] = r == 0;
	}
	if (r < 0) {
		free(is_unwanted);
		return r;
	}
	free(names->is_unwanted);
	names->is_unwanted = is_unwanted;
	return 0;
}

void dit_ad_names_sort(struct dit_ad_names *names,
                       const struct dit_attr_type *const *types, size_t ntypes)
{
	for (uint32_t i = 0; i < names->n; i++) {
		struct dit_ad_name *name = &names->list[i];

		for (size_t t = 0; t < ntypes && !name->is_sorted; t++) {
			name->is_sorted = name->ad != NULL && name->ad->type == types[t];
		}
	}
}

void dit_ad_names_deinit(struct dit_ad_names *names)
{
	free(names->list);
	free(names->is_unwanted);
	dit_arena_deinit(&names->texts);
	*names = (struct dit_ad_names){0};
}
