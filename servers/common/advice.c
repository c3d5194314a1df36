/* SPDX-License-Identifier: BSD-2-Clause */
#include "advice.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "figures.h"
#include "run_facts.h"

/* ---- from where on a rule speaks ---- */

/* Too few entries, values or searches say nothing. */
#define ENTRIES_MIN  1000
#define VALUES_MIN   100
#define SEARCHES_MIN 100
/* Present in nearly every entry. */
#define PRESENT_SHARE 0.9
/* An attribute is searched often. */
#define MISSING_SHARE 0.01
#define MISSING_MIN   10
/* How much of maxsize is in use when room gets scarce. */
#define FULL_SHARE 0.8
/* A free list that is worth a copy of the file. */
#define FREE_SHARE 0.25
#define FREE_BYTES ((uint64_t)16 << 20)

#define KINDS_SIZE 40

/* In the order of slapd.conf(5). */
static const char *const kind_names[] = {"pres", "eq", "approx", "sub"};
#define NKINDS (sizeof(kind_names) / sizeof(kind_names[0]))

struct advisor {
	const json_t *check;
	const json_t *config; /* of one file */
	const char *file;
	const char *options;
	json_t *advice;
};

/* One piece in the making. The JSON is taken by advise(). */
struct piece {
	const char *kind;
	json_t *indexes;
	json_t *title;
	json_t *seen;
	json_t *figures;
	const char *why;
	json_t *steps;
};

static void advise(struct advisor *advisor, struct piece piece)
{
	json_t *json =
		json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:o}", "kind", piece.kind,
	                  "file", advisor->file, "indexes", piece.indexes, "title",
	                  piece.title, "seen", piece.seen, "figures", piece.figures,
	                  "why", piece.why, "steps", piece.steps);

	(void)json_array_append_new(advisor->advice, json);
}

static json_t *figure(const char *name, uint64_t value)
{
	return json_pack("{s:I}", name, (json_int_t)value);
}

static json_t *with_figure(json_t *figures, const char *name, uint64_t value)
{
	(void)json_object_set_new(figures, name, json_integer((json_int_t)value));
	return figures;
}

/* ---- facts ---- */

static const json_t *database_of(const struct advisor *advisor, const char *name)
{
	const json_t *databases = json_object_get(advisor->check, "databases");

	for (size_t i = 0; i < json_array_size(databases); i++) {
		const json_t *database = json_array_get(databases, i);

		if (strcmp(fact_text(database, "file"), advisor->file) == 0 &&
		    strcmp(fact_text(database, "database"), name) == 0) {
			return database;
		}
	}
	return NULL;
}

static const json_t *file_of(const struct advisor *advisor)
{
	const json_t *files = json_object_get(advisor->check, "files");

	for (size_t i = 0; i < json_array_size(files); i++) {
		const json_t *file = json_array_get(files, i);

		if (strcmp(fact_text(file, "file"), advisor->file) == 0) {
			return file;
		}
	}
	return NULL;
}

static uint64_t count_entries(const struct advisor *advisor)
{
	return fact_number(database_of(advisor, "id2e"), "entries");
}

static bool has_kind(const json_t *index, const char *kind)
{
	const json_t *kinds = json_object_get(index, "kinds");

	for (size_t i = 0; i < json_array_size(kinds); i++) {
		const char *name = json_string_value(json_array_get(kinds, i));

		if (name != NULL && strcmp(name, kind) == 0) {
			return true;
		}
	}
	return false;
}

/* "pres,eq"; without one of them, if that is not NULL */
static void join_kinds(char ret[KINDS_SIZE], const json_t *index, const char *without)
{
	size_t at = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < NKINDS; i++) {
		if (has_kind(index, kind_names[i]) &&
		    (without == NULL || strcmp(without, kind_names[i]) != 0)) {
			at += (size_t)snprintf(ret + at, KINDS_SIZE - at, "%s%s",
			                       at == 0 ? "" : ",", kind_names[i]);
		}
	}
}

static const json_t *config_indexes(const struct advisor *advisor)
{
	return json_object_get(advisor->config, "indexes");
}

