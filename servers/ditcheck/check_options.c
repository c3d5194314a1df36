/* SPDX-License-Identifier: BSD-2-Clause */
/* Options. A wrong call prints its specific error and one line of usage. */
#include "check_options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"

#define MAX_FINDINGS_DEFAULT 1000

enum long_option {
	OPT_COMPARE = 256,
	OPT_DATABASE,
	OPT_GENERATED,
	OPT_HELP,
	OPT_IGNORE_INTEGERKEY,
	OPT_JSON,
	OPT_MAX_FINDINGS,
	OPT_QUICK,
	OPT_STATS,
};

static const struct option long_options[] = {
	{"compare", no_argument, NULL, OPT_COMPARE},
	{"database", required_argument, NULL, OPT_DATABASE},
	{"generated", no_argument, NULL, OPT_GENERATED},
	{"help", no_argument, NULL, OPT_HELP},
	{"ignore-integerkey", no_argument, NULL, OPT_IGNORE_INTEGERKEY},
	{"json", no_argument, NULL, OPT_JSON},
	{"max-findings", required_argument, NULL, OPT_MAX_FINDINGS},
	{"quick", no_argument, NULL, OPT_QUICK},
	{"stats", no_argument, NULL, OPT_STATS},
	{"tool-threads", required_argument, NULL, 'T'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static void print_usage(FILE *out)
{
	(void)fputs(
		"usage: ditcheck --quick | --stats [-gvV] [-b suffix | -n dbnum] [-d "
		"level]\n"
		"                [-f slapd.conf] [-F confdir] [-T threads] [--database "
		"dir]\n"
		"                [--json] [--max-findings n]\n"
		"       ditcheck --compare [-T threads] [--generated] "
		"[--ignore-integerkey]\n"
		"                [--json] [--max-findings n] dir dir\n",
		out);
}

/* clang-format off: the text is laid out by hand. */
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
	"  --database dir    check this directory, or data file, and read no slapd.conf\n"
	"  --generated       compare: values that each load makes anew do not count\n"
	"  --help            print this text\n"
	"  --ignore-integerkey\n"
	"                    compare: an index may have integer keys on one side only\n"
	"  --json            print one JSON object instead of lines\n"
	"  --max-findings n  print n findings of each file at most, count the others; 0: print\n"
	"                    all [1000]; compare: n differences of each database [20]\n"
	"  --quick           check the structure of the file alone: that LMDB can read it.\n"
	"                    The only check there is yet\n"
	"  --stats           the same, and print what each database takes: keys, postings,\n"
	"                    pages, bytes, ranges, the longest list\n";
/* clang-format on */

void check_options_help(void)
{
	print_usage(stdout);
	(void)fputs(help_text, stdout);
}

static int wrong(const char *what, const char *value)
{
	(void)fprintf(stderr, "ditcheck: %s \"%s\"\n", what, value);
	print_usage(stderr);
	return -1;
}

static int read_numbers(struct check_options *options, int option, const char *text)
{
	unsigned long long n = 0;

	switch (option) {
	case 'n':
		if (common_read_number(text, INT_MAX, &n) < 0) {
			return wrong("-n takes a database number, not", text);
		}
		options->check.database = (int)n;
		return 0;
	case 'T':
		if (common_read_number(text, 1024, &n) < 0 || n == 0) {
			return wrong("-T takes a number from 1 to 1024, not", text);
		}
		options->check.threads = (unsigned)n;
		return 0;
	case OPT_MAX_FINDINGS:
		if (common_read_number(text, UINT64_MAX, &n) < 0) {
			return wrong("--max-findings takes a number, not", text);
		}
		options->check.max_findings = n;
		options->compare.nreports_max =
			n == 0 || n > UINT_MAX ? UINT_MAX : (unsigned)n;
		return 0;
	}
	return -1;
}

/* Options without an argument. */
static int read_flag(struct check_options *options, int option)
{
	switch (option) {
	case 'g':
		options->check.no_glue = true;
		return 0;
	case 'v':
		options->is_verbose = true;
		return 0;
	case 'V':
		options->want_version = true;
		return 0;
	case OPT_COMPARE:
		options->wants_compare = true;
		return 0;
	case OPT_GENERATED:
		options->compare.ignore_generated = true;
		return 0;
	case OPT_HELP:
		options->want_help = true;
		return 0;
	case OPT_IGNORE_INTEGERKEY:
		options->compare.ignore_integerkey = true;
		return 0;
	case OPT_JSON:
		options->is_json = true;
		return 0;
	case OPT_QUICK:
		options->is_quick = true;
		return 0;
	case OPT_STATS:
		options->wants_sizes = true;
		return 0;
	}
	print_usage(stderr);
	return -1;
}

static int read_option(struct check_options *options, int option, const char *text)
{
	if (text == NULL) {
		return read_flag(options, option);
	}
	switch (option) {
	case 'b':
		options->check.suffix = text;
		return 0;
	case 'd':
		options->is_silent = strcmp(text, "0") == 0;
		return 0;
	case 'f':
		options->check.conf = text;
		return 0;
	case 'F':
		options->check.conf_dir = text;
		return 0;
	case OPT_DATABASE:
		options->check.path = text;
		return 0;
	default:
		return read_numbers(options, option, text);
	}
}

static int reject(const char *text)
{
	(void)fprintf(stderr, "ditcheck: %s\n", text);
	print_usage(stderr);
	return -1;
}

/* Nothing but the two directories says what is compared. */
static int check_compare(struct check_options *options, char *argv[])
{
	const struct dit_check_opts *check = &options->check;

	if (options->is_quick || options->wants_sizes) {
		return reject("--compare excludes --quick and --stats");
	}
	if (check->path != NULL || check->suffix != NULL || check->database >= 0 ||
	    check->conf != NULL || check->conf_dir != NULL) {
		return reject("--compare excludes -b, -n, -f, -F and --database");
	}
	if (argv[0] == NULL || argv[1] == NULL || argv[2] != NULL) {
		return reject("--compare takes two directories");
	}
	options->compare.first = argv[0];
	options->compare.second = argv[1];
	return 0;
}

/* What goes together. */
static int check_choice(const struct check_options *options)
{
	const struct dit_check_opts *check = &options->check;

	if (options->compare.ignore_generated || options->compare.ignore_integerkey) {
		return reject("--generated and --ignore-integerkey are for "
		              "--compare");
	}
	if (check->suffix != NULL && check->database >= 0) {
		return reject("-b and -n exclude each other");
	}
	if (check->path != NULL && (check->suffix != NULL || check->database >= 0 ||
	                            check->conf != NULL || check->conf_dir != NULL)) {
		return reject("--database excludes -b, -n, -f and -F");
	}
	if (check->database == 0) {
		return reject("the config database (-n 0) is no LMDB database");
	}
	if (!options->is_quick && !options->wants_sizes) {
		return reject("the structure alone can be checked yet: add --quick");
	}
	return 0;
}

int check_options_read(struct check_options *options, int argc, char *argv[])
{
	int option = 0;

	*options = (struct check_options){.check = DIT_CHECK_OPTS_INIT};
	options->check.max_findings = MAX_FINDINGS_DEFAULT;
	while ((option = getopt_long(argc, argv, "b:d:f:F:gn:T:vV", long_options,
	                             NULL)) != -1) {
		if (read_option(options, option, optarg) < 0) {
			return -1;
		}
		if (options->want_help || options->want_version) {
			return 0;
		}
	}
	if (options->wants_compare) {
		return check_compare(options, argv + optind);
	}
	if (optind < argc) {
		return wrong("unexpected argument", argv[optind]);
	}
	return check_choice(options);
}
