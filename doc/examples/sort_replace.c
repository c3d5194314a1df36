/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Merge "replace": the newest value of a key counts. Settings that were changed again and
 * again; who looks in between sees those of that time.
 */
#include <stdio.h>

#include <ditkit/sort.h>

static int replace(void *ctx, struct dit_span key, struct dit_span older,
                   struct dit_span newer, struct dit_arena *arena,
                   struct dit_span *ret)
{
	(void)ctx;
	(void)key;
	(void)older;
	(void)arena;
	*ret = newer;
	return 0;
}

static void print(const char *when, const struct dit_sort_record *record)
{
	printf("%s: %.*s = %.*s\n", when, DIT_SPAN_ARGS(record->key),
	       DIT_SPAN_ARGS(record->value));
}

/** Look up a key in what has been pushed so far. */
static int print_one(struct dit_sorter *sorter, const char *when,
                     const char *key)
{
	struct dit_sort_view *view = NULL;
	struct dit_sort_cursor *cursor = NULL;
	struct dit_sort_record record;
	int r = dit_sort_view_open(&view, sorter);

	if (r == 0) {
		r = dit_sort_cursor_open(&cursor, view);
	}
	if (r == 0) {
		r = dit_sort_cursor_get(cursor, dit_span_of(key), &record);
	}
	if (r > 0) {
		print(when, &record);
	}
	dit_sort_cursor_close(cursor);
	dit_sort_view_close(view);
	return r < 0 ? r : 0;
}

static int set(struct dit_sorter *sorter, const char *key, const char *value)
{
	return dit_sorter_push(sorter, 0, dit_span_of(key),
	                       dit_span_of(value));
}

static int run(struct dit_sorter *sorter)
{
	static const char *const changes[][2] = {
		{"mail.size", "10"}, {"host", "alpha"}, {"mail.size", "20"},
		{"user", "ada"},     {"host", "beta"},  {"mail.size", "50"},
	};
	struct dit_sort_record record;
	int r = 0;

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]) && r == 0;
	     i++) {
		if (i == 3) {
			r = print_one(sorter, "in between", "mail.size");
		}
		if (r == 0) {
			r = set(sorter, changes[i][0], changes[i][1]);
		}
	}
	if (r == 0) {
		r = dit_sorter_seal(sorter);
	}
	while (r == 0 && (r = dit_sorter_next(sorter, &record)) > 0) {
		print("in the end", &record);
		r = 0;
	}
	return r;
}

int main(void)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct dit_sorter *sorter = NULL;
	int r = 0;

	opts.merge = replace;
	r = dit_sorter_new(&sorter, &opts);
	if (r == 0) {
		r = run(sorter);
	}
	if (r < 0) {
		fprintf(stderr, "sort_replace: %s\n", dit_strerror(r));
	}
	dit_sorter_free(sorter);
	return r < 0 ? 1 : 0;
}
