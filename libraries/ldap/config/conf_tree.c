/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The cn=config tree: from a folder to entries that run (config.md 6).
 *
 *     slapd.d/cn=config.ldif                                     1
 *     slapd.d/cn=config/cn=module{0}.ldif                        2
 *     slapd.d/cn=config/cn=schema.ldif                           3, skipped
 *     slapd.d/cn=config/cn=schema/cn={0}core.ldif                4
 *     slapd.d/cn=config/olcDatabase={1}mdb.ldif                  5
 *     slapd.d/cn=config/olcDatabase={1}mdb/olcOverlay={0}x.ldif  6
 *
 * An entry is read and acts before the next file is opened, since a definition may be
 * needed to read on. The databases below an overlay are the overlay's own and no concern
 * of a loader.
 *
 * Some trees let slapd load another database than the one that is meant, or load it
 * elsewhere. Such a tree is refused: an entry without an object class, one whose dn is
 * more than one RDN, an mdb database without olcMdbConfig.
 */
#include "config/conf_parser.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/errno_text.h"
#include "base/error.h"
#include "entry/entry.h"
#include "entry/why.h"
#include "ldif/file_url.h"

#define ARENA_BLOCK   (64u << 10)
#define DN_SPARE      32 /* a comma, a NUL, another number */
#define ENDING        ".ldif"
#define NAME_MIN      7 /* slapd looks at no shorter one */
#define CHECKSUM_LEN  8
#define CHECKSUM_MARK "# CRC32 "

struct tree {
	struct dit_conf_parser *parser;
	struct dit_conf_reporter *reporter; /* the parser's */
	struct dit_entry_context context;
	struct dit_entry_caches caches;
	bool is_told; /* which file could not be read */
};

static int tell(const struct tree *tree, const char *what, const char *why,
                const char *path)
{
	return dit_conf_tell(tree->reporter, DIT_REPORT_DIAGNOSTIC, "%s%s \"%s\"", what,
	                     why, path);
}

/* DIR/NAME, or DIR/NAME.ldif, for the caller to free. NULL: no memory. */
static char *join(const char *dir, struct dit_span name, const char *ending)
{
	char *path = NULL;

	return asprintf(&path, "%s/%.*s%s", dir, DIT_SPAN_ARGS(name), ending) < 0 ? NULL
	                                                                          : path;
}

/* ---- files ---- */

/* A second line "# CRC32 xxxxxxxx" is the checksum of the lines after that line. */
static bool has_bad_sum(struct dit_span text)
{
	const size_t mark_len = strlen(CHECKSUM_MARK);
	const char *end = text.data + text.len;
	const char *line = memchr(text.data, '\n', text.len);
	const char *rest = NULL;
	char digits[CHECKSUM_LEN + 1];

	if (line == NULL || (size_t)(end - line) <= mark_len ||
	    memcmp(line + 1, CHECKSUM_MARK, mark_len) != 0) {
		return false;
	}
	rest = memchr(line + 1, '\n', (size_t)(end - line - 1));
	rest = rest == NULL ? end : rest + 1;
	line += 1 + mark_len;
	(void)snprintf(digits, sizeof(digits), "%.*s",
	               end - line < CHECKSUM_LEN ? (int)(end - line) : CHECKSUM_LEN,
	               line);
	return strtoul(digits, NULL, 16) != crc32_z(crc32_z(0, NULL, 0),
	                                            (const unsigned char *)rest,
	                                            (size_t)(end - rest));
}

/* One file holds one record, which ends at an empty line. */
static struct dit_span first_record(struct dit_span text)
{
	struct dit_span rest = text;

	while (rest.len > 0) {
		size_t nrest = rest.len;
		struct dit_span line = {0};

		(void)dit_cut_until(&rest, '\n', &line);
		if (line.len == 0 || dit_span_eq(line, DIT_SPAN("\r"))) {
			text.len -= nrest;
			break;
		}
	}
	return text;
}

/* ---- entries ---- */

/** An entry as it was read. */
struct item {
	struct dit_span record;
	struct dit_entry entry;
	bool has_unknown; /* attributes that are not defined were left out */
};

/* Remarks that loads tell once, on attributes that are left out, are not told here. */
static void tell_notes(const struct tree *tree, const struct dit_notes *notes)
{
	for (const struct dit_note *note = notes->first; note != NULL;
	     note = note->next) {
		if (!note->is_once) {
			(void)dit_conf_tell(tree->reporter, note->kind, "%s", note->text);
		}
	}
}

