/* SPDX-License-Identifier: BSD-2-Clause */
#include "advice.h"

#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "patterns.h"
#include "run_facts.h"

/* Fewer searches say nothing about what they do not use. */
#define SEARCHES_MIN 100
/* An "index" line ends after so many bytes of names, so that it can be copied. */
#define LINE_NAMES 50

const char *const advice_kind_names[ADVICE_NKINDS] = {"pres", "eq", "approx", "sub"};

/* The advice about one file. */
struct advisor {
	const char *file;
	const char *options; /* of the configuration, for commands */
	const json_t *databases;
	const json_t *config;
	const json_t *indexes;       /* of the configuration */
	struct advice_facts of_file; /* what all facts are made from */
	struct advice_facts *facts;  /* owned; room for all */
	size_t nfacts;
	json_t *plan;        /* {"cn": a set of kinds}, when all is followed */
	bool raises_maxsize; /* likewise */
	json_t *advice;      /* of all files */
	size_t nurgent;      /* pieces before those that are ranked by what they save */
};

/* One piece in the making. */
struct piece {
	const struct advice_rule *rule;
	FILE *seen;
	size_t nseen;
	struct advice_facts
		sum; /* the facts of the file, bytes and searches of what was seen */
	json_t *names;
	json_t *plan; /* of these indexes, when the piece is followed */
	json_t *steps;
};

static void add(json_t *array, json_t *item)
{
	(void)json_array_append_new(array, item);
}

/* ---- kinds ---- */

