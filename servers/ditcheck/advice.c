/* SPDX-License-Identifier: BSD-2-Clause */
#include "advice.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "figures.h"
#include "run_facts.h"

/* ---- from where on a rule speaks ---- */

/* Fewer say nothing. */
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

/* In the order of slapd.conf(5); a set of them has a bit for each. */
static const char *const kind_names[] = {"pres", "eq", "approx", "sub"};
#define NKINDS    (sizeof(kind_names) / sizeof(kind_names[0]))
#define ALL       ((1u << NKINDS) - 1)
#define KIND_PRES (1u << 0)
#define KIND_EQ   (1u << 1)
#define KIND_SUB  (1u << 3)
/* An "index" line ends after so many bytes of names, so that it can be copied. */
#define LINE_NAMES 50

struct advisor {
	const json_t *check;
	const json_t *config;  /* of one file */
	const json_t *indexes; /* of config */
	const char *file;
	const char *options;
	json_t *plan;     /* of this file: {"cn": a set of kinds}, when all is followed */
	uint64_t maxsize; /* likewise; 0: as it is */
	json_t *advice;
	size_t nurgent; /* pieces before those that are ranked by what they save */
};

/* One piece in the making. Nothing is told if nothing was seen. */
struct piece {
	FILE *seen;
	json_t *names;
	json_t *plan; /* of these indexes, when the piece is followed */
	json_t *figures;
	json_t *steps; /* before those of the plan */
};

struct rule {
	const char *kind;
	const char *title;
	void (*look)(struct advisor *advisor, struct piece *piece);
	/* Or of each index: which kinds are not worth their cost; 0: silent. */
	unsigned (*look_at)(const struct advisor *advisor, const json_t *index,
	                    FILE *seen);
	const char *why;
	const char *also; /* another way; NULL: none */
	bool is_urgent;   /* before what saves room */
};

static void set_figure(struct piece *piece, const char *name, uint64_t value)
{
	(void)json_object_set_new(piece->figures, name, json_integer((json_int_t)value));
}

static void add(json_t *array, json_t *item)
{
	(void)json_array_append_new(array, item);
}

/* "pager, fax" */
static void add_name(struct piece *piece, const char *name)
{
	(void)fprintf(piece->seen, "%s%s", json_array_size(piece->names) == 0 ? "" : ", ",
	              name);
	add(piece->names, json_string(name));
}

/* ---- facts ---- */

/* The object of this file in an array of the check. Name: of a database, or NULL */
static const json_t *find_of_file(const struct advisor *advisor, const char *array,
                                  const char *name)
{
	const json_t *objects = json_object_get(advisor->check, array);

	for (size_t i = 0; i < json_array_size(objects); i++) {
		const json_t *object = json_array_get(objects, i);

		if (strcmp(fact_text(object, "file"), advisor->file) == 0 &&
		    (name == NULL || strcmp(fact_text(object, "database"), name) == 0)) {
			return object;
		}
	}
	return NULL;
}

static const json_t *database_of(const struct advisor *advisor, const char *name)
{
	return find_of_file(advisor, "databases", name);
}

static uint64_t count_entries(const struct advisor *advisor)
{
	return fact_number(database_of(advisor, "id2e"), "entries");
}

static unsigned bit_of(const char *kind)
{
	unsigned bit = 0;

	for (size_t k = 0; k < NKINDS; k++) {
		bit |= strcmp(kind, kind_names[k]) == 0 ? 1u << k : 0;
	}
	return bit;
}

/* The kinds of a configured index. */
static unsigned kinds_of(const json_t *index)
{
	const json_t *kinds = json_object_get(index, "kinds");
	unsigned set = 0;

	for (size_t i = 0; i < json_array_size(kinds); i++) {
		const char *name = json_string_value(json_array_get(kinds, i));

		set |= name == NULL ? 0 : bit_of(name);
	}
	return set;
}

/* "pres,eq" */
static struct figure name_kinds(unsigned set)
{
	struct figure names = {""};
	size_t at = 0;

	for (size_t k = 0; k < NKINDS; k++) {
		if ((set & 1u << k) != 0) {
			at += (size_t)snprintf(names.text + at, sizeof(names.text) - at,
			                       "%s%s", at == 0 ? "" : ",", kind_names[k]);
		}
	}
	return names;
}

