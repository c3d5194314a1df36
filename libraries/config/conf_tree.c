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
 * needed to read on. Below an overlay there may be databases, which are the overlay's
 * own; nothing there concerns a loader.
 *
 * Where slapd goes on and would then load another database than the one that is meant, or
 * load it elsewhere, the tree is refused: an entry without an object class, one whose dn
 * is more than one RDN, an mdb database without olcMdbConfig.
 */
#include "config/conf_parser.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "config/conf_folder.h"
#include "entry/entry.h"

#define ARENA_BLOCK (64u << 10)
#define DN_SPARE    32 /* a comma, a NUL, another number */

struct tree {
	struct dit_conf_parser *parser;
	struct dit_entry_context context;
	struct dit_entry_caches caches;
	bool is_told; /* which file could not be read */
};

static int tell(const struct tree *tree, const char *what, const char *why,
                const char *path)
{
	return dit_conf_tell(tree->parser, DIT_REPORT_DIAGNOSTIC, "%s%s \"%s\"", what,
	                     why, path);
}

/* DIR/NAME, or DIR/NAME.ldif; to be freed. NULL: no memory. */
static char *join(const char *dir, const char *name, const char *ending)
{
	char *path = NULL;

	return asprintf(&path, "%s/%s%s", dir, name, ending) < 0 ? NULL : path;
}

/* ---- entries ---- */

/** An entry as it was read. */
struct item {
	struct dit_span record;
	struct dit_entry entry;
	bool has_unknown; /* attributes that are not defined were left out */
};

/* The remark on an undefined attribute that was left out is for others. */
static void tell_notes(const struct tree *tree, const struct dit_notes *notes)
{
	for (const struct dit_note *note = notes->first; note != NULL;
	     note = note->next) {
		if (!note->is_once) {
			(void)dit_conf_tell(tree->parser, note->kind, "%s", note->text);
		}
	}
}

/* With all its attributes, or else without those that are not defined. */
static int read_record(struct tree *tree, struct dit_arena *arena, struct item *item)
{
	struct dit_notes strict;
	struct dit_notes lenient;
	int r = 0;

	dit_notes_init(&strict, arena);
	dit_notes_init(&lenient, arena);
	tree->context.check_schema = true;
	r = dit_entry_read(&tree->context, &tree->caches, item->record, arena, &strict,
	                   &item->entry);
	if (r == DIT_E_INVALID) {
		tree->context.check_schema = false;
		item->has_unknown = true;
		r = dit_entry_read(&tree->context, &tree->caches, item->record, arena,
		                   &lenient, &item->entry);
	}
	tell_notes(tree, r == 0 && item->has_unknown ? &lenient : &strict);
	if (r < 0 && r != -ENOMEM && strict.first == NULL) {
		(void)dit_conf_tell(tree->parser, DIT_REPORT_DIAGNOSTIC,
		                    "str2entry: entry -1 has no dn");
	}
	return r < 0 && r != -ENOMEM ? DIT_E_CONFIG : r;
}

static int read_item(struct tree *tree, const char *path, struct dit_arena *arena,
                     struct item *item)
{
	bool has_bad_sum = false;
	char why[128];
	int r = dit_conf_read_record(path, arena, &item->record, &has_bad_sum);

	if (r == -ENOMEM || r == -ENOENT) {
		return r;
	}
	if (r < 0) {
		(void)snprintf(why, sizeof(why), "%s for", strerror(-r));
		return tell(tree, "ldif_read_file: ", why, path);
	}
	if (has_bad_sum) {
		(void)tell(tree, "ldif_read_file: ", "checksum error on", path);
	}
	return read_record(tree, arena, item);
}

