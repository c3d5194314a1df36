/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * From a DN to its shards.
 *
 *   the DN itself    "entry"?
 *   it and all above it, the nearest first: "below"? The first one decides: to some
 *   shards, or by the hash of the RDN directly below that base
 *
 * Most records lie below a parent that was seen before. So what a parent says about its
 * children is kept by its text, and made of the parent alone:
 *
 *   a rule names a child of the parent      each DN is parsed and looked up
 *   its nearest base hashes, and is itself  the first RDN is parsed and hashed
 *   else                                    nothing of the child is looked at
 *
 * Answers are kept in a table of fixed size, by the hash of the parent's text; a newer
 * one takes the place of an older one.
 *
 * The text of a map:
 *
 *     # comment
 *     shard   a b c
 *     below   "ou=People,dc=example,dc=org"  hash 7   a b c
 *     below   "ou=Groups,dc=example,dc=org"  to  a
 *     entry   "dc=example,dc=org"            to  all
 *
 * Words are separated by blanks. A word in quotes ends at the next quote that has no
 * backslash before it, and nothing else is special in it: backslashes are the DN's. A
 * byte order mark is passed over.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "ldif/file_url.h"
#include "split/split_impl.h"
#include "values/dn_parse.h"

#define SHARDS_MAX   4096 /* each has an open file */
#define NAME_MAX_LEN 100
#define NANSWERS     4096 /* a power of two */
#define BLOCK_BYTES  65536
#define BLANKS       " \t\r"

/* The line that is read. */
struct line {
	struct dit_split_map *map;
	uint64_t number;
	const char *rest; /* NUL-terminated */
	struct dit_fault *fault;
};

#define WRONG(line, ...) dit_fault_say((line)->fault, DIT_E_CONFIG, __VA_ARGS__)

/* @return 1; 0: the line has ended; DIT_E_CONFIG */
static int next_word(struct line *line, struct dit_span *ret)
{
	const char *at = line->rest + strspn(line->rest, BLANKS);
	bool is_quoted = *at == '"';

	at += is_quoted;
	ret->data = at;
	while (is_quoted && *at != '"') {
		at += at[0] == '\\' && at[1] != '\0';
		if (*at++ == '\0') {
			return WRONG(line, "a quote without its end");
		}
	}
	at += is_quoted ? 0 : strcspn(at, BLANKS "\"");
	ret->len = (size_t)(at - ret->data);
	line->rest = at + is_quoted;
	return is_quoted || ret->len > 0;
}

/* ---- "shard" ---- */

static bool find_name(const struct dit_split_map *map, struct dit_span word,
                      uint32_t *ret)
{
	*ret = 0;
	while (*ret < map->nnames && !dit_span_eq(dit_span_of(map->names[*ret]), word)) {
		++*ret;
	}
	return *ret < map->nnames;
}

static bool is_name(struct dit_span word)
{
	bool is_good = word.len > 0 && word.len <= NAME_MAX_LEN && word.data[0] != '.';

	for (size_t i = 0; i < word.len && is_good; i++) {
		is_good = dit_ascii_is_name(word.data[i]) || word.data[i] == '_' ||
		          word.data[i] == '.';
	}
	return is_good && !dit_span_eq(word, DIT_SPAN("all"));
}

static int add_name(struct line *line, struct dit_span word)
{
	struct dit_split_map *map = line->map;
	uint32_t number = 0;

	if (!is_name(word)) {
		return WRONG(line,
		             "\"%.*s\" cannot be the name of a shard: up to %d letters, "
		             "digits, - _ and ., no . at the beginning, and not \"all\"",
		             DIT_SPAN_ARGS(word), NAME_MAX_LEN);
	}
	if (find_name(map, word, &number)) {
		return WRONG(line, "shard \"%.*s\" has been named before",
		             DIT_SPAN_ARGS(word));
	}
	if (map->nnames == SHARDS_MAX) {
		return WRONG(line, "more than %d shards", SHARDS_MAX);
	}
	word = dit_arena_copy(&map->kept, word);
	if (word.data == NULL ||
	    DIT_GROW(map->names, map->names_size, map->nnames + 1) < 0) {
		return -ENOMEM;
	}
	map->names[map->nnames++] = word.data;
	return 0;
}

static int read_names(struct line *line)
{
	struct dit_span word = {NULL, 0};
	int r = next_word(line, &word);

	if (r == 0) {
		return WRONG(line, "\"shard\" needs names");
	}
	while (r > 0) {
		r = add_name(line, word);
		r = r < 0 ? r : next_word(line, &word);
	}
	return r;
}

/* ---- "below", "entry" ---- */

