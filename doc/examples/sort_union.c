/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merge "union": values are sets, here sorted lists of page numbers: the index of a book.
 * Its order is not that of bytes: large and small letters are equal. Printed is a range.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <ditkit/sort.h>

static uint32_t page(struct dit_span list, size_t i)
{
	uint32_t n;

	memcpy(&n, list.data + i * sizeof(n),
	       sizeof(n)); /* lists lie at any address */
	return n;
}

static int unite(void *ctx, struct dit_span key, struct dit_span older,
                 struct dit_span newer, struct dit_arena *arena,
                 struct dit_span *ret)
{
	uint32_t *list =
		(uint32_t *)dit_sort_alloc(arena, older.len + newer.len);
	size_t na = older.len / sizeof(*list);
	size_t nb = newer.len / sizeof(*list);
	size_t a = 0;
	size_t b = 0;
	size_t n = 0;

	(void)ctx;
	(void)key;
	if (list == NULL) {
		return -ENOMEM;
	}
	while (a < na || b < nb) {
		uint32_t x = a < na ? page(older, a) : UINT32_MAX;
		uint32_t y = b < nb ? page(newer, b) : UINT32_MAX;

		list[n++] = x < y ? x : y;
		a += x <= y; /* a page in both lists is taken from both */
		b += y <= x;
	}
	ret->data = (const char *)list;
	ret->len = n * sizeof(*list);
	return 0;
}

static int alphabetical(void *ctx, struct dit_span a, struct dit_span b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int order = n == 0 ? 0 : strncasecmp(a.data, b.data, n);

	(void)ctx;
	return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int push_all(struct dit_sorter *sorter)
{
	static const struct {
		const char *word;
		uint32_t page;
	} places[] = {
		{"Index", 7},  {"tree", 3},  {"hash", 12}, {"index", 9},
		{"tree", 21},  {"Index", 9}, {"page", 4},  {"merge", 16},
		{"index", 30}, {"page", 4},  {"Lock", 18}, {"Merge", 2},
	};
	int r = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && r == 0;
	     i++) {
		struct dit_span list = {(const char *)&places[i].page,
		                        sizeof(uint32_t)};

		r = dit_sorter_push(sorter, 0, dit_span_of(places[i].word),
		                    list);
	}
	return r;
}

static int print_range(struct dit_sorter *sorter, const char *from,
                       const char *to)
{
	struct dit_sort_view *view = NULL;
	struct dit_sort_cursor *cursor = NULL;
	struct dit_sort_record record;
	int r = dit_sort_view_open(&view, sorter);

	if (r == 0) {
		r = dit_sort_cursor_open(&cursor, view);
	}
	if (r == 0) {
		r = dit_sort_cursor_range(cursor, dit_span_of(from),
		                          dit_span_of(to));
	}
	while (r == 0 && (r = dit_sort_cursor_next(cursor, &record)) > 0) {
		printf("%.*s", DIT_SPAN_ARGS(record.key));
		for (size_t i = 0; i < record.value.len / sizeof(uint32_t);
		     i++) {
			printf("%s %u", i == 0 ? "" : ",",
			       page(record.value, i));
		}
		printf("\n");
		r = 0;
	}
	dit_sort_cursor_close(cursor);
	dit_sort_view_close(view);
	return r;
}

int main(void)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct dit_sorter *sorter = NULL;
	int r = 0;

	opts.merge = unite;
	opts.order = alphabetical;
	r = dit_sorter_new(&sorter, &opts);
	if (r == 0) {
		r = push_all(sorter);
	}
	if (r == 0) {
		r = print_range(sorter, "i", "p");
	}
	if (r < 0) {
		fprintf(stderr, "sort_union: %s\n", dit_strerror(r));
	}
	dit_sorter_free(sorter);
	return r < 0 ? 1 : 0;
}
