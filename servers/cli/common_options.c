/* SPDX-License-Identifier: BSD-2-Clause */
#include "common_options.h"

#include <assert.h>
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "arguments.h"
#include <ditkit/load.h>
#include <ditkit/reindex.h>
#include <ditkit/version.h>

static_assert(DIT_LOAD_MEMORY_MIN == DIT_REINDEX_MEMORY_MIN, "one row for both");

static const struct program programs[] = {
	{"ditadd", DITADD, "[file]...",
         "Load LDIF into the database that slapd.conf describes: what slapadd stores, "
         "sooner, and all or nothing.",
         NULL},
	{"ditcat", DITCAT, NULL,
         "Write the entries of the database that slapd.conf describes as LDIF: what "
         "slapcat writes, sooner. slapd may run; changes that it makes during the "
         "export are not seen.",
         "-l names the file to write"},
	{"ditcheck", DITCHECK, "[directory directory]",
         "Check the database that slapd.conf describes, and change nothing; slapd may "
         "run. Exit status: 0 nothing is wrong, 1 something is, 2 it could not be "
         "checked.",
         "--database names the directory or data file to check"},
	{"ditdiff", DITDIFF, "from [to]",
         "Write what differs between two states of a directory as LDIF changes, which "
         "ldapmodify takes. A state is a database directory, next to a running slapd as "
         "well; without to it is the configured database. Exit status: 0 equal, 1 "
         "different, 2 trouble.",
         NULL},
	{"ditindex", DITINDEX, "[attribute]...",
         "Build the indexes of a database again, all or those of the named attributes: "
         "what slapindex -t stores, sooner, and all or nothing. slapd must not run, "
         "except with --online.",
         NULL},
	{"ditmodify", DITMODIFY, "[file]...",
         "Make LDIF changes in the database that slapd.conf describes: what slapd makes of "
         "them, sooner, and all or nothing. slapd must not run.",
         NULL},
	{"ditsplit", DITSPLIT, "[file]...",
         "Split LDIF into shards: copy each record to the shards that a map names. "
         "Several processes can share the work; each takes one part of the input.",
         NULL},
};

const struct program *option_program(void)
{
	const struct program *program = programs;

	while (strcmp(program->name, program_invocation_short_name) != 0) {
		program++;
		assert(program < programs + sizeof(programs) / sizeof(programs[0]));
	}
	return program;
}

const struct option_row *option_next(const struct option_row *row)
{
	const struct program *program = option_program();

	row = row == NULL ? option_rows : row + 1;
	while (row->programs != 0 && (row->programs & program->bit) == 0) {
		row++;
	}
	return row->programs == 0 ? NULL : row;
}

const struct option_row *option_find(int id)
{
	const struct option_row *row = NULL;

	while ((row = option_next(row)) != NULL && row->id != id) {
		continue;
	}
	return row;
}

int common_point_to_help(void)
{
	(void)fprintf(stderr, "%s --help says more\n", program_invocation_short_name);
	return -1;
}

int common_wrong(const char *what, const char *value)
{
	(void)fprintf(stderr, "%s: %s \"", program_invocation_short_name, what);
	text_echo(stderr, value);
	(void)fputs("\"\n", stderr);
	return common_point_to_help();
}

int common_wrong_call(const char *text)
{
	warnx("%s", text);
	return common_point_to_help();
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

static void put_unknown_level(const char *text, const char *more)
{
	(void)fputs("unrecognized log level \"", stderr);
	text_echo(stderr, text);
	(void)fprintf(stderr, "\"%s\n", more);
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
			put_unknown_level(text, " (deferred)");
		}
		put_unknown_level(text, "");
		return is_number ? common_point_to_help() : -1;
	}
	options->is_silent = strtol(text, &end, 0) == 0 && end != text;
	return 0;
}

/* ---- values ---- */

/* "a, b or c" */
static void put_words(FILE *out, const char *words)
{
	for (size_t len = strcspn(words, "|]");; len = strcspn(words, "|]")) {
		(void)fprintf(out, "%.*s", (int)len, words);
		if (words[len] != '|') {
			return;
		}
		words += len + 1;
		(void)fputs(strchr(words, '|') != NULL ? ", " : " or ", out);
	}
}

/* "-c", "--strict" */
static struct figure name_of(const struct option_row *row)
{
	const char letter[] = {(char)row->id, '\0'};
	struct figure name;

	(void)snprintf(name.text, sizeof(name.text), "%s%s",
	               row->id < OPT_LONG ? "-" : "--",
	               row->id < OPT_LONG ? letter : row->name);
	return name;
}