static const json_t *find_index(const struct advisor *advisor, const char *name)
{
	return fact_named(advisor->indexes, name);
}

/* slapd itself looks these up, and no log shows that. */
static bool is_slapds_own(const char *name)
{
	return strcasecmp(name, "objectClass") == 0 ||
	       strcasecmp(name, "entryUUID") == 0 || strcasecmp(name, "entryCSN") == 0;
}

/* ---- steps ---- */

static void set_kinds(json_t *plan, const char *name, unsigned kinds)
{
	(void)json_object_set_new(plan, name, json_integer(kinds));
}

/* "index cn,sn eq,sub" for all of a set of kinds. @param pattern  of a line */
static void put_lines(json_t *lines, json_t *plan, unsigned set, const char *pattern)
{
	const char *name = NULL;
	json_t *kinds = NULL;
	char names[2 * LINE_NAMES + 512] = "";

	json_object_foreach(plan, name, kinds)
	{
		size_t len = strlen(names);

		if ((unsigned)json_integer_value(kinds) != set) {
			continue;
		}
		if (len > 0 && len + strlen(name) > LINE_NAMES) {
			add(lines, json_sprintf(pattern, names, name_kinds(set).text));
			len = 0;
		}
		(void)snprintf(names + len, sizeof(names) - len, "%s%s",
		               len == 0 ? "" : ",", name);
	}
	if (names[0] != '\0') {
		add(lines, json_sprintf(pattern, names, name_kinds(set).text));
	}
}

/* The configuration for the indexes of a plan, and the command. */
static void put_steps(const struct advisor *advisor, struct piece *piece)
{
	const char *name = NULL;
	json_t *kinds = NULL;
	char names[512] = "";
	size_t at = 0;
	bool drops = false;

	for (unsigned set = 1; set <= ALL; set++) {
		put_lines(piece->steps, piece->plan, set, "configure \"index %s %s\"");
	}
	put_lines(piece->steps, piece->plan, 0, "remove %s from the \"index\" lines%s");
	json_object_foreach(piece->plan, name, kinds)
	{
		drops |= json_integer_value(kinds) == 0 || at >= sizeof(names) / 2;
		at += drops ? 0
		            : (size_t)snprintf(names + at, sizeof(names) - at, " %s",
		                               name);
	}
	if (json_object_size(piece->plan) > 0) {
		add(piece->steps, json_sprintf("ditindex%s%s", advisor->options,
		                               drops ? " --drop-unconfigured" : names));
	}
}

/* ---- rules of the whole file ---- */

static void look_at_size(struct advisor *advisor, struct piece *piece)
{
	const json_t *file = find_of_file(advisor, "files", NULL);
	uint64_t nfree = fact_number(file, "pages_free");
	uint64_t npages = fact_number(file, "pages");
	uint64_t max = fact_number(advisor->config, "maxsize_bytes");
	uint64_t used = (npages - (nfree < npages ? nfree : npages)) *
	                fact_number(file, "page_bytes");
	uint64_t entries = count_entries(advisor);
	uint64_t room = max > used ? max - used : 0;
	double more = used == 0 ? 0 : (double)room / (double)used * (double)entries;

	if (max == 0 || (double)used < FULL_SHARE * (double)max) {
		return;
	}
	for (advisor->maxsize = (uint64_t)1 << 30;
	     advisor->maxsize < 2 * used && advisor->maxsize < UINT64_MAX / 4;) {
		advisor->maxsize *= 2;
	}
	(void)fprintf(piece->seen,
	              "%s of maxsize %s are in use (%s). At %s an entry, there is room "
	              "for about %s more entries",
	              figure_bytes(used).text, figure_bytes(max).text,
	              figure_share((double)used, (double)max).text,
	              figure_bytes(entries == 0 ? 0 : used / entries).text,
	              figure_count((uint64_t)more).text);
	set_figure(piece, "used_bytes", used);
	set_figure(piece, "maxsize_bytes", max);
	add(piece->steps, json_sprintf("configure \"maxsize %llu\" (in cn=config: "
	                               "olcDbMaxSize)",
	                               (unsigned long long)advisor->maxsize));
	add(piece->steps, json_string("restart slapd"));
}

