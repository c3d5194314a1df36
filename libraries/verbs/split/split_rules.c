/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The text of a map:
 *
 *     # comment
 *     shard   a b c
 *     below   "ou=People,dc=example,dc=org"  hash 7   a b c
 *     below   "ou=Groups,dc=example,dc=org"  to  a
 *     entry   "dc=example,dc=org"            to  all
 *
 * Words are separated by blanks. A word in quotes ends at the next quote that has no
 * backslash before it, and nothing else is special in it: backslashes are the DN's.
 */
#include "split/split_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/grow.h"
#include "ldif/file_url.h"
#include "values/dn.h"

#define SHARDS_MAX   4096 /* each has an open file */
#define NAME_MAX_LEN 100
#define BLOCK_BYTES  65536
#define BLANKS       " \t\r"

/* The line that is read. */
struct line {
	struct split_rules *rules;
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

static bool find_name(const struct split_rules *rules, struct dit_span word,
                      uint32_t *ret)
{
	*ret = 0;
	while (*ret < rules->nnames &&
	       !dit_span_eq(dit_span_of(rules->names[*ret]), word)) {
		++*ret;
	}
	return *ret < rules->nnames;
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
	struct split_rules *rules = line->rules;
	uint32_t number = 0;

	if (!is_name(word)) {
		return WRONG(line,
		             "\"%.*s\" cannot be the name of a shard: up to %d letters, "
		             "digits, - _ and ., no . at the beginning, and not \"all\"",
		             DIT_SPAN_ARGS(word), NAME_MAX_LEN);
	}
	if (find_name(rules, word, &number)) {
		return WRONG(line, "shard \"%.*s\" has been named before",
		             DIT_SPAN_ARGS(word));
	}
	if (rules->nnames == SHARDS_MAX) {
		return WRONG(line, "more than %d shards", SHARDS_MAX);
	}
	word = dit_arena_copy(&rules->arena, word);
	if (word.data == NULL ||
	    DIT_GROW(rules->names, rules->names_size, rules->nnames + 1) < 0) {
		return -ENOMEM;
	}
	rules->names[rules->nnames++] = word.data;
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
	if (!find_name(line->rules, word, &list[n])) {
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
	size_t nnames = line->rules->nnames;
	uint32_t *list =
		dit_arena_alloc(&line->rules->arena, (nnames + 1) * sizeof(*list));
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

static int add_rule(struct split_rules *rules, const struct split_rule *rule)
{
	return DIT_APPEND(rules->list, rules->size, rules->n, *rule);
}

static int read_rule(struct line *line, enum split_rule_kind kind)
{
	struct split_rules *rules = line->rules;
	struct split_rule rule = {.kind = kind, .line = line->number};
	struct dit_dn dn = {.nrdns = 0};
	struct dit_span word = {NULL, 0};
	int r = next_word(line, &word);

	if (r == 0) {
		return WRONG(line, "a DN is missing");
	}
	r = r < 0 ? r : dit_dn_parse(rules->schema, word, &rules->arena, NULL, &dn);
	if (r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED) {
		return WRONG(line, "\"%.*s\" is no DN of this schema",
		             DIT_SPAN_ARGS(word));
	}
	rule.norm = dn.norm;
	r = r < 0 ? r : read_how(line, &rule);
	r = r < 0 ? r : read_shards(line, &rule.shards);
	r = r < 0 ? r : add_rule(rules, &rule);
	if (r == 0 && dn.nrdns > 0) {
		rule.norm = dit_dn_parent(dn.norm);
		rule.kind = SPLIT_PARENT;
		r = add_rule(rules, &rule);
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

const struct split_rule *dit_split_rules_find(const struct split_rules *rules,
                                              struct dit_span norm,
                                              enum split_rule_kind kind)
{
	const struct split_rule key = {.norm = norm, .kind = kind};

	return rules->n == 0 ? NULL
	                     : bsearch(&key, rules->list, rules->n, sizeof(key), compare);
}

static int sort_rules(struct line *line)
{
	const struct split_rules *rules = line->rules;

	dit_sort_items(rules->list, rules->n, sizeof(*rules->list), compare);
	for (size_t i = 1; i < rules->n; i++) {
		const struct split_rule *two = &rules->list[i - 1];

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
		one = dit_arena_copy(&line->rules->arena, one);
		if (one.data == NULL) {
			return -ENOMEM;
		}
		line->rest = one.data;
		r = strlen(one.data) < one.len ? WRONG(line, "a byte with the value zero")
		                               : read_line(line);
	}
	if (r == 0 && line->rules->nnames == 0) {
		r = WRONG(line, "no line names a shard");
	}
	return r < 0 ? r : sort_rules(line);
}

int dit_split_rules_read(struct split_rules *rules, const char *path, uint64_t *ret_line,
                         struct dit_fault *fault)
{
	struct line line = {.rules = rules, .fault = fault};
	int r = 0;

	dit_arena_init(&rules->arena, BLOCK_BYTES);
	r = dit_file_read(path, &rules->arena, &rules->text);
	r = r < 0 ? r : read_lines(&line, rules->text);
	*ret_line = line.number;
	return r;
}
