/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options. A wrong call prints its specific error and where more is said.
 */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "config_database.h"
#include "default_paths.h"

static const struct config_tool slapadd = {.name = "slapadd",
                                           .letters = "bcdfFgjlnoqsSuvw",
                                           .does = "loads"};

/* -o name[=value]: "yes" if there is no value. */
static int read_o(struct options *options, const char *text)
{
	struct common_setting setting = common_read_setting(text);
	bool is_schema_check = common_is_setting(&setting, "schema-check");
	bool is_value_check = common_is_setting(&setting, "value-check");
	bool is_yes = setting.value == NULL || strcasecmp(setting.value, "yes") == 0;

	if ((is_schema_check || is_value_check) && !is_yes &&
	    strcasecmp(setting.value, "no") != 0) {
		return common_wrong("unable to handle option -o", text);
	}
	if (is_schema_check) {
		options->load.no_schema_check = !is_yes;
		return 0;
	}
	if (is_value_check) {
		options->load.check_values = is_yes;
		return 0;
	}
	if (common_is_setting(&setting, "remove-sids")) {
		options->load.remove_sids = setting.value;
		return setting.value != NULL && *setting.value != '\0'
		               ? 0
		               : common_wrong_call("remove-sids needs an argument.");
	}
	return common_pass_setting(text);
}

static int read_own(void *ctx, int option, const char *text)
{
	struct options *options = ctx;

	switch (option) {
	case 'l':
		return inputs_add(&options->inputs, text);
	case 'o':
		return read_o(options, text);
	case 's':
		options->load.no_schema_check = true;
		return 0;
	}
	return 0;
}

static void take_values(struct options *options)
{
	const struct common_options *common = &options->common;
	struct dit_load_opts *load = &options->load;

	common_take_load(load, common);
	load->inputs = options->inputs.paths;
	load->ninputs = options->inputs.n;
	load->digests = options->inputs.has_digests ? options->inputs.digests : NULL;
	load->keep_going |= common_is_given(common, OPT_MAX_REJECTS);
	load->explain = !common_is_given(common, OPT_EXPLAIN) ||
	                common_number(common, OPT_EXPLAIN) == 1;
	load->byte_keys = common_number(common, OPT_INDEX_KEYS) == 2;
	options->rejects = (struct rejects){.path = common_text(common, OPT_REJECTS)};
	options->estimate = (enum estimate_mode)common_number(common, OPT_ESTIMATE);
	options->output = run_output_of(common);
}

/* ---- what --prepare made: an action in place of a load ---- */

static int take_action(struct options *options)
{
	static const int actions[] = {
		[OPTIONS_LOAD] = OPT_PREPARE,
		[OPTIONS_PUBLISH] = OPT_PUBLISH,
		[OPTIONS_ABANDON] = OPT_ABANDON,
		[OPTIONS_STATUS] = OPT_STATUS,
	};
	const struct common_options *common = &options->common;
	unsigned ngiven = 0;

	for (unsigned i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (common_is_given(common, actions[i])) {
			ngiven++;
			options->action = (enum options_action)i;
		}
	}
	if (ngiven > 1) {
		return common_wrong_call("--prepare, --publish, --abandon and "
		                         "--status exclude each other");
	}
	if (ngiven > 0 && common_is_given(common, OPT_DATABASE)) {
		return common_wrong_call("--prepare, --publish, --abandon and "
		                         "--status exclude --database");
	}
	if (common_is_given(common, OPT_PREPARE) &&
	    (common_is_given(common, 'u') || common_is_given(common, OPT_ESTIMATE))) {
		return common_wrong_call("-u and --estimate prepare nothing: "
		                         "leave --prepare out");
	}
	if (common_is_given(common, OPT_REPLACE) &&
	    common_is_given(common, OPT_IF_EMPTY)) {
		return common_wrong_call("--replace and --if-empty exclude each other");
	}
	if (common_is_given(common, OPT_JSON) && options->action != OPTIONS_STATUS) {
		return common_wrong_call("--json belongs to --status");
	}
	return 0;
}

/* A script gives each step the same options: those without a file do no harm. */
static int check_action(const struct options *options, int argc)
{
	static const int refused[] = {'l',         'u',        OPT_ESTIMATE,
	                              OPT_REJECTS, OPT_REPORT, OPT_STATS};
	bool is_wrong = optind < argc;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		is_wrong = is_wrong || common_is_given(&options->common, refused[i]);
	}
	return options->action != OPTIONS_LOAD && is_wrong
	               ? common_wrong_call("--publish, --abandon and --status read no "
	                                   "LDIF and have no statistics")
	               : 0;
}

void options_deinit(struct options *options)
{
	run_output_drop(&options->output);
	inputs_deinit(&options->inputs);
}

int options_read(struct options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct options){.load = DIT_LOAD_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, read_own, options);
	if (r > 0) {
		r = take_action(options) < 0 || check_action(options, argc) < 0 ? -1 : 1;
	}
	while (r > 0 && optind < argc) {
		r = inputs_add(&options->inputs, argv[optind++]) < 0 ? -1 : 1;
	}
	if (r <= 0) {
		return r;
	}
	if (common_check_options(&options->common, argc, argv) < 0) {
		return -1;
	}
	take_values(options);
	/* With a slapd.conf slapadd has words for it, see dit_settings_choose(). */
	if (options->common.conf == NULL && config_database_is_meant(&options->common)) {
		return config_database_hand_over(&options->common, &slapadd,
		                                 DIT_DEFAULT_SLAPD, argc, argv);
	}
	return 0;
}
