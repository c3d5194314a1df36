/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of advice: a healthy database gets none; each rule speaks from its figures on
 * and not below, with what was seen and the steps that change it; figures that are
 * missing make no advice; a terminal gets no control characters.
 */
#include "test.h"

#include <jansson.h>

#include "advice.h"
#include "patterns.h"

/* 10,000 entries; cn is in 4,000 of them; all indexes are looked up. */
static const char healthy[] =
	"{\"files\": [{\"file\": \"/db/data.mdb\", \"page_bytes\": 4096, \"pages\": 10000,"
	"  \"pages_free\": 100}],"
	" \"configuration\": [{\"file\": \"/db/data.mdb\", \"maxsize_bytes\": 1073741824,"
	"  \"idlexp\": 16, \"sampled_entries\": 10000, \"indexes\": ["
	"   {\"name\": \"objectClass\", \"kinds\": [\"eq\"], \"uses\": {\"eq\": 0}},"
	"   {\"name\": \"cn\", \"kinds\": [\"pres\", \"eq\", \"sub\"], \"numeric\": false,"
	"    \"sampled_values\": 4000, \"digit_values\": 3999,"
	"    \"uses\": {\"pres\": 1, \"eq\": 1, \"sub\": 1}},"
	"   {\"name\": \"uidNumber\", \"kinds\": [\"eq\"], \"numeric\": true,"
	"    \"uses\": {\"eq\": 1}}],"
	"  \"searches\": {\"counted\": 2000, \"missing\": ["
	"   {\"attribute\": \"sn\", \"kind\": \"eq\", \"searches\": 19}]}}],"
	" \"databases\": ["
	"  {\"file\": \"/db/data.mdb\", \"database\": \"id2e\", \"index\": false,"
	"   \"keys\": 10000, \"entries\": 10000, \"bytes\": 20000000},"
	"  {\"file\": \"/db/data.mdb\", \"database\": \"objectClass\", \"index\": true,"
	"   \"keys\": 4, \"ranges\": 4, \"bytes\": 8192},"
	"  {\"file\": \"/db/data.mdb\", \"database\": \"cn\", \"index\": true,"
	"   \"keys\": 9000, \"ranges\": 8999, \"bytes\": 2048000,"
	"   \"presence\": {\"range\": false, \"postings\": 4000}},"
	"  {\"file\": \"/db/data.mdb\", \"database\": \"uidNumber\", \"index\": true,"
	"   \"keys\": 10000, \"ranges\": 0, \"bytes\": 409600}]}";

static json_t *find(json_t *json, const char *name)
{
	return json_is_array(json) ? json_array_get(json, (size_t)atoi(name))
	                           : json_object_get(json, name);
}

/* "configuration.0.idlexp" = JSON of the value; NULL: the field goes. */
static void set(json_t *json, const char *path, const char *value)
{
	char copy[200];
	char *name = copy;
	char *dot = NULL;
	json_t *parsed = value == NULL ? NULL : json_loads(value, JSON_DECODE_ANY, NULL);

	(void)snprintf(copy, sizeof(copy), "%s", path);
	while ((dot = strchr(name, '.')) != NULL) {
		*dot = '\0';
		json = find(json, name);
		assert_non_null(json);
		name = dot + 1;
	}
	assert_true(value == NULL || parsed != NULL);
	assert_int_equal(value == NULL ? json_object_del(json, name)
	                               : json_object_set_new(json, name, parsed),
	                 0);
}

struct edit {
	const char *path;
	const char *value;
};

struct rule_case {
	const char *name;
	struct edit edits[4];
	const char *expected; /* kinds and indexes; "" none */
	const char *says;     /* a part of the lines; NULL: not looked at */
};

#define CONFIG   "configuration.0."
#define CN       CONFIG "indexes.1."
#define NUMBER   CONFIG "indexes.2."
#define SEARCHES CONFIG "searches."

