/* SPDX-License-Identifier: BSD-2-Clause */
/* Options. A wrong call prints its specific error and where more is said. */
#include "check_options.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

#define MAX_FINDINGS_DEFAULT 1000
#define MEMORY_MIN           ((uint64_t)16 << 20)

enum long_option {
	OPT_COMPARE = COMMON_OPT_END,
	OPT_DATABASE,
	OPT_EXACT,
	OPT_FILTER_LOG,
	OPT_GENERATED,
	OPT_IGNORE_INTEGERKEY,
	OPT_JSON,
	OPT_MAX_FINDINGS,
	OPT_MEMORY,
	OPT_QUICK,
	OPT_REPORT,
	OPT_STATS,
	OPT_TMPDIR,
};

static const struct option long_options[] = {
	COMMON_LONG_OPTIONS,
	{"compare", no_argument, NULL, OPT_COMPARE},
	{"database", required_argument, NULL, OPT_DATABASE},
	{"exact", no_argument, NULL, OPT_EXACT},
	{"filter-log", required_argument, NULL, OPT_FILTER_LOG},
	{"generated", no_argument, NULL, OPT_GENERATED},
	{"ignore-integerkey", no_argument, NULL, OPT_IGNORE_INTEGERKEY},
	{"json", no_argument, NULL, OPT_JSON},
	{"max-findings", required_argument, NULL, OPT_MAX_FINDINGS},
	{"memory", required_argument, NULL, OPT_MEMORY},
	{"quick", no_argument, NULL, OPT_QUICK},
	{"report", required_argument, NULL, OPT_REPORT},
	{"stats", no_argument, NULL, OPT_STATS},
	{"tmpdir", required_argument, NULL, OPT_TMPDIR},
	{NULL, 0, NULL, 0},
};

/* clang-format off: the text is laid out by hand. */
static const char usage_text[] =
	"usage: ditcheck [-gvV] [-b suffix | -n dbnum] [-d level] [-f slapd.conf] [-F confdir]\n"
	"                [-T threads] [--database dir] [--filter-log file] [--json]\n"
	"                [--max-findings n] [--memory size] [--openldap release]\n"
	"                [--progress none|bar|lines|json|seconds] [--quick | --stats]\n"
	"                [--report file] [--tmpdir dir]\n"
	"       ditcheck --compare [-T threads] [--exact] [--generated]\n"
	"                [--ignore-integerkey] [--json] [--max-findings n]\n"
	"                dir dir\n";

static const char help_text[] =
	"\n"
	"Check the database that slapd.conf describes, and change nothing; slapd may run.\n"
	"Exit status: 0 nothing is wrong, 1 something is, 2 it could not be checked.\n"
	"\n"
	"  -b suffix         database that holds this suffix\n"
	"  -d level          0: no diagnostic lines, errors only\n"
	"  -f file           slapd.conf to read\n"
	"  -F dir            cn=config tree to read; without -f and -F:\n"
	"                    [" DEFAULT_CONF_DIR " if it is there,\n"
	"                    else " DEFAULT_CONF "]\n"
	"  -g                leave subordinate databases out\n"
	"  -n number         database number, as slapcat counts\n"
	"  -T, --tool-threads n\n"
	"                    threads [tool-threads of slapd.conf, else one per processor]\n"
	"  -v                say more about each file\n"
	"  -V, --version     print the version\n"
	"\n"
	"  --compare         compare the content of two database directories, record by\n"
	"                    record: exit status 0 if it is the same, 1 if it differs\n"
	"  --database dir    check this directory, or data file, in place of the configured\n"
	"                    one; with --quick and --stats, no configuration is read\n"
	"  --exact           compare: the order of values counts, and which forms are stored\n"
	"  --filter-log file\n"
	"                    with --stats: say which indexes searches use, by slapd's log\n"
	"                    (loglevel stats) or a filter a line; gzip too; -: standard input\n"
	"  --generated       compare: values that each load makes anew do not count\n"
	"  --help            print this text\n"
	"  --ignore-integerkey\n"
	"                    compare: an index may have integer keys on one side only\n"
	"  --json            print one JSON object instead of lines\n"
	"  --max-findings n  print n findings of each file at most, count the others; 0: print\n"
	"                    all [1000]; compare: n differences of each database [20]\n"
	"  --memory size     memory to sort in, with suffix K, M or G [128M a thread, from 256M\n"
	"                    to 1G, a quarter of the machine's at most]\n"
	"  --openldap release\n"
	"                    check as this release of OpenLDAP stores [that of the slapd here]\n"
	"  --progress none|bar|lines|json|seconds\n"
	"                    what to show meanwhile; a line every so many seconds; with -d\n"
	"                    nothing [bar on a terminal, else lines every 10 seconds]\n"
	"  --quick           check the structure of the file alone: that LMDB can read it\n"
	"  --report file     with --stats: write a page for a browser as well\n"
	"  --stats           the same, and print what each database takes: keys, postings,\n"
	"                    pages, bytes, ranges, the longest list; then advice\n"
	"  --tmpdir dir      where to spill what does not fit the memory\n";
/* clang-format on */

static void print_usage(void)
{
	(void)fputs(usage_text, stdout);
}

void check_options_help(void)
{
	print_usage();
	(void)fputs(help_text, stdout);
}

