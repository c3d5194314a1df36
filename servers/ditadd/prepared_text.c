/* SPDX-License-Identifier: BSD-2-Clause */
#include "prepared_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include <ditkit/prepared.h>

#include "interrupts.h"
#include "meter.h"
#include "run_facts.h"

static const struct forecast_phase phases[] = {{"publishing", 100}};

static const char *const state_names[] = {
	[DIT_PREPARED_NOTHING] = "nothing", [DIT_PREPARED_UNFINISHED] = "unfinished",
	[DIT_PREPARED_READY] = "prepared",  [DIT_PREPARED_PUBLISHED] = "published",
	[DIT_PREPARED_DAMAGED] = "damaged",
};

/* ---- lines ---- */

static void print_status(const struct dit_prepared_database *database)
{
	switch (database->state) {
	case DIT_PREPARED_NOTHING:
		(void)printf("nothing prepared\n");
		break;
	case DIT_PREPARED_UNFINISHED:
		(void)printf("unfinished: a load or a copy is at work, or was ended\n");
		break;
	case DIT_PREPARED_READY:
		(void)printf("prepared at %s, %" PRIu64 " entries, digest %s\n",
		             database->time, database->nentries, database->content);
		break;
	case DIT_PREPARED_PUBLISHED:
		(void)printf("published at %s, %" PRIu64 " entries, digest %s\n",
		             database->published, database->nentries, database->content);
		break;
	case DIT_PREPARED_DAMAGED:
		(void)printf("damaged: %s\n", database->damage);
		break;
	}
}

static void print_published(const struct dit_prepared_database *database)
{
	if (database->state == DIT_PREPARED_PUBLISHED) {
		(void)printf("published already at %s, %" PRIu64 " entries\n",
		             database->published, database->nentries);
	} else {
		(void)printf("published, %" PRIu64 " entries\n", database->nentries);
	}
}

static void print_abandoned(const struct dit_prepared_database *database)
{
	static const char *const texts[] = {
		[DIT_PREPARED_NOTHING] = "nothing was prepared",
		[DIT_PREPARED_UNFINISHED] = "abandoned, what was unfinished",
		[DIT_PREPARED_READY] = "abandoned",
		[DIT_PREPARED_PUBLISHED] =
			"published, and stays so: its manifest is removed",
		[DIT_PREPARED_DAMAGED] = "abandoned, what was damaged",
	};

	(void)printf("%s\n", texts[database->state]);
}

static void print_lines(enum options_action action,
                        const struct dit_prepared_stats *stats)
{
	for (size_t i = 0; i < stats->ndatabases; i++) {
		const struct dit_prepared_database *database = &stats->databases[i];

		(void)printf("%s: ", database->directory);
		switch (action) {
		case OPTIONS_PUBLISH:
			print_published(database);
			break;
		case OPTIONS_ABANDON:
			print_abandoned(database);
			break;
		case OPTIONS_LOAD:
		case OPTIONS_STATUS:
			print_status(database);
			break;
		}
	}
}

/* ---- JSON (doc/stats.md) ---- */

static json_t *database_json(const struct dit_prepared_database *database)
{
	json_t *manifest = database->manifest == NULL
	                           ? NULL
	                           : json_loads(database->manifest, 0, NULL);
	json_t *damage = database->damage == NULL ? NULL : json_text(database->damage);

	return json_pack("{s:o, s:s, s:o*, s:o*}", "directory",
	                 json_text(database->directory), "state",
	                 state_names[database->state], "damage", damage, "manifest",
	                 manifest);
}

static int print_json(const struct dit_prepared_stats *stats)
{
	json_t *databases = json_array();
	json_t *json = NULL;
	int r = 0;

	for (size_t i = 0; i < stats->ndatabases; i++) {
		r |= json_array_append_new(databases,
		                           database_json(&stats->databases[i]));
	}
	json = json_pack("{s:o}", "databases", databases);
	r |= json_dumpf(json, stdout, JSON_INDENT(2));
	(void)putchar('\n');
	json_decref(json);
	return r;
}

/* ---- actions ---- */

static int run(const struct options *options, const struct dit_prepared_opts *opts,
               struct dit_prepared_stats *ret)
{
	switch (options->action) {
	case OPTIONS_PUBLISH:
		return dit_prepared_publish(opts, ret);
	case OPTIONS_ABANDON:
		return dit_prepared_abandon(opts, ret);
	case OPTIONS_LOAD:
	case OPTIONS_STATUS:
		break;
	}
	return dit_prepared_status(opts, ret);
}

int prepared_act(struct options *options)
{
	struct dit_prepared_opts opts = DIT_PREPARED_OPTS_INIT;
	struct dit_prepared_stats stats;
	struct meter meter;
	const struct meter_plan plan = {.program = "ditadd",
	                                .phases = phases,
	                                .nphases = 1,
	                                .is_quiet = options->common.has_debug,
	                                .is_silent = options->common.is_silent,
	                                .request = common_catch_requests()};
	int r = 0;

	meter_start(&meter, &options->common.meter, &plan);
	COMMON_TAKE(&opts, &options->common);
	COMMON_CALLBACKS(&opts, &options->common, &meter);
	options->common.user.writes = options->action != OPTIONS_STATUS;
	opts.may_grow = options->load.may_grow;
	opts.stop = options->load.stop;
	r = run(options, &opts, &stats);
	meter_end(&meter, r == 0 && options->action == OPTIONS_PUBLISH);
	if (r == 0 && common_is_given(&options->common, OPT_JSON)) {
		r = print_json(&stats);
	} else if (r == 0) {
		print_lines(options->action, &stats);
	}
	dit_prepared_stats_deinit(&stats);
	return r == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

char *prepared_next(const struct common_options *common)
{
	char *words = common_conf_words(common);
	char *text = NULL;

	if (words != NULL &&
	    asprintf(&text, "ditadd --publish%s, when slapd is stopped", words) < 0) {
		text = NULL;
	}
	free(words);
	return text;
}
