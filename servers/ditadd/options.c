/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options. A wrong call prints its specific error and where more is said.
 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "arguments.h"
#include "config_database.h"

#define LETTERS COMMON_SHORT_OPTIONS "cj:l:o:qsS:uw"

static const struct config_tool slapadd = {.name = "slapadd",
                                           .letters = "bcdfFgjlnoqsSuvw",
                                           .does = "loads"};

enum long_option {
	OPT_BATCH = COMMON_OPT_END,
	OPT_ESTIMATE,
	OPT_EXPLAIN,
	OPT_GROW,
	OPT_IF_EMPTY,
	OPT_INDEX_KEYS,
	OPT_MAX_RECORD,
	OPT_MAX_REJECTS,
	OPT_MEMORY,
	OPT_NO_EXPLAIN,
	OPT_NO_URLS,
	OPT_PAGE_CACHE,
	OPT_REJECTS,
	OPT_REPORT,
	OPT_SPECIAL_URLS,
	OPT_STATS,
	OPT_STRICT,
	OPT_TMPDIR,
	OPT_WRITER,
};

static const struct option long_options[] = {
	COMMON_LONG_OPTIONS,
	{"batch", required_argument, NULL, OPT_BATCH},
	{"estimate", optional_argument, NULL, OPT_ESTIMATE},
	{"explain", no_argument, NULL, OPT_EXPLAIN},
	{"grow", no_argument, NULL, OPT_GROW},
	{"if-empty", no_argument, NULL, OPT_IF_EMPTY},
	{"index-keys", required_argument, NULL, OPT_INDEX_KEYS},
	{"max-record", required_argument, NULL, OPT_MAX_RECORD},
	{"max-rejects", required_argument, NULL, OPT_MAX_REJECTS},
	{"memory", required_argument, NULL, OPT_MEMORY},
	{"no-explain", no_argument, NULL, OPT_NO_EXPLAIN},
	{"no-urls", no_argument, NULL, OPT_NO_URLS},
	{"page-cache", optional_argument, NULL, OPT_PAGE_CACHE},
	{"rejects", required_argument, NULL, OPT_REJECTS},
	{"report", required_argument, NULL, OPT_REPORT},
	{"special-urls", no_argument, NULL, OPT_SPECIAL_URLS},
	{"stats", optional_argument, NULL, OPT_STATS},
	{"strict", no_argument, NULL, OPT_STRICT},
	{"tmpdir", required_argument, NULL, OPT_TMPDIR},
	{"writer", required_argument, NULL, OPT_WRITER},
	{NULL, 0, NULL, 0},
};

static void print_usage(void)
{
	(void)fputs(
		"usage: ditadd [-cgqsuvVw] [-b suffix | -n dbnum] [-d level] "
		"[-f slapd.conf] [-F confdir]\n"
		"              [-j line] [-l file]... [-o opt[=value]] [-S sid] [-T threads]\n"
		"              [--estimate[=json]] [--explain] [--grow] "
		"[--no-explain]\n"
		"              [--if-empty] [--index-keys integer|bytes] "
		"[--max-record size]\n"
		"              [--max-rejects n] [--memory size] [--no-urls] "
		"[--openldap 2.5|2.6|2.7]\n"
		"              [--page-cache[=how]]\n"
		"              [--progress none|bar|lines|json|seconds] [--rejects file]\n"
		"              [--report file] [--special-urls] [--stats[=file]] [--strict]\n"
		"              [--tmpdir dir] [--writer pages|append]\n"
		"              [file]...\n",
		stdout);
}