static const json_t *find_index(const struct advisor *advisor, const char *name)
{
	return fact_named(config_indexes(advisor), name);
}

/* slapd itself looks these up, and no log shows that. */
static bool is_slapds_own(const char *name)
{
	return strcasecmp(name, "objectClass") == 0 ||
	       strcasecmp(name, "entryUUID") == 0 || strcasecmp(name, "entryCSN") == 0;
}

/* ---- steps ---- */

static json_t *drop_index(const struct advisor *advisor, const char *name)
{
	return json_pack(
		"[o, o]",
		json_sprintf("remove %s from the \"index\" lines of slapd.conf "
	                     "(in cn=config: from olcDbIndex)",
	                     name),
		json_sprintf("ditindex%s --drop-unconfigured", advisor->options));
}

static json_t *set_kinds(const struct advisor *advisor, const char *name,
                         const char *kinds)
{
	return json_pack("[o, o]",
	                 json_sprintf("configure \"index %s %s\" (in cn=config: "
	                              "\"olcDbIndex: %s %s\")",
	                              name, kinds, name, kinds),
	                 json_sprintf("ditindex%s %s", advisor->options, name));
}

static json_t *without_kind(const struct advisor *advisor, const json_t *index,
                            const char *kind)
{
	char kinds[KINDS_SIZE];

	join_kinds(kinds, index, kind);
	return kinds[0] == '\0' ? drop_index(advisor, fact_text(index, "name"))
	                        : set_kinds(advisor, fact_text(index, "name"), kinds);
}

/* ---- rules of the whole file ---- */

static void advise_size(struct advisor *advisor)
{
	const json_t *file = file_of(advisor);
	uint64_t page = fact_number(file, "page_bytes");
	uint64_t nfree = fact_number(file, "pages_free");
	uint64_t npages = fact_number(file, "pages");
	uint64_t max = fact_number(advisor->config, "maxsize_bytes");
	uint64_t used = (npages - (nfree < npages ? nfree : npages)) * page;
	uint64_t entries = count_entries(advisor);
	uint64_t room = max > used ? max - used : 0;
	uint64_t wanted = (uint64_t)1 << 30;

	if (max == 0 || (double)used < FULL_SHARE * (double)max) {
		return;
	}
	while (wanted < 2 * used && wanted < UINT64_MAX / 4) {
		wanted *= 2;
	}
	advise(advisor,
	       (struct piece){
		       .kind = "maxsize-full",
		       .indexes = json_array(),
		       .title = json_sprintf("maxsize: %s are left of %s",
	                                     figure_bytes(room).text,
	                                     figure_bytes(max).text),
		       .seen = json_sprintf(
			       "%s of maxsize %s are in use (%s). At %s an entry, there "
			       "is room for about %s more entries.",
			       figure_bytes(used).text, figure_bytes(max).text,
			       figure_share((double)used, (double)max).text,
			       figure_bytes(entries == 0 ? 0 : used / entries).text,
			       figure_count(used == 0 ? 0
	                                              : (uint64_t)((double)room /
	                                                           (double)used *
	                                                           (double)entries))
				       .text),
		       .figures = with_figure(figure("used_bytes", used), "maxsize_bytes",
	                                      max),
		       .why = "When the file has this size, slapd refuses every change.",
		       .steps = json_pack(
			       "[o, s]",
			       json_sprintf("configure \"maxsize %llu\" (in cn=config: "
	                                    "\"olcDbMaxSize: %llu\")",
	                                    (unsigned long long)wanted,
	                                    (unsigned long long)wanted),
			       "restart slapd"),
	       });
}

