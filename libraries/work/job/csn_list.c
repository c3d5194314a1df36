/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/csn_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "entry/sid_set.h"

int dit_csn_list_sid(struct dit_span csn)
{
	return csn.len > DIT_CSN_MAX ? -1 : dit_csn_sid(csn);
}

int dit_csn_compare(struct dit_span a, const struct dit_csn *b)
{
	if (a.len != b->len) {
		return a.len < b->len ? -1 : 1;
	}
	return memcmp(a.data, b->text, a.len);
}

static void set(struct dit_csn *csn, unsigned sid, struct dit_span text, uint64_t id)
{
	csn->sid = sid;
	csn->id = id;
	csn->len = text.len;
	memcpy(csn->text, text.data, text.len);
}

/* Where the server is, or belongs. */
static size_t place_of(const struct dit_csn_list *list, unsigned sid)
{
	size_t i = 0;

	while (i < list->n && list->list[i].sid < sid) {
		i++;
	}
	return i;
}

struct dit_csn *dit_csn_list_find(const struct dit_csn_list *list, unsigned sid)
{
	size_t place = place_of(list, sid);

	return place < list->n && list->list[place].sid == sid ? &list->list[place]
	                                                       : NULL;
}

int dit_csn_list_take(struct dit_csn_list *list, struct dit_span text, uint64_t id)
{
	unsigned sid = (unsigned)dit_csn_list_sid(text);
	struct dit_csn *known = dit_csn_list_find(list, sid);
	size_t place = 0;

	if (known != NULL) {
		if (dit_csn_compare(text, known) < 0) {
			return 1;
		}
		set(known, sid, text, id);
		return 0;
	}
	if (DIT_GROW(list->list, list->size, list->n + 1) < 0) {
		return -ENOMEM;
	}
	place = place_of(list, sid);
	memmove(&list->list[place + 1], &list->list[place],
	        (list->n - place) * sizeof(*list->list));
	list->n++;
	set(&list->list[place], sid, text, id);
	return 0;
}

void dit_csn_list_deinit(struct dit_csn_list *list)
{
	free(list->list);
	*list = (struct dit_csn_list){.list = NULL};
}