/* clang-format off: the text is laid out by hand. */
static const char help_text[] =
	"\n"
	"Load LDIF into the database that slapd.conf describes: what slapadd stores,\n"
	"sooner, and all or nothing.\n"
	"\n"
	"  -b suffix         database that holds this suffix\n"
	"  -c                leave out records that cannot be stored, and go on\n"
	"  -d level          0: no diagnostic lines, errors only\n"
	"  -f file           slapd.conf to read\n"
	"  -F dir            cn=config tree to read; without -f and -F:\n"
	"                    [" DEFAULT_CONF_DIR " if it is there,\n"
	"                    else " DEFAULT_CONF "]\n"
	"  -g                leave subordinate databases alone, put all their entries\n"
	"                    into the superior one\n"
	"  -j line           leave out records that begin before this line\n"
	"  -l file           LDIF to load, packed by gzip, zstd, xz or bzip2 as well; -:\n"
	"                    standard input; of a directory its files *.ldif* by name;\n"
	"                    several: one after the other; without -l as well\n"
	"                    [standard input]\n"
	"  -n number         database number, as slapadd counts\n"
	"  -o opt[=value]    schema-check=yes|no, value-check=yes|no,\n"
	"                    remove-sids=n,n,... (new CSNs for those of these servers)\n"
	"  -q                quick: do not gather attribute lines, no value check\n"
	"  -s                no schema check\n"
	"  -S sid            server ID in generated CSNs, 0 to 4095\n"
	"  -T, --tool-threads n\n"
	"                    threads that parse, make keys and sort\n"
	"                    [tool-threads of slapd.conf, else one per processor]\n"
	"  -u                dry run: check the input, touch no database\n"
	"  -v                print every entry stored\n"
	"  -w                write contextCSN: the highest entryCSN of each server\n"
	"  -V, --version     print the version\n"
	"\n"
	"  --batch n         records in a batch at most [512]\n"
	"  --estimate        load nothing: say from a sample of the input what the load will\n"
	"                    need, and whether it fits (exit status 0) or not (1)\n"
	"  --estimate=text|json\n"
	"                    the same in this form [text]\n"
	"  --explain, --no-explain\n"
	"                    after the messages about a refused record, one line that says\n"
	"                    where the fault is and what to do, or none\n"
	"                    [--explain on a terminal]\n"
	"  --grow            the result may be larger than maxsize\n"
	"  --help            print this text\n"
	"  --if-empty        load into a database without entries; say so and exit with 0 if\n"
	"                    there are some\n"
	"  --index-keys integer|bytes\n"
	"                    compare hashed index keys as integers, or as slapd does\n"
	"                    [integer]\n"
	"  --max-record size bytes of an LDIF record at most, with suffix K, M or G [a quarter\n"
	"                    of the machine's memory, 4G at most]\n"
	"  --max-rejects n   -c, but give up when more than n records were left out\n"
	"  --memory size     memory to use, with suffix K, M or G [128M a thread, from 256M\n"
	"                    to 1G, but no more than a quarter of the machine's]\n"
	"  --no-urls         read no file that the LDIF names (attr:< file:..., include:)\n"
	"  --openldap 2.5|2.6|2.7\n"
	"                    make a database for this release of OpenLDAP, and read the\n"
	"                    configuration as it does\n"
	"                    [the release of " DEFAULT_SLAPD ", without it 2.6]\n"
	"  --page-cache      write the database through the page cache\n"
	"  --page-cache=warm|cold\n"
	"                    write past the cache, where the file system can; at the end\n"
	"                    have the file read into it, where slapd will find it, or not\n"
	"                    [warm, if it fits half of the memory that is free]\n"
	"  --progress none|bar|lines|json|seconds\n"
	"                    what to show meanwhile; a line every so many seconds; with -d\n"
	"                    nothing [bar on a terminal, else lines every 10 seconds]\n"
	"  --rejects file    write the records that were left out to this LDIF file\n"
	"  --report file     write a page about the load to this HTML file\n"
	"  --special-urls    the LDIF may name pipes and devices, not only regular files\n"
	"  --stats           print what was loaded and how long it took\n"
	"  --stats=file      write more of that to this file, as JSON\n"
	"  --strict          refuse \"version: 1\", \"changetype: add\" and \"control:\" lines,\n"
	"                    as slapadd does\n"
	"  --tmpdir dir      where to spill what does not fit the memory\n"
	"                    [$TMPDIR, /tmp]\n"
	"  --writer pages|append\n"
	"                    who makes the pages of a new database: ditadd on all threads,\n"
	"                    or liblmdb on one [pages, if liblmdb has the known format]\n";