static void look_at_free(struct advisor *advisor, struct piece *piece)
{
	const json_t *file = find_of_file(advisor, "files", NULL);
	uint64_t npages = fact_number(file, "pages");
	uint64_t nfree = fact_number(file, "pages_free");
	uint64_t bytes = nfree * fact_number(file, "page_bytes");
	const char *slash = strrchr(advisor->file, '/');
	bool has_name = slash != NULL && strcmp(slash, "/data.mdb") == 0;

	if (bytes < FREE_BYTES || (double)nfree < FREE_SHARE * (double)npages) {
		return;
	}
	(void)fprintf(piece->seen, "%s of %s pages (%s) are in the free list",
	              figure_count(nfree).text, figure_count(npages).text,
	              figure_share((double)nfree, (double)npages).text);
	set_figure(piece, "pages_free", nfree);
	set_figure(piece, "pages", npages);
	set_figure(piece, "saves_bytes", bytes);
	add(piece->steps, json_string("stop slapd"));
	add(piece->steps, json_sprintf("mdb_copy -c %.*s NEW-DIRECTORY",
	                               has_name ? (int)(slash - advisor->file)
	                                        : (int)strlen(advisor->file),
	                               advisor->file));
	add(piece->steps, json_string("put the new data.mdb in the place of the old one, "
	                              "with the same owner"));
	add(piece->steps, json_string("start slapd"));
}

static void look_at_classes(struct advisor *advisor, struct piece *piece)
{
	const json_t *index = find_index(advisor, "objectClass");
	unsigned kinds = kinds_of(index);

	if (advisor->config != NULL && (kinds & KIND_EQ) == 0) {
		(void)fprintf(piece->seen, "The configuration has %s for objectClass",
		              index == NULL ? "no index" : "no eq index");
		set_kinds(piece->plan, "objectClass", kinds | KIND_EQ);
	}
}

static void look_at_stored(struct advisor *advisor, struct piece *piece)
{
	const json_t *databases = json_object_get(advisor->check, "databases");
	uint64_t bytes = 0;

	for (size_t i = 0; i < json_array_size(databases) && advisor->config != NULL;
	     i++) {
		const json_t *database = json_array_get(databases, i);
		const char *name = fact_text(database, "database");

		if (json_is_true(json_object_get(database, "index")) &&
		    strcmp(fact_text(database, "file"), advisor->file) == 0 &&
		    find_index(advisor, name) == NULL) {
			add_name(piece, name);
			bytes += fact_number(database, "bytes");
		}
	}
	if (json_array_size(piece->names) > 0) {
		(void)fprintf(piece->seen, ": %s", figure_bytes(bytes).text);
		set_figure(piece, "saves_bytes", bytes);
		add(piece->steps,
		    json_sprintf("ditindex%s --drop-unconfigured", advisor->options));
	}
}

static void look_at_empty(struct advisor *advisor, struct piece *piece)
{
	uint64_t entries = count_entries(advisor);

	for (size_t i = 0;
	     i < json_array_size(advisor->indexes) && entries >= ENTRIES_MIN; i++) {
		const char *name = fact_text(json_array_get(advisor->indexes, i), "name");

		if (fact_number(database_of(advisor, name), "keys") == 0) {
			add_name(piece, name);
		}
	}
	if (json_array_size(piece->names) > 0) {
		(void)fprintf(piece->seen, ": no key, after %s entries",
		              figure_count(entries).text);
		set_figure(piece, "entries", entries);
		add(piece->steps, json_sprintf("ditindex%s", advisor->options));
		add(piece->steps, json_string("if they stay empty, remove them from the "
		                              "\"index\" lines, and run"));
		add(piece->steps,
		    json_sprintf("ditindex%s --drop-unconfigured", advisor->options));
	}
}

