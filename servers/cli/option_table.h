/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The options of all programs, a row of option_rows.tsv for each. common_read_options()
 * reads a command line by these rows, common_print_help() prints them, and shells
 * complete what --help prints (doc/packaging/completion). tests/packaging/completion.sh
 * compares man pages with them.
 *
 * An option whose help differs between programs has a row for each text.
 *
 * Threads: constant data, any thread.
 */
#ifndef DITKIT_OPTION_TABLE_H
#define DITKIT_OPTION_TABLE_H

#include <stdint.h>

#include "option_ids.h"

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

/** @param name  of one of the programs */
const struct program *option_program(const char *name);

/** The row after @p row that the program has; NULL as @p row: the first. NULL: the end */
const struct option_row *option_next(const struct program *program,
                                     const struct option_row *row);

/** The row of an option that the program has. */
const struct option_row *option_find(const struct program *program, int id);

#endif