/* clang-format on */

void options_help(void)
{
	print_usage();
	(void)fputs(help_text, stdout);
}

static int wrong(const struct options *options, const char *what, const char *value)
{
	return common_wrong(&options->common, what, value);
}

/* -o name[=value]: "yes" if there is no value. */
static int read_o(struct options *options, const char *text)
{
	struct common_setting setting = common_read_setting(text);
	bool is_schema_check = common_is_setting(&setting, "schema-check");
	bool is_value_check = common_is_setting(&setting, "value-check");
	bool is_yes = setting.value == NULL || strcasecmp(setting.value, "yes") == 0;

	if ((is_schema_check || is_value_check) && !is_yes &&
	    strcasecmp(setting.value, "no") != 0) {
		return wrong(options, "unable to handle option -o", text);
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
		               : common_wrong_call(&options->common,
		                                   "remove-sids needs an argument.");
	}
	/* slapcat's: it changes nothing here. */
	if (common_is_idle_setting(&setting) || strncasecmp(text, "ldif-", 5) == 0) {
		return 0;
	}
	return wrong(options, "unknown option -o", text);
}

static int read_index_keys(struct options *options, const char *text)
{
	if (strcmp(text, "integer") == 0) {
		options->load.byte_keys = false;
	} else if (strcmp(text, "bytes") == 0) {
		options->load.byte_keys = true;
	} else {
		return wrong(options, "--index-keys takes integer or bytes, not", text);
	}
	return 0;
}

static int read_writer(struct options *options, const char *text)
{
	if (strcmp(text, "pages") == 0) {
		options->load.writer = DIT_LOAD_WRITER_PAGES;
	} else if (strcmp(text, "append") == 0) {
		options->load.writer = DIT_LOAD_WRITER_APPEND;
	} else {
		return wrong(options, "--writer takes pages or append, not", text);
	}
	return 0;
}

static int read_numbers(struct options *options, int option, const char *text)
{
	unsigned long long n = 0;

	switch (option) {
	case 'j':
		if (common_read_number(text, UINT64_MAX, &n) < 0) {
			return wrong(options, "-j takes a line number, not", text);
		}
		options->load.first_line = n;
		return 0;
	case 'S':
		if (common_read_number(text, 4095, &n) < 0) {
			return wrong(options, "-S takes a server ID from 0 to 4095, not",
			             text);
		}
		options->load.sid = (unsigned)n;
		return 0;
	case OPT_BATCH:
		if (common_read_number(text, 1 << 20, &n) < 0 || n == 0) {
			return wrong(options,
			             "--batch takes a number from 1 to 1048576, not",
			             text);
		}
		options->load.batch_records = n;
		return 0;
	case OPT_MAX_RECORD:
		if (common_read_size(text, &options->load.record_max_bytes) < 0 ||
		    options->load.record_max_bytes == 0) {
			return wrong(options,
			             "--max-record takes a size such as 512M, not", text);
		}
		return 0;
	case OPT_MAX_REJECTS:
		if (common_read_number(text, UINT64_MAX, &n) < 0) {
			return wrong(options, "--max-rejects takes a number, not", text);
		}
		options->load.keep_going = true;
		options->load.max_rejects = n;
		return 0;
	case OPT_MEMORY:
		if (common_read_size(text, &options->load.memory_bytes) < 0) {
			return wrong(options, "--memory takes a size such as 512M, not",
			             text);
		}
		if (options->load.memory_bytes < DIT_LOAD_MEMORY_MIN) {
			return wrong(options, "--memory takes at least 8M, not", text);
		}
		return 0;
	}
	return -1;
}