/* Attributes that searches asked for, the most searches first. */
static void look_at_missing(struct advisor *advisor, struct piece *piece)
{
	const json_t *log = json_object_get(advisor->config, "searches");
	const json_t *missing = json_object_get(log, "missing");
	uint64_t nsearches = fact_number(log, "counted");
	uint64_t sum = 0;

	for (size_t i = 0; i < json_array_size(missing) && nsearches >= SEARCHES_MIN;
	     i++) {
		const json_t *one = json_array_get(missing, i);
		const char *name = fact_text(one, "attribute");
		const char *kind = fact_text(one, "kind");
		uint64_t n = fact_number(one, "searches");

		if (n < MISSING_MIN || (double)n < MISSING_SHARE * (double)nsearches) {
			continue;
		}
		(void)fprintf(piece->seen, "%s%s: %s, in %s of %s searches (%s)",
		              sum == 0 ? "" : "; ", name, kind, figure_count(n).text,
		              figure_count(nsearches).text,
		              figure_share((double)n, (double)nsearches).text);
		sum += n;
		set_kinds(piece->plan, name,
		          (unsigned)fact_number(piece->plan, name) |
		                  kinds_of(find_index(advisor, name)) | bit_of(kind));
		set_figure(piece, "searches", sum);
		set_figure(piece, "searches_all", nsearches);
	}
}

/* ---- rules of each index ---- */

/* For an index that enough searches could have looked up. */
static bool is_unused(const struct advisor *advisor, const json_t *index, size_t kind)
{
	const json_t *log = json_object_get(advisor->config, "searches");

	return fact_number(log, "counted") >= SEARCHES_MIN &&
	       fact_number(json_object_get(index, "uses"), kind_names[kind]) == 0;
}

static unsigned find_ranges(const struct advisor *advisor, const json_t *index,
                            FILE *seen)
{
	const json_t *database = database_of(advisor, fact_text(index, "name"));
	uint64_t keys = fact_number(database, "keys");

	if (keys == 0 || fact_number(database, "ranges") != keys ||
	    is_slapds_own(fact_text(index, "name"))) {
		return 0;
	}
	(void)fprintf(seen, "%s key%s, all ranges, in %s", figure_count(keys).text,
	              keys == 1 ? "" : "s",
	              figure_bytes(fact_number(database, "bytes")).text);
	return ALL;
}

static unsigned find_numbers(const struct advisor *advisor, const json_t *index,
                             FILE *seen)
{
	const json_t *database = database_of(advisor, fact_text(index, "name"));
	uint64_t values = fact_number(index, "sampled_values");

	if (json_is_true(json_object_get(index, "numeric"))) {
		(void)fputs("the syntax has numbers alone", seen);
	} else if (values >= VALUES_MIN && fact_number(index, "digit_values") == values) {
		(void)fprintf(
			seen, "all %s values in the first %s entries are digits",
			figure_count(values).text,
			figure_count(fact_number(advisor->config, "sampled_entries"))
				.text);
	} else {
		return 0;
	}
	(void)fprintf(seen, ", %s keys in %s",
	              figure_count(fact_number(database, "keys")).text,
	              figure_bytes(fact_number(database, "bytes")).text);
	return KIND_SUB;
}

static unsigned find_presence(const struct advisor *advisor, const json_t *index,
                              FILE *seen)
{
	const json_t *presence = json_object_get(
		database_of(advisor, fact_text(index, "name")), "presence");
	uint64_t present = fact_number(presence, "postings");
	uint64_t entries = count_entries(advisor);

	/* An unused one is told as such. */
	if (is_unused(advisor, index, 0) || entries < ENTRIES_MIN) {
		return 0;
	}
	if (json_is_true(json_object_get(presence, "range"))) {
		(void)fputs("its key of presence is a range", seen);
		return KIND_PRES;
	}
	if ((double)present < PRESENT_SHARE * (double)entries) {
		return 0;
	}
	(void)fprintf(seen, "%s of %s entries have it (%s)", figure_count(present).text,
	              figure_count(entries).text,
	              figure_share((double)present, (double)entries).text);
	return KIND_PRES;
}

/* The kinds that no search has looked up; all of them, or one after the other. */
static unsigned find_unused(const struct advisor *advisor, const json_t *index,
                            FILE *seen)
{
	const char *name = fact_text(index, "name");
	const json_t *database = database_of(advisor, name);
	unsigned unused = 0;

	for (size_t k = 0; k < NKINDS; k++) {
		unused |= is_unused(advisor, index, k) ? kinds_of(index) & 1u << k : 0;
	}
	if (unused == 0 || is_slapds_own(name) || count_entries(advisor) < ENTRIES_MIN ||
	    fact_number(database, "keys") == 0) {
		return 0;
	}
	(void)fprintf(
		seen, "%s, in none of %s searches; the index takes %s",
		name_kinds(unused).text,
		figure_count(fact_number(json_object_get(advisor->config, "searches"),
	                                 "counted"))
			.text,
		figure_bytes(fact_number(database, "bytes")).text);
	return unused;
}

