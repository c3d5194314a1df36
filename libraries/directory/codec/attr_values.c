/* SPDX-License-Identifier: BSD-2-Clause */
#include "codec/attr_values.h"

#include <errno.h>

static bool is_one(const struct dit_attr_view *a, const struct dit_attr_view *b)
{
	return a->ad != NULL || b->ad != NULL ? a->ad == b->ad
	                                      : dit_span_eq_nocase(a->name, b->name);
}

/* Blocks of one attribute have one number. */
static void set_block(struct dit_attr_values *values, uint32_t at)
{
	const struct dit_attr_view *first = values->entry->attrs;

	while (first->number != values->entry->attrs[at].number) {
		first++;
	}
	values->first = first;
}

void dit_attr_values_find(struct dit_attr_values *values,
                          const struct dit_attr_view *wanted, uint32_t at)
{
	const struct dit_entry_view *entry = values->entry;

	for (uint32_t i = 0; i < entry->nattrs; i++, at++) {
		at = at < entry->nattrs ? at : 0;
		if (is_one(&entry->attrs[at], wanted)) {
			set_block(values, at);
			return;
		}
	}
	values->first = NULL;
}

const struct dit_attr_view *dit_attr_values_next(const struct dit_attr_values *values,
                                                 const struct dit_attr_view *block)
{
	const struct dit_attr_view *end = values->entry->attrs + values->entry->nattrs;

	do {
		block++;
	} while (block < end && block->number != values->first->number);
	return block < end ? block : NULL;
}

int dit_attr_values_take(struct dit_attr_values *values, size_t more,
                         struct dit_arena *arena)
{
	const struct dit_attr_view *block = values->first;

	values->nblocks = 0;
	values->n = 0;
	for (; block != NULL; block = dit_attr_values_next(values, block)) {
		values->nblocks++;
		more += block->nvalues;
	}
	values->list = dit_arena_calloc(arena, more + 1, sizeof(*values->list));
	if (values->list == NULL) {
		return -ENOMEM;
	}
	for (block = values->first; block != NULL;
	     block = dit_attr_values_next(values, block)) {
		for (uint32_t i = 0; i < block->nvalues; i++) {
			values->list[values->n++] = dit_attr_value(block, i);
		}
	}
	return 0;
}

/* ---- two entries ---- */

/* A dit_pairs.next. */
static int next_attr(void *side)
{
	struct dit_attr_values *values = side;

	while (values->at < values->entry->nattrs) {
		set_block(values, values->at++);
		if (values->first == &values->entry->attrs[values->at - 1]) {
			return 1;
		}
	}
	return 0;
}

/* A dit_pairs.seek: in most entries it is at the same place. */
static int seek_attr(void *side, const void *other)
{
	const struct dit_attr_values *wanted = other;
	struct dit_attr_values *values = side;

	dit_attr_values_find(values, wanted->first, wanted->at - 1);
	return values->first != NULL;
}

struct dit_pairs dit_attr_pairs(struct dit_attr_values sides[2])
{
	return (struct dit_pairs){
		.next = next_attr, .seek = seek_attr, .sides = {&sides[0], &sides[1]}};
}