static int add_shard(struct line *line, struct dit_span word, uint32_t *list, size_t n)
{
	if (!find_name(line->map, word, &list[n])) {
		return WRONG(line, "no line before names a shard \"%.*s\"",
		             DIT_SPAN_ARGS(word));
	}
	for (size_t i = 0; i < n; i++) {
		if (list[i] == list[n]) {
			return WRONG(line, "shard \"%.*s\" is named twice",
			             DIT_SPAN_ARGS(word));
		}
	}
	return 0;
}

/* Names of shards, up to the end of the line. */
static int read_shards(struct line *line, struct dit_split_shards *ret)
{
	size_t nnames = line->map->nnames;
	uint32_t *list = dit_arena_alloc(&line->map->kept, (nnames + 1) * sizeof(*list));
	struct dit_span word = {NULL, 0};
	bool is_all = false;
	size_t n = 0;
	int r = list == NULL ? -ENOMEM : next_word(line, &word);

	if (r > 0 && dit_span_eq(word, DIT_SPAN("all"))) {
		for (is_all = true; n < nnames; n++) {
			list[n] = (uint32_t)n;
		}
		r = next_word(line, &word);
	}
	while (r > 0) {
		r = is_all ? WRONG(line, "nothing can follow \"all\"")
		           : add_shard(line, word, list, n++);
		r = r < 0 ? r : next_word(line, &word);
	}
	*ret = (struct dit_split_shards){list, n};
	return r == 0 && n == 0 ? WRONG(line, "names of shards are missing") : r;
}

/* "to", or "hash SEED" */
static int read_how(struct line *line, struct split_rule *rule)
{
	struct dit_span word = {NULL, 0};
	char *end = NULL;
	int r = next_word(line, &word);

	if (r > 0 && dit_span_eq(word, DIT_SPAN("to"))) {
		return 0;
	}
	if (r < 0 || rule->kind == SPLIT_ENTRY || !dit_span_eq(word, DIT_SPAN("hash"))) {
		return r < 0 ? r
		             : WRONG(line, "after the DN comes \"to\"%s",
		                     rule->kind == SPLIT_ENTRY ? "" : " or \"hash\"");
	}
	rule->is_hashed = true;
	r = next_word(line, &word);
	if (r > 0 && word.len > 0 && dit_ascii_is_digit(word.data[0])) {
		errno = 0;
		rule->seed = strtoull(word.data, &end, 10);
	}
	return r < 0 ? r
	       : end == word.data + word.len && errno == 0
	               ? 0
	               : WRONG(line, "after \"hash\" comes a number");
}

static int add_rule(struct dit_split_map *map, const struct split_rule *rule)
{
	return DIT_APPEND(map->rules, map->rules_size, map->nrules, *rule);
}

static int read_rule(struct line *line, enum split_rule_kind kind)
{
	struct dit_split_map *map = line->map;
	struct split_rule rule = {.kind = kind, .line = line->number};
	struct dit_dn dn = {.nrdns = 0};
	struct dit_span word = {NULL, 0};
	int r = next_word(line, &word);

	if (r == 0) {
		return WRONG(line, "a DN is missing");
	}
	r = r < 0 ? r : dit_dn_parse(map->schema, word, &map->kept, NULL, &dn);
	if (r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED) {
		return WRONG(line, "\"%.*s\" is no DN of this schema",
		             DIT_SPAN_ARGS(word));
	}
	rule.norm = dn.norm;
	r = r < 0 ? r : read_how(line, &rule);
	r = r < 0 ? r : read_shards(line, &rule.shards);
	r = r < 0 ? r : add_rule(map, &rule);
	if (r == 0 && dn.nrdns > 0) {
		rule.norm = dit_dn_parent(dn.norm);
		rule.kind = SPLIT_PARENT;
		r = add_rule(map, &rule);
	}
	return r;
}

/* ---- rules by DN ---- */

static int compare(const void *a, const void *b)
{
	const struct split_rule *x = a;
	const struct split_rule *y = b;
	int order = dit_span_compare(x->norm, y->norm);

	return order != 0 ? order : (int)x->kind - (int)y->kind;
}

/* The rule of a DN; NULL: there is none. */
static const struct split_rule *find_rule(const struct dit_split_map *map,
                                          struct dit_span norm, enum split_rule_kind kind)
{
	const struct split_rule key = {.norm = norm, .kind = kind};

	return map->nrules == 0
	               ? NULL
	               : bsearch(&key, map->rules, map->nrules, sizeof(key), compare);
}