static int wrong_value(const struct option_row *row, const char *text)
{
	uint64_t bytes = 0;

	(void)fprintf(stderr, "%s: %s takes ", program_invocation_short_name,
	              name_of(row).text);
	if (row->kind == OPTION_NUMBER) {
		(void)fputs(row->takes, stderr);
	} else if (row->kind == OPTION_WORD) {
		put_words(stderr, row->argument + strspn(row->argument, "[="));
	} else if (common_read_size(text, &bytes) < 0) {
		(void)fputs("a size such as 512M", stderr);
	} else {
		(void)fprintf(stderr, "at least %luM", row->min >> 20);
	}
	(void)fputs(", not \"", stderr);
	text_echo(stderr, text);
	(void)fputs("\"\n", stderr);
	return common_point_to_help();
}

/* Its place among the words; 0: it is none of them. */
static uint64_t read_word(const char *words, const char *text)
{
	size_t text_len = strlen(text);
	uint64_t place = 1;

	words += strspn(words, "[=");
	for (size_t len = strcspn(words, "|]");; len = strcspn(words, "|]")) {
		if (len == text_len && memcmp(words, text, len) == 0) {
			return place;
		}
		if (words[len] != '|') {
			return 0;
		}
		words += len + 1;
		place++;
	}
}

static bool is_in_range(const struct option_row *row, const char *text, uint64_t *ret)
{
	unsigned long long number = 0;

	switch (row->kind) {
	case OPTION_NUMBER:
		if (common_read_number(text, row->max, &number) < 0) {
			return false;
		}
		*ret = number;
		return number >= row->min;
	case OPTION_SIZE:
		return common_read_size(text, ret) == 0 && *ret >= row->min;
	case OPTION_WORD:
		*ret = read_word(row->argument, text);
		return *ret > 0;
	case OPTION_TEXT:
		break;
	}
	return true;
}

static int read_value(struct common_options *options, int id, const char *text)
{
	const struct option_row *row = option_find(id);
	struct option_value *value = &options->values[id];

	value->is_given = true;
	if (text == NULL) {
		value->number = 1;
		return 0;
	}
	value->text = text;
	return is_in_range(row, text, &value->number) ? 0 : wrong_value(row, text);
}

bool common_is_given(const struct common_options *options, int option)
{
	return options->values[option].is_given;
}

const char *common_text(const struct common_options *options, int option)
{
	return options->values[option].text;
}

uint64_t common_number(const struct common_options *options, int option)
{
	return options->values[option].number;
}

/* ---- all of them ---- */

/* As getopt_long() takes them. */
struct known_options {
	char letters[3 * 32];
	struct option long_options[OPT_END - OPT_LONG + 3];
};

static struct known_options known_options_of(void)
{
	struct known_options ret = {.letters = ""};
	struct option *option = ret.long_options;
	char *letter = ret.letters;

	for (const struct option_row *row = NULL; (row = option_next(row)) != NULL;) {
		int has_argument = row->argument == NULL     ? no_argument
		                   : row->argument[0] == '[' ? optional_argument
		                                             : required_argument;

		if (row->id < OPT_LONG) {
			*letter++ = (char)row->id;
			if (has_argument != no_argument) {
				*letter++ = ':';
			}
		}
		if (row->name != NULL) {
			*option++ =
				(struct option){row->name, has_argument, NULL, row->id};
		}
	}
	return ret;
}

/* Those that mean more than their value. */
static int read_common(struct common_options *options, int option, const char *text)
{
	switch (option) {
	case 'd':
		return read_debug(options, text);
	case OPT_PROGRESS:
		return meter_read(&options->meter, text) == 0
		               ? 0
		               : common_wrong(
					 "--progress takes none, bar, lines, json or "
					 "a number of seconds, not",
					 text);
	}
	return 0;
}

static void take_values(struct common_options *options)
{
	options->suffix = common_text(options, 'b');
	options->conf = common_text(options, 'f');
	options->conf_dir = common_text(options, 'F');
	options->database =
		common_is_given(options, 'n') ? (int)common_number(options, 'n') : -1;
	options->user.is_verbose = common_is_given(options, 'v');
	options->is_quiet = options->has_debug;
}

int common_read_options(struct common_options *options, int argc, char *argv[],
                        common_own_option_fn read_own, void *ctx)
{
	struct known_options known = known_options_of();
	int option = 0;

	options->argc = argc;
	options->argv = argv;
	while ((option = getopt_long(argc, argv, known.letters, known.long_options,
	                             NULL)) != -1) {
		if (option == '?') { /* getopt_long() has told */
			return common_point_to_help();
		}
		if (read_value(options, option, optarg) < 0) {
			return -1;
		}
		if (option == OPT_HELP || option == 'V') {
			return 0;
		}
		if (read_common(options, option, optarg) < 0 ||
		    read_own(ctx, option, optarg) < 0) {
			return -1;
		}
	}
	take_values(options);
	return 1;
}

void common_start_meter(struct meter *meter, const struct common_options *options,
                        const struct meter_phase *phases, unsigned nphases)
{
	*meter = (struct meter){.phases = phases,
	                        .nphases = nphases,
	                        .is_silent = options->is_silent,
	                        .request = common_catch_requests()};
	meter_start(meter, &options->meter, options->is_quiet);
}

