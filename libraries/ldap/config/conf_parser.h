/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inside of the readers of slapd.conf and of cn=config; for the files of this room only.
 * README.md has the list of them.
 *
 * Both sources end in the same directives: "olcDbIndex: cn eq" in the tree runs what
 * "index cn eq" runs. Only names and places in messages differ.
 *
 * Threads: one.
 */
#ifndef DITKIT_CONF_PARSER_H
#define DITKIT_CONF_PARSER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/report.h"
#include "base/words.h"
#include "config/settings.h"

/* ---- reports ---- */

/* slapd composes most messages in a buffer of this size; longer ones are cut. */
#define DIT_CONF_MESSAGE_BYTES 256

/** The line or value of the configuration that is read. */
struct dit_conf_place {
	const char *file; /* in the settings' arena; of a tree: the folder, as in slapd */
	unsigned long line; /* from 1; of a tree: always 1 */
	const char *value;  /* "olcDbIndex: value #0" of a tree; NULL: no value is read */
	const char *dn;     /* of the tree's entry; NULL: no entry is read */
};

/**
 * Where reports go, the place that they name, and the last message, which slapd says
 * again when a tree's entry has failed. Lives for one reading, or for one choice of a
 * database. Owns nothing: whoever sets a pointer of the place resets it before the text
 * goes away.
 */
struct dit_conf_reporter {
	dit_report_fn report; /* borrowed; NULL: no reports */
	void *ctx;
	struct dit_conf_place place;
	char message[DIT_CONF_MESSAGE_BYTES]; /* "": nothing to repeat */
};

/** "TEXT"; the message stays. @return DIT_E_CONFIG */
int dit_conf_tell(const struct dit_conf_reporter *reporter, enum dit_report_kind kind,
                  const char *format, ...) __attribute__((format(printf, 3, 4)));

/** How a message is told. */
enum dit_conf_say {
	DIT_SAY_VALUE,   /* "FILE: line N: TEXT", in a tree "ATTRIBUTE: value #N: TEXT" */
	DIT_SAY_LINE,    /* "FILE: line N: TEXT", in a tree with its folder and line 1 */
	DIT_SAY_WHOLE,   /* the same, and never cut */
	DIT_SAY_KEYWORD, /* of a "KEYWORD: TEXT": "FILE: line N KEYWORD: TEXT", in a tree
	                  * "ATTRIBUTE: value #N KEYWORD: TEXT"; never cut */
	DIT_SAY_LATER,   /* not at all: slapd says it again in this form */
};

struct dit_conf_parser;

/** Tell a message, and keep it. @return DIT_E_CONFIG */
int dit_conf_say(const struct dit_conf_parser *parser, enum dit_conf_say say,
                 const char *format, ...) __attribute__((format(printf, 3, 4)));

/**
 * Tell a message about the keyword of the line, and keep it.
 *
 *   return DIT_CONF_REFUSE(parser, "invalid value");
 *
 *       slapd.conf: line 7: <lastmod> invalid value
 */