/* @param is_strict  attributes that are not defined are errors; else they are left out */
static int read_entry(struct tree *tree, struct item *item, bool is_strict,
                      struct dit_notes *notes, struct dit_arena *arena)
{
	dit_notes_init(notes, arena);
	tree->context.check_schema = is_strict;
	return dit_entry_read(&tree->context, &tree->caches, item->record, notes,
	                      &item->entry);
}

/* The entry with all its attributes, or else without those that are not defined. */
static int read_record(struct tree *tree, struct dit_arena *arena, struct item *item)
{
	struct dit_notes strict;
	struct dit_notes lenient;
	int r = read_entry(tree, item, true, &strict, arena);

	item->has_unknown = r == DIT_E_INVALID;
	if (item->has_unknown) {
		r = read_entry(tree, item, false, &lenient, arena);
	}
	tell_notes(tree, r == 0 && item->has_unknown ? &lenient : &strict);
	if (r < 0 && r != -ENOMEM && strict.first == NULL) {
		(void)dit_conf_tell(tree->reporter, DIT_REPORT_DIAGNOSTIC,
		                    "str2entry: entry -1 has no dn");
	}
	return r < 0 && r != -ENOMEM ? DIT_E_CONFIG : r;
}

static int read_item(struct tree *tree, const char *path, struct dit_arena *arena,
                     struct item *item)
{
	struct dit_span text = {0};
	char why[128];
	int r = dit_file_read(path, arena, &text);

	dit_conf_note_change(tree->parser, path);
	if (r == -ENOMEM || r == -ENOENT) {
		return r;
	}
	if (r < 0) {
		(void)snprintf(why, sizeof(why), "%s for",
		               r == -ENOTSUP ? "not a regular file" : dit_errno_text(-r));
		return tell(tree, "ldif_read_file: ", why, path);
	}
	if (has_bad_sum(text)) {
		(void)tell(tree, "ldif_read_file: ", "checksum error on", path);
	}
	item->record = first_record(text);
	return read_record(tree, arena, item);
}

/* Tell the first attribute that neither slapd nor a module defines. */
static int check_names(struct tree *tree, const struct item *item,
                       struct dit_arena *arena)
{
	struct item strict = *item;
	struct dit_notes notes;
	int r = read_entry(tree, &strict, true, &notes, arena);

	if (r != DIT_E_INVALID) {
		return r;
	}
	if (notes.why != NULL && dit_conf_is_refused_attribute(notes.why->name)) {
		return dit_conf_tell(tree->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "<%.*s> not supported by this release",
		                     DIT_SPAN_ARGS(notes.why->name));
	}
	tell_notes(tree, &notes);
	return DIT_E_CONFIG;
}

/* "{1}mdb" -> "mdb"; empty if the entry has none */
static struct dit_span type_of(const struct dit_entry *entry,
                               const struct dit_conf_kind *kind)
{
	const struct dit_attr *attr = dit_conf_find_attr(entry, kind->naming);
	struct dit_span rest = {0};
	struct dit_span type = {0};

	if (attr != NULL && attr->nvalues > 0) {
		rest = attr->values[0];
	}
	return dit_cut_until(&rest, '}', &type) ? rest : type;
}

/* Does slapd itself define every attribute that the entry may have? */
static bool has_own_attributes(const struct dit_entry *entry,
                               const struct dit_conf_kind *kind)
{
	static const char *const types[] = {"mdb", "config", "frontend", "monitor", NULL};

	if (kind->kind == DIT_CONF_ENTRY_OVERLAY || kind->kind == DIT_CONF_ENTRY_TARGET) {
		return false;
	}
	if (kind->kind != DIT_CONF_ENTRY_BACKEND &&
	    kind->kind != DIT_CONF_ENTRY_DATABASE) {
		return true;
	}
	return dit_ascii_is_one_of(type_of(entry, kind), types);
}

static bool has_class(const struct dit_schema *schema, const struct dit_entry *entry,
                      const char *name)
{
	const struct dit_class *wanted = dit_schema_find_class(schema, dit_span_of(name));
	const struct dit_attr *classes = dit_conf_find_attr(entry, "objectClass");

	for (uint32_t i = 0; i < classes->nvalues; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(schema, classes->values[i]);

		if (oc != NULL && wanted != NULL && dit_class_is_a(oc, wanted)) {
			return true;
		}
	}
	return false;
}