static int sort_rules(struct line *line)
{
	const struct dit_split_map *map = line->map;

	dit_sort_items(map->rules, map->nrules, sizeof(*map->rules), compare);
	for (size_t i = 1; i < map->nrules; i++) {
		const struct split_rule *two = &map->rules[i - 1];

		if (compare(&two[0], &two[1]) == 0 && two->kind != SPLIT_PARENT) {
			line->number =
				two[0].line > two[1].line ? two[0].line : two[1].line;
			return WRONG(line, "there is such a line for this DN already");
		}
	}
	return 0;
}

/* ---- lines ---- */

static int read_line(struct line *line)
{
	struct dit_span word = {NULL, 0};
	int r = 0;

	if (line->rest[strspn(line->rest, BLANKS)] == '#') {
		return 0;
	}
	r = next_word(line, &word);
	if (r <= 0) {
		return r;
	}
	if (dit_span_eq(word, DIT_SPAN("shard"))) {
		return read_names(line);
	}
	if (dit_span_eq(word, DIT_SPAN("below"))) {
		return read_rule(line, SPLIT_BELOW);
	}
	return dit_span_eq(word, DIT_SPAN("entry"))
	               ? read_rule(line, SPLIT_ENTRY)
	               : WRONG(line,
	                       "a line begins with \"shard\", \"below\", \"entry\" or "
	                       "\"#\", not with \"%.*s\"",
	                       DIT_SPAN_ARGS(word));
}

static int read_lines(struct line *line, struct dit_span text)
{
	struct dit_span one = {NULL, 0};
	int r = 0;

	while (r == 0 && text.len > 0) {
		line->number++;
		(void)dit_cut_until(&text, '\n', &one);
		one = dit_arena_copy(&line->map->kept, one);
		if (one.data == NULL) {
			return -ENOMEM;
		}
		line->rest = one.data;
		r = strlen(one.data) < one.len ? WRONG(line, "a byte with the value zero")
		                               : read_line(line);
	}
	if (r == 0 && line->map->nnames == 0) {
		r = WRONG(line, "no line names a shard");
	}
	return r < 0 ? r : sort_rules(line);
}

/* ---- the whole ---- */

struct split_answer {
	char *text; /* of the parent; owned */
	size_t len; /* 0: there is no answer */
	size_t size;
	int error;                     /* the parent is no DN */
	bool is_looked_up;             /* each child is */
	const struct split_rule *rule; /* hashes the first RDN; NULL: see the shards */
	struct dit_split_shards shards;
};

/* The label of a copied map goes. @return how many lines it had */
static unsigned cut_label(struct dit_span *text)
{
	struct dit_span label = {NULL, 0};
	bool is_label = dit_cut_prefix(text, DIT_SPAN(SPLIT_LABEL));

	if (is_label) {
		(void)dit_cut_until(text, '\n', &label);
	}
	return is_label;
}

int dit_split_map_read(struct dit_split_map **ret, const char *path,
                       const struct dit_schema *schema, uint64_t *ret_line,
                       struct dit_fault *fault)
{
	struct dit_split_map *map = calloc(1, sizeof(*map));
	struct line line = {.map = map, .fault = fault};
	int r = 0;

	if (map == NULL) {
		return -ENOMEM;
	}
	map->schema = schema;
	dit_arena_init(&map->kept, BLOCK_BYTES);
	dit_arena_init(&map->arena, BLOCK_BYTES);
	map->answers = calloc(NANSWERS, sizeof(*map->answers));
	r = map->answers == NULL ? -ENOMEM : dit_file_read(path, &map->kept, &map->text);
	(void)dit_cut_prefix(&map->text, DIT_SPAN("\357\273\277"));
	line.number = r < 0 ? 0 : cut_label(&map->text);
	r = r < 0 ? r : read_lines(&line, map->text);
	*ret_line = line.number;
	return DIT_HAND_OVER(r, ret, map, dit_split_map_free);
}

void dit_split_map_free(struct dit_split_map *map)
{
	if (map == NULL) {
		return;
	}
	for (size_t i = 0; map->answers != NULL && i < NANSWERS; i++) {
		free(map->answers[i].text);
	}
	free(map->answers);
	dit_dn_cache_deinit(&map->cache);
	dit_arena_deinit(&map->arena);
	dit_arena_deinit(&map->kept);
	free(map->names);
	free(map->rules);
	free(map);
}

/* ---- a DN ---- */

/* The normal form of RDN @p number and all above it. */
static struct dit_span from(const struct dit_dn *dn, unsigned number)
{
	size_t at = number < dn->nrdns ? dn->norm_at[number] : dn->norm.len;

	return number < dn->nrdns
	               ? (struct dit_span){dn->norm.data + at, dn->norm.len - at}
	               : DIT_SPAN("");
}

