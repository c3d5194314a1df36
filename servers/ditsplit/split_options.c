/* SPDX-License-Identifier: BSD-2-Clause */
/* Options. A wrong call prints its specific error and where more is said. */
#include "split_options.h"

static int read_own(void *ctx, int option, const char *text)
{
	struct split_options *options = ctx;

	switch (option) {
	case 'l':
		return inputs_add(&options->inputs, "ditsplit", text);
	case OPT_PART:
		return rank_read(text, &options->part) == 0
		               ? 0
		               : common_wrong(&options->common,
		                              "--part takes R/N, with R from 0 to N - 1, "
		                              "not",
		                              text);
	}
	return 0;
}

static int take_part(struct split_options *options)
{
	unsigned nparts = (unsigned)common_number(&options->common, OPT_PARTS);
	char why[RANK_WHY_BYTES] = "";

	if (options->part.n > 0 && nparts > 0 && nparts != options->part.n) {
		return common_wrong_call(&options->common,
		                         "--part and --parts name different numbers");
	}
	if (options->part.n == 0 && rank_find(nparts, &options->part, why) < 0) {
		return common_wrong_call(&options->common, why);
	}
	options->split.part = options->part.number;
	options->split.nparts = options->part.n;
	return 0;
}

static int take_values(struct split_options *options)
{
	const struct common_options *common = &options->common;
	struct dit_split_opts *split = &options->split;

	split->conf = common->conf;
	split->conf_dir = common->conf_dir;
	split->suffix = common->suffix;
	split->database = common->database;
	split->openldap = common->openldap;
	split->threads = common->threads;
	split->map = common_text(common, OPT_MAP);
	split->output = common_text(common, OPT_OUTPUT);
	split->inputs = options->inputs.paths;
	split->ninputs = options->inputs.n;
	split->no_urls = common_is_given(common, OPT_NO_URLS);
	split->record_max_bytes = common_number(common, OPT_MAX_RECORD);
	options->want_stats = common_is_given(common, OPT_STATS);
	if (common_is_given(common, OPT_COMPRESS)) {
		split->compression = (enum dit_export_compression)(
			common_number(common, OPT_COMPRESS) - 1);
	}
	if (split->map == NULL || split->output == NULL) {
		return common_wrong_call(common,
		                         "--map FILE and --output DIR are needed");
	}
	return take_part(options);
}

int split_options_read(struct split_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct split_options){.common = common_options_init("ditsplit"),
	                                  .split = DIT_SPLIT_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, read_own, options);
	while (r > 0 && optind < argc) {
		r = inputs_add(&options->inputs, "ditsplit", argv[optind++]) < 0 ? -1 : 1;
	}
	if (r <= 0) {
		return r;
	}
	return common_check_options(&options->common, argc, argv) < 0
	               ? -1
	               : take_values(options);
}

void split_options_deinit(struct split_options *options)
{
	inputs_deinit(&options->inputs);
}