/* Parts without which the attributes of the entry are not looked at. */
static int check_entry(const struct tree *tree, const struct dit_entry *entry,
                       const struct dit_conf_kind *kind)
{
	struct dit_conf_reporter *reporter = tree->reporter;
	const char *name = kind->naming;

	if (dit_conf_find_attr(entry, "objectClass") == NULL) {
		return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
		                     "is_entry_objectclass(\"%s\", "
		                     "\"2.16.840.1.113730.3.2.6\") no objectClass "
		                     "attribute",
		                     reporter->place.dn);
	}
	if (name == NULL || entry->dn.nrdns != 1 ||
	    strcmp(entry->dn.avas[0].type->name, name) != 0) {
		return DIT_E_CONFIG;
	}
	if (strcmp(name, "cn") != 0 && dit_conf_find_attr(entry, name) == NULL) {
		return dit_conf_say(tree->parser, DIT_SAY_LATER,
		                    "attribute %s is missing", name);
	}
	/* slapd would ignore mdb's own attributes and take the defaults. */
	if (kind->kind == DIT_CONF_ENTRY_DATABASE &&
	    dit_span_eq_nocase(type_of(entry, kind), DIT_SPAN("mdb")) &&
	    !has_class(tree->context.schema, entry, "olcMdbConfig")) {
		return dit_conf_say(tree->parser, DIT_SAY_LATER,
		                    "object class olcMdbConfig is missing");
	}
	return 0;
}

/* slapd says it again with the entry. */
static int tell_entry(const struct tree *tree)
{
	const struct dit_conf_reporter *reporter = tree->reporter;

	return dit_conf_tell(reporter, DIT_REPORT_DIAGNOSTIC,
	                     "config error processing %s: %s", reporter->place.dn,
	                     reporter->message);
}

static int run_entry(struct tree *tree, const struct dit_entry *entry,
                     const struct dit_conf_kind *kind)
{
	int r = 0;

	(void)dit_conf_forget(tree->parser);
	/* As in slapd, no file is included. Targets belong to their databases. */
	if (kind->kind == DIT_CONF_ENTRY_INCLUDE || kind->kind == DIT_CONF_ENTRY_TARGET) {
		return 0;
	}
	r = check_entry(tree, entry, kind);
	r = r ?: dit_conf_run_entry(tree->parser, entry);
	return r == DIT_E_CONFIG ? tell_entry(tree) : r;
}

/* ---- the tree ---- */

/** A folder being read. */
struct folder {
	const char *dir;
	const char *dn; /* of the entry above; "": none */
	struct dit_arena arena;
	const struct dit_word *seen; /* names of entries that acted, normal */
	long nmodules;               /* entries of a kind so far */
	long nothers;
};

/* Entries below an overlay belong to the overlay; other kinds have none below. */
static bool has_children(const struct dit_conf_kind *kind)
{
	return kind->kind == DIT_CONF_ENTRY_GLOBAL ||
	       kind->kind == DIT_CONF_ENTRY_SCHEMA ||
	       kind->kind == DIT_CONF_ENTRY_DATABASE;
}

static int run_folder(struct tree *tree, const char *dir, const char *dn);

/* The number in "...{n}...". */
static bool find_number(struct dit_span text, long *ret)
{
	struct dit_span before;

	if (!dit_cut_until(&text, '{', &before) ||
	    memchr(text.data, '}', text.len) == NULL) {
		return false;
	}
	*ret = strtol(text.data, NULL, 10);
	return true;
}

/*
 * slapd numbers entries by their places, not by their names, and shows that number. A
 * module list shows both numbers.
 */
static void compose_dn(const struct tree *tree, struct folder *folder,
                       const struct dit_entry *entry, const struct dit_conf_kind *kind,
                       char *dn, size_t size)
{
	struct dit_span rdn = entry->dn.pretty;
	const char *open = NULL;
	const char *close = NULL;
	const char *comma = *folder->dn == '\0' ? "" : ",";
	long place = folder->nothers;

	assert(rdn.data != NULL);
	open = memchr(rdn.data, '{', rdn.len);
	close = memchr(rdn.data, '}', rdn.len);
	if (kind->kind == DIT_CONF_ENTRY_DATABASE) {
		place = (long)tree->parser->settings->ndatabases;
	} else if (kind->kind == DIT_CONF_ENTRY_MODULES) {
		place = folder->nmodules++;
	} else {
		folder->nothers++;
	}
	if (*folder->dn == '\0' || kind->kind == DIT_CONF_ENTRY_OTHER || open == NULL ||
	    close == NULL || strtol(open + 1, NULL, 10) <= place) {
		(void)snprintf(dn, size, "%.*s%s%s", DIT_SPAN_ARGS(rdn), comma,
		               folder->dn);
	} else if (kind->kind == DIT_CONF_ENTRY_MODULES) {
		(void)snprintf(dn, size, "%.*s{%ld},%s", DIT_SPAN_ARGS(rdn), place,
		               folder->dn);
	} else {
		(void)snprintf(dn, size, "%.*s{%ld%.*s,%s", (int)(open - rdn.data),
		               rdn.data, place, (int)(rdn.data + rdn.len - close), close,
		               folder->dn);
	}
}