/* The shards by the rule of a base. @param nbelow  so many RDNs of the DN lie below it */
static struct dit_split_shards below(const struct split_rule *rule,
                                     const struct dit_dn *dn, unsigned nbelow)
{
	struct dit_span rdn = {NULL, 0};
	uint64_t shard = 0;

	if (!rule->is_hashed || nbelow == 0) {
		return rule->shards;
	}
	rdn = from(dn, nbelow - 1);
	rdn.len -= from(dn, nbelow).len + (nbelow < dn->nrdns ? 1 : 0);
	shard = XXH64(rdn.data, rdn.len, rule->seed) % rule->shards.n;
	return (struct dit_split_shards){rule->shards.list + shard, 1};
}

/* The rule of the nearest base; NULL: none. @param ret_nbelow  see below() */
static const struct split_rule *nearest(const struct dit_split_map *map,
                                        const struct dit_dn *dn, unsigned *ret_nbelow)
{
	const struct split_rule *rule = NULL;

	for (unsigned i = 0; i <= dn->nrdns && rule == NULL; i++) {
		rule = find_rule(map, from(dn, i), SPLIT_BELOW);
		*ret_nbelow = i;
	}
	return rule;
}

static struct dit_split_shards look_up(const struct dit_split_map *map,
                                       const struct dit_dn *dn)
{
	const struct split_rule *rule = find_rule(map, from(dn, 0), SPLIT_ENTRY);
	unsigned nbelow = 0;

	if (rule != NULL) {
		return rule->shards;
	}
	rule = nearest(map, dn, &nbelow);
	return rule == NULL ? (struct dit_split_shards){NULL, 0}
	                    : below(rule, dn, nbelow);
}

/* ---- what a parent says ---- */

/* @return 0; negative: the parent is no DN, or -ENOMEM */
static int make_answer(struct dit_split_map *map, struct dit_span text,
                       struct split_answer *answer)
{
	struct dit_dn dn = {.nrdns = 0};
	const struct split_rule *rule = NULL;
	unsigned nbelow = 0;
	int r = 0;

	dit_arena_reset(&map->arena);
	r = dit_dn_parse(map->schema, text, &map->arena, NULL, &dn);
	if (r < 0) {
		return r;
	}
	answer->is_looked_up = find_rule(map, from(&dn, 0), SPLIT_PARENT) != NULL;
	rule = nearest(map, &dn, &nbelow);
	if (rule != NULL) {
		answer->rule = rule->is_hashed && nbelow == 0 ? rule : NULL;
		answer->shards = below(rule, &dn, nbelow);
	}
	return 0;
}

/* @return 0 or -ENOMEM */
static int get_answer(struct dit_split_map *map, struct dit_span parent,
                      const struct split_answer **ret)
{
	uint64_t hash = XXH3_64bits(parent.data, parent.len);
	struct split_answer *answer = &map->answers[hash & (NANSWERS - 1)];

	*ret = answer;
	if (answer->len == parent.len &&
	    memcmp(answer->text, parent.data, parent.len) == 0) {
		return 0;
	}
	*answer = (struct split_answer){.text = answer->text, .size = answer->size};
	if (parent.len > DIT_DN_MAX) {
		answer->error = DIT_E_INVALID;
		return 0;
	}
	if (DIT_GROW(answer->text, answer->size, parent.len) < 0) {
		return -ENOMEM;
	}
	answer->error = make_answer(map, parent, answer);
	if (answer->error == -ENOMEM) {
		return -ENOMEM;
	}
	memcpy(answer->text, parent.data, parent.len);
	answer->len = parent.len;
	return 0;
}

int dit_split_map_find(struct dit_split_map *map, struct dit_span text,
                       struct dit_split_shards *ret)
{
	static const struct split_answer none = {.is_looked_up = true};
	size_t stop = dit_dn_first_stop(text);
	const struct split_answer *answer = &none;
	struct dit_dn dn = {.nrdns = 0};
	int r = 0;

	if (stop > 0 && stop + 1 < text.len) {
		r = get_answer(
			map, (struct dit_span){text.data + stop + 1, text.len - stop - 1},
			&answer);
	}
	if (r < 0 || answer->error < 0) {
		return r < 0 ? r : answer->error;
	}
	if (!answer->is_looked_up && answer->rule == NULL) {
		*ret = answer->shards;
		return 0;
	}
	dit_arena_reset(&map->arena);
	r = dit_dn_parse(map->schema, text, &map->arena, &map->cache, &dn);
	if (r == 0) {
		*ret = answer->is_looked_up ? look_up(map, &dn)
		                            : below(answer->rule, &dn, 1);
	}
	return r;
}
