/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ditsplit: split LDIF into shards, by a map.
 *
 * Options in, files out; the work is dit_split()'s. Exit status: 0, or 1 for any failure.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "common_options.h"
#include "inputs.h"
#include "meter.h"
#include <ditkit/split.h>

/* ---- the part ---- */

/*
 * Which part a process takes, as the engine that started it says in the environment.
 *
 *   Slurm, an array   (SLURM_ARRAY_TASK_ID - _MIN) / _STEP   SLURM_ARRAY_TASK_COUNT
 *   Slurm             SLURM_PROCID                           SLURM_NTASKS
 *   Kubernetes        JOB_COMPLETION_INDEX                   --parts
 *   Open MPI          OMPI_COMM_WORLD_RANK                   OMPI_COMM_WORLD_SIZE
 *   PMI               PMI_RANK                               PMI_SIZE
 *
 * A single task of Slurm says nothing: a shell in an allocation is one.
 */

/* Part number of n, from 0. */
struct rank {
	unsigned number;
	unsigned n;
};

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

/* "R/N". @return 0 or -1 */
static int rank_read(const char *text, struct rank *ret)
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

/* @return 1; 0: it is not set; -1 after a message */
static int read_variable(const char *name, unsigned *ret)
{
	const char *text = name == NULL ? NULL : getenv(name);
	unsigned long long number = 0;

	if (text == NULL) {
		return 0;
	}
	if (common_read_number(text, UINT_MAX, &number) < 0) {
		return common_say(-1, "%s is \"%.100s\", and no number: give --part R/N",
		                  name, text);
	}
	*ret = (unsigned)number;
	return 1;
}

/* @return 1; 0: it says nothing; -1 after a message */
static int ask(const struct source *source, unsigned nparts, struct rank *ret)
{
	unsigned first = 0;
	unsigned step = 1;
	unsigned number = 0;
	int r = read_variable(source->number, &number);

	ret->n = nparts;
	if (r <= 0 || read_variable(source->first, &first) < 0 ||
	    read_variable(source->step, &step) < 0 ||
	    read_variable(source->n, &ret->n) < 0) {
		return r == 0 ? 0 : -1;
	}
	if (source == TASK_SOURCE && ret->n == 1) {
		return 0;
	}
	/* One task of an array that is submitted again. */
	if (source == ARRAY_SOURCE && ret->n == 1 && nparts == 0) {
		return common_say(
			-1,
			"%s is %u, and %s is 1: the array does not say of how many "
			"parts; give --part R/N, or --parts 1 if there is one",
			source->number, number, source->n);
	}
	if (ret->n == 0) {
		return common_say(-1,
		                  "%s says which part this is, but not of how many: give "
		                  "--parts N",
		                  source->number);
	}
	ret->number = step == 0 ? UINT_MAX : (number - first) / step;
	if (number < first || ret->number >= ret->n ||
	    ret->number * step != number - first) {
		return common_say(
			-1,
			"%s is %u, counted from %u in steps of %u: there is no such "
			"part of %u; give --part R/N",
			source->number, number, first, step, ret->n);
	}
	return 1;
}

/*
 * Ask the environment.
 *
 * @param nparts  of --parts; 0: not given
 *
 * @return 0; with nparts 0 and no engine part 0 of 1. -1 after a message
 */