/*
 * As in slapd, a database whose file comes later than its number says is put in before
 * those that have come; so is one of a second file with the same name. A number that is
 * too high, or none, is that of its place.
 */
static size_t place_before(const struct tree *tree, const struct dit_entry *entry,
                           const struct dit_conf_kind *kind)
{
	const struct dit_attr *attr = kind->kind == DIT_CONF_ENTRY_DATABASE
	                                      ? dit_conf_find_attr(entry, kind->naming)
	                                      : NULL;
	long number = -1;

	if (attr == NULL || attr->nvalues == 0 ||
	    !find_number(entry->dn.pretty, &number) ||
	    number > (long)tree->parser->settings->ndatabases ||
	    !find_number(attr->values[0], &number) || number < 0) {
		return 0;
	}
	return number == 0 ? 1 : (size_t)number;
}

static int act_once(struct tree *tree, const struct item *item,
                    const struct dit_conf_kind *kind, struct dit_arena *arena)
{
	bool has_own = has_own_attributes(&item->entry, kind);
	int r = item->has_unknown && has_own ? check_names(tree, item, arena) : 0;

	if (r < 0) {
		return r;
	}
	/* This entry only shows the schema that slapd itself defines. */
	if (dit_ascii_strcasecmp(tree->reporter->place.dn, "cn=schema,cn=config") == 0) {
		return 0;
	}
	r = run_entry(tree, &item->entry, kind);
	/* An overlay that is built into slapd brings its attributes when it runs. */
	if (r == 0 && item->has_unknown && !has_own &&
	    !tree->parser->has_unknown_schema) {
		r = check_names(tree, item, arena);
	}
	return r;
}

/* Let the entry act; *ret_dn stays NULL if nothing below the entry is to be read. */
static int act(struct tree *tree, struct folder *folder, const struct item *item,
               struct dit_arena *arena, const char **ret_dn)
{
	const struct dit_entry *entry = &item->entry;
	const struct dit_conf_kind *kind = dit_conf_kind_of(tree->context.schema, entry);
	bool is_root = *folder->dn == '\0';
	bool is_new = !dit_words_have(folder->seen, entry->dn.norm, dit_span_eq);
	size_t size = entry->dn.pretty.len + strlen(folder->dn) + DN_SPARE;
	char *dn = dit_arena_bytes(arena, size);
	int r = dn == NULL ? -ENOMEM : 0;

	if (r == 0 && is_new) {
		r = dit_words_add(&folder->seen, entry->dn.norm, &folder->arena);
	}
	if (r < 0) {
		return r;
	}
	compose_dn(tree, folder, entry, kind, dn, size);
	tree->reporter->place.dn = dn;
	tree->parser->before = place_before(tree, entry, kind);
	if (is_new || kind->kind == DIT_CONF_ENTRY_DATABASE ||
	    kind->kind == DIT_CONF_ENTRY_OVERLAY) {
		r = act_once(tree, item, kind, arena);
	} else {
		(void)dit_conf_forget(tree->parser);
		r = tell_entry(tree);
	}
	tree->reporter->place.dn = NULL;
	if (r == 0 && is_new && has_children(kind)) {
		/* The DN of the first entry is cn=config, even if its dn line differs. */
		*ret_dn = is_root ? "cn=config" : dn;
	}
	return r;
}

/* The entry in DIR/NAME.ldif, then those in DIR/NAME. */
static int run_subtree(struct tree *tree, struct folder *folder, struct dit_span name)
{
	char *path = join(folder->dir, name, ENDING);
	char *below = join(folder->dir, name, "");
	struct item item = {0};
	const char *dn = NULL;
	struct dit_arena arena;
	int r = -ENOMEM;

	dit_arena_init(&arena, ARENA_BLOCK);
	if (path != NULL && below != NULL) {
		r = read_item(tree, path, &arena, &item);
	}
	if (r == -ENOENT && *folder->dn != '\0') {
		r = tell(tree, "ldif_search_entry: ",
		         "file listed in parent directory does not exist:", path);
	}
	r = r ?: act(tree, folder, &item, &arena, &dn);
	if (r == 0 && dn != NULL) {
		r = run_folder(tree, below, dn);
	}
	if (r == DIT_E_CONFIG && !tree->is_told) {
		/* slapd's messages name attributes and values; add the file. */
		tree->is_told = true;
		(void)dit_conf_tell(tree->reporter, DIT_REPORT_ERROR,
		                    "this entry cannot be read: %s", path);
	}
	dit_arena_wipe(&arena);
	dit_arena_deinit(&arena);
	free(path);
	free(below);
	return r;
}

