/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line of a program, read by rows of options, of which --help is made as
 * well. The rows of all programs are in option_rows.tsv. Shells complete what --help
 * prints (doc/packaging/completion); tests/packaging/completion.sh compares man pages
 * with the rows. An option whose help differs between programs has a row for each text.
 *
 *     r = common_read_options(&options->common, argc, argv, read_own, options);
 *     if (r > 0) {
 *             r = common_check_options(&options->common, argc, argv);
 *     }
 *     common_take_load(&load, &options->common);
 *
 * Texts point into argv. An error is told on standard error: first a message with the
 * program's name in front, then where more is said. The message has slapd's words if
 * slapd's tools have the option.
 */
#ifndef DITKIT_COMMON_OPTIONS_H
#define DITKIT_COMMON_OPTIONS_H

#include <getopt.h>
#include <stdbool.h>
#include <stdint.h>

#include <ditkit/openldap.h>

#include "meter.h"
#include "option_ids.h"
#include "process.h"

/* ---- rows: constant data, any thread ---- */

enum program_bit {
	DITADD = 1,
	DITCAT = 2,
	DITCHECK = 4,
	DITINDEX = 8,
	DITSPLIT = 16,
	DITDIFF = 32,
	DITMODIFY = 64,
	DIT_ALL = 127,
};

/** Kinds of arguments. */
enum option_kind {
	OPTION_TEXT,   /* anything; also the kind of an option without an argument */
	OPTION_NUMBER, /* from min to max */
	OPTION_SIZE,   /* bytes, or with suffix K, M, G or T; min at least */
	OPTION_WORD,   /* one of the words in "argument" */
};

struct option_row {
	unsigned programs; /* bits; 0: the end of the table */
	int id;
	const char *name; /* long name; NULL: the letter alone */
	/* "file"; "one|two"; "[=file]": may be left out; NULL: none */
	const char *argument;
	enum option_kind kind;
	uint64_t min;
	uint64_t max;
	const char *takes; /* of a number: the range in words */
	const char *help;  /* is wrapped; '\n' begins a line */
};

/** Made by gen_options.awk of option_rows.tsv. */
extern const struct option_row option_rows[];

struct program {
	const char *name;
	enum program_bit bit;
	const char *operands; /* in the usage; NULL: none */
	const char *does;
	const char *unexpected; /* what to give in place of an operand; NULL: nothing */
};

/** The one that runs. */
const struct program *option_program(void);

/** The row after @p row that the program has; NULL as @p row: the first. NULL: the end */
const struct option_row *option_next(const struct option_row *row);

/** The row of an option that the program has. */
const struct option_row *option_find(int id);

/* ---- a command line ---- */

/** The given values of one option. */
struct option_value {
	bool is_given;
	const char *text; /* of the last argument; NULL: none */
	/* A number; bytes; which of the words, from 1 on; 1: given without argument. */
	uint64_t number;
};

/** Zero: nothing is read. */
struct common_options {
	int argc; /* the command line, all of it; borrowed */
	char *const *argv;
	struct option_value values[OPT_END];

	const char *conf;     /* -f; NULL: not given */
	const char *conf_dir; /* -F; NULL: not given */
	const char *suffix;   /* -b; NULL: not given */
	int database;         /* -n; -1: not given */
	struct common_user user;
	struct meter_opts meter;
	bool is_silent; /* -d 0: no diagnostic lines */
	bool has_debug; /* -d given */
	bool is_quiet;  /* no progress unless --progress was given: with -d, as slapadd */
};

/**
 * Reads an option that counts in the order of the command line. @p text has the kind that
 * the option's row says; NULL: no argument.
 *
 * @return 0, also for an option that needs no more than its value; -1 after a message
 */
typedef int (*common_own_option_fn)(void *ctx, int option, const char *text);

/**
 * Read all options. Other arguments are left to the caller, from argv[optind] on.
 *
 * @return 1; 0: help or the version is wanted, and nothing else counts; -1 after a
 *         message
 */
int common_read_options(struct common_options *options, int argc, char *argv[],
                        common_own_option_fn read_own, void *ctx);

/** @param option  a letter, or enum option_id, of this program */
bool common_is_given(const struct common_options *options, int option);
const char *common_text(const struct common_options *options, int option);
uint64_t common_number(const struct common_options *options, int option);

/** Which database of which configuration, and threads: as another verb has them. */
#define COMMON_TAKE_CONF(verb, other)                                                    \
 do {                                                                                    \
  (verb)->conf = (other)->conf;                                                          \
  (verb)->conf_dir = (other)->conf_dir;                                                  \
  (verb)->suffix = (other)->suffix;                                                      \
  (verb)->database = (other)->database;                                                  \
  (verb)->openldap = (other)->openldap;                                                  \
  (verb)->threads = (other)->threads;                                                    \
 } while (0)

/** Callbacks of a verb: reports and progress go to a meter; root becomes the owner. */
#define COMMON_CALLBACKS(verb, common, meter)                                            \
 do {                                                                                    \
  (verb)->report = meter_take_report;                                                    \
  (verb)->report_ctx = (meter);                                                          \
  (verb)->before_open = common_become_user;                                              \
  (verb)->before_open_ctx = &(common)->user;                                             \
  (verb)->progress = meter_take_progress;                                                \
  (verb)->progress_ctx = (meter);                                                        \
 } while (0)

/** A meter of the program's work; what the signal for a line asks for is shown. */
void common_start_meter(struct meter *meter, const struct common_options *options,
                        const struct meter_phase *phases, unsigned nphases);

/** Print the help or the version, if one of them is wanted. @return has it been? */
bool common_print_help(const struct common_options *options);

/** After the last option: check that the options fit together and that no argument is
 * left. 0; -1 after a message */
int common_check_options(const struct common_options *options, int argc, char *argv[]);

/** 'PROGRAM --help says more', below a message. @return -1 */
int common_point_to_help(void);

/** 'PROGRAM: WHAT "VALUE"', and where more is said. @return -1 */
int common_wrong(const char *what, const char *value);

/** 'PROGRAM: TEXT', and where more is said. @return -1 */
int common_wrong_call(const char *text);

/**
 * The options that chose the configuration and the database, as words for a shell, each
 * with a blank in front: " -f 'my own.conf' -n 2". The programs of ditkit take them.
 *
 * @return owned; NULL: no memory
 */
char *common_conf_words(const struct common_options *options);

/** name[=value] after -o. */
struct common_setting {
	const char *text;  /* all of it */
	size_t name_len;   /* of the name in it */
	const char *value; /* NULL: none */
};

struct common_setting common_read_setting(const char *text);
/** Names compare without case. */
bool common_is_setting(const struct common_setting *setting, const char *name);
/** A setting that is none of the program's: those of slapd's tools change nothing. 0; -1
 * after a message: it is none of these either */
int common_pass_setting(const char *text);

#endif