static int refuse_operand(const char *text)
{
	const char *hint = option_program()->unexpected;

	(void)fprintf(stderr, "%s: unexpected argument \"",
	              program_invocation_short_name);
	text_echo(stderr, text);
	(void)fprintf(stderr, "\"%s%s\n", hint == NULL ? "" : ": ",
	              hint == NULL ? "" : hint);
	return common_point_to_help();
}

int common_check_options(const struct common_options *options, int argc, char *argv[])
{
	if (optind < argc) {
		return refuse_operand(argv[optind]);
	}
	if (options->suffix != NULL && options->database >= 0) {
		return common_wrong_call("-b and -n exclude each other");
	}
	if (common_is_given(options, OPT_DATABASE) &&
	    common_text(options, OPT_DATABASE)[0] == '\0') {
		return common_wrong_call("--database needs a directory");
	}
	return 0;
}

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
	put_option(out, "--openldap", common_text(options, OPT_OPENLDAP));
	if (fclose(out) != 0) {
		free(words);
		return NULL;
	}
	return words;
}

/* ---- -o ---- */

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

int common_pass_setting(const char *text)
{
	static const struct {
		const char *name;
		const char *meaningless; /* NULL: not told */
	} known[] = {
		{"slp", NULL},
		{"syslog", NULL},
		{"syslog-level", NULL},
		{"syslog-user", NULL},
		{"ldif-wrap", "ldif-wrap"},
		{"ldif_wrap", "ldif-wrap"},
		{"schema-check", "schema-check"},
		{"value-check", "value-check"},
	};
	struct common_setting setting = common_read_setting(text);

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!common_is_setting(&setting, known[i].name)) {
			continue;
		}
		if (known[i].meaningless != NULL && setting.value != NULL) {
			(void)fprintf(stderr, "%s meaningless for tool.\n",
			              known[i].meaningless);
		}
		return 0;
	}
	return common_wrong("unknown option -o", text);
}

/* ---- the text of --help ---- */

#define WIDTH       79
#define HELP_COLUMN 20

/* " file", "[=file]", "" */
static struct figure argument_of(const struct option_row *row)
{
	struct figure argument = {""};

	if (row->argument != NULL) {
		(void)snprintf(argument.text, sizeof(argument.text), "%s%s",
		               row->argument[0] == '[' ? "" : " ", row->argument);
	}
	return argument;
}

static void put_usage(const struct program *program)
{
	struct wrap wrap = {.out = stdout,
	                    .width = WIDTH,
	                    .indent = strlen("usage: ") + strlen(program->name) + 1};
	char text[128] = "[-";
	size_t len = 2;

	(void)printf("usage: %s ", program->name);
	wrap.column = wrap.indent;
	for (const struct option_row *row = NULL; (row = option_next(row)) != NULL;) {
		if (row->id < OPT_LONG && row->argument == NULL) {
			text[len++] = (char)row->id;
		}
	}
	text[len++] = ']';
	wrap_word(&wrap, text, len);
	for (const struct option_row *row = NULL; (row = option_next(row)) != NULL;) {
		if (row->id >= OPT_LONG || row->argument != NULL) {
			len = (size_t)snprintf(text, sizeof(text), "[%s%s]",
			                       name_of(row).text, argument_of(row).text);
			wrap_word(&wrap, text, len);
		}
	}
	if (program->operands != NULL) {
		wrap_word(&wrap, program->operands, strlen(program->operands));
	}
	(void)putchar('\n');
}

static void put_row(const struct option_row *row)
{
	struct wrap wrap = {.out = stdout, .width = WIDTH, .indent = HELP_COLUMN};
	int len = printf("  ");

	if (row->id < OPT_LONG) {
		len += printf("-%c%s", row->id, row->name != NULL ? ", " : "");
	}
	if (row->name != NULL) {
		len += printf("--%s", row->name);
	}
	len += printf("%s", argument_of(row).text);
	if (len < HELP_COLUMN) {
		(void)printf("%*s", HELP_COLUMN - len, "");
		wrap.column = HELP_COLUMN;
	} else {
		wrap_line(&wrap);
	}
	wrap_text(&wrap, row->help);
}

static void put_help(const struct program *program)
{
	struct wrap wrap = {.out = stdout, .width = WIDTH};
	bool had_letter = true;

	put_usage(program);
	(void)putchar('\n');
	wrap_text(&wrap, program->does);
	(void)putchar('\n');
	for (const struct option_row *row = NULL; (row = option_next(row)) != NULL;) {
		bool has_letter = row->id < OPT_LONG;

		if (had_letter && !has_letter) {
			(void)putchar('\n');
		}
		had_letter = has_letter;
		put_row(row);
	}
}

bool common_print_help(const struct common_options *options)
{
	if (common_is_given(options, OPT_HELP)) {
		put_help(option_program());
		return true;
	}
	if (common_is_given(options, 'V')) {
		(void)printf("%s (%s)\n", program_invocation_short_name, dit_version());
		return true;
	}
	return false;
}