static const struct rule_case cases[] = {
	{"healthy", {{0}}, "", ""},
	{"maxsize, four fifths",
         {{CONFIG "maxsize_bytes", "50688000"}},
         "maxsize-full;",
         "38.7 MiB of maxsize 48.3 MiB are in use (80 %). At 4.0 KiB an entry, there is room for about 2,500 more entries."},
	{"maxsize, less", {{CONFIG "maxsize_bytes", "50688001"}}, "", NULL},
	{"maxsize, over",
         {{CONFIG "maxsize_bytes", "1"}},
         "maxsize-full;",
         "maxsize 1073741824"},
	{"maxsize, not known", {{CONFIG "maxsize_bytes", NULL}}, "", NULL},
	{"no index of objectClass",
         {{CONFIG "indexes.0.name", "\"ou\""},
          {"databases.1.database", "\"ou\""},
          {"databases.1.ranges", "0"},
          {CONFIG "indexes.0.uses.eq", "1"}},
         "class-missing objectClass;",
         "configure \"index objectClass eq\""},
	{"objectClass without eq",
         {{CONFIG "indexes.0.kinds", "[\"pres\"]"}, {CONFIG "indexes.0.uses.pres", "1"}},
         "class-missing objectClass;",
         "configure \"index objectClass pres,eq\""},
	{"an attribute that is searched",
         {{SEARCHES "missing.0.searches", "20"}},
         "search-unindexed sn;",
         "seen sn: eq, in 20 of 2,000 searches (1.0 %)."},
	{"an attribute that has another kind",
         {{SEARCHES "missing.0.searches", "20"},
          {SEARCHES "missing.0.attribute", "\"uidNumber\""},
          {SEARCHES "missing.0.kind", "\"pres\""}},
         "search-unindexed uidNumber;",
         "configure \"index uidNumber pres,eq\""},
	{"few searches",
         {{SEARCHES "missing.0.searches", "99"},
          {SEARCHES "counted", "99"},
          {CN "uses.eq", "0"}},
         "",
         NULL},
	{"every key is a range",
         {{"databases.2.keys", "8999"}},
         "ranges-only cn;",
         "seen cn: 8,999 keys, all ranges, in 2.0 MiB."},
	{"no key at all is no range",
         {{"databases.3.keys", "0"},
          {CONFIG "maxsize_bytes", NULL},
          {"databases.0.entries", "999"}},
         "",
         NULL},
	{"sub of digits",
         {{CN "digit_values", "4000"}},
         "sub-numeric cn;",
         "seen cn: all 4,000 values in the first 10,000 entries are digits, 9,000 keys in 2.0 MiB."},
	{"sub of few digits",
         {{CN "digit_values", "99"}, {CN "sampled_values", "99"}},
         "",
         NULL},
	{"sub of digits that is searched",
         {{CN "digit_values", "4000"}, {CN "uses.sub", "20"}},
         "",
         NULL},
	{"sub of digits that is seldom searched",
         {{CN "digit_values", "4000"}, {CN "uses.sub", "19"}},
         "sub-numeric cn;",
         NULL},
	{"sub of a numeric syntax",
         {{NUMBER "kinds", "[\"eq\", \"sub\"]"}, {NUMBER "uses.sub", "1"}},
         "sub-numeric uidNumber;",
         "configure \"index uidNumber eq\""},
	{"sub of a numeric syntax alone",
         {{NUMBER "kinds", "[\"sub\"]"}, {NUMBER "uses.sub", "1"}},
         "sub-numeric uidNumber;",
         "remove uidNumber from the \"index\" lines"},
	{"present in nine tenths",
         {{"databases.2.presence.postings", "9000"}},
         "pres-everywhere cn;",
         "seen cn: 9,000 of 10,000 entries have it (90 %)."},
	{"present in less", {{"databases.2.presence.postings", "8999"}}, "", NULL},
	{"a range of presence",
         {{"databases.2.presence.range", "true"}},
         "pres-everywhere cn;",
         "configure \"index cn eq,sub\""},
	{"present in few entries",
         {{"databases.2.presence.postings", "999"}, {"databases.0.entries", "999"}},
         "",
         NULL},
	{"present, and not looked up",
         {{"databases.2.presence.postings", "9000"}, {CN "uses.pres", "0"}},
         "index-unused cn;",
         "configure \"index cn eq,sub\""},
	{"an index that is not looked up",
         {{NUMBER "uses.eq", "0"}},
         "index-unused uidNumber;",
         "seen uidNumber: eq, in none of 2,000 searches; the index takes 400 KiB."},
	{"an index of few entries",
         {{NUMBER "uses.eq", "0"}, {"databases.0.entries", "999"}},
         "",
         NULL},
	{"no log", {{NUMBER "uses.eq", "0"}, {SEARCHES "counted", "0"}}, "", NULL},
	{"an index that slapd looks up itself",
         {{NUMBER "uses.eq", "0"},
          {NUMBER "name", "\"entryUUID\""},
          {"databases.3.database", "\"entryUUID\""}},
         "",
         NULL},
	{"an empty index",
         {{"databases.3.keys", "0"}},
         "index-empty uidNumber;",
         "seen uidNumber: no key, after 10,000 entries."},
	{"two of them",
         {{"databases.3.keys", "0"},
          {"databases.2.database", "\"other\""},
          {"databases.2.index", "false"}},
         "index-empty cn uidNumber;",
         "seen cn, uidNumber: no key, after 10,000 entries."},
	{"an index that is not configured",
         {{"databases.0.index", "true"}},
         "index-unconfigured id2e;",
         "seen id2e: 19.1 MiB."},
	{"many free pages",
         {{"files.0.pages_free", "4096"}},
         "free-large;",
         "mdb_copy -c /db NEW-DIRECTORY"},
	{"fewer", {{"files.0.pages_free", "4095"}}, "", NULL},
	{"a smaller share",
         {{"files.0.pages_free", "4096"}, {"files.0.pages", "16385"}},
         "",
         NULL},
	{"no configuration",
         {{"configuration", "[]"}, {"files.0.pages_free", "4096"}},
         "free-large;",
         NULL},
	{"nothing known",
         {{"files", "[{}]"}, {"configuration", "[{}]"}, {"databases", "[]"}},
         "class-missing objectClass;",
         NULL},
	{"no file", {{"files", "[]"}}, "", NULL},
};

