/* SPDX-License-Identifier: BSD-2-Clause */
/* Options. A wrong call prints its specific error and where more is said. */
#include "cat_options.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "config_database.h"

#define LETTERS COMMON_SHORT_OPTIONS "a:cH:l:o:s:"

static const struct config_tool slapcat = {.name = "slapcat",
                                           .letters = "abcdfFgHlnosv",
                                           .does = "exports"};

enum long_option {
	OPT_COMPRESS = COMMON_OPT_END,
	OPT_NO_INDEX,
	OPT_NO_LOCK,
	OPT_STATS,
};

static const struct option long_options[] = {
	COMMON_LONG_OPTIONS,
	{"compress", required_argument, NULL, OPT_COMPRESS},
	{"no-index", no_argument, NULL, OPT_NO_INDEX},
	{"no-lock", no_argument, NULL, OPT_NO_LOCK},
	{"stats", no_argument, NULL, OPT_STATS},
	{"threads", required_argument, NULL, 'T'},
	{NULL, 0, NULL, 0},
};

static void print_usage(void)
{
	(void)fputs("usage: ditcat [-cgvV] [-a filter] [-b suffix | -n dbnum] [-d level] "
	            "[-f slapd.conf]\n"
	            "              [-F confdir] [-H url] [-l file] [-o opt[=value]] "
	            "[-s subtree]\n"
	            "              [-T threads] [--compress gzip|zstd] [--no-index] "
	            "[--no-lock]\n"
	            "              [--openldap 2.5|2.6|2.7] "
	            "[--progress none|bar|lines|json|seconds]\n"
	            "              [--stats]\n",
	            stdout);
}

/* clang-format off: the text is laid out by hand. */
static const char help_text[] =
	"\n"
	"Write the entries of the database that slapd.conf describes as LDIF: what slapcat\n"
	"writes, sooner. slapd may run; what it changes meanwhile is not seen.\n"
	"\n"
	"  -a filter         the entries that match this filter\n"
	"  -b suffix         database that holds this suffix\n"
	"  -c                go on behind an entry that cannot be read\n"
	"  -d level          0: no diagnostic lines, errors only\n"
	"  -f file           slapd.conf to read\n"
	"  -F dir            cn=config tree to read; without -f and -F:\n"
	"                    [" DEFAULT_CONF_DIR " if it is there,\n"
	"                    else " DEFAULT_CONF "]\n"
	"  -g                leave subordinate databases out\n"
	"  -H url            ldap:///DN?\?SCOPE?FILTER: the entries that the URL names\n"
	"  -l file           LDIF to write, complete or not at all [standard output]\n"
	"  -n number         database number, as slapcat counts\n"
	"  -o opt[=value]    ldif-wrap=no|columns [78]\n"
	"  -s dn             the entry and all below it\n"
	"  -T, --tool-threads, --threads n\n"
	"                    threads that read and print entries\n"
	"                    [tool-threads of slapd.conf, else one per processor]\n"
	"  -v                print the ID of each entry before it\n"
	"  -V, --version     print the version\n"
	"\n"
	"  --compress gzip|zstd\n"
	"                    compress what is written, on all threads\n"
	"  --help            print this text\n"
	"  --no-index        read all entries, also where an index tells which ones match\n"
	"  --no-lock         never take LMDB's write lock, not even for a moment\n"
	"  --openldap 2.5|2.6|2.7\n"
	"                    read the configuration as this release of OpenLDAP does\n"
	"                    [the release of " DEFAULT_SLAPD ", without it 2.6]\n"
	"  --progress none|bar|lines|json|seconds\n"
	"                    what to show meanwhile; a line every so many seconds; with -d\n"
	"                    nothing [bar on a terminal, else lines every 10 seconds]\n"
	"  --stats           print how much was written, on standard error\n";
/* clang-format on */

void cat_options_help(void)
{
	print_usage();
	(void)fputs(help_text, stdout);
}

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
		(void)fprintf(stderr, "unable to parse ldif_wrap=\"%s\".\n", value);
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

static int read_compress(struct cat_options *options, const char *text)
{
	if (strcmp(text, "gzip") == 0) {
		options->export.compression = DIT_EXPORT_GZIP;
	} else if (strcmp(text, "zstd") == 0) {
		options->export.compression = DIT_EXPORT_ZSTD;
	} else {
		return common_wrong(&options->common,
		                    "--compress takes gzip or zstd, not", text);
	}
	return 0;
}

/* What the URL does not say stays as other options have it. */
static int read_url(struct cat_options *options, const char *text)
{
	/* Of several URLs the last one counts. */
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
	case 'c':
		options->export.keep_going = true;
		return 0;
	case 'H':
		return read_url(options, text);
	case 'l':
		options->export.output = text;
		return 0;
	case 'o':
		return read_o(options, text);
	case 's':
		options->export.base = text;
		options->export.scope = DIT_EXPORT_SUBTREE;
		return 0;
	case OPT_COMPRESS:
		return read_compress(options, text);
	case OPT_NO_INDEX:
		options->export.no_index = true;
		return 0;
	case OPT_NO_LOCK:
		options->export.no_lock = true;
		return 0;
	case OPT_STATS:
		options->want_stats = true;
		return 0;
	}
	return -1;
}

/* What all programs have alike, where the export wants it. */
static void take_common(struct cat_options *options)
{
	const struct common_options *common = &options->common;
	struct dit_export_opts *export = &options->export;

	export->conf = common->conf;
	export->conf_dir = common->conf_dir;
	export->suffix = common->suffix;
	export->database = common->database;
	export->no_glue = common->no_glue;
	export->threads = common->threads;
	export->openldap = common->openldap;
	export->is_verbose = common->is_verbose;
}

int cat_options_read(struct cat_options *options, int argc, char *argv[])
{
	int r = 0;

	*options = (struct cat_options){.common = common_options_init("ditcat"),
	                                .export = DIT_EXPORT_OPTS_INIT};
	r = common_read_options(&options->common, argc, argv, LETTERS, long_options,
	                        read_own, options);
	if (r <= 0) {
		return r;
	}
	if (common_check_options(&options->common, argc, argv) < 0) {
		return -1;
	}
	if (config_database_is_meant(&options->common)) {
		return config_database_hand_over(&options->common, &slapcat,
		                                 DEFAULT_SLAPD, LETTERS, long_options,
		                                 argc, argv);
	}
	take_common(options);
	return 0;
}

void cat_options_deinit(struct cat_options *options)
{
	dit_export_url_deinit(&options->url);
}