static int read_input(struct options *options, const char *text)
{
	int r = inputs_add(&options->inputs, text);

	switch (r) {
	case 0:
		return 0;
	case -EALREADY:
		return common_wrong_call(&options->common,
		                         "standard input (-l -) can be read only once");
	case -ENOENT:
		(void)fprintf(stderr, "ditadd: %s: a directory without files *.ldif*\n",
		              text);
		return -1;
	default:
		(void)fprintf(stderr, "ditadd: %s: %s\n", text, strerror(-r));
		return -1;
	}
}

static int read_page_cache(struct options *options, const char *text)
{
	if (page_cache_read(&options->page_cache, text) < 0) {
		return wrong(options, "--page-cache takes warm or cold, not", text);
	}
	options->load.use_page_cache = options->page_cache == PAGE_CACHE_THROUGH;
	return 0;
}

static int read_own(void *ctx, int option, const char *text)
{
	struct options *options = ctx;

	switch (option) {
	case 'c':
		options->load.keep_going = true;
		return 0;
	case 'l':
		return read_input(options, text);
	case 'o':
		return read_o(options, text);
	case 'q':
		options->load.is_quick = true;
		return 0;
	case 's':
		options->load.no_schema_check = true;
		return 0;
	case 'u':
		options->load.is_dry_run = true;
		return 0;
	case 'w':
		options->load.write_context_csn = true;
		return 0;
	case OPT_ESTIMATE:
		return estimate_read(&options->estimate, text) == 0
		               ? 0
		               : wrong(options, "--estimate takes text or json, not",
		                       text);
	case OPT_EXPLAIN:
	case OPT_NO_EXPLAIN:
		options->load.explain = option == OPT_EXPLAIN;
		return 0;
	case OPT_GROW:
		options->load.may_grow = true;
		return 0;
	case OPT_IF_EMPTY:
		options->load.only_if_empty = true;
		return 0;
	case OPT_INDEX_KEYS:
		return read_index_keys(options, text);
	case OPT_WRITER:
		return read_writer(options, text);
	case OPT_REJECTS:
		options->rejects = text;
		return 0;
	case OPT_NO_URLS:
		options->load.no_urls = true;
		return 0;
	case OPT_SPECIAL_URLS:
		options->load.special_urls = true;
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
	case OPT_STRICT:
		options->load.is_strict = true;
		return 0;
	case OPT_TMPDIR:
		options->load.tmpdir = text;
		return 0;
	default:
		return read_numbers(options, option, text);
	}
}

/* What all programs have alike, where the load wants it. */
static void take_common(struct options *options)
{
	const struct common_options *common = &options->common;
	struct dit_load_opts *load = &options->load;

	load->conf = common->conf;
	load->conf_dir = common->conf_dir;
	load->suffix = common->suffix;
	load->database = common->database;
	load->no_glue = common->no_glue;
	load->threads = common->threads;
	load->openldap = common->openldap;
	load->is_verbose = common->is_verbose;
	load->inputs = options->inputs.paths;
	load->ninputs = options->inputs.n;
}

void options_deinit(struct options *options)
{
	run_output_drop(&options->output);
	inputs_deinit(&options->inputs);
}

int options_read(struct options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct options){.common = common_options_init("ditadd"),
	                            .load = DIT_LOAD_OPTS_INIT};
	/* Scripts that compare slapadd's lines get those alone. */
	options->load.explain = isatty(STDERR_FILENO) == 1;
	r = common_read_options(&options->common, argc, argv, LETTERS, long_options,
	                        read_own, options);
	while (r > 0 && optind < argc) {
		r = read_input(options, argv[optind++]) < 0 ? -1 : 1;
	}
	if (r <= 0) {
		return r;
	}
	if (common_check_options(&options->common, argc, argv) < 0) {
		return -1;
	}
	take_common(options);
	/* With a slapd.conf slapadd has words for it, see dit_settings_choose(). */
	if (options->common.conf == NULL && config_database_is_meant(&options->common)) {
		return config_database_hand_over(&options->common, &slapadd,
		                                 DEFAULT_SLAPD, LETTERS, long_options,
		                                 argc, argv);
	}
	return 0;
}