static void list_kinds(char *ret, size_t size, const json_t *advised)
{
	const json_t *advice = json_object_get(advised, "advice");
	size_t at = 0;

	ret[0] = '\0';
	for (size_t i = 0; i < json_array_size(advice); i++) {
		json_t *piece = json_array_get(advice, i);
		json_t *indexes = json_object_get(piece, "indexes");

		at += (size_t)snprintf(ret + at, size - at, "%s",
		                       json_string_value(json_object_get(piece, "kind")));
		for (size_t k = 0; k < json_array_size(indexes); k++) {
			at += (size_t)snprintf(
				ret + at, size - at, " %s",
				json_string_value(json_array_get(indexes, k)));
		}
		at += (size_t)snprintf(ret + at, size - at, ";");
	}
}

static char *print(const json_t *advised)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	pattern_fill(&(struct filler){.out = out, .row = advised}, check_end_txt);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Lines become one. */
static void unwrap(char *text)
{
	char *to = text;

	for (char *from = text; *from != '\0'; from++) {
		bool is_blank = *from == '\n' || *from == ' ';

		if (!is_blank || (to > text && to[-1] != ' ')) {
			*to++ = is_blank ? ' ' : *from;
		}
	}
	*to = '\0';
}

TEST(each_rule_speaks_from_its_figures_on)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *json = json_loads(healthy, 0, NULL);
		json_t *advice = NULL;
		char *text = NULL;
		char kinds[300];

		assert_non_null(json);
		for (size_t k = 0; k < 4 && cases[i].edits[k].path != NULL; k++) {
			set(json, cases[i].edits[k].path, cases[i].edits[k].value);
		}
		advice = advice_make(json, " -f my.conf");
		list_kinds(kinds, sizeof(kinds), advice);
		if (strcmp(kinds, cases[i].expected) != 0) {
			fail_msg("%s: %s", cases[i].name, kinds);
		}
		text = print(advice);
		assert_true((text[0] == '\0') == (cases[i].expected[0] == '\0'));
		unwrap(text);
		if (cases[i].says != NULL && strstr(text, cases[i].says) == NULL) {
			fail_msg("%s: %s", cases[i].name, text);
		}
		free(text);
		json_decref(advice);
		json_decref(json);
	}
}

TEST(each_piece_is_complete)
{
	json_t *json = json_loads(healthy, 0, NULL);
	json_t *advice = NULL;
	json_t *piece = NULL;
	const char *step = NULL;
	char *text = NULL;
	char *printed = NULL;

	set(json, NUMBER "uses.eq", "0");
	advice = advice_make(json, " -f /a/configuration/whose/name/needs/a/line");
	piece = json_array_get(json_object_get(advice, "advice"), 0);
	assert_string_equal(json_string_value(json_object_get(piece, "file")),
	                    "/db/data.mdb");
	assert_true(json_string_length(json_object_get(piece, "title")) > 0);
	assert_true(json_string_length(json_object_get(piece, "seen")) > 0);
	assert_true(json_string_length(json_object_get(piece, "why")) > 0);
	assert_int_equal(json_integer_value(json_object_get(
				 json_object_get(piece, "figures"), "saves_bytes")),
	                 409600);
	step = json_string_value(json_array_get(json_object_get(piece, "steps"), 1));
	assert_string_equal(step, "ditindex -f /a/configuration/whose/name/needs/a/line "
	                          "--drop-unconfigured");
	/* It is one line of the piece: a part of a command is another command. */
	text = print(advice);
	printed = strstr(text, "ditindex");
	assert_non_null(printed);
	printed[strcspn(printed, "\n")] = '\0';
	assert_string_equal(printed, step);
	free(text);
	json_decref(advice);
	json_decref(json);
}

