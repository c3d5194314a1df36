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
	OPT_DATABASE = 256,
	OPT_HELP,
	OPT_JSON,
	OPT_MAX_FINDINGS,
	OPT_QUICK,
};

static const struct option long_options[] = {
	{"database", required_argument, NULL, OPT_DATABASE},
	{"help", no_argument, NULL, OPT_HELP},
	{"json", no_argument, NULL, OPT_JSON},
	{"max-findings", required_argument, NULL, OPT_MAX_FINDINGS},
	{"quick", no_argument, NULL, OPT_QUICK},
	{"tool-threads", required_argument, NULL, 'T'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static void print_usage(FILE *out)
{
	(void)fputs(
		"usage: ditcheck --quick [-gvV] [-b suffix | -n dbnum] [-d level] "
		"[-f slapd.conf]\n"
		"                [-F confdir] [-T threads] [--database dir] [--json]\n"
		"                [--max-findings n]\n",
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
	"  --database dir    check this directory, or data file, and read no slapd.conf\n"
	"  --help            print this text\n"
	"  --json            print one JSON object instead of lines\n"
	"  --max-findings n  print n findings of each file at most, count the others; 0: print\n"
	"                    all [1000]\n"
	"  --quick           check the structure of the file alone: that LMDB can read it.\n"
	"                    The only check there is yet\n";
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
		return 0;
	}
	return -1;
}

static int read_option(struct check_options *options, int option, const char *text)
{
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
	case 'g':
		options->check.no_glue = true;
		return 0;
	case 'v':
		options->is_verbose = true;
		return 0;
	case 'V':
		options->want_version = true;
		return 0;
	case OPT_DATABASE:
		options->check.path = text;
		return 0;
	case OPT_HELP:
		options->want_help = true;
		return 0;
	case OPT_JSON:
		options->is_json = true;
		return 0;
	case OPT_QUICK:
		options->is_quick = true;
		return 0;
	case '?':
		print_usage(stderr);
		return -1;
	default:
		return read_numbers(options, option, text);
	}
}

/* What goes together. */
static int check_choice(const struct check_options *options)
{
	const struct dit_check_opts *check = &options->check;
	const char *wrong_text = NULL;

	if (check->suffix != NULL && check->database >= 0) {
		wrong_text = "-b and -n exclude each other";
	} else if (check->path != NULL &&
	           (check->suffix != NULL || check->database >= 0 ||
	            check->conf != NULL || check->conf_dir != NULL)) {
		wrong_text = "--database excludes -b, -n, -f and -F";
	} else if (check->database == 0) {
		wrong_text = "the config database (-n 0) is no LMDB database";
	} else if (!options->is_quick) {
		wrong_text = "the structure alone can be checked yet: add --quick";
	}
	if (wrong_text != NULL) {
		(void)fprintf(stderr, "ditcheck: %s\n", wrong_text);
		print_usage(stderr);
		return -1;
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
	if (optind < argc) {
		return wrong("unexpected argument", argv[optind]);
	}
	return check_choice(options);
}