static void advise_free(struct advisor *advisor)
{
	const json_t *file = file_of(advisor);
	uint64_t npages = fact_number(file, "pages");
	uint64_t nfree = fact_number(file, "pages_free");
	uint64_t bytes = nfree * fact_number(file, "page_bytes");
	size_t len = strlen(advisor->file);
	size_t name = sizeof("/data.mdb") - 1;
	bool has_name =
		len > name && strcmp(advisor->file + len - name, "/data.mdb") == 0;

	if (bytes < FREE_BYTES || (double)nfree < FREE_SHARE * (double)npages) {
		return;
	}
	advise(advisor,
	       (struct piece){
		       .kind = "free-large",
		       .indexes = json_array(),
		       .title = json_sprintf("%s of the file are free pages",
	                                     figure_bytes(bytes).text),
		       .seen = json_sprintf(
			       "%s of %s pages (%s) are in the free list.",
			       figure_count(nfree).text, figure_count(npages).text,
			       figure_share((double)nfree, (double)npages).text),
		       .figures =
			       with_figure(figure("pages_free", nfree), "pages", npages),
		       .why = "slapd uses free pages again, but the file never shrinks: "
			      "every copy and backup carries them. Nothing has to be "
			      "done if as many entries come again.",
		       .steps = json_pack(
			       "[s, o, s]", "stop slapd",
			       json_sprintf("mdb_copy -c %.*s NEW-DIRECTORY",
	                                    (int)(has_name ? len - name : len),
	                                    advisor->file),
			       "put the new data.mdb in the place of the old one, with "
			       "the same owner, and start slapd"),
	       });
}

/* ---- rules of the configuration ---- */

static void advise_classes(struct advisor *advisor)
{
	const json_t *index = find_index(advisor, "objectClass");
	char kinds[KINDS_SIZE];

	if (advisor->config == NULL || has_kind(index, "eq")) {
		return;
	}
	join_kinds(kinds, index, NULL);
	advise(advisor,
	       (struct piece){
		       .kind = "class-missing",
		       .indexes = json_pack("[s]", "objectClass"),
		       .title = json_string("objectClass: index it with eq"),
		       .seen = json_sprintf("The configuration has %s for objectClass.",
	                                    index == NULL ? "no index" : "no eq index"),
		       .figures = json_object(),
		       .why = "slapd looks for referrals in nearly every search, by "
			      "(objectClass=referral). Without the index that search "
			      "is one over all entries, whatever else is indexed.",
		       .steps = json_pack(
			       "[o, o]",
			       json_sprintf("configure \"index objectClass %s%seq\" (in "
	                                    "cn=config: olcDbIndex)",
	                                    kinds, kinds[0] == '\0' ? "" : ","),
			       json_sprintf("ditindex%s objectClass", advisor->options)),
	       });
}

static void advise_unconfigured(struct advisor *advisor)
{
	const json_t *databases = json_object_get(advisor->check, "databases");
	json_t *names = json_array();
	uint64_t bytes = 0;

	for (size_t i = 0; i < json_array_size(databases); i++) {
		const json_t *database = json_array_get(databases, i);
		const char *name = fact_text(database, "database");

		if (json_is_true(json_object_get(database, "index")) &&
		    strcmp(fact_text(database, "file"), advisor->file) == 0 &&
		    find_index(advisor, name) == NULL) {
			(void)json_array_append_new(names, json_string(name));
			bytes += fact_number(database, "bytes");
		}
	}
	if (advisor->config == NULL || json_array_size(names) == 0) {
		json_decref(names);
		return;
	}
	advise(advisor,
	       (struct piece){
		       .kind = "index-unconfigured",
		       .indexes = names,
		       .title = json_sprintf("%s stored index%s %s not configured",
	                                     figure_count(json_array_size(names)).text,
	                                     json_array_size(names) == 1 ? "" : "es",
	                                     json_array_size(names) == 1 ? "is" : "are"),
		       .seen = json_sprintf("They take %s.", figure_bytes(bytes).text),
		       .figures = figure("bytes", bytes),
		       .why = "slapd does not keep them up to date. If they were "
			      "configured again, searches would miss entries.",
		       .steps = json_pack("[o]",
	                                  json_sprintf("ditindex%s --drop-unconfigured",
	                                               advisor->options)),
	       });
}

/* ---- rules of an index ---- */