/* Pieces of one kind are one; what saves most comes first, after what slows down. */
TEST(advice_is_ranked_and_ends_in_one_block)
{
	static const struct {
		const char *name;
		struct edit edits[6];
		const char *kinds;
		const char *lines; /* of the configuration; "": there is none */
	} ranked[] = {
		{"nothing", {{0}}, "", ""},
		{"two of a kind",
	         {{NUMBER "uses.eq", "0"}, {CN "uses.eq", "0"}},
	         "index-unused cn uidNumber;",
	         "index objectClass eq;index cn pres,sub;ditindex -f my.conf "
	         "--drop-unconfigured;"},
		{"one index in two pieces",
	         {{CN "uses.eq", "0"}, {CN "digit_values", "4000"}},
	         "sub-numeric cn;index-unused cn;",
	         "index cn pres;index objectClass,uidNumber eq;ditindex -f my.conf "
	         "--drop-unconfigured;"},
		{"the most first, after searches",
	         {{"databases.2.presence.postings", "9000"},
	          {NUMBER "uses.eq", "0"},
	          {"databases.0.index", "true"},
	          {SEARCHES "missing.0.searches", "20"},
	          {"files.0.pages_free", "4096"}},
	         "search-unindexed sn;index-unconfigured id2e;free-large;"
	         "index-unused uidNumber;pres-everywhere cn;",
	         "index objectClass,sn eq;index cn eq,sub;ditindex -f my.conf "
	         "--drop-unconfigured;"},
		{"maxsize alone",
	         {{CONFIG "maxsize_bytes", "1"}},
	         "maxsize-full;",
	         "maxsize 1073741824;restart slapd;"},
	};

	for (size_t i = 0; i < sizeof(ranked) / sizeof(ranked[0]); i++) {
		json_t *json = json_loads(healthy, 0, NULL);
		json_t *made = NULL;
		const json_t *block = NULL;
		const json_t *lines = NULL;
		char text[400] = "";
		size_t at = 0;

		for (size_t k = 0; k < 6 && ranked[i].edits[k].path != NULL; k++) {
			set(json, ranked[i].edits[k].path, ranked[i].edits[k].value);
		}
		made = advice_make(json, " -f my.conf");
		list_kinds(text, sizeof(text), made);
		if (strcmp(text, ranked[i].kinds) != 0) {
			fail_msg("%s: %s", ranked[i].name, text);
		}
		block = json_array_get(json_object_get(made, "advised"), 0);
		lines = json_object_get(block, "lines");
		text[0] = '\0';
		for (size_t k = 0; k < json_array_size(lines); k++) {
			at += (size_t)snprintf(
				text + at, sizeof(text) - at, "%s;",
				json_string_value(json_array_get(lines, k)));
		}
		if (block != NULL) {
			(void)snprintf(
				text + at, sizeof(text) - at, "%s;",
				json_string_value(json_object_get(block, "command")));
		}
		if (strcmp(text, ranked[i].lines) != 0) {
			fail_msg("%s: %s", ranked[i].name, text);
		}
		json_decref(made);
		json_decref(json);
	}
}

TEST(a_terminal_gets_no_control_characters)
{
	json_t *json = json_loads(healthy, 0, NULL);
	json_t *advice = NULL;
	char *text = NULL;

	set(json, "databases.0.index", "true");
	set(json, "databases.0.database", "\"a\\u001b[2Jb\"");
	set(json, "databases.2.index", "true");
	set(json, "databases.2.database", "\"c\\u0007\"");
	advice = advice_make(json, "");
	text = print(advice);
	assert_non_null(strstr(text, "a?[2Jb, c?: "));
	for (const char *at = text; *at != '\0'; at++) {
		assert_true(*at == '\n' || (unsigned char)*at >= ' ');
	}
	free(text);
	json_decref(advice);
	json_decref(json);
}
