/* SPDX-License-Identifier: BSD-2-Clause */
/* Options. A wrong call prints its specific error and where more is said. */
#include "cat_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arguments.h"
#include "config_database.h"
#include "default_paths.h"

static const struct config_tool slapcat = {.name = "slapcat",
                                           .letters = "abcdfFgHlnosv",
                                           .does = "exports",
                                           .needs_tree = true};

/* ---- -o ---- */

/* slapd's: a number without sign, blanks before it allowed, up to UINT_MAX. */
static int read_wrap(struct cat_options *options, const char *value)
{
	unsigned long n = 0;
	char *end = NULL;

	if (value == NULL) {
		return 0; /* nothing is said about it */
	}
	if (strcasecmp(value, "no") == 0) {
		options->export.wrap = DIT_EXPORT_WRAP_NONE;
		return 0;
	}
	errno = 0;
	n = strtoul(value, &end, 10);
	if (end == value || *end != '\0' || errno != 0 || n > UINT_MAX ||
	    strchr(value, '-') != NULL) {
		(void)fputs("unable to parse ldif_wrap=\"", stderr);
		text_echo(stderr, value);
		(void)fputs("\".\n", stderr);
		return common_point_to_help(&options->common);
	}
	if (n == 0) {
		options->export.wrap = DIT_EXPORT_WRAP_DEFAULT;
	} else {
		options->export.wrap =
			n < DIT_EXPORT_WRAP_MIN ? DIT_EXPORT_WRAP_MIN : (unsigned)n;
	}
	return 0;
}

static int read_o(struct cat_options *options, const char *text)
{
	struct common_setting setting = common_read_setting(text);

	if (common_is_setting(&setting, "ldif-wrap") ||
	    common_is_setting(&setting, "ldif_wrap")) {
		return read_wrap(options, setting.value);
	}
	if (common_is_idle_setting(&setting)) {
		return 0;
	}
	if (common_is_setting(&setting, "schema-check") ||
	    common_is_setting(&setting, "value-check")) {
		(void)fprintf(stderr, "%.*s meaningless for tool.\n",
		              (int)setting.name_len, text);
		return 0;
	}
	return common_wrong(&options->common, "unknown option -o", text);
}

/* Parts that the URL leaves out stay as other options have them. */
static int read_url(struct cat_options *options, const char *text)
{
	/* The last one of several URLs counts. */
	if (options->url.base != NULL) {
		options->export.base = NULL;
	}
	if (options->url.filter != NULL) {
		options->export.filter = NULL;
	}
	dit_export_url_deinit(&options->url);
	if (dit_export_url_read(&options->url, text) < 0) {
		return common_wrong(&options->common,
		                    "-H takes ldap:///DN?\?SCOPE?FILTER, not", text);
	}
	options->export.scope = options->url.scope;
	if (options->url.base != NULL) {
		options->export.base = options->url.base;
	}
	if (options->url.filter != NULL) {
		options->export.filter = options->url.filter;
	}
	return 0;
}

/* ---- all of them ---- */

static int read_own(void *ctx, int option, const char *text)
{
	struct cat_options *options = ctx;

	switch (option) {
	case 'a':
		options->export.filter = text;
		return 0;
	case 'H':
		return read_url(options, text);
	case 'o':
		return read_o(options, text);
	case 's':
		options->export.base = text;
		options->export.scope = DIT_SCOPE_SUBTREE;
		return 0;
	}
	return 0;
}

static void take_values(struct cat_options *options)
{
	const struct common_options *common = &options->common;
	struct dit_export_opts *export = &options->export;

	COMMON_TAKE(export, common);
	export->is_verbose = common->is_verbose;
	export->keep_going = common_is_given(common, 'c');
	export->output = common_text(common, 'l');
	export->compression =
		(enum dit_export_compression)common_number(common, OPT_COMPRESS);
	export->no_index = common_is_given(common, OPT_NO_INDEX);
	options->want_stats = common_is_given(common, OPT_STATS);
}

int cat_options_read(struct cat_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct cat_options){.common = common_options_init("ditcat"),
	                                .export = DIT_EXPORT_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, read_own, options);
	if (r <= 0) {
		return r;
	}
	if (common_check_options(&options->common, argc, argv) < 0) {
		return -1;
	}
	if (config_database_is_meant(&options->common)) {
		return config_database_hand_over(&options->common, &slapcat,
		                                 DIT_DEFAULT_SLAPD, argc, argv);
	}
	take_values(options);
	return 0;
}

void cat_options_deinit(struct cat_options *options)
{
	dit_export_url_deinit(&options->url);
}
