/* SPDX-License-Identifier: BSD-2-Clause */
/* Options. A wrong call prints its specific error and where more is said. */
#include "index_options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "arguments.h"

enum long_option {
	OPT_DROP_UNCONFIGURED = COMMON_OPT_END,
	OPT_ESTIMATE,
	OPT_INDEX_KEYS,
	OPT_MEMORY,
	OPT_ONLINE,
	OPT_PAGE_CACHE,
	OPT_REPORT,
	OPT_STATS,
	OPT_TMPDIR,
};

static const struct option long_options[] = {
	COMMON_LONG_OPTIONS,
	{"drop-unconfigured", no_argument, NULL, OPT_DROP_UNCONFIGURED},
	{"estimate", optional_argument, NULL, OPT_ESTIMATE},
	{"index-keys", required_argument, NULL, OPT_INDEX_KEYS},
	{"memory", required_argument, NULL, OPT_MEMORY},
	{"online", no_argument, NULL, OPT_ONLINE},
	{"page-cache", optional_argument, NULL, OPT_PAGE_CACHE},
	{"report", required_argument, NULL, OPT_REPORT},
	{"stats", optional_argument, NULL, OPT_STATS},
	{"tmpdir", required_argument, NULL, OPT_TMPDIR},
	{NULL, 0, NULL, 0},
};

static void print_usage(void)
{
	(void)fputs(
		"usage: ditindex [-cgqtvV] [-b suffix | -n dbnum] [-d level] "
		"[-f slapd.conf]\n"
		"                [-F confdir] [-o opt[=value]] [-T threads] "
		"[--drop-unconfigured]\n"
		"                [--estimate[=json]] [--index-keys integer|bytes] "
		"[--memory size]\n"
		"                [--online] [--openldap 2.5|2.6] [--page-cache[=how]] "
		"[--stats[=file]]\n"
		"                [--progress none|bar|lines|json|seconds] "
		"[--report file]\n"
		"                [--tmpdir dir] [attribute ...]\n",
		stdout);
}

/* clang-format off: the text is laid out by hand. */
static const char help_text[] =
	"\n"
	"Build the indexes of a database anew, all or those of the named attributes: what\n"
	"slapindex -t stores, sooner, and all or nothing. slapd must not run, but with\n"
	"--online.\n"
	"\n"
	"  -b suffix         database that holds this suffix\n"
	"  -c                leave out entries that cannot be read, and go on\n"
	"  -d level          0: no diagnostic lines, errors only\n"
	"  -f file           slapd.conf to read\n"
	"  -F dir            cn=config tree to read; without -f and -F:\n"
	"                    [" DEFAULT_CONF_DIR " if it is there,\n"
	"                    else " DEFAULT_CONF "]\n"
	"  -g                leave subordinate databases alone\n"
	"  -n number         database number, as slapindex counts\n"
	"  -o opt[=value]    slapindex's options; they change nothing\n"
	"  -q, -t            as if they were always given; they change nothing\n"
	"  -T, --tool-threads n\n"
	"                    threads that make keys and sort\n"
	"                    [tool-threads of slapd.conf, else one per processor]\n"
	"  -v                print the ID of every entry\n"
	"  -V, --version     print the version\n"
	"\n"
	"  --drop-unconfigured\n"
	"                    remove index databases that are not configured any more\n"
	"  --estimate        change nothing: say from some of the entries what the work will\n"
	"                    need, and whether it fits (exit status 0) or not (1)\n"
	"  --estimate=text|json\n"
	"                    the same in this form [text]\n"
	"  --help            print this text\n"
	"  --index-keys integer|bytes\n"
	"                    of index databases that are new: compare hashed keys as\n"
	"                    integers, or as slapd does [integer]\n"
	"  --memory size     memory to use, with suffix K, M or G [128M a thread, from 256M\n"
	"                    to 1G, but no more than a quarter of the machine's]\n"
	"  --online          slapd may run and change the database meanwhile; print how long\n"
	"                    its writers had to wait\n"
	"  --openldap 2.5|2.6\n"
	"                    read the configuration as this release of OpenLDAP does\n"
	"                    [the release of " DEFAULT_SLAPD ", without it 2.6]\n"
	"  --page-cache      write the database through the page cache\n"
	"  --page-cache=warm|cold\n"
	"                    write past the cache, where the file system can; at the end\n"
	"                    have the file read into it, where slapd will find it, or not\n"
	"                    [warm, if it fits half of the memory that is free]\n"
	"  --progress none|bar|lines|json|seconds\n"
	"                    what to show meanwhile; a line every so many seconds; with -d\n"
	"                    nothing [bar on a terminal, else lines every 10 seconds]\n"
	"  --report file     write a page about the work to this HTML file\n"
	"  --stats           print what was built and how long it took\n"
	"  --stats=file      write more of that to this file, as JSON\n"
	"  --tmpdir dir      where to spill what does not fit the memory\n"
	"                    [$TMPDIR, /tmp]\n";