/* An attribute that nobody has. */
static int check_names(struct tree *tree, struct dit_span record, struct dit_arena *arena)
{
	struct dit_ldif_lines lines = {0};
	struct dit_notes notes;
	int r = 0;

	dit_notes_init(&notes, arena);
	r = dit_ldif_parse(record, NULL, arena, &notes, &lines);
	for (size_t i = 0; r == 0 && i < lines.nlines; i++) {
		struct dit_span name = lines.lines[i].name;
		const struct dit_ad *ad = NULL;
		const char *reason = NULL;

		if (dit_span_eq_nocase(name, DIT_SPAN("dn"))) {
			continue;
		}
		r = dit_ad_find(tree->context.schema, NULL, name, &ad, &reason);
		if (r == DIT_E_UNKNOWN && dit_conf_is_refused_attribute(name)) {
			return dit_conf_tell(tree->parser, DIT_REPORT_DIAGNOSTIC,
			                     "<%.*s> not supported by this release",
			                     DIT_SPAN_ARGS(name));
		}
		if (r == DIT_E_UNKNOWN) {
			return dit_conf_tell(tree->parser, DIT_REPORT_DIAGNOSTIC,
			                     "<= str2entry: str2ad(%.*s): %s",
			                     DIT_SPAN_ARGS(name), reason);
		}
	}
	return r;
}

/* "{1}mdb" -> "mdb"; empty if the entry has none */
static struct dit_span type_of(const struct dit_entry *entry,
                               enum dit_conf_entry_kind kind)
{
	const struct dit_attr *attr =
		dit_conf_find_attr(entry, dit_conf_naming_attr(kind));
	struct dit_span type = {0};
	const char *brace = NULL;

	if (attr == NULL || attr->nvalues == 0) {
		return type;
	}
	type = attr->values[0];
	brace = memchr(type.data, '}', type.len);
	if (brace != NULL) {
		type.len -= (size_t)(brace + 1 - type.data);
		type.data = brace + 1;
	}
	return type;
}

/* Is every attribute that it may have hard-coded in slapd? */
static bool has_own_attributes(const struct dit_entry *entry,
                               enum dit_conf_entry_kind kind)
{
	static const char *const types[] = {"mdb", "config", "frontend", "monitor"};

	if (kind == DIT_CONF_ENTRY_OVERLAY || kind == DIT_CONF_ENTRY_TARGET) {
		return false;
	}
	if (kind != DIT_CONF_ENTRY_BACKEND && kind != DIT_CONF_ENTRY_DATABASE) {
		return true;
	}
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (dit_span_eq_nocase(type_of(entry, kind), dit_span_of(types[i]))) {
			return true;
		}
	}
	return false;
}

static bool has_class(const struct dit_schema *schema, const struct dit_entry *entry,
                      const char *name)
{
	const struct dit_class *wanted = dit_schema_find_class(schema, dit_span_of(name));
	const struct dit_attr *classes = dit_conf_find_attr(entry, "objectClass");

	for (uint32_t i = 0; i < classes->nvalues; i++) {
		const struct dit_class *oc =
			dit_schema_find_class(schema, classes->values[i]);

		if (oc != NULL && dit_class_is_a(oc, wanted)) {
			return true;
		}
	}
	return false;
}

/* What is to be there before its attributes are looked at. */
static int check_entry(const struct tree *tree, const struct dit_entry *entry,
                       enum dit_conf_entry_kind kind, const char *dn)
{
	struct dit_conf_parser *parser = tree->parser;
	const char *name = dit_conf_naming_attr(kind);

	if (dit_conf_find_attr(entry, "objectClass") == NULL) {
		return dit_conf_tell(parser, DIT_REPORT_DIAGNOSTIC,
		                     "is_entry_objectclass(\"%s\", "
		                     "\"2.16.840.1.113730.3.2.6\") no objectClass "
		                     "attribute",
		                     dn);
	}
	if (name == NULL || entry->dn.nrdns != 1 ||
	    strcmp(entry->dn.avas[0].type->name, name) != 0) {
		return DIT_E_CONFIG;
	}
	if (strcmp(name, "cn") != 0 && dit_conf_find_attr(entry, name) == NULL) {
		return dit_conf_repeat(parser, "attribute %s is missing", name);
	}
	/* slapd would leave out all that is mdb's own, and take its defaults. */
	if (kind == DIT_CONF_ENTRY_DATABASE &&
	    dit_span_eq_nocase(type_of(entry, kind), DIT_SPAN("mdb")) &&
	    !has_class(tree->context.schema, entry, "olcMdbConfig")) {
		return dit_conf_repeat(parser, "object class olcMdbConfig is missing");
	}
	return 0;
}