static int has_ending(const struct dirent *item)
{
	size_t len = strlen(item->d_name);

	return len >= NAME_MIN &&
	       strcmp(item->d_name + len - strlen(ENDING), ENDING) == 0;
}

static struct dit_span name_of(const struct dirent *item)
{
	return (struct dit_span){item->d_name, strlen(item->d_name) - strlen(ENDING)};
}

/* "olcDatabase={" of "olcDatabase={1}mdb", and the number; else all of the name. */
static struct dit_span sorted_text(const struct dirent *item, long *ret_number)
{
	struct dit_span name = name_of(item);
	const char *end = name.data + name.len;
	const char *open = memchr(name.data + 1, '{', name.len - 1);
	const char *close = open == NULL ? NULL : memchr(open, '}', (size_t)(end - open));
	char *after = NULL;

	*ret_number = LONG_MIN;
	if (close == NULL || close == open + 1 || (open[-1] != '=' && close + 1 != end)) {
		return name;
	}
	*ret_number = strtol(open + 1, &after, 10);
	return after == close
	               ? (struct dit_span){name.data, (size_t)(open + 1 - name.data)}
	               : name;
}

/* By the text up to '{', then by the number after it. */
static bool is_before(const struct dirent *left, const struct dirent *right)
{
	long a = 0;
	long b = 0;
	struct dit_span a_text = sorted_text(left, &a);
	struct dit_span b_text = sorted_text(right, &b);
	int order = dit_span_compare(a_text, b_text);

	return order < 0 || (order == 0 && a < b);
}

/* As in slapd, names that are equal to this order stay in that of the folder. */
static void sort_names(struct dirent **items, int n)
{
	for (int i = 1; i < n; i++) {
		struct dirent *item = items[i];
		int at = i;

		for (; at > 0 && is_before(item, items[at - 1]); at--) {
			items[at] = items[at - 1];
		}
		items[at] = item;
	}
}

/* A folder that is not there is an empty one. */
static int run_folder(struct tree *tree, const char *dir, const char *dn)
{
	struct folder folder = {.dir = dir, .dn = dn};
	struct dirent **items = NULL;
	int n = scandir(dir, &items, has_ending, NULL);
	int r = 0;

	if (n < 0 && (errno == ENOENT || errno == ENOMEM)) {
		return errno == ENOENT ? 0 : -ENOMEM;
	}
	if (n < 0) {
		return dit_conf_tell(tree->reporter, DIT_REPORT_DIAGNOSTIC,
		                     "=> ldif_search_entry: failed to opendir \"%s\": %s",
		                     dir, dit_errno_text(errno));
	}
	sort_names(items, n);
	dit_arena_init(&folder.arena, ARENA_BLOCK);
	for (int i = 0; i < n; i++) {
		r = r == 0 ? run_subtree(tree, &folder, name_of(items[i])) : r;
		free(items[i]);
	}
	dit_arena_deinit(&folder.arena);
	free(items);
	return r;
}

int dit_conf_read_tree(struct dit_conf_parser *parser, const char *dir)
{
	struct tree tree = {
		.parser = parser,
		.reporter = parser->reporter,
		.context = {.schema = parser->settings->schema},
	};
	struct folder root = {.dir = dir, .dn = ""};
	struct dit_span kept = dit_arena_copy(&parser->settings->arena, dit_span_of(dir));
	int r = kept.data == NULL ? -ENOMEM : dit_entry_caches_init(&tree.caches);

	if (r < 0) {
		return r;
	}
	/* A tree has its modules before its schema, or slapd has back_mdb built in. */
	r = dit_schema_load_module(parser->settings->schema, "back_mdb", NULL);
	if (r < 0) {
		dit_entry_caches_deinit(&tree.caches);
		return r;
	}
	/* Databases, and some messages, name the folder and this line. */
	parser->reporter->place.file = kept.data;
	parser->reporter->place.line = 1;
	dit_arena_init(&root.arena, ARENA_BLOCK);
	r = run_subtree(&tree, &root, DIT_SPAN("cn=config"));
	dit_arena_deinit(&root.arena);
	dit_entry_caches_deinit(&tree.caches);
	return r;
}