#define DIT_CONF_REFUSE(parser, format, ...)                                             \
 dit_conf_say((parser), DIT_SAY_VALUE, "<%s> " format, (parser)->scope.words[0],         \
	      ##__VA_ARGS__)
/** Keep such a message in the place of another one, which was told. */
#define DIT_CONF_KEEP(parser, format, ...)                                               \
 dit_conf_say((parser), DIT_SAY_LATER, "<%s> " format, (parser)->scope.words[0],         \
	      ##__VA_ARGS__)

/** Forget the message. @return DIT_E_CONFIG */
int dit_conf_forget(const struct dit_conf_parser *parser);

/* ---- logical lines, words (config.md 1) ---- */

#define DIT_CONF_PIECE 2048 /* slapd reads physical lines into a buffer of this size */

/** One physical line and its continuations at a time; comments come back like any other.
 * Zero but for the file: before the first line. */
struct dit_conf_lines {
	FILE *file; /* borrowed */
	char piece[DIT_CONF_PIECE];
	bool has_piece; /* it was read, but belongs to the next logical line */
	char *text;     /* owned */
	size_t text_size;
	size_t len;
	unsigned long line; /* of the last physical line in text, from 1 */
};

/** All bytes that were read become zero. */
void dit_conf_lines_deinit(struct dit_conf_lines *lines);

/**
 * @param ret  the text, NUL-terminated and the caller's to change; valid until the next
 *             call. May be empty.
 *
 * @return 1; 0 at the end; -ENOMEM; -EIO and other errors of reading
 */
int dit_conf_lines_next(struct dit_conf_lines *lines, char **ret);

/**
 * Cut the next word out of @p at, in place; quotes and backslashes act and vanish.
 *
 * @param at        start of what is left, moved after the word
 * @param ret_word  the word
 *
 * @return 1; 0: none left; DIT_E_SYNTAX: the line ends inside quotes, @p ret_word is what
 *         the word was so far
 */
int dit_conf_word(char **at, char **ret_word);

/**
 * Cut the next non-empty part out of a list "a,b,,c", in place.
 *
 * @return the part, or NULL: none left
 */
char *dit_conf_part(char **list);

/* ---- the parser ---- */

/**
 * A row of modules.tsv: what a module brings. A part that a release gives more keywords
 * has several rows.
 */
struct dit_conf_part {
	enum {
		DIT_CONF_NOTHING, /* the module has no part */
		DIT_CONF_OVERLAY,
		DIT_CONF_DATABASE_TYPE,
		DIT_CONF_END, /* after the last row */
	} kind;
	const char *module; /* NULL: it is in slapd itself */
	const char *name;   /* of the overlay or the type */
	bool is_single;     /* slapd refuses it twice in a database */
	const char *global; /* slapd's message in the front end; NULL: it may be there */
	const char *keywords; /* separated by a space; NULL: none */
	struct dit_openldap_range releases;
};

extern const struct dit_conf_part dit_conf_parts[];

/** A part of the configuration: says which directives are known and what they set. */
enum dit_conf_section {
	DIT_CONF_GLOBAL, /* the front end as well */
	DIT_CONF_BACKEND,
	DIT_CONF_DATABASE,
};

/*
 * The line, or the tree's value, that is being read: its words, and the part of the
 * configuration that it belongs to. As in slapd, a section that an included file begins
 * goes on after the include. The end of the file, also one that an error brings, restores
 * the rest. Text and words belong to the function that runs the line.
 */
struct dit_conf_scope {
	/* stay after an include */
	enum dit_conf_section section;
	const char *backend;    /* section BACKEND: type */
	size_t database;        /* section DATABASE: place in settings->databases */
	unsigned default_kinds; /* "index default" */
	unsigned nnested;       /* files that included files have included */

	/* restored after an include */
	unsigned depth;  /* files that are open; 1: the first one */
	const char *raw; /* text of the line, unsplit */
	char **words;    /* keyword first, NULL after the last */
	size_t nwords;
};

/*
 * The settings and the schema that are being built, and what their checks need. Lives
 * while a configuration is read.
 */
struct dit_conf_parser {
	struct dit_settings *settings;      /* the caller's when the reading ends */
	struct dit_conf_reporter *reporter; /* borrowed; messages of any directive */
	struct dit_conf_scope scope;        /* of the line that is being read */
	enum dit_openldap_version openldap; /* never DIT_OPENLDAP_FOUND */
	const char *module_path;            /* folders, separated by ':'; NULL: default */
	const struct dit_word *modules;     /* as typed; these four in the arena */
	const struct dit_word *built_in;    /* into slapd */
	const struct dit_word *loaded_types; /* types of databases that modules brought */
	const struct dit_word *lost_types;   /* types whose schema collides */
	bool knows_built_in;                 /* else any part may be built into slapd */
	bool has_unknown_module;             /* which may bring any overlay */
	bool has_unknown_schema;             /* of a module or part: any attribute */
	bool has_database;                   /* the front end does not count */
	size_t before;    /* the next database comes before this one; 0: after all */
	unsigned defined; /* a bit for each type that may be named once */
	bool has_server_id;
	bool has_plain_server_id; /* without a URL */
};

/**
 * Begin with empty settings and the config database, which exists unmentioned.
 *
 * @param openldap  as in struct dit_settings_source
 *
 * @return 0, and the caller owns parser->settings; -ENOMEM
 */
int dit_conf_parser_init(struct dit_conf_parser *parser,
                         struct dit_conf_reporter *reporter,
                         enum dit_openldap_version openldap);

/** Empty settings; dit_settings_free() releases them. @return 0 or -ENOMEM */
int dit_settings_new(struct dit_settings **ret, enum dit_openldap_version openldap);

/** A copy of a word in the arena of the settings. NULL: no memory */
const char *dit_conf_text(const struct dit_conf_parser *parser, const char *word);

/** The argument of a directive that does nothing but set a value. */
enum dit_conf_value {
	DIT_CONF_NO_VALUE,
	DIT_CONF_BOOL, /* on without an argument */
	DIT_CONF_UINT,
	DIT_CONF_COUNT, /* a negative one is 0 */
	DIT_CONF_ULONG,
	DIT_CONF_TEXT,
	DIT_CONF_WORDS, /* all of them, kept with the overlay */
};

/** Where the value goes. In the front end nothing of a database is set. */
struct dit_conf_target {
	enum {
		DIT_CONF_FORGOTTEN, /* slapd checks it, and no tool needs it */
		DIT_CONF_SETTINGS,
		DIT_CONF_OF_DATABASE,
	} of;
	size_t at; /* offset in struct dit_settings or struct dit_database */
};

/** A function of a directive, which looks at the words of the scope. */
typedef int dit_directive_fn(struct dit_conf_parser *parser);

/**
 * One directive, a row of directives.tsv. Only directives that can change stored data, or
 * whose arguments slapd refuses, have a function or a value. The others are known by
 * name, so that a misspelt directive is still an error; slapd's checks of their arguments
 * are left out.
 */
struct dit_directive {
	enum {
		DIT_DIRECTIVE_OF_ANY,
		DIT_DIRECTIVE_OF_MDB, /* databases of mdb */
		DIT_DIRECTIVE_OF_BACK_MDB,
		DIT_DIRECTIVE_OF_OVERLAY,
	} section;
	const char *overlay; /* after which it may stand */
	const char *name;
	const char *attribute; /* its name in cn=config; NULL: none */
	/* Arguments without the keyword: how many, and what slapd calls them. */
	unsigned min;
	unsigned max; /* 0: any number */
	const char *args;
	unsigned flags; /* DIT_DIRECTIVE_... */
	dit_directive_fn *run;
	enum dit_conf_value value; /* without a function */
	struct dit_conf_target target;
	struct dit_openldap_range releases; /* that have it in this form */
};

/** Ends with a NULL name. */
extern const struct dit_directive dit_directives[];

#define DIT_DIRECTIVE_PREFIX    0x1u  /* longer keywords that begin like this match too */
#define DIT_DIRECTIVE_RAW       0x2u  /* reads the raw text; a missing quote is fine */
#define DIT_DIRECTIVE_BEFORE_DB 0x4u  /* only before the first database */
#define DIT_DIRECTIVE_ONE_WORD  0x8u  /* in cn=config one argument, blanks included */
#define DIT_DIRECTIVE_SECRET    0x10u /* no message has its argument */
#define DIT_DIRECTIVE_DB        0x20u /* not in the section of a back end */

/** The two names of a directive. */
enum dit_conf_form {
	DIT_CONF_KEYWORD,
	DIT_CONF_ATTRIBUTE,
};

/** @return the directive that the name means in the present section, or NULL */
const struct dit_directive *dit_conf_find_directive(const struct dit_conf_parser *parser,
                                                    enum dit_conf_form form,
                                                    const char *name);

/** Read a file and all that it includes. @return 0, DIT_E_CONFIG, -ENOMEM, -EIO */
int dit_conf_read_file(struct dit_conf_parser *parser, const char *path);
/** A file of the configuration was read: when was it changed (settings.h, changed_us)? */
void dit_conf_note_change(const struct dit_conf_parser *parser, const char *path);

/**
 * Run the directive that a text says: keyword and arguments. The text stays as it is.
 */
int dit_conf_run_text(struct dit_conf_parser *parser, const char *text);

/**
 * Run one directive on the words, which are there, after a look at their number; without
 * a function or a value it is skipped then.
 */
int dit_conf_run_directive(struct dit_conf_parser *parser,
                           const struct dit_directive *directive);

/** Split @p text into the words of the scope. 0, or DIT_E_SYNTAX with the word that has
 * no end. */
int dit_conf_split(struct dit_conf_parser *parser, char *text, char **ret_culprit);

/**
 * Begin a line, or a value of a tree: its raw text, and room in the scope for its words
 * and one more. The end forgets the words: one may be a passphrase.
 *
 * @return a copy of the text to cut into words, until dit_conf_end_line(); NULL: no
 *         memory
 */
char *dit_conf_begin_line(struct dit_conf_parser *parser, const char *text);
void dit_conf_end_line(struct dit_conf_parser *parser);

/**
 * Read a cn=config tree.
 *
 * @return 0; DIT_E_CONFIG; -ENOMEM; -ENOENT: the folder or its first entry is not there
 */
int dit_conf_read_tree(struct dit_conf_parser *parser, const char *dir);

struct dit_attr;
struct dit_entry;

/** The first block of an attribute, by its canonical name; NULL: none. */
const struct dit_attr *dit_conf_find_attr(const struct dit_entry *entry,
                                          const char *name);

/** Kinds of entries of the tree (config.md 6.2). */
enum dit_conf_entry_kind {
	DIT_CONF_ENTRY_OTHER, /* no concern of a loader */
	DIT_CONF_ENTRY_GLOBAL,
	DIT_CONF_ENTRY_INCLUDE,
	DIT_CONF_ENTRY_MODULES,
	DIT_CONF_ENTRY_SCHEMA,
	DIT_CONF_ENTRY_BACKEND,
	DIT_CONF_ENTRY_DATABASE,
	DIT_CONF_ENTRY_OVERLAY,
	DIT_CONF_ENTRY_TARGET, /* a server of a meta database, below the database */
};

/** Entries of a kind have this class and this naming attribute. */
struct dit_conf_kind {
	const char *class;
	const char *naming; /* attribute; NULL: it does not matter */
	enum dit_conf_entry_kind kind;
};

/** The kind of an entry; not NULL. */
const struct dit_conf_kind *dit_conf_kind_of(const struct dit_schema *schema,
                                             const struct dit_entry *entry);

/** Run the directives of one entry, in slapd's order. */
int dit_conf_run_entry(struct dit_conf_parser *parser, const struct dit_entry *entry);

/** Is it an attribute of an unsupported release that changes the stored bytes? */
bool dit_conf_is_refused_attribute(struct dit_span name);

/* Typed arguments; on failure DIT_E_CONFIG after slapd's message. */
int dit_conf_bool(const struct dit_conf_parser *parser, const char *word, bool *ret);
int dit_conf_uint(const struct dit_conf_parser *parser, const char *word, unsigned *ret);
int dit_conf_ulong(const struct dit_conf_parser *parser, const char *word,
                   unsigned long *ret);
/** A DN; a NULL word is the empty one. The results live as long as the settings. */
int dit_conf_dn(struct dit_conf_parser *parser, const char *word, struct dit_span *ret,
                struct dit_span *ret_norm);

/** The database being defined; only in section DATABASE. */
struct dit_database *dit_conf_database(const struct dit_conf_parser *parser);

/** Add a database of a type that stays valid. @return 0, -ENOMEM */
int dit_conf_add_database(struct dit_conf_parser *parser, const char *type);

/** At the end: the indexes that slapd adds itself (storage-2.7.md 2.2). 0, -ENOMEM */
int dit_conf_complete_indexes(struct dit_conf_parser *parser);
/** The rule of "multival" for this description itself, or NULL. Points into @p rules. */
struct dit_multival_spec *dit_conf_find_multival(const struct dit_multival_rules *rules,
                                                 const struct dit_ad *ad);
/** The schema of all modules that the release has. @return 0 or -ENOMEM */
int dit_conf_load_all(struct dit_conf_parser *parser);

/** At the beginning: schema of what settings_source.built_in names. 0, -ENOMEM */
int dit_conf_load_built_in(struct dit_conf_parser *parser, const char *names);

/* The functions of directives.tsv. */
dit_directive_fn dit_conf_run_attributeoptions;
dit_directive_fn dit_conf_run_attributetype, dit_conf_run_backend;
dit_directive_fn dit_conf_run_checkpoint, dit_conf_run_database;
dit_directive_fn dit_conf_run_directory;
dit_directive_fn dit_conf_run_ditcontentrule, dit_conf_run_envflags;
dit_directive_fn dit_conf_run_idlexp, dit_conf_run_include, dit_conf_run_index;
dit_directive_fn dit_conf_run_index_substr_if_maxlen_2_5;
dit_directive_fn dit_conf_run_index_substr_if_minlen_2_5, dit_conf_run_ldapsyntax;
dit_directive_fn dit_conf_run_maxsize, dit_conf_run_mode, dit_conf_run_moduleload;
dit_directive_fn dit_conf_run_modulepath, dit_conf_run_multiprovider;
dit_directive_fn dit_conf_run_multival, dit_conf_run_objectclass;
dit_directive_fn dit_conf_run_objectidentifier, dit_conf_run_overlay;
dit_directive_fn dit_conf_run_passphrase;
dit_directive_fn dit_conf_run_rootdn;
dit_directive_fn dit_conf_run_server_id, dit_conf_run_shadow, dit_conf_run_sortvals;
dit_directive_fn dit_conf_run_subordinate;
dit_directive_fn dit_conf_run_suffix;
dit_directive_fn dit_conf_run_unsupported;

/** @return slapd's spelling of a type of database that it has, or NULL */
const char *dit_conf_find_type(const struct dit_conf_parser *parser, const char *name);

/**
 * Define the schema that a type of database brings. The type is lost if the schema
 * collides with definitions before, as in slapd. @return 0, -ENOMEM
 */
int dit_conf_load_type_schema(struct dit_conf_parser *parser, const char *type);

/** Define what the first database of a type tells the monitor; a collision does not
 * matter. */
int dit_conf_load_monitor_schema(struct dit_conf_parser *parser, const char *type);

/** The overlay of that name at the present place, of a database alone; NULL: none. */
struct dit_overlay *dit_conf_overlay(const struct dit_conf_parser *parser,
                                     const char *name);
/** The words of the scope belong to that overlay. 0, -ENOMEM */
int dit_conf_keep_words(struct dit_conf_parser *parser,
                        const struct dit_directive *directive);

/** Is the keyword one of an overlay, or of a type of databases, at the present place? */
bool dit_conf_is_keyword_of_part(const struct dit_conf_parser *parser,
                                 const char *keyword);

#endif
