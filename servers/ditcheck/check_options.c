/* SPDX-License-Identifier: BSD-2-Clause */
/* Options. A wrong call prints its specific error and where more is said. */
#include "check_options.h"

#include <limits.h>

#include "arguments.h"

#define MAX_FINDINGS_DEFAULT 1000

static int open_log(struct check_options *options, const char *path)
{
	int r = filter_log_open(&options->log, path);

	return r < 0 ? common_fail_path(path, dit_strerror(r)) : 0;
}

static int read_own(void *ctx, int option, const char *text)
{
	return option == OPT_FILTER_LOG ? open_log(ctx, text) : 0;
}

static bool is_configuration_chosen(const struct common_options *common)
{
	return common->suffix != NULL || common->database >= 0 || common->conf != NULL ||
	       common->conf_dir != NULL;
}

static int refuse_config_database(void)
{
	return common_wrong_call("the config database (-n 0) is no LMDB database");
}

/* Nothing but the two directories says what is compared. */
static int check_compare(struct check_options *options, char *argv[])
{
	const struct common_options *common = &options->common;

	if (common_is_given(common, OPT_QUICK) || options->wants_sizes ||
	    options->report_path != NULL || options->log.nfiles > 0 ||
	    options->check.is_strict || options->check.wants_overlays) {
		return common_wrong_call("--compare excludes --quick, --stats, --strict, "
		                         "--overlays, --report and --filter-log");
	}
	if (options->check.path != NULL) {
		return common_wrong_call("--compare excludes --database");
	}
	if (common->database == 0) {
		return refuse_config_database();
	}
	if (argv[0] == NULL || argv[1] == NULL || argv[2] != NULL) {
		return common_wrong_call("--compare takes two directories");
	}
	options->compare.first = argv[0];
	options->compare.second = argv[1];
	return 0;
}

/* Options that go together. */
static int check_choice(struct check_options *options, int argc, char *argv[])
{
	const struct common_options *common = &options->common;

	if (options->compare.ignore_generated || options->compare.ignore_integerkey ||
	    options->compare.is_exact) {
		return common_wrong_call("--exact, --generated and --ignore-integerkey "
		                         "are for --compare");
	}
	options->check.is_quick =
		common_is_given(common, OPT_QUICK) || options->wants_sizes;
	if (options->check.is_quick && options->check.wants_overlays) {
		return common_wrong_call("--overlays looks at entries: leave "
		                         "--quick and --stats out");
	}
	if (!options->wants_sizes &&
	    (options->report_path != NULL || options->log.nfiles > 0)) {
		return common_wrong_call("--report and --filter-log are for --stats");
	}
	if (options->check.path != NULL && options->log.nfiles > 0 &&
	    !is_configuration_chosen(common)) {
		return common_wrong_call("--filter-log needs a configuration, and "
		                         "--database reads none without -f or -F");
	}
	if (common->database == 0) {
		return refuse_config_database();
	}
	return common_check_options(common, argc, argv);
}

static void take_values(struct check_options *options)
{
	const struct common_options *common = &options->common;
	struct dit_check_opts *check = &options->check;
	struct dit_compare_opts *compare = &options->compare;

	common_take_check(check, common);
	COMMON_TAKE_CONF(compare, check);
	check->max_findings = MAX_FINDINGS_DEFAULT;
	options->wants_sizes = common_is_given(common, OPT_STATS);
	options->report_path = common_text(common, OPT_REPORT);
	options->wants_compare = common_is_given(common, OPT_COMPARE);
	options->is_json = common_is_given(common, OPT_JSON);
	compare->is_exact = common_is_given(common, OPT_EXACT);
	compare->ignore_generated = common_is_given(common, OPT_GENERATED);
	compare->ignore_integerkey = common_is_given(common, OPT_IGNORE_INTEGERKEY);
	if (common_is_given(common, OPT_MAX_FINDINGS)) {
		uint64_t n = common_number(common, OPT_MAX_FINDINGS);

		check->max_findings = n;
		compare->nreports_max = n == 0 || n > UINT_MAX ? UINT_MAX : (unsigned)n;
	}
}

int check_options_read(struct check_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct check_options){.check = DIT_CHECK_OPTS_INIT,
	                                  .compare = DIT_COMPARE_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, read_own, options);
	if (r <= 0) {
		return r;
	}
	take_values(options);
	return options->wants_compare ? check_compare(options, argv + optind)
	                              : check_choice(options, argc, argv);
}