static void advise_ranges(struct advisor *advisor, const json_t *index)
{
	const char *name = fact_text(index, "name");
	const json_t *database = database_of(advisor, name);
	uint64_t keys = fact_number(database, "keys");
	uint64_t bytes = fact_number(database, "bytes");
	json_t *steps = NULL;

	if (keys == 0 || fact_number(database, "ranges") != keys || is_slapds_own(name)) {
		return;
	}
	steps = drop_index(advisor, name);
	(void)json_array_append_new(
		steps,
		json_sprintf("or, for lists in place of ranges: configure \"idlexp "
	                     "%llu\" and run ditindex%s %s",
	                     (unsigned long long)fact_number(advisor->config, "idlexp") +
	                             2,
	                     advisor->options, name));
	advise(advisor,
	       (struct piece){
		       .kind = "ranges-only",
		       .indexes = json_pack("[s]", name),
		       .title = json_sprintf("%s: the index finds nothing", name),
		       .seen = json_sprintf(
			       "%s %s, in %s.",
			       keys == 1 ? "Its only key is a range"
					 : "Every key is a range, not a list of entries:",
			       keys == 1 ? "and no list of entries"
					 : figure_count(keys).text,
			       figure_bytes(bytes).text),
		       .figures = with_figure(figure("keys", keys), "ranges", keys),
		       .why = "A search for such a key looks at every entry between the "
			      "first and the last one that has it. The index saves "
			      "nothing, and slapd looks at it in each search.",
		       .steps = steps,
	       });
}

static void advise_numeric(struct advisor *advisor, const json_t *index)
{
	const char *name = fact_text(index, "name");
	uint64_t values = fact_number(index, "sampled_values");
	uint64_t digits = fact_number(index, "digit_values");
	uint64_t sampled = fact_number(advisor->config, "sampled_entries");
	bool is_numeric = json_is_true(json_object_get(index, "numeric"));
	const json_t *database = database_of(advisor, name);

	if (!has_kind(index, "sub") ||
	    (!is_numeric && (values < VALUES_MIN || digits < values))) {
		return;
	}
	advise(advisor,
	       (struct piece){
		       .kind = "sub-numeric",
		       .indexes = json_pack("[s]", name),
		       .title = json_sprintf("%s: remove sub, the values are numbers",
	                                     name),
		       .seen = is_numeric
	                               ? json_sprintf(
						 "The syntax of %s has numbers alone. "
						 "The index has %s keys in %s.",
						 name,
						 figure_count(
							 fact_number(database, "keys"))
							 .text,
						 figure_bytes(
							 fact_number(database, "bytes"))
							 .text)
	                               : json_sprintf(
						 "All %s values in the first %s entries "
						 "have digits alone. The index has %s "
						 "keys in %s.",
						 figure_count(values).text,
						 figure_count(sampled).text,
						 figure_count(
							 fact_number(database, "keys"))
							 .text,
						 figure_bytes(
							 fact_number(database, "bytes"))
							 .text),
		       .figures = with_figure(figure("sampled_values", values),
	                                      "digit_values", digits),
		       .why = "People look for the whole number, which eq answers. Each "
			      "value has several substring keys, and keys of few digits "
			      "are shared by many entries.",
		       .steps = without_kind(advisor, index, "sub"),
	       });
}

/* Of an index that enough searches could have looked up. */
static bool is_unused(const struct advisor *advisor, const json_t *index,
                      const char *kind)
{
	const json_t *log = json_object_get(advisor->config, "searches");

	return fact_number(log, "counted") >= SEARCHES_MIN &&
	       fact_number(json_object_get(index, "uses"), kind) == 0;
}

