/* SPDX-License-Identifier: BSD-2-Clause */
/* Options. A wrong call prints its specific error and where more is said. */
#include "index_options.h"

/* slapindex has none of its own. */
static int read_o(struct index_options *options, const char *text)
{
	struct common_setting setting = common_read_setting(text);

	return common_is_idle_setting(&setting)
	               ? 0
	               : common_wrong(&options->common, "unknown option -o", text);
}

static int read_own(void *ctx, int option, const char *text)
{
	return option == 'o' ? read_o(ctx, text) : 0;
}

static void take_values(struct index_options *options)
{
	const struct common_options *common = &options->common;
	struct dit_reindex_opts *reindex = &options->reindex;

	COMMON_TAKE(reindex, common);
	reindex->is_verbose = common->is_verbose;
	reindex->keep_going = common_is_given(common, 'c');
	reindex->drop_unconfigured = common_is_given(common, OPT_DROP_UNCONFIGURED);
	reindex->byte_keys = common_number(common, OPT_INDEX_KEYS) == 2;
	reindex->memory_bytes = common_number(common, OPT_MEMORY);
	reindex->online = common_is_given(common, OPT_ONLINE);
	reindex->tmpdir = common_text(common, OPT_TMPDIR);
	options->estimate = (enum estimate_mode)common_number(common, OPT_ESTIMATE);
	options->output = run_output_of(common);
}

int index_options_read(struct index_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct index_options){.reindex = DIT_REINDEX_OPTS_INIT};
	options->common = common_options_init("ditindex");
	r = common_read_options(&options->common, argc, argv, read_own, options);
	if (r <= 0) {
		return r;
	}
	options->reindex.attrs = (const char *const *)argv + optind;
	options->reindex.nattrs = (size_t)(argc - optind);
	take_values(options);
	return common_check_options(&options->common, optind, argv);
}