static int read_max_findings(struct check_options *options, const char *text)
{
	unsigned long long n = 0;

	if (common_read_number(text, UINT64_MAX, &n) < 0) {
		return common_wrong(&options->common,
		                    "--max-findings takes a number, not", text);
	}
	options->check.max_findings = n;
	options->compare.nreports_max = n == 0 || n > UINT_MAX ? UINT_MAX : (unsigned)n;
	return 0;
}

static int read_memory(struct check_options *options, const char *text)
{
	if (common_read_size(text, &options->check.memory_bytes) < 0) {
		return common_wrong(&options->common,
		                    "--memory takes a size such as 512M, not", text);
	}
	if (options->check.memory_bytes < MEMORY_MIN) {
		return common_wrong(&options->common, "--memory takes at least 16M, not",
		                    text);
	}
	return 0;
}

static int open_log(struct check_options *options, const char *path)
{
	int r = filter_log_open(&options->log, path);

	if (r < 0) {
		(void)fprintf(stderr, "ditcheck: %s: %s\n", path, dit_strerror(r));
	}
	return r < 0 ? -1 : 0;
}

static int read_own(void *ctx, int option, const char *text)
{
	struct check_options *options = ctx;

	switch (option) {
	case OPT_COMPARE:
		options->wants_compare = true;
		return 0;
	case OPT_DATABASE:
		options->check.path = text;
		return 0;
	case OPT_EXACT:
		options->compare.is_exact = true;
		return 0;
	case OPT_FILTER_LOG:
		return open_log(options, text);
	case OPT_GENERATED:
		options->compare.ignore_generated = true;
		return 0;
	case OPT_IGNORE_INTEGERKEY:
		options->compare.ignore_integerkey = true;
		return 0;
	case OPT_JSON:
		options->is_json = true;
		return 0;
	case OPT_MAX_FINDINGS:
		return read_max_findings(options, text);
	case OPT_MEMORY:
		return read_memory(options, text);
	case OPT_QUICK:
		options->is_quick = true;
		return 0;
	case OPT_REPORT:
		options->report_path = text;
		return 0;
	case OPT_STATS:
		options->wants_sizes = true;
		return 0;
	case OPT_TMPDIR:
		options->check.tmpdir = text;
		return 0;
	}
	return -1;
}

static bool is_configuration_chosen(const struct common_options *common)
{
	return common->suffix != NULL || common->database >= 0 || common->conf != NULL ||
	       common->conf_dir != NULL;
}

/* Nothing but the two directories says what is compared. */
static int check_compare(struct check_options *options, char *argv[])
{
	const struct common_options *common = &options->common;

	if (options->is_quick || options->wants_sizes || options->report_path != NULL ||
	    options->log.nfiles > 0) {
		return common_wrong_call(common,
		                         "--compare excludes --quick, --stats, --report "
		                         "and --filter-log");
	}
	if (options->check.path != NULL || is_configuration_chosen(common)) {
		return common_wrong_call(
			common, "--compare excludes -b, -n, -f, -F and --database");
	}
	if (argv[0] == NULL || argv[1] == NULL || argv[2] != NULL) {
		return common_wrong_call(common, "--compare takes two directories");
	}
	options->compare.first = argv[0];
	options->compare.second = argv[1];
	return 0;
}

/* What goes together. */
static int check_choice(struct check_options *options, int argc, char *argv[])
{
	const struct common_options *common = &options->common;

	if (options->compare.ignore_generated || options->compare.ignore_integerkey ||
	    options->compare.is_exact) {
		return common_wrong_call(common,
		                         "--exact, --generated and --ignore-integerkey "
		                         "are for --compare");
	}
	options->check.is_quick = options->is_quick || options->wants_sizes;
	if (options->check.is_quick && options->check.path != NULL &&
	    is_configuration_chosen(common)) {
		return common_wrong_call(common, "--database with --quick or --stats "
		                                 "excludes -b, -n, -f and -F");
	}
	if (!options->wants_sizes &&
	    (options->report_path != NULL || options->log.nfiles > 0)) {
		return common_wrong_call(common, "--report and --filter-log are for "
		                                 "--stats");
	}
	if (options->check.path != NULL && options->log.nfiles > 0) {
		return common_wrong_call(common,
		                         "--filter-log needs a configuration, and "
		                         "--database reads none");
	}
	if (common->database == 0) {
		return common_wrong_call(
			common, "the config database (-n 0) is no LMDB database");
	}
	return common_check_options(common, argc, argv);
}

static void take_common(struct check_options *options)
{
	const struct common_options *common = &options->common;

	options->check.conf = common->conf;
	options->check.conf_dir = common->conf_dir;
	options->check.suffix = common->suffix;
	options->check.database = common->database;
	options->check.no_glue = common->no_glue;
	options->check.openldap = common->openldap;
	options->check.threads = common->threads;
}

int check_options_read(struct check_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct check_options){.common = common_options_init("ditcheck"),
	                                  .check = DIT_CHECK_OPTS_INIT};
	options->check.max_findings = MAX_FINDINGS_DEFAULT;
	r = common_read_options(&options->common, argc, argv, COMMON_SHORT_OPTIONS,
	                        long_options, read_own, options);
	if (r <= 0) {
		return r;
	}
	take_common(options);
	return options->wants_compare ? check_compare(options, argv + optind)
	                              : check_choice(options, argc, argv);
}