static void advise_presence(struct advisor *advisor, const json_t *index)
{
	const char *name = fact_text(index, "name");
	const json_t *presence = json_object_get(database_of(advisor, name), "presence");
	uint64_t present = fact_number(presence, "postings");
	uint64_t entries = count_entries(advisor);
	bool is_range = json_is_true(json_object_get(presence, "range"));

	/* An unused one is told as such. */
	if (!has_kind(index, "pres") || is_unused(advisor, index, "pres") ||
	    entries < ENTRIES_MIN ||
	    (!is_range && (double)present < PRESENT_SHARE * (double)entries)) {
		return;
	}
	advise(advisor,
	       (struct piece){
		       .kind = "pres-everywhere",
		       .indexes = json_pack("[s]", name),
		       .title = json_sprintf("%s: remove pres", name),
		       .seen = is_range ? json_sprintf(
						  "So many entries have %s that its key "
						  "of presence is a range.",
						  name)
	                                : json_sprintf("%s of %s entries have %s (%s).",
	                                               figure_count(present).text,
	                                               figure_count(entries).text, name,
	                                               figure_share((double)present,
	                                                            (double)entries)
	                                                       .text),
		       .figures = with_figure(figure("present", present), "entries",
	                                      entries),
		       .why = "A search for (ATTRIBUTE=*) has to look at nearly all "
			      "entries with the index as without it.",
		       .steps = without_kind(advisor, index, "pres"),
	       });
}

/* All of them in one piece. */
static void advise_empty(struct advisor *advisor)
{
	const json_t *indexes = config_indexes(advisor);
	json_t *names = json_array();
	char first[100] = "";
	uint64_t entries = count_entries(advisor);

	for (size_t i = 0; i < json_array_size(indexes); i++) {
		const char *name = fact_text(json_array_get(indexes, i), "name");

		if (fact_number(database_of(advisor, name), "keys") == 0) {
			(void)json_array_append_new(names, json_string(name));
			(void)snprintf(first, sizeof(first), "%s", name);
		}
	}
	if (entries < ENTRIES_MIN || json_array_size(names) == 0) {
		json_decref(names);
		return;
	}
	advise(advisor,
	       (struct piece){
		       .kind = "index-empty",
		       .indexes = names,
		       .title =
			       json_array_size(names) == 1
				       ? json_sprintf("%s: indexed, and no entry has it",
	                                              first)
				       : json_sprintf("%s attributes are indexed, and no "
	                                              "entry has them",
	                                              figure_count(json_array_size(names))
	                                                      .text),
		       .seen = json_sprintf("No key is in the index, after %s entries.",
	                                    figure_count(entries).text),
		       .figures = figure("entries", entries),
		       .why = "Such an index is of no use, or was configured and never "
			      "built: then searches miss entries.",
		       .steps = json_pack(
			       "[o, o]", json_sprintf("ditindex%s", advisor->options),
			       json_sprintf(
				       "if the index is still empty, and no such "
				       "entries will come: remove the attribute from "
				       "the \"index\" lines, and run ditindex%s "
				       "--drop-unconfigured",
				       advisor->options)),
	       });
}

/* ---- rules of searches ---- */

static void advise_missing(struct advisor *advisor, const json_t *missing,
                           uint64_t nsearches)
{
	const char *name = fact_text(missing, "attribute");
	const char *kind = fact_text(missing, "kind");
	const json_t *index = find_index(advisor, name);
	uint64_t n = fact_number(missing, "searches");
	char kinds[KINDS_SIZE];

	if (n < MISSING_MIN || (double)n < MISSING_SHARE * (double)nsearches) {
		return;
	}
	join_kinds(kinds, index, NULL);
	(void)snprintf(kinds + strlen(kinds), KINDS_SIZE - strlen(kinds), "%s%s",
	               kinds[0] == '\0' ? "" : ",", kind);
	advise(advisor,
	       (struct piece){
		       .kind = "search-unindexed",
		       .indexes = json_pack("[s]", name),
		       .title = json_sprintf("%s: index it with %s", name, kind),
		       .seen = json_sprintf(
			       "%s of %s searches in the log (%s) asked for it, and no "
			       "index narrowed them down.",
			       figure_count(n).text, figure_count(nsearches).text,
			       figure_share((double)n, (double)nsearches).text),
		       .figures = with_figure(figure("searches", n), "searches_all",
	                                      nsearches),
		       .why = "slapd looks at every entry in the scope of such a search.",
		       .steps = set_kinds(advisor, name, kinds),
	       });
}