/* clang-format off */
static const struct rule rules[] = {
	{"maxsize-full", "raise maxsize", look_at_size, NULL,
	 "When the file has this size, slapd refuses every change.", NULL, true},
	{"class-missing", "index objectClass with eq", look_at_classes, NULL,
	 "slapd looks for referrals in nearly every search, by (objectClass=referral). "
	 "Without the index that search is one over all entries, whatever else is indexed.",
	 NULL, true},
	{"search-unindexed", "index what is searched", look_at_missing, NULL,
	 "slapd looks at every entry in the scope of such a search.", NULL, true},
	{"ranges-only", "remove indexes that find nothing", NULL, find_ranges,
	 "A search for such a key looks at every entry between the first and the last one "
	 "that has it. The index saves nothing, and slapd looks at it in each search.",
	 "or, for lists in place of ranges: configure a higher \"idlexp\", and run ditindex "
	 "for them", false},
	{"sub-numeric", "remove sub where values are numbers", NULL, find_numbers,
	 "People look for the whole number, which eq answers. Each value has several "
	 "substring keys, and keys of few digits are shared by many entries.", NULL, false},
	{"pres-everywhere", "remove pres where nearly every entry has the attribute", NULL,
	 find_presence,
	 "A search for (ATTRIBUTE=*) has to look at nearly all entries with the index as "
	 "without it.", NULL, false},
	{"index-unused", "remove what no search used", NULL, find_unused,
	 "Each change of an entry pays for its indexes. Look first whether the log is long "
	 "enough, and whether overlays (refint, unique, memberof) or access rules look the "
	 "attribute up: those searches are in no log.", NULL, false},
	{"index-empty", "build or remove indexes that are empty", look_at_empty, NULL,
	 "Such an index is of no use, or was configured and never built: then searches miss "
	 "entries.", NULL, false},
	{"index-unconfigured", "drop indexes that are not configured", look_at_stored, NULL,
	 "slapd does not keep them up to date. If they were configured again, searches would "
	 "miss entries.", NULL, false},
	{"free-large", "copy the file without its free pages", look_at_free, NULL,
	 "slapd uses free pages again, but the file never shrinks: every copy and backup "
	 "carries them. Nothing has to be done if as many entries come again.", NULL, false},
};
/* clang-format on */

/* ---- pieces ---- */

/* "cn: what was seen; sn: ..." */
static void look_at_each(struct advisor *advisor, const struct rule *rule,
                         struct piece *piece)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < json_array_size(advisor->indexes); i++) {
		const json_t *index = json_array_get(advisor->indexes, i);
		const char *name = fact_text(index, "name");
		char *text = NULL;
		size_t size = 0;
		FILE *seen = open_memstream(&text, &size);
		unsigned removed = seen == NULL ? 0
		                                : rule->look_at(advisor, index, seen) &
		                                          kinds_of(index);

		if (seen != NULL && fclose(seen) == 0 && removed != 0) {
			(void)fprintf(piece->seen, "%s%s: %s",
			              json_object_size(piece->plan) == 0 ? "" : "; ",
			              name, text);
			set_kinds(piece->plan, name, kinds_of(index) & ~removed);
			/* At most: what the keys of each kind take is not known. */
			bytes += removed == KIND_PRES
			                 ? 0
			                 : fact_number(database_of(advisor, name),
			                               "bytes");
			set_figure(piece, "saves_bytes", bytes);
		}
		free(text);
	}
}

/* The plan of a piece changes that of the file: by the kinds that come or go. */
static void follow(struct advisor *advisor, struct piece *piece)
{
	const char *name = NULL;
	json_t *kinds = NULL;

	json_object_foreach(piece->plan, name, kinds)
	{
		unsigned now = kinds_of(find_index(advisor, name));
		unsigned then = (unsigned)json_integer_value(kinds);
		unsigned all = (unsigned)fact_number(advisor->plan, name);

		add(piece->names, json_string(name));
		set_kinds(advisor->plan, name, (all & ~(now & ~then)) | (then & ~now));
	}
}

static uint64_t saving_of(const json_t *piece)
{
	return fact_number(json_object_get(piece, "figures"), "saves_bytes");
}

