/* SPDX-License-Identifier: BSD-2-Clause */
#include "rank.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

/* Names of variables; NULL: there is none. */
struct source {
	const char *number;
	const char *first; /* is taken off the number */
	const char *n;
	bool is_none_of_one; /* n 1 says nothing */
};

static const struct source sources[] = {
	{"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT", false},
	{"SLURM_PROCID", NULL, "SLURM_NTASKS", true},
	{"JOB_COMPLETION_INDEX", NULL, NULL, false},
	{"OMPI_COMM_WORLD_RANK", NULL, "OMPI_COMM_WORLD_SIZE", false},
	{"PMI_RANK", NULL, "PMI_SIZE", false},
};

#define ARRAY_SOURCE 0
#define TASK_SOURCE  1
#define NSOURCES     (sizeof(sources) / sizeof(sources[0]))

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
		(void)snprintf(why, RANK_WHY_BYTES,
		               "%s is \"%.100s\", and no number: give --part R/N", name,
		               text);
		return -1;
	}
	*ret = (unsigned)number;
	return 1;
}

/* @return 1; 0: it says nothing; -1 with words */
static int ask(const struct source *source, unsigned nparts, struct rank *ret, char *why)
{
	unsigned first = 0;
	int r = read_variable(source->number, &ret->number, why);
	int has_n = 0;

	if (r <= 0 || read_variable(source->first, &first, why) < 0) {
		return r < 0 || r > 0 ? -1 : 0;
	}
	ret->n = nparts;
	has_n = read_variable(source->n, &ret->n, why);
	if (has_n < 0 || (has_n > 0 && source->is_none_of_one && ret->n == 1)) {
		return has_n < 0 ? -1 : 0;
	}
	if (ret->n == 0) {
		(void)snprintf(why, RANK_WHY_BYTES,
		               "%s says which part this is, but not of how many: give "
		               "--parts N",
		               source->number);
		return -1;
	}
	if (ret->number < first || ret->number - first >= ret->n) {
		(void)snprintf(why, RANK_WHY_BYTES,
		               "%s is %u, counted from %u: there is no such part of %u; "
		               "give --part R/N",
		               source->number, ret->number, first, ret->n);
		return -1;
	}
	ret->number -= first;
	return 1;
}

int rank_find(unsigned nparts, struct rank *ret, char *why)
{
	const struct source *found = NULL;

	for (size_t i = 0; i < NSOURCES; i++) {
		struct rank rank = {0, 0};
		int r = i == TASK_SOURCE && found == &sources[ARRAY_SOURCE]
		                ? 0
		                : ask(&sources[i], nparts, &rank, why);

		if (r < 0) {
			return -1;
		}
		if (r == 0) {
			continue;
		}
		if (found != NULL && (rank.number != ret->number || rank.n != ret->n)) {
			(void)snprintf(
				why, RANK_WHY_BYTES,
				"%s says part %u of %u, and %s part %u of %u: give "
				"--part R/N",
				found->number, ret->number, ret->n, sources[i].number,
				rank.number, rank.n);
			return -1;
		}
		found = found == NULL ? &sources[i] : found;
		*ret = rank;
	}
	if (found == NULL && nparts > 1) {
		(void)snprintf(why, RANK_WHY_BYTES,
		               "--parts %u, but nothing says which part this is: give "
		               "--part R/%u",
		               nparts, nparts);
		return -1;
	}
	if (found != NULL && nparts > 0 && ret->n != nparts) {
		(void)snprintf(why, RANK_WHY_BYTES,
		               "%s says that there are %u parts, and --parts %u: give "
		               "--part R/N",
		               found->n, ret->n, nparts);
		return -1;
	}
	if (found == NULL) {
		*ret = (struct rank){0, 1};
	}
	return 0;
}