/* The kinds that no search has looked up; all of them, or one after the other. */
static void advise_unused(struct advisor *advisor, const json_t *index,
                          uint64_t nsearches)
{
	const char *name = fact_text(index, "name");
	const json_t *uses = json_object_get(index, "uses");
	char unused[KINDS_SIZE] = "";
	char kept[KINDS_SIZE] = "";

	for (size_t i = 0; i < NKINDS; i++) {
		char *list = fact_number(uses, kind_names[i]) == 0 ? unused : kept;

		if (has_kind(index, kind_names[i])) {
			(void)snprintf(list + strlen(list), KINDS_SIZE - strlen(list),
			               "%s%s", list[0] == '\0' ? "" : ",", kind_names[i]);
		}
	}
	if (unused[0] == '\0' || is_slapds_own(name) ||
	    count_entries(advisor) < ENTRIES_MIN ||
	    fact_number(database_of(advisor, name), "keys") == 0) {
		return;
	}
	advise(advisor,
	       (struct piece){
		       .kind = "index-unused",
		       .indexes = json_pack("[s]", name),
		       .title = json_sprintf("%s: no search used %s", name,
	                                     kept[0] == '\0' ? "the index" : unused),
		       .seen = json_sprintf(
			       "None of %s searches in the log looked up %s of %s; the "
			       "index takes %s.",
			       figure_count(nsearches).text, unused, name,
			       figure_bytes(
				       fact_number(database_of(advisor, name), "bytes"))
				       .text),
		       .figures = figure("searches_all", nsearches),
		       .why = "Each change of an entry pays for its indexes. Look first "
			      "whether the log is long enough, and whether overlays "
			      "(refint, unique, memberof) or access rules look the "
			      "attribute up: those searches are in no log.",
		       .steps = kept[0] == '\0' ? drop_index(advisor, name)
	                                        : set_kinds(advisor, name, kept),
	       });
}

/* ---- the whole ---- */

static void advise_of_log(struct advisor *advisor)
{
	const json_t *log = json_object_get(advisor->config, "searches");
	const json_t *missing = json_object_get(log, "missing");
	uint64_t n = fact_number(log, "counted");

	for (size_t i = 0; i < json_array_size(missing) && n >= SEARCHES_MIN; i++) {
		advise_missing(advisor, json_array_get(missing, i), n);
	}
}

static void advise_of_indexes(struct advisor *advisor)
{
	const json_t *log = json_object_get(advisor->config, "searches");
	const json_t *indexes = config_indexes(advisor);
	uint64_t n = fact_number(log, "counted");

	for (size_t i = 0; i < json_array_size(indexes); i++) {
		advise_ranges(advisor, json_array_get(indexes, i));
	}
	for (size_t i = 0; i < json_array_size(indexes); i++) {
		advise_numeric(advisor, json_array_get(indexes, i));
	}
	for (size_t i = 0; i < json_array_size(indexes); i++) {
		advise_presence(advisor, json_array_get(indexes, i));
	}
	for (size_t i = 0; i < json_array_size(indexes) && n >= SEARCHES_MIN; i++) {
		advise_unused(advisor, json_array_get(indexes, i), n);
	}
}

static const json_t *config_of(const json_t *check, const char *file)
{
	const json_t *configs = json_object_get(check, "configuration");

	for (size_t i = 0; i < json_array_size(configs); i++) {
		const json_t *config = json_array_get(configs, i);

		if (strcmp(fact_text(config, "file"), file) == 0) {
			return config;
		}
	}
	return NULL;
}

json_t *advice_make(const json_t *check, const char *options)
{
	const json_t *files = json_object_get(check, "files");
	struct advisor advisor = {
		.check = check, .options = options, .advice = json_array()};

	for (size_t i = 0; i < json_array_size(files) && advisor.advice != NULL; i++) {
		advisor.file = fact_text(json_array_get(files, i), "file");
		advisor.config = config_of(check, advisor.file);
		advise_size(&advisor);
		advise_classes(&advisor);
		advise_of_log(&advisor);
		advise_of_indexes(&advisor);
		advise_empty(&advisor);
		advise_unconfigured(&advisor);
		advise_free(&advisor);
	}
	return advisor.advice;
}