static unsigned bit_of(const char *kind)
{
	unsigned bit = 0;

	for (size_t k = 0; k < ADVICE_NKINDS; k++) {
		bit |= strcmp(kind, advice_kind_names[k]) == 0 ? 1u << k : 0;
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

	for (size_t k = 0; k < ADVICE_NKINDS; k++) {
		if ((set & 1u << k) != 0) {
			at += (size_t)snprintf(names.text + at, sizeof(names.text) - at,
			                       "%s%s", at == 0 ? "" : ",",
			                       advice_kind_names[k]);
		}
	}
	return names;
}

/* ---- facts out of the JSON ---- */

/* The object of a file in an array. Name: of a database, or NULL */
static const json_t *find_of_file(const json_t *objects, const char *file,
                                  const char *name)
{
	for (size_t i = 0; i < json_array_size(objects); i++) {
		const json_t *object = json_array_get(objects, i);

		if (strcmp(fact_text(object, "file"), file) == 0 &&
		    (name == NULL || strcmp(fact_text(object, "database"), name) == 0)) {
			return object;
		}
	}
	return NULL;
}

static struct advice_facts file_facts(const struct advisor *advisor, const json_t *file)
{
	const json_t *searches = json_object_get(advisor->config, "searches");
	const json_t *id2e = find_of_file(advisor->databases, advisor->file, "id2e");
	uint64_t page_bytes = fact_number(file, "page_bytes");
	struct advice_facts f = {
		.name = "",
		.configured = advisor->config != NULL,
		.entries = fact_number(id2e, "entries"),
		.sampled = fact_number(advisor->config, "sampled_entries"),
		.counted = fact_number(searches, "counted"),
		.pages = fact_number(file, "pages"),
		.pages_free = fact_number(file, "pages_free"),
		.maxsize_bytes = fact_number(advisor->config, "maxsize_bytes"),
		.raised_bytes = (uint64_t)1 << 30,
	};

	f.free_bytes = f.pages_free * page_bytes;
	f.used_bytes = f.pages_free < f.pages ? (f.pages - f.pages_free) * page_bytes : 0;
	f.entry_bytes = f.entries == 0 ? 0 : f.used_bytes / f.entries;
	if (f.used_bytes > 0 && f.maxsize_bytes > f.used_bytes) {
		f.more = (uint64_t)((double)(f.maxsize_bytes - f.used_bytes) /
		                    (double)f.used_bytes * (double)f.entries);
	}
	while (f.raised_bytes < 2 * f.used_bytes && f.raised_bytes < UINT64_MAX / 4) {
		f.raised_bytes *= 2;
	}
	return f;
}

/* Then search-unindexed advises the kind where it is missing. */
static bool is_often(uint64_t nsearches, uint64_t counted)
{
	return nsearches >= 10 && 100 * nsearches >= counted;
}

/* One more, about an attribute: its index in the configuration and in the file. */
static struct advice_facts *add_facts(struct advisor *advisor, enum advice_of of,
                                      const char *name)
{
	const json_t *database = find_of_file(advisor->databases, advisor->file, name);
	const json_t *presence = json_object_get(database, "presence");
	const json_t *index = fact_named(advisor->indexes, name);
	const json_t *uses = json_object_get(index, "uses");
	struct advice_facts *f = &advisor->facts[advisor->nfacts++];

	*f = advisor->of_file;
	f->of = of;
	f->name = name;
	f->kinds = kinds_of(index);
	for (size_t k = 0; k < ADVICE_NKINDS && f->counted >= SEARCHES_MIN; k++) {
		uint64_t n = fact_number(uses, advice_kind_names[k]);

		f->unused |= n == 0 ? f->kinds & 1u << k : 0;
		f->wanted |= is_often(n, f->counted) ? f->kinds & 1u << k : 0;
	}
	f->numeric = json_is_true(json_object_get(index, "numeric"));
	f->own = strcasecmp(name, "objectClass") == 0 ||
	         strcasecmp(name, "entryUUID") == 0 || strcasecmp(name, "entryCSN") == 0;
	f->presence_range = json_is_true(json_object_get(presence, "range"));
	f->present = fact_number(presence, "postings");
	f->values = fact_number(index, "sampled_values");
	f->digits = fact_number(index, "digit_values");
	f->keys = fact_number(database, "keys");
	f->ranges = fact_number(database, "ranges");
	f->bytes = fact_number(database, "bytes");
	return f;
}

/* All but those of the file. Those about searches come with the most searches first. */
static void gather(struct advisor *advisor, const json_t *missing)
{
	size_t n = json_array_size(advisor->indexes);

	(void)add_facts(advisor, OF_CLASS, "objectClass");
	for (size_t i = 0; i < n; i++) {
		(void)add_facts(advisor, OF_INDEX,
		                fact_text(json_array_get(advisor->indexes, i), "name"));
	}
	for (size_t i = 0; i < json_array_size(missing); i++) {
		const json_t *one = json_array_get(missing, i);
		struct advice_facts *f =
			add_facts(advisor, OF_SEARCH, fact_text(one, "attribute"));

		f->searches = fact_number(one, "searches");
		f->wanted = bit_of(fact_text(one, "kind"));
	}
	for (size_t i = 0; i < json_array_size(advisor->databases); i++) {
		const json_t *database = json_array_get(advisor->databases, i);
		const char *name = fact_text(database, "database");

		if (json_is_true(json_object_get(database, "index")) &&
		    strcmp(fact_text(database, "file"), advisor->file) == 0 &&
		    fact_named(advisor->indexes, name) == NULL) {
			(void)add_facts(advisor, OF_STORED, name);
		}
	}
}

/* ---- facts for texts ---- */

/* Their names are those of the fields. Owned */
static json_t *facts_json(const struct advisor *advisor, const struct advice_facts *f)
{
	const char *slash = strrchr(advisor->file, '/');
	bool has_name = slash != NULL && strcmp(slash, "/data.mdb") == 0;

	return json_pack(
		"{s:s, s:s, s:s#, s:s, s:s, s:s, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I, "
		"s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
		"name", f->name, "options", advisor->options, "directory", advisor->file,
		has_name ? (int)(slash - advisor->file) : (int)strlen(advisor->file),
		"kinds", name_kinds(f->kinds).text, "unused", name_kinds(f->unused).text,
		"wanted", name_kinds(f->wanted).text, "numeric", (int)f->numeric,
		"presence_range", (int)f->presence_range, "present",
		(json_int_t)f->present, "values", (json_int_t)f->values, "searches",
		(json_int_t)f->searches, "keys", (json_int_t)f->keys, "bytes",
		(json_int_t)f->bytes, "entries", (json_int_t)f->entries, "sampled",
		(json_int_t)f->sampled, "counted", (json_int_t)f->counted, "pages",
		(json_int_t)f->pages, "pages_free", (json_int_t)f->pages_free,
		"free_bytes", (json_int_t)f->free_bytes, "used_bytes",
		(json_int_t)f->used_bytes, "entry_bytes", (json_int_t)f->entry_bytes,
		"maxsize_bytes", (json_int_t)f->maxsize_bytes, "raised_bytes",
		(json_int_t)f->raised_bytes, "more", (json_int_t)f->more);
}

/* ---- steps ---- */

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

/* ---- pieces ---- */

/* The rule is true of this. */
static void see(const struct advisor *advisor, struct piece *piece,
                const struct advice_facts *f)
{
	const struct advice_rule *rule = piece->rule;
	unsigned then = rule->then == NULL ? f->kinds : rule->then(f);
	const struct filler filler = {.out = piece->seen, .row = facts_json(advisor, f)};

	(void)fputs(piece->nseen++ == 0 ? "" : rule->between, piece->seen);
	pattern_fill(&filler, rule->each);
	json_decref((json_t *)filler.row);
	if (rule->then != NULL) {
		/* Searches may ask for several kinds of an index. */
		then |= (unsigned)fact_number(piece->plan, f->name);
		(void)json_object_set_new(piece->plan, f->name, json_integer(then));
	} else if (f->of != OF_FILE) {
		add(piece->names, json_string(f->name));
	}
	/* At most: what the keys of each kind take is not known. */
	piece->sum.bytes += (f->kinds & ~then) == PRES ? 0 : f->bytes;
	piece->sum.searches += f->searches;
}

static void look(const struct advisor *advisor, struct piece *piece)
{
	const struct advice_rule *rule = piece->rule;

	if (rule->of == OF_FILE && rule->when(&piece->sum)) {
		see(advisor, piece, &piece->sum);
	}
	for (size_t i = 0; i < advisor->nfacts; i++) {
		const struct advice_facts *f = &advisor->facts[i];

		if (f->of == rule->of && rule->when(f)) {
			see(advisor, piece, f);
		}
	}
}

/* The plan of a piece changes that of the file: by the kinds that come or go. */
static void follow(struct advisor *advisor, struct piece *piece)
{
	const char *name = NULL;
	json_t *kinds = NULL;

	json_object_foreach(piece->plan, name, kinds)
	{
		unsigned now = kinds_of(fact_named(advisor->indexes, name));
		unsigned then = (unsigned)json_integer_value(kinds);
		unsigned all = (unsigned)fact_number(advisor->plan, name);

		add(piece->names, json_string(name));
		(void)json_object_set_new(
			advisor->plan, name,
			json_integer((all & ~(now & ~then)) | (then & ~now)));
	}
}

/* Those of the rule, then those of the plan. @param steps  "one|another"; changed */
static void put_all_steps(const struct advisor *advisor, struct piece *piece, char *steps)
{
	char *rest = NULL;

	for (char *step = strtok_r(steps, "|", &rest); step != NULL;
	     step = strtok_r(NULL, "|", &rest)) {
		add(piece->steps, json_string(step));
	}
	put_steps(advisor, piece);
	if (piece->rule->also[0] != '\0') {
		add(piece->steps, json_string(piece->rule->also));
	}
}

/* Owned. */
static json_t *figures_json(const struct advice_rule *rule, const json_t *facts)
{
	json_t *figures = json_object();
	char name[32];
	int len = 0;

	for (const char *at = rule->figures; sscanf(at, "%31s%n", name, &len) == 1;
	     at += len) {
		char *equals = strchr(name, '=');
		const char *field = equals == NULL ? name : equals + 1;

		if (equals != NULL) {
			*equals = '\0';
		}
		(void)json_object_set(figures, name, json_object_get(facts, field));
	}
	return figures;
}

static uint64_t saving_of(const json_t *piece)
{
	return fact_number(json_object_get(piece, "figures"), "saves_bytes");
}

/* Those that are urgent first, then before the pieces that save less. */
static void insert(struct advisor *advisor, const struct advice_rule *rule, json_t *piece)
{
	size_t at = json_array_size(advisor->advice);

	while (at > advisor->nurgent && !rule->is_urgent &&
	       saving_of(json_array_get(advisor->advice, at - 1)) < saving_of(piece)) {
		at--;
	}
	(void)json_array_insert_new(advisor->advice, at, piece);
	advisor->nurgent += rule->is_urgent ? 1 : 0;
}

static void advise(struct advisor *advisor, const struct advice_rule *rule)
{
	char *text = NULL;
	size_t size = 0;
	struct piece piece = {.rule = rule,
	                      .seen = open_memstream(&text, &size),
	                      .sum = advisor->of_file,
	                      .names = json_array(),
	                      .plan = json_object(),
	                      .steps = json_array()};
	struct filler filler = {.out = piece.seen};

	if (piece.seen == NULL) {
		return;
	}
	look(advisor, &piece);
	filler.row = facts_json(advisor, &piece.sum);
	pattern_fill(&filler, rule->all);
	(void)fputc('\0', piece.seen); /* what was seen ends; steps follow */
	pattern_fill(&filler, rule->steps);
	if (fclose(piece.seen) == 0 && text != NULL && piece.nseen > 0) {
		follow(advisor, &piece);
		put_all_steps(advisor, &piece, text + strlen(text) + 1);
		insert(advisor, rule,
		       json_pack("{s:s, s:s, s:O, s:s, s:o, s:o, s:s, s:O}", "kind",
		                 rule->kind, "file", advisor->file, "indexes",
		                 piece.names, "title", rule->title, "seen",
		                 json_sprintf("%s.", text), "figures",
		                 figures_json(rule, filler.row), "why", rule->why,
		                 "steps", piece.steps));
		advisor->raises_maxsize |= strcmp(rule->kind, "maxsize-full") == 0;
	}
	free(text);
	json_decref((json_t *)filler.row);
	json_decref(piece.names);
	json_decref(piece.plan);
	json_decref(piece.steps);
}

/* ---- the whole ---- */

/* The configuration of now. */
static json_t *plan_of(const struct advisor *advisor)
{
	json_t *plan = json_object();

	for (size_t i = 0; i < json_array_size(advisor->indexes); i++) {
		const json_t *index = json_array_get(advisor->indexes, i);

		(void)json_object_set_new(plan, fact_text(index, "name"),
		                          json_integer(kinds_of(index)));
	}
	return plan;
}

/* The configuration with all of the advice: a block to copy; NULL: as it is. */
static json_t *configuration(const struct advisor *advisor)
{
	json_t *now = plan_of(advisor);
	bool is_same = json_equal(now, advisor->plan) == 1;
	json_t *lines = json_array();

	json_decref(now);
	for (unsigned set = 1; set <= ALL && !is_same; set++) {
		put_lines(lines, advisor->plan, set, "index %s %s");
	}
	if (advisor->raises_maxsize) {
		add(lines, json_sprintf("maxsize %lu", advisor->of_file.raised_bytes));
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

static void advise_file(struct advisor *advisor, const json_t *file,
                        json_t *configurations)
{
	const json_t *searches = json_object_get(advisor->config, "searches");
	const json_t *missing = json_object_get(searches, "missing");
	size_t n = 1 + json_array_size(advisor->indexes) + json_array_size(missing) +
	           json_array_size(advisor->databases);

	advisor->of_file = file_facts(advisor, file);
	advisor->facts = calloc(n, sizeof(*advisor->facts));
	advisor->plan = plan_of(advisor);
	advisor->nurgent = json_array_size(advisor->advice);
	if (advisor->facts != NULL) {
		gather(advisor, missing);
	}
	for (const struct advice_rule *rule = advice_rules; rule->kind != NULL; rule++) {
		advise(advisor, rule);
	}
	add(configurations, configuration(advisor));
	json_decref(advisor->plan);
	free(advisor->facts);
}

json_t *advice_make(const json_t *check, const char *options)
{
	const json_t *files = json_object_get(check, "files");
	json_t *configurations = json_array();
	json_t *advice = json_array();

	for (size_t i = 0; i < json_array_size(files); i++) {
		const json_t *file = json_array_get(files, i);
		struct advisor advisor = {
			.file = fact_text(file, "file"),
			.options = options,
			.databases = json_object_get(check, "databases"),
			.advice = advice,
		};

		advisor.config = find_of_file(json_object_get(check, "configuration"),
		                              advisor.file, NULL);
		advisor.indexes = json_object_get(advisor.config, "indexes");
		advise_file(&advisor, file, configurations);
	}
	return json_pack("{s:o, s:o}", "advice", advice, "advised", configurations);
}