static int rank_find(unsigned nparts, struct rank *ret)
{
	const struct source *found = NULL;

	*ret = (struct rank){0, 1};
	for (const struct source *source = sources; source < SOURCES_END; source++) {
		struct rank rank = {0, 0};
		int r = source == TASK_SOURCE && found == ARRAY_SOURCE
		                ? 0
		                : ask(source, nparts, &rank);

		if (r < 0) {
			return -1;
		}
		if (r > 0 && found != NULL &&
		    (rank.number != ret->number || rank.n != ret->n)) {
			return common_say(
				-1,
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
		return common_say(-1,
		                  "--parts %u, but nothing says which part this is: give "
		                  "--part R/%u",
		                  nparts, nparts);
	}
	return found == NULL || nparts == 0 || ret->n == nparts
	               ? 0
	               : common_say(
				 -1,
				 "%s says that there are %u parts, and --parts %u: give "
				 "--part R/N",
				 found->n, ret->n, nparts);
}

struct split_options {
	struct common_options common;
	struct dit_split_opts split;
	struct inputs inputs; /* -l and arguments that are no options */
	struct rank part;     /* of --part; n 0: not given */
	bool want_stats;
};

/* ---- options; a wrong call prints its specific error and where more is said ---- */

static int read_own(void *ctx, int option, const char *text)
{
	struct split_options *options = ctx;

	switch (option) {
	case 'l':
		return inputs_add(&options->inputs, text);
	case OPT_PART:
		return rank_read(text, &options->part) == 0
		               ? 0
		               : common_wrong("--part takes R/N, with R from 0 to N - 1, "
		                              "not",
		                              text);
	}
	return 0;
}

static int take_part(struct split_options *options)
{
	unsigned nparts = (unsigned)common_number(&options->common, OPT_PARTS);

	if (options->part.n > 0 && nparts > 0 && nparts != options->part.n) {
		return common_wrong_call("--part and --parts name different numbers");
	}
	if (options->part.n == 0 && rank_find(nparts, &options->part) < 0) {
		return common_point_to_help();
	}
	options->split.part = options->part.number;
	options->split.nparts = options->part.n;
	return 0;
}

static int take_values(struct split_options *options)
{
	const struct common_options *common = &options->common;
	struct dit_split_opts *split = &options->split;

	common_take_split(split, common);
	split->inputs = options->inputs.paths;
	split->ninputs = options->inputs.n;
	options->want_stats = common_is_given(common, OPT_STATS);
	if (common_is_given(common, OPT_COMPRESS)) {
		split->compression = (enum dit_export_compression)(
			common_number(common, OPT_COMPRESS) - 1);
	}
	if (split->map == NULL || split->output == NULL) {
		return common_wrong_call("--map FILE and --output DIR are needed");
	}
	return take_part(options);
}

/* And the environment. Texts point into argv. The caller frees the inputs in every case.
 * @return 0; -1 after a message */
static int read_options(struct split_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct split_options){.split = DIT_SPLIT_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, read_own, options);
	while (r > 0 && optind < argc) {
		r = inputs_add(&options->inputs, argv[optind++]) < 0 ? -1 : 1;
	}
	if (r <= 0) {
		return r;
	}
	return common_check_options(&options->common, argc, argv) < 0
	               ? -1
	               : take_values(options);
}

/* ---- the work ---- */

static void print_stats(const struct split_options *options,
                        const struct dit_split_stats *stats)
{
	(void)printf("part %u of %u: %lu records read, %lu without a DN\n",
	             options->split.part, options->split.nparts, stats->nrecords,
	             stats->nunnamed);
	for (size_t i = 0; i < stats->nshards; i++) {
		(void)printf("%s: %lu records, %lu bytes\n", stats->shards[i].name,
		             stats->shards[i].nrecords, stats->shards[i].nbytes);
	}
}

static const struct meter_phase phases[] = {
	[DIT_SPLIT_RECORDS] = {"records", 95, NULL},
	[DIT_SPLIT_PUBLISH] = {"publishing", 5, NULL},
};

/* @return the exit status */
static int split(struct split_options *options)
{
	struct dit_split_stats stats;
	struct meter meter;
	int r = 0;

	options->split.stop = common_catch_interrupts();
	options->split.report = meter_take_report;
	options->split.report_ctx = &meter;
	options->split.progress = meter_take_progress;
	options->split.progress_ctx = &meter;
	common_start_meter(&meter, &options->common, phases, DIT_SPLIT_NPHASES);
	r = dit_split(&options->split, &stats);
	meter_end(&meter, r == 0);
	if (r == 0 && options->want_stats) {
		print_stats(options, &stats);
	}
	dit_split_stats_deinit(&stats);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int ditsplit(int argc, char *argv[])
{
	struct split_options options;
	int status = EXIT_FAILURE;

	if (read_options(&options, argc, argv) < 0) {
		status = EXIT_FAILURE;
	} else if (common_print_help(&options.common)) {
		status = EXIT_SUCCESS;
	} else {
		common_raise_file_limit(); /* a file for each shard */
		inputs_tell_terminal(&options.inputs, &options.common);
		status = split(&options);
	}
	inputs_deinit(&options.inputs);
	return status;
}

int main(int argc, char *argv[])
{
	return common_start("ditsplit", EXIT_FAILURE, ditsplit, argc, argv);
}
