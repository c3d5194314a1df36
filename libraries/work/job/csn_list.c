/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/csn_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/ids.h"
#include "entry/entry.h"

int dit_csn_list_sid(struct dit_span csn)
{
	return csn.len > DIT_CSN_MAX ? -1 : dit_csn_sid(csn);
}

int dit_csn_compare(struct dit_span a, const struct dit_csn *b)
{
	return DIT_ORDER_OF(a.len, b->len) ?: memcmp(a.data, b->text, a.len);
}

/* Where the server is, or belongs. */
static size_t find_sid(const struct dit_csn_list *list, unsigned sid)
{
	size_t i = 0;

	while (i < list->n && list->list[i].sid < sid) {
		i++;
	}
	return i;
}

struct dit_csn *dit_csn_list_find(const struct dit_csn_list *list, unsigned sid)
{
	size_t i = find_sid(list, sid);

	return i < list->n && list->list[i].sid == sid ? &list->list[i] : NULL;
}

int dit_csn_list_take(struct dit_csn_list *list, struct dit_span text, uint64_t id)
{
	int sid = dit_csn_list_sid(text);
	struct dit_csn *csn = dit_csn_list_find(list, (unsigned)sid);
	size_t i = find_sid(list, (unsigned)sid);

	if (sid < 0) {
		return 0;
	}
	if (csn != NULL && dit_csn_compare(text, csn) < 0) {
		return 1;
	}
	if (csn == NULL) {
		if (DIT_GROW(list->list, list->size, list->n + 1) < 0) {
			return -ENOMEM;
		}
		memmove(&list->list[i + 1], &list->list[i],
		        (list->n - i) * sizeof(*list->list));
		list->n++;
	}
	list->list[i] = (struct dit_csn){.sid = (unsigned)sid, .id = id, .len = text.len};
	memcpy(list->list[i].text, text.data, text.len);
	return 0;
}

struct dit_span *dit_csn_list_values(const struct dit_csn_list *list,
                                     struct dit_arena *arena)
{
	struct dit_span *values = dit_arena_calloc(arena, list->n, sizeof(*values));

	for (size_t i = 0; values != NULL && i < list->n; i++) {
		values[i] = (struct dit_span){list->list[i].text, list->list[i].len};
	}
	return values;
}

void dit_csn_list_deinit(struct dit_csn_list *list)
{
	free(list->list);
	*list = (struct dit_csn_list){.list = NULL};
}

int dit_csn_entry_dn(const struct dit_database *db, const struct dit_schema *schema,
                     struct dit_arena *arena, struct dit_dn *ret)
{
	const struct dit_span parts[] = {
		DIT_SPAN("cn=ldapsync"), {",", db->suffix.len > 0 ? 1 : 0}, db->suffix};
	struct dit_span text = db->suffix;
	int r = db->sync_use_subentry ? dit_arena_join(arena, parts, 3, &text) : 0;

	return r ?: dit_dn_parse(schema, text, arena, NULL, ret);
}
