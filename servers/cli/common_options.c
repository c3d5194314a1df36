/* SPDX-License-Identifier: BSD-2-Clause */
#include "common_options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arguments.h"
#include "shell_word.h"

#define THREADS_MAX 1024

struct common_options common_options_init(const char *program)
{
	return (struct common_options){
		.program = program, .database = -1, .user = {.program = program}};
}

int common_point_to_help(const struct common_options *options)
{
	(void)fprintf(stderr, "%s --help says more\n", options->program);
	return -1;
}

int common_wrong(const struct common_options *options, const char *what,
                 const char *value)
{
	(void)fprintf(stderr, "%s: %s \"%s\"\n", options->program, what, value);
	return common_point_to_help(options);
}

int common_wrong_call(const struct common_options *options, const char *text)
{
	(void)fprintf(stderr, "%s: %s\n", options->program, text);
	return common_point_to_help(options);
}

/* ---- -d ---- */

static bool is_level_name(const char *name, size_t len)
{
	static const char *const names[] = {
		"any", "trace", "packets", "args",  "conns", "BER",  "filter", "config",
		"ACL", "stats", "stats2",  "shell", "parse", "sync", "none"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strlen(names[i]) == len && strncasecmp(names[i], name, len) == 0) {
			return true;
		}
	}
	return false;
}

/* A number, or names separated by commas, as slapd knows them. */
static bool is_level(const char *text)
{
	char *end = NULL;
	const char *name = text;

	(void)strtol(text, &end, 0);
	if (end != text && *end == '\0') {
		return true;
	}
	for (;;) {
		size_t len = strcspn(name, ",");

		if (len > 0 && !is_level_name(name, len)) {
			return false;
		}
		if (name[len] == '\0') {
			return true;
		}
		name += len + 1;
	}
}

static int read_debug(struct common_options *options, const char *text)
{
	char *end = NULL;

	options->has_debug = true;
	if (!is_level(text)) {
		/*
		 * slapd looks at names twice, the second time after its schema is there.
		 */
		bool is_number = (*text >= '0' && *text <= '9') || *text == '-';

		if (!is_number) {
			(void)fprintf(stderr,
			              "unrecognized log level \"%s\" (deferred)\n", text);
		}
		(void)fprintf(stderr, "unrecognized log level \"%s\"\n", text);
		return is_number ? common_point_to_help(options) : -1;
	}
	options->is_silent = strtol(text, &end, 0) == 0 && end != text;
	return 0;
}

/* ---- all of them ---- */

static int read_database(struct common_options *options, const char *text)
{
	unsigned long long n = 0;

	if (common_read_number(text, INT_MAX, &n) < 0) {
		return common_wrong(options, "-n takes a database number, not", text);
	}
	options->database = (int)n;
	return 0;
}

static int read_threads(struct common_options *options, const char *text)
{
	unsigned long long n = 0;

	if (common_read_number(text, THREADS_MAX, &n) < 0 || n == 0) {
		return common_wrong(options, "-T takes a number from 1 to 1024, not",
		                    text);
	}
	options->threads = (unsigned)n;
	return 0;
}

static int read_openldap(struct common_options *options, const char *text)
{
	if (dit_openldap_parse(text, &options->openldap) < 0) {
		return common_wrong(options, "--openldap takes 2.5, 2.6 or 2.7, not",
		                    text);
	}
	return 0;
}

static int read_progress(struct common_options *options, const char *text)
{
	return meter_read(&options->meter, text) == 0
	               ? 0
	               : common_wrong(options,
	                              "--progress takes none, bar, lines, json or a "
	                              "number of seconds, not",
	                              text);
}

/* @return 0 or -1; 1: it is none of these */
static int read_one(struct common_options *options, int option, const char *text)
{
	switch (option) {
	case 'b':
		options->suffix = text;
		return 0;
	case 'd':
		return read_debug(options, text);
	case 'f':
		options->conf = text;
		return 0;
	case 'F':
		options->conf_dir = text;
		return 0;
	case 'g':
		options->no_glue = true;
		return 0;
	case 'n':
		return read_database(options, text);
	case 'T':
		return read_threads(options, text);
	case 'v':
		options->is_verbose = true;
		options->user.is_verbose = true;
		return 0;
	case 'V':
		options->want_version = true;
		return 0;
	case COMMON_OPT_HELP:
		options->want_help = true;
		return 0;
	case COMMON_OPT_OPENLDAP:
		return read_openldap(options, text);
	case COMMON_OPT_PROGRESS:
		return read_progress(options, text);
	case '?': /* getopt_long() has told */
		return common_point_to_help(options);
	}
	return 1;
}

static int read_common(struct common_options *options, int option, const char *text)
{
	int r = read_one(options, option, text);

	return r < 0 ? r : r == 0;
}

int common_read_options(struct common_options *options, int argc, char *argv[],
                        const char *letters, const struct option *long_options,
                        common_own_option_fn read_own, void *ctx)
{
	int option = 0;

	if (common_need_stack(options->program) < 0) {
		return -1;
	}
	while ((option = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
		int r = read_common(options, option, optarg);

		if (r == 0) {
			r = read_own(ctx, option, optarg);
		}
		if (r < 0) {
			return -1;
		}
		if (options->want_help || options->want_version) {
			return 0;
		}
	}
	return 1;
}

int common_check_options(const struct common_options *options, int argc, char *argv[])
{
	if (optind < argc) {
		return common_wrong(options, "unexpected argument", argv[optind]);
	}
	if (options->suffix != NULL && options->database >= 0) {
		return common_wrong_call(options, "-b and -n exclude each other");
	}
	return 0;
}

/* ---- -o ---- */

/* ---- words for a shell ---- */

static void put_option(FILE *out, const char *letter, const char *text)
{
	if (text != NULL) {
		(void)fprintf(out, " %s ", letter);
		shell_word(out, text);
	}
}

char *common_conf_words(const struct common_options *options)
{
	char *words = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&words, &size);

	if (out == NULL) {
		return NULL;
	}
	put_option(out, "-f", options->conf);
	put_option(out, "-F", options->conf_dir);
	put_option(out, "-b", options->suffix);
	if (options->database >= 0) {
		(void)fprintf(out, " -n %d", options->database);
	}
	if (fclose(out) != 0) {
		free(words);
		return NULL;
	}
	return words;
}

struct common_setting common_read_setting(const char *text)
{
	const char *equals = strchr(text, '=');

	return (struct common_setting){
		.text = text,
		.name_len = equals == NULL ? strlen(text) : (size_t)(equals - text),
		.value = equals == NULL ? NULL : equals + 1,
	};
}

bool common_is_setting(const struct common_setting *setting, const char *name)
{
	return setting->name_len == strlen(name) &&
	       strncasecmp(setting->text, name, setting->name_len) == 0;
}

bool common_is_idle_setting(const struct common_setting *setting)
{
	/* The fourth byte of slp is not looked at by slapd's tools either. */
	return (setting->name_len == 4 && strncasecmp(setting->text, "slp", 3) == 0) ||
	       strncasecmp(setting->text, "syslog", 6) == 0;
}
