/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The smallest program: the lines of standard input, sorted. There may be more
 * of them than the memory takes.
 */
#include <stdio.h>
#include <stdlib.h>

#include <ditkit/sort.h>

/** Push all lines, then print them in order. */
static int run(struct dit_sorter *sorter)
{
	struct dit_span nothing = {NULL, 0};
	struct dit_sort_record record;
	char *line = NULL;
	size_t size = 0;
	int r = 0;

	while (r == 0 && getline(&line, &size, stdin) >= 0) {
		r = dit_sorter_push(sorter, 0, dit_span_of(line), nothing);
	}
	free(line); /* the sorter has a copy */
	if (r == 0) {
		r = dit_sorter_seal(sorter);
	}
	while (r == 0 && (r = dit_sorter_next(sorter, &record)) > 0) {
		printf("%.*s", DIT_SPAN_ARGS(record.key));
		r = 0;
	}
	return r;
}

int main(void)
{
	struct dit_sorter_opts opts = DIT_SORTER_OPTS_INIT;
	struct dit_sorter *sorter = NULL;
	int r = dit_sorter_new(&sorter, &opts);

	if (r == 0) {
		r = run(sorter);
	}
	if (r < 0) {
		fprintf(stderr, "sort_lines: %s\n", dit_strerror(r));
	}
	dit_sorter_free(sorter);
	return r < 0 ? 1 : 0;
}