static int tell_failure(const struct tree *tree, const char *dn)
{
	return dit_conf_tell(tree->parser, DIT_REPORT_DIAGNOSTIC,
	                     "config error processing %s: %s", dn, tree->parser->message);
}

static int run_entry(struct tree *tree, const struct dit_entry *entry,
                     enum dit_conf_entry_kind kind, const char *dn)
{
	int r = 0;

	tree->parser->message[0] = '\0';
	/* slapd does not read the included file, either; targets are their database's. */
	if (kind == DIT_CONF_ENTRY_INCLUDE || kind == DIT_CONF_ENTRY_TARGET) {
		return 0;
	}
	r = check_entry(tree, entry, kind, dn);
	if (r == 0) {
		r = dit_conf_run_entry(tree->parser, entry);
	}
	return r == DIT_E_CONFIG ? tell_failure(tree, dn) : r;
}

/* ---- the tree ---- */

/** A folder being read. */
struct folder {
	const char *dir;
	const char *dn; /* of the entry above; "": none */
	struct dit_arena arena;
	struct seen *seen;
	long nmodules; /* entries of a kind so far */
	long nothers;
};

/* A name that came before: slapd says nothing and takes the first. */
struct seen {
	struct seen *next;
	struct dit_span norm;
};

static int add_seen(struct folder *folder, struct dit_span norm, bool *ret_is_new)
{
	struct seen *seen = folder->seen;

	while (seen != NULL && !dit_span_eq(seen->norm, norm)) {
		seen = seen->next;
	}
	*ret_is_new = seen == NULL;
	if (seen != NULL) {
		return 0;
	}
	seen = dit_arena_alloc(&folder->arena, sizeof(*seen));
	if (seen == NULL) {
		return -ENOMEM;
	}
	*seen = (struct seen){folder->seen, dit_arena_copy(&folder->arena, norm)};
	folder->seen = seen;
	return seen->norm.data == NULL ? -ENOMEM : 0;
}

/* What stands below an overlay is the overlay's; below others there is nothing. */
static bool has_children(enum dit_conf_entry_kind kind)
{
	return kind == DIT_CONF_ENTRY_GLOBAL || kind == DIT_CONF_ENTRY_SCHEMA ||
	       kind == DIT_CONF_ENTRY_DATABASE;
}

static int run_folder(struct tree *tree, const char *dir, const char *dn);

/*
 * slapd numbers entries by their places, whatever their names say, and shows them so. A
 * module list gets a number behind its own.
 */
static void compose_dn(const struct tree *tree, struct folder *folder,
                       const struct dit_entry *entry, enum dit_conf_entry_kind kind,
                       char *dn, size_t size)
{
	struct dit_span rdn = entry->dn.pretty;
	const char *open = memchr(rdn.data, '{', rdn.len);
	const char *close = memchr(rdn.data, '}', rdn.len);
	const char *comma = *folder->dn == '\0' ? "" : ",";
	long place = folder->nothers;

	if (kind == DIT_CONF_ENTRY_DATABASE) {
		place = (long)tree->parser->settings->ndatabases;
	} else if (kind == DIT_CONF_ENTRY_MODULES) {
		place = folder->nmodules++;
	} else {
		folder->nothers++;
	}
	if (*folder->dn == '\0' || kind == DIT_CONF_ENTRY_OTHER || open == NULL ||
	    close == NULL || strtol(open + 1, NULL, 10) <= place) {
		(void)snprintf(dn, size, "%.*s%s%s", DIT_SPAN_ARGS(rdn), comma,
		               folder->dn);
	} else if (kind == DIT_CONF_ENTRY_MODULES) {
		(void)snprintf(dn, size, "%.*s{%ld},%s", DIT_SPAN_ARGS(rdn), place,
		               folder->dn);
	} else {
		(void)snprintf(dn, size, "%.*s{%ld%.*s,%s", (int)(open - rdn.data),
		               rdn.data, place, (int)(rdn.data + rdn.len - close), close,
		               folder->dn);
	}
}

