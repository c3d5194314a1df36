/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the reader of slapd.conf; for the files of this room only.
 *
 *   conf_file.c        files, include, one line to its directive
 *   conf_directives.c  the table of directives and those of the global part
 *   conf_database.c    directives of databases and back ends
 *   conf_index.c       index
 *   conf_values.c      sortvals, multival
 *   conf_modules.c     what is known of modules and types of databases
 *
 * Threads: one.
 */
#ifndef DITKIT_CONF_PARSER_H
#define DITKIT_CONF_PARSER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/report.h"
#include "config/settings.h"

/** Where in the file we are: which directives are known and what they refer to. */
enum dit_conf_scope {
	DIT_CONF_GLOBAL,
	DIT_CONF_BACKEND,
	DIT_CONF_DATABASE,
};

/** A suffix after the first of a database of another type than mdb. */
struct dit_more_suffix {
	struct dit_more_suffix *next;
	size_t database;      /* place in settings->databases */
	struct dit_span norm; /* normal form */
};

/** settings->memory */
struct dit_settings_memory {
	struct dit_arena arena; /* strings of the settings */
	struct dit_more_suffix *more_suffixes;
};

/** Type of database that a module brought. */
struct dit_loaded_type {
	struct dit_loaded_type *next;
	const char *name;
};

struct dit_conf_parser {
	struct dit_settings *settings;
	struct dit_settings_memory *memory;
	struct dit_loaded_type *loaded_types;
	dit_report_fn report; /* may be NULL */
	void *ctx;

	/* the line being read */
	const char *file;
	unsigned long line;
	unsigned depth; /* of included files */
	char *raw;      /* its text, unsplit */
	char **words;   /* keyword first, NULL behind the last */
	size_t nwords;

	/* the scope being read */
	enum dit_conf_scope scope;
	bool is_mdb_backend;    /* scope BACKEND: of mdb */
	bool has_database;      /* one was defined; the front end does not count */
	bool has_overlay;       /* unknown keywords may be the overlay's */
	size_t database;        /* scope DATABASE: place in settings->databases */
	unsigned default_kinds; /* index default */
};

/** One directive; a NULL run function skips it. */
struct dit_directive {
	const char *name;
	/* Arguments without the keyword: how many, and what slapd calls them. */
	unsigned min;
	unsigned max; /* 0: any number */
	const char *args;
	unsigned flags; /* DIT_DIRECTIVE_... */
	int (*run)(struct dit_conf_parser *parser);
};

#define DIT_DIRECTIVE_PREFIX    0x1u /* longer keywords that begin like this match too */
#define DIT_DIRECTIVE_RAW       0x2u /* reads the raw text; a missing quote is fine */
#define DIT_DIRECTIVE_BEFORE_DB 0x4u /* only before the first database */

/** @return the directive that the keyword means in the present scope, or NULL */
const struct dit_directive *dit_conf_find_directive(const struct dit_conf_parser *parser,
                                                    const char *keyword);

/** Tables of the directives that mdb alone has. End with a NULL name. */
extern const struct dit_directive dit_mdb_directives[];
extern const struct dit_directive dit_mdb_backend_directives[];

/** Read a file and all that it includes. @return 0, DIT_E_CONFIG, -ENOMEM, -EIO */
int dit_conf_read_file(struct dit_conf_parser *parser, const char *path);

/* Reports. Each returns DIT_E_CONFIG, so that "return dit_conf_say(...)" reads well. */

/** "FILE: line N: TEXT" */
int dit_conf_say(const struct dit_conf_parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** TEXT alone */
int dit_conf_tell(const struct dit_conf_parser *parser, enum dit_report_kind kind,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/** "FILE: line N: <KEYWORD> not supported by this release" */
int dit_conf_unsupported(struct dit_conf_parser *parser);

/* Typed arguments; on failure DIT_E_CONFIG after slapd's message. */
int dit_conf_bool(const struct dit_conf_parser *parser, const char *word, bool *ret);
int dit_conf_uint(const struct dit_conf_parser *parser, const char *word, unsigned *ret);
int dit_conf_ulong(const struct dit_conf_parser *parser, const char *word,
                   unsigned long *ret);
int dit_conf_int(const struct dit_conf_parser *parser, const char *word, int *ret);
/** A DN; a NULL word is the empty one. The results live as long as the settings. */
int dit_conf_dn(struct dit_conf_parser *parser, const char *word, struct dit_span *ret,
                struct dit_span *ret_norm);

/** The database being defined; only in scope DATABASE. */
struct dit_database *dit_conf_database(const struct dit_conf_parser *parser);

/** Add a database of a type that stays valid. @return 0, -ENOMEM */
int dit_conf_add_database(struct dit_conf_parser *parser, const char *type);

int dit_conf_run_backend(struct dit_conf_parser *parser);
int dit_conf_run_database(struct dit_conf_parser *parser);
int dit_conf_run_overlay(struct dit_conf_parser *parser);
int dit_conf_run_suffix(struct dit_conf_parser *parser);
int dit_conf_run_rootdn(struct dit_conf_parser *parser);
int dit_conf_run_lastmod(struct dit_conf_parser *parser);
int dit_conf_run_hidden(struct dit_conf_parser *parser);
int dit_conf_run_disabled(struct dit_conf_parser *parser);
int dit_conf_run_subordinate(struct dit_conf_parser *parser);
int dit_conf_run_index(struct dit_conf_parser *parser);
int dit_conf_run_multival(struct dit_conf_parser *parser);
int dit_conf_run_sortvals(struct dit_conf_parser *parser);
int dit_conf_run_moduleload(struct dit_conf_parser *parser);

/** @return slapd's spelling of a type of database that it knows, or NULL */
const char *dit_conf_find_type(const struct dit_conf_parser *parser, const char *name);

/** May databases of the type have only one suffix? */
bool dit_conf_is_one_suffix_type(const char *type);

#endif
