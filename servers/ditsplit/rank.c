/* SPDX-License-Identifier: BSD-2-Clause */
#include "rank.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

#define WRONG(why, ...) ((void)snprintf(why, RANK_WHY_BYTES, __VA_ARGS__), -1)

/* Names of variables; NULL: there is none. */
struct source {
	const char *number;
	const char *n;
	const char *first; /* is taken off the number */
	const char *step;  /* divides it then */
};

static const struct source sources[] = {
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
         "SLURM_ARRAY_TASK_STEP"},
	{"SLURM_PROCID", "SLURM_NTASKS", NULL, NULL},
	{"JOB_COMPLETION_INDEX", NULL, NULL, NULL},
	{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL, NULL},
	{"PMI_RANK", "PMI_SIZE", NULL, NULL},
};

#define ARRAY_SOURCE (&sources[0])
#define TASK_SOURCE  (&sources[1])
#define SOURCES_END  (sources + sizeof(sources) / sizeof(sources[0]))

int rank_read(const char *text, struct rank *ret)
{
	const char *slash = strchr(text, '/');
	char first[16] = "";
	unsigned long long number = 0;
	unsigned long long n = 0;

	if (slash == NULL || (size_t)(slash - text) >= sizeof(first)) {
		return -1;
	}
	memcpy(first, text, (size_t)(slash - text));
	if (common_read_number(first, UINT_MAX, &number) < 0 ||
	    common_read_number(slash + 1, UINT_MAX, &n) < 0 || number >= n) {
		return -1;
	}
	*ret = (struct rank){(unsigned)number, (unsigned)n};
	return 0;
}

/* @return 1; 0: it is not set; -1 with words */
static int read_variable(const char *name, unsigned *ret, char *why)
{
	const char *text = name == NULL ? NULL : getenv(name);
	unsigned long long number = 0;

	if (text == NULL) {
		return 0;
	}
	if (common_read_number(text, UINT_MAX, &number) < 0) {
		return WRONG(why, "%s is \"%.100s\", and no number: give --part R/N",
		             name, text);
	}
	*ret = (unsigned)number;
	return 1;
}

/* @return 1; 0: it says nothing; -1 with words */
static int ask(const struct source *source, unsigned nparts, struct rank *ret, char *why)
{
	unsigned first = 0;
	unsigned step = 1;
	unsigned number = 0;
	int r = read_variable(source->number, &number, why);

	ret->n = nparts;
	if (r <= 0 || read_variable(source->first, &first, why) < 0 ||
	    read_variable(source->step, &step, why) < 0 ||
	    read_variable(source->n, &ret->n, why) < 0) {
		return r == 0 ? 0 : -1;
	}
	if (source == TASK_SOURCE && ret->n == 1) {
		return 0;
	}
	/* One task of an array that is submitted again. */
	if (source == ARRAY_SOURCE && ret->n == 1 && nparts == 0) {
		return WRONG(why,
		             "%s is %u, and %s is 1: the array does not say of how many "
		             "parts; give --part R/N, or --parts 1 if there is one",
		             source->number, number, source->n);
	}
	if (ret->n == 0) {
		return WRONG(why,
		             "%s says which part this is, but not of how many: give "
		             "--parts N",
		             source->number);
	}
	ret->number = step == 0 ? UINT_MAX : (number - first) / step;
	if (number < first || ret->number >= ret->n ||
	    ret->number * step != number - first) {
		return WRONG(why,
		             "%s is %u, counted from %u in steps of %u: there is no such "
		             "part of %u; give --part R/N",
		             source->number, number, first, step, ret->n);
	}
	return 1;
}

int rank_find(unsigned nparts, struct rank *ret, char *why)
{
	const struct source *found = NULL;

	*ret = (struct rank){0, 1};
	for (const struct source *source = sources; source < SOURCES_END; source++) {
		struct rank rank = {0, 0};
		int r = source == TASK_SOURCE && found == ARRAY_SOURCE
		                ? 0
		                : ask(source, nparts, &rank, why);

		if (r < 0) {
			return -1;
		}
		if (r > 0 && found != NULL &&
		    (rank.number != ret->number || rank.n != ret->n)) {
			return WRONG(why,
			             "%s says part %u of %u, and %s part %u of %u: give "
			             "--part R/N",
			             found->number, ret->number, ret->n, source->number,
			             rank.number, rank.n);
		}
		if (r > 0 && found == NULL) {
			found = source;
			*ret = rank;
		}
	}
	if (found == NULL && nparts > 1) {
		return WRONG(why,
		             "--parts %u, but nothing says which part this is: give "
		             "--part R/%u",
		             nparts, nparts);
	}
	return found == NULL || nparts == 0 || ret->n == nparts
	               ? 0
	               : WRONG(why,
	                       "%s says that there are %u parts, and --parts %u: give "
	                       "--part R/N",
	                       found->n, ret->n, nparts);
}