/* Let the entry act; *ret_dn stays NULL if nothing below it is to be read. */
static int act(struct tree *tree, struct folder *folder, const struct item *item,
               struct dit_arena *arena, const char **ret_dn)
{
	const struct dit_entry *entry = &item->entry;
	enum dit_conf_entry_kind kind = dit_conf_entry_kind(tree->context.schema, entry);
	bool is_root = *folder->dn == '\0';
	bool is_new = false;
	size_t size = entry->dn.pretty.len + strlen(folder->dn) + DN_SPARE;
	char *dn = dit_arena_bytes(arena, size);
	int r = dn == NULL ? -ENOMEM : add_seen(folder, entry->dn.norm, &is_new);

	if (r < 0) {
		return r;
	}
	compose_dn(tree, folder, entry, kind, dn, size);
	if (!is_new) {
		/* Someone's copy of a database's file; slapd says nothing either. */
		tree->parser->message[0] = '\0';
		return kind == DIT_CONF_ENTRY_DATABASE ? 0 : tell_failure(tree, dn);
	}
	if (item->has_unknown && has_own_attributes(entry, kind)) {
		r = check_names(tree, item->record, arena);
	}
	/* The hard-coded schema is there for information. */
	if (r == 0 && strcasecmp(dn, "cn=schema,cn=config") != 0) {
		r = run_entry(tree, entry, kind, dn);
	}
	if (r == 0 && has_children(kind)) {
		/* The first entry is cn=config, whatever its dn line says. */
		*ret_dn = is_root ? "cn=config" : dn;
	}
	return r;
}

/* The entry in DIR/NAME.ldif, then those in DIR/NAME. */
static int run_subtree(struct tree *tree, struct folder *folder, const char *name)
{
	char *path = join(folder->dir, name, DIT_CONF_ENDING);
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
	if (r == 0) {
		r = act(tree, folder, &item, &arena, &dn);
	}
	if (r == 0 && dn != NULL) {
		r = run_folder(tree, below, dn);
	}
	if (r == DIT_E_CONFIG && !tree->is_told) {
		/* slapd's messages name attributes and values, but no file. */
		tree->is_told = true;
		(void)dit_conf_tell(tree->parser, DIT_REPORT_ERROR,
		                    "this entry cannot be read: %s", path);
	}
	dit_arena_deinit(&arena);
	free(path);
	free(below);
	return r;
}

static int run_folder(struct tree *tree, const char *dir, const char *dn)
{
	struct folder folder = {.dir = dir, .dn = dn};
	struct dit_conf_listing listing;
	int r = dit_conf_listing_init(&listing, dir);

	if (r == -ENOMEM) {
		return r;
	}
	if (r < 0) {
		return dit_conf_tell(tree->parser, DIT_REPORT_DIAGNOSTIC,
		                     "=> ldif_search_entry: failed to opendir \"%s\": %s",
		                     dir, strerror(-r));
	}
	dit_arena_init(&folder.arena, ARENA_BLOCK);
	for (size_t i = 0; r == 0 && i < listing.nnames; i++) {
		r = run_subtree(tree, &folder, listing.names[i]);
	}
	dit_arena_deinit(&folder.arena);
	dit_conf_listing_deinit(&listing);
	return r;
}

int dit_conf_read_tree(struct dit_conf_parser *parser, const char *dir)
{
	struct tree tree = {.parser = parser,
	                    .context = {.schema = parser->settings->schema}};
	struct folder root = {.dir = dir, .dn = ""};
	struct dit_span kept = dit_arena_copy(&parser->memory->arena, dit_span_of(dir));
	int r = kept.data == NULL ? -ENOMEM : dit_entry_caches_init(&tree.caches);

	if (r < 0) {
		return r;
	}
	/* Databases, and some messages, name the folder and this line. */
	parser->file = kept.data;
	parser->line = 1;
	dit_arena_init(&root.arena, ARENA_BLOCK);
	r = run_subtree(&tree, &root, "cn=config");
	dit_arena_deinit(&root.arena);
	dit_entry_caches_deinit(&tree.caches);
	return r;
}