/* Those that are urgent first, then before the pieces that save less. */
static void insert(struct advisor *advisor, const struct rule *rule, json_t *piece)
{
	size_t at = json_array_size(advisor->advice);

	while (at > advisor->nurgent && !rule->is_urgent &&
	       saving_of(json_array_get(advisor->advice, at - 1)) < saving_of(piece)) {
		at--;
	}
	(void)json_array_insert_new(advisor->advice, at, piece);
	advisor->nurgent += rule->is_urgent ? 1 : 0;
}

static void advise(struct advisor *advisor, const struct rule *rule)
{
	char *text = NULL;
	size_t size = 0;
	struct piece piece = {.seen = open_memstream(&text, &size),
	                      .names = json_array(),
	                      .plan = json_object(),
	                      .figures = json_object(),
	                      .steps = json_array()};

	if (piece.seen != NULL && rule->look != NULL) {
		rule->look(advisor, &piece);
	} else if (piece.seen != NULL) {
		look_at_each(advisor, rule, &piece);
	}
	if (piece.seen != NULL && fclose(piece.seen) == 0 && size > 0) {
		follow(advisor, &piece);
		put_steps(advisor, &piece);
		if (rule->also != NULL) {
			add(piece.steps, json_string(rule->also));
		}
		insert(advisor, rule,
		       json_pack("{s:s, s:s, s:O, s:s, s:o, s:O, s:s, s:O}", "kind",
		                 rule->kind, "file", advisor->file, "indexes",
		                 piece.names, "title", rule->title, "seen",
		                 json_sprintf("%s.", text), "figures", piece.figures,
		                 "why", rule->why, "steps", piece.steps));
	}
	free(text);
	json_decref(piece.names);
	json_decref(piece.plan);
	json_decref(piece.figures);
	json_decref(piece.steps);
}

/* ---- the whole ---- */

/* The configuration of now. */
static json_t *plan_of(const struct advisor *advisor)
{
	json_t *plan = json_object();

	for (size_t i = 0; i < json_array_size(advisor->indexes); i++) {
		const json_t *index = json_array_get(advisor->indexes, i);

		set_kinds(plan, fact_text(index, "name"), kinds_of(index));
	}
	return plan;
}

/* The configuration with all of the advice: a block to copy; NULL: as it is. */
static json_t *configuration(const struct advisor *advisor)
{
	json_t *before = plan_of(advisor);
	bool is_same = json_equal(before, advisor->plan) == 1;
	json_t *lines = json_array();

	json_decref(before);
	for (unsigned set = 1; set <= ALL && !is_same; set++) {
		put_lines(lines, advisor->plan, set, "index %s %s");
	}
	if (advisor->maxsize > 0) {
		add(lines,
		    json_sprintf("maxsize %llu", (unsigned long long)advisor->maxsize));
	}
	if (json_array_size(lines) == 0) {
		json_decref(lines);
		return NULL;
	}
	return json_pack("{s:s, s:o, s:o}", "file", advisor->file, "lines", lines,
	                 "command",
	                 is_same ? json_string("restart slapd")
	                         : json_sprintf("ditindex%s --drop-unconfigured",
	                                        advisor->options));
}

static void advise_file(struct advisor *advisor, json_t *configurations)
{
	json_t *block = NULL;

	advisor->config = find_of_file(advisor, "configuration", NULL);
	advisor->indexes = json_object_get(advisor->config, "indexes");
	advisor->plan = plan_of(advisor);
	advisor->maxsize = 0;
	advisor->nurgent = json_array_size(advisor->advice);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		advise(advisor, &rules[i]);
	}
	block = configuration(advisor);
	if (block != NULL) {
		add(configurations, block);
	}
	json_decref(advisor->plan);
}

json_t *advice_make(const json_t *check, const char *options)
{
	const json_t *files = json_object_get(check, "files");
	json_t *configurations = json_array();
	struct advisor advisor = {
		.check = check, .options = options, .advice = json_array()};

	for (size_t i = 0; i < json_array_size(files) && advisor.advice != NULL; i++) {
		advisor.file = fact_text(json_array_get(files, i), "file");
		advise_file(&advisor, configurations);
	}
	return json_pack("{s:o, s:o}", "advice", advisor.advice, "advised",
	                 configurations);
}