/* clang-format on */

void index_options_help(void)
{
	print_usage();
	(void)fputs(help_text, stdout);
}

static int wrong(const struct index_options *options, const char *what, const char *value)
{
	return common_wrong(&options->common, what, value);
}

static int read_index_keys(struct index_options *options, const char *text)
{
	bool is_bytes = strcmp(text, "bytes") == 0;

	if (!is_bytes && strcmp(text, "integer") != 0) {
		return wrong(options, "--index-keys takes integer or bytes, not", text);
	}
	options->reindex.byte_keys = is_bytes;
	return 0;
}

static int read_memory(struct index_options *options, const char *text)
{
	if (common_read_size(text, &options->reindex.memory_bytes) < 0) {
		return wrong(options, "--memory takes a size such as 512M, not", text);
	}
	if (options->reindex.memory_bytes < DIT_REINDEX_MEMORY_MIN) {
		return wrong(options, "--memory takes at least 8M, not", text);
	}
	return 0;
}

/* slapindex has none of its own. */
static int read_o(struct index_options *options, const char *text)
{
	struct common_setting setting = common_read_setting(text);

	return common_is_idle_setting(&setting)
	               ? 0
	               : wrong(options, "unknown option -o", text);
}

static int read_page_cache(struct index_options *options, const char *text)
{
	if (page_cache_read(&options->page_cache, text) < 0) {
		return common_wrong(&options->common,
		                    "--page-cache takes warm or cold, not", text);
	}
	options->reindex.use_page_cache = options->page_cache == PAGE_CACHE_THROUGH;
	return 0;
}

static int read_own(void *ctx, int option, const char *text)
{
	struct index_options *options = ctx;

	switch (option) {
	case 'c':
		options->reindex.keep_going = true;
		return 0;
	case 'o':
		return read_o(options, text);
	case 'q':
	case 't':
		return 0;
	case OPT_DROP_UNCONFIGURED:
		options->reindex.drop_unconfigured = true;
		return 0;
	case OPT_ESTIMATE:
		return estimate_read(&options->estimate, text) == 0
		               ? 0
		               : wrong(options, "--estimate takes text or json, not",
		                       text);
	case OPT_INDEX_KEYS:
		return read_index_keys(options, text);
	case OPT_MEMORY:
		return read_memory(options, text);
	case OPT_ONLINE:
		options->reindex.online = true;
		return 0;
	case OPT_PAGE_CACHE:
		return read_page_cache(options, text);
	case OPT_REPORT:
		options->output.report_path = text;
		return 0;
	case OPT_STATS:
		options->want_stats = options->want_stats || text == NULL;
		options->output.stats_path =
			text == NULL ? options->output.stats_path : text;
		return 0;
	case OPT_TMPDIR:
		options->reindex.tmpdir = text;
		return 0;
	}
	return -1;
}

static void take_common(struct index_options *options)
{
	const struct common_options *common = &options->common;
	struct dit_reindex_opts *reindex = &options->reindex;

	reindex->conf = common->conf;
	reindex->conf_dir = common->conf_dir;
	reindex->suffix = common->suffix;
	reindex->database = common->database;
	reindex->openldap = common->openldap;
	reindex->no_glue = common->no_glue;
	reindex->threads = common->threads;
	reindex->is_verbose = common->is_verbose;
}

int index_options_read(struct index_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct index_options){.reindex = DIT_REINDEX_OPTS_INIT};
	options->common = common_options_init("ditindex");
	r = common_read_options(&options->common, argc, argv,
	                        COMMON_SHORT_OPTIONS "co:qt", long_options, read_own,
	                        options);
	if (r <= 0) {
		return r;
	}
	options->reindex.attrs = (const char *const *)argv + optind;
	options->reindex.nattrs = (size_t)(argc - optind);
	take_common(options);
	return common_check_options(&options->common, optind, argv);
}
