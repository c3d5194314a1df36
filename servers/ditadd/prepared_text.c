/* SPDX-License-Identifier: BSD-2-Clause */
#include "options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <jansson.h>

#include <ditkit/prepared.h>
#include <ditkit/version.h>

#include "arguments.h"
#include "meter.h"
#include "run_facts.h"

static const struct meter_phase phases[] = {{"publishing", 100, NULL}};

static const char *const state_names[] = {
	[DIT_PREPARED_NOTHING] = "nothing", [DIT_PREPARED_UNFINISHED] = "unfinished",
	[DIT_PREPARED_READY] = "prepared",  [DIT_PREPARED_PUBLISHED] = "published",
	[DIT_PREPARED_DAMAGED] = "damaged",
};

/* ---- lines ---- */

/* After --publish there is no other state. */
static const char *const texts[][DIT_PREPARED_DAMAGED + 1] = {
	[OPTIONS_STATUS] = {"nothing prepared",
                            "unfinished: a load or a copy is at work, or was ended",
                            "prepared", "published", "damaged"},
	[OPTIONS_ABANDON] =
		{"nothing was prepared", "abandoned, what was unfinished", "abandoned",
                 "published already, and stays in place: its manifest is removed",
                 "abandoned, what was damaged"},
	[OPTIONS_PUBLISH] = {NULL, NULL, "published", "published already", NULL},
};

static void print_line(enum options_action action,
                       const struct dit_prepared_database *database)
{
	bool is_status = action == OPTIONS_STATUS;
	const char *time = database->published[0] != '\0' ? database->published
	                   : is_status                    ? database->time
	                                                  : "";

	(void)printf("%s: %s", database->directory, texts[action][database->state]);
	if (is_status && database->damage != NULL) {
		(void)printf(": %s", database->damage);
	}
	if (action != OPTIONS_ABANDON && database->time[0] != '\0') {
		(void)printf("%s%s, %" PRIu64 " entries", time[0] != '\0' ? " at " : "",
		             time, database->nentries);
	}
	if (is_status && database->time[0] != '\0') {
		(void)printf(", digest %s", database->content);
	}
	(void)putchar('\n');
}

/* ---- JSON (doc/stats.md) ---- */

static json_t *database_json(const void *stats, size_t i)
{
	const struct dit_prepared_database *database =
		&((const struct dit_prepared_stats *)stats)->databases[i];
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
	return json_print(stdout,
	                  json_pack("{s:i, s:s, s:s, s:o}", "format", 1, "program",
	                            "ditadd", "version", dit_version(), "databases",
	                            json_list(stats->ndatabases, database_json, stats)),
	                  JSON_INDENT(2));
}

/* ---- actions ---- */

int prepared_act(struct options *options)
{
	struct dit_prepared_opts opts = DIT_PREPARED_OPTS_INIT;
	struct dit_prepared_stats stats;
	struct meter meter;
	int (*act)(const struct dit_prepared_opts *opts, struct dit_prepared_stats *ret) =
		options->action == OPTIONS_PUBLISH   ? dit_prepared_publish
		: options->action == OPTIONS_ABANDON ? dit_prepared_abandon
						     : dit_prepared_status;
	int r = 0;

	common_start_meter(&meter, &options->common, phases, 1);
	COMMON_TAKE_CONF(&opts, &options->load);
	opts.no_glue = options->load.no_glue;
	COMMON_CALLBACKS(&opts, &options->common, &meter);
	options->common.user.writes = options->action != OPTIONS_STATUS;
	opts.may_grow = options->load.may_grow;
	opts.replaces = options->load.replaces;
	opts.stop = options->load.stop;
	r = act(&opts, &stats);
	meter_end(&meter, r == 0 && options->action == OPTIONS_PUBLISH);
	if (r == 0 && common_is_given(&options->common, OPT_JSON)) {
		r = print_json(&stats);
	} else if (r == 0) {
		for (size_t i = 0; i < stats.ndatabases; i++) {
			print_line(options->action, &stats.databases[i]);
		}
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
