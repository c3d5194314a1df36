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
#include "split/split_rules.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/grow.h"
#include "ldif/file_url.h"
#include "values/dn.h"

#define SHARDS_MAX   4096 /* each has an open file */
#define NAME_MAX_LEN 100
#define BLOCK_BYTES  65536

/* The line that is read. */
struct line {
	struct split_rules *rules;
	const char *path;
	uint64_t number;
	struct dit_span rest;
	char *why;
	size_t why_size;
};

__attribute__((format(printf, 2, 3))) static int wrong(const struct line *line,
                                                       const char *format, ...)
{
	int len = snprintf(line->why, line->why_size, "%s:%llu: ", line->path,
	                   (unsigned long long)line->number);
	va_list args;

	if (len >= 0 && (size_t)len < line->why_size) {
		va_start(args, format);
		(void)vsnprintf(line->why + len, line->why_size - (size_t)len, format,
		                args);
		va_end(args);
	}
	return DIT_E_CONFIG;
}

/* ---- rules by DN ---- */

static struct split_rule *place_of(const struct split_rules *rules, struct dit_span norm)
{
	size_t at = XXH3_64bits(norm.data, norm.len) & (rules->size - 1);

	while (rules->rules[at].norm.data != NULL &&
	       !dit_span_eq(rules->rules[at].norm, norm)) {
		at = (at + 1) & (rules->size - 1);
	}
	return &rules->rules[at];
}

struct split_rule *dit_split_rules_find(const struct split_rules *rules,
                                        struct dit_span norm)
{
	struct split_rule *rule = rules->size == 0 ? NULL : place_of(rules, norm);

	return rule == NULL || rule->norm.data == NULL ? NULL : rule;
}

/* At most half of the places are taken. */
static int grow(struct split_rules *rules)
{
	struct split_rules old = *rules;

	if (rules->nrules * 2 < rules->size) {
		return 0;
	}
	rules->size = old.size == 0 ? 64 : old.size * 2;
	rules->rules = calloc(rules->size, sizeof(*rules->rules));
	if (rules->rules == NULL) {
		*rules = old;
		return -ENOMEM;
	}
	for (size_t i = 0; i < old.size; i++) {
		if (old.rules[i].norm.data != NULL) {
			*place_of(rules, old.rules[i].norm) = old.rules[i];
		}
	}
	free(old.rules);
	return 0;
}

/* The rule of a DN, made if there is none. @param norm  lives in the arena */
static int get_rule(struct split_rules *rules, struct dit_span norm,
                    struct split_rule **ret)
{
	int r = grow(rules);

	if (r < 0) {
		return r;
	}
	*ret = place_of(rules, norm);
	if ((*ret)->norm.data == NULL) {
		(*ret)->norm = norm;
		rules->nrules++;
	}
	return 0;
}

/* ---- words ---- */

static struct dit_span skip_blanks(struct dit_span text)
{
	while (text.len > 0 && strchr(" \t\r", text.data[0]) != NULL &&
	       text.data[0] != '\0') {
		dit_cut(&text, 1);
	}
	return text;
}

/* @return 1; 0: the line has ended; DIT_E_CONFIG */
static int next_word(struct line *line, struct dit_span *ret)
{
	struct dit_span text = skip_blanks(line->rest);
	bool is_quoted = text.len > 0 && text.data[0] == '"';
	size_t len = 0;

	if (is_quoted) {
		dit_cut(&text, 1);
	}
	while (len < text.len &&
	       (is_quoted ? text.data[len] != '"'
	                  : strchr(" \t\r\"", text.data[len]) == NULL)) {
		len += is_quoted && text.data[len] == '\\' && len + 1 < text.len ? 2 : 1;
	}
	*ret = (struct dit_span){text.data, len};
	dit_cut(&text, len);
	if (is_quoted && text.len == 0) {
		return wrong(line, "a quote without its end");
	}
	if (is_quoted) {
		dit_cut(&text, 1);
	}
	line->rest = text;
	return is_quoted || len > 0 ? 1 : 0;
}

static int find_name(const struct split_rules *rules, struct dit_span word, uint32_t *ret)
{
	for (size_t i = 0; i < rules->nnames; i++) {
		if (dit_span_eq(dit_span_of(rules->names[i]), word)) {
			*ret = (uint32_t)i;
			return 0;
		}
	}
	return DIT_E_UNKNOWN;
}

/* ---- "shard" ---- */

static bool is_name(struct dit_span word)
{
	bool is_good = word.len <= NAME_MAX_LEN && word.data[0] != '.';

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
	char *copy = NULL;

	if (word.len == 0 || !is_name(word)) {
		return wrong(line,
		             "\"%.*s\" cannot be the name of a shard: up to %d letters, "
		             "digits, - _ and ., no . at the beginning, and not \"all\"",
		             DIT_SPAN_ARGS(word), NAME_MAX_LEN);
	}
	if (find_name(rules, word, &number) == 0) {
		return wrong(line, "shard \"%.*s\" has been named before",
		             DIT_SPAN_ARGS(word));
	}
	if (rules->nnames == SHARDS_MAX) {
		return wrong(line, "more than %d shards", SHARDS_MAX);
	}
	copy = dit_arena_bytes(&rules->arena, word.len + 1);
	if (copy == NULL ||
	    DIT_GROW(rules->names, rules->names_size, rules->nnames + 1) < 0) {
		return -ENOMEM;
	}
	memcpy(copy, word.data, word.len);
	copy[word.len] = '\0';
	rules->names[rules->nnames++] = copy;
	return 0;
}

static int read_names(struct line *line)
{
	struct dit_span word = {NULL, 0};
	int r = next_word(line, &word);

	if (r == 0) {
		return wrong(line, "\"shard\" needs names");
	}
	while (r > 0) {
		r = add_name(line, word);
		r = r < 0 ? r : next_word(line, &word);
	}
	return r;
}

/* ---- "below", "entry" ---- */

/* Names of shards, up to the end of the line. */
static int read_shards(struct line *line, struct dit_split_shards *ret)
{
	struct split_rules *rules = line->rules;
	uint32_t *list =
		dit_arena_alloc(&rules->arena, (rules->nnames + 1) * sizeof(*list));
	struct dit_span word = {NULL, 0};
	size_t n = 0;
	int r = list == NULL ? -ENOMEM : next_word(line, &word);
	bool is_all = r > 0 && dit_span_eq(word, DIT_SPAN("all"));

	for (size_t i = 0; is_all && i < rules->nnames; i++) {
		list[n++] = (uint32_t)i;
	}
	r = is_all ? next_word(line, &word) : r;
	if (is_all && r > 0) {
		return wrong(line, "nothing can follow \"all\"");
	}
	for (; r > 0; r = next_word(line, &word)) {
		if (find_name(rules, word, &list[n]) < 0) {
			return wrong(line, "no line before names a shard \"%.*s\"",
			             DIT_SPAN_ARGS(word));
		}
		for (size_t i = 0; i < n; i++) {
			if (list[i] == list[n]) {
				return wrong(line, "shard \"%.*s\" is named twice",
				             DIT_SPAN_ARGS(word));
			}
		}
		n++;
	}
	if (r == 0 && n == 0) {
		return wrong(line, "names of shards are missing");
	}
	*ret = (struct dit_split_shards){list, n};
	return r;
}

/* "to", or "hash SEED" */
static int read_how(struct line *line, bool is_entry, struct split_rule *ret)
{
	struct dit_span word = {NULL, 0};
	int r = next_word(line, &word);
	bool is_hash = r > 0 && !is_entry && dit_span_eq(word, DIT_SPAN("hash"));

	if (r < 0) {
		return r;
	}
	if (!is_hash) {
		return r > 0 && dit_span_eq(word, DIT_SPAN("to"))
		               ? 0
		               : wrong(line, "after the DN comes \"to\"%s",
		                       is_entry ? "" : " or \"hash\"");
	}
	ret->is_hashed = true;
	r = next_word(line, &word);
	for (size_t i = 0; r > 0 && i < word.len; i++) {
		if (!dit_ascii_is_digit(word.data[i]) ||
		    ret->seed > UINT64_MAX / 10 - 9) {
			r = 0;
		}
		ret->seed = ret->seed * 10 + (uint64_t)(word.data[i] - '0');
	}
	return r > 0 && word.len > 0 ? 0 : wrong(line, "after \"hash\" comes a number");
}

/* Also tell its parent that there is a rule. */
static int keep_rule(struct line *line, const struct split_rule *read, bool is_entry)
{
	struct split_rule *rule = NULL;
	struct split_rule *parent = NULL;
	int r = get_rule(line->rules, read->norm, &rule);

	if (r < 0) {
		return r;
	}
	if ((is_entry ? rule->own.n : rule->below.n) > 0) {
		return wrong(line, "there is such a line for this DN already");
	}
	if (is_entry) {
		rule->own = read->own;
	} else {
		rule->below = read->below;
		rule->is_hashed = read->is_hashed;
		rule->seed = read->seed;
	}
	r = read->norm.len == 0
	            ? 0
	            : get_rule(line->rules, dit_dn_parent(read->norm), &parent);
	if (parent != NULL) {
		parent->has_children = true;
	}
	return r;
}

static int read_rule(struct line *line, bool is_entry)
{
	struct split_rule rule = {.norm = {NULL, 0}};
	struct dit_dn dn = {.nrdns = 0};
	struct dit_span word = {NULL, 0};
	int r = next_word(line, &word);

	if (r == 0) {
		return wrong(line, "a DN is missing");
	}
	r = r < 0 ? r
	          : dit_dn_parse(line->rules->schema, word, &line->rules->arena, NULL,
	                         &dn);
	if (r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED) {
		return wrong(line, "\"%.*s\" is no DN of this schema",
		             DIT_SPAN_ARGS(word));
	}
	rule.norm = dn.nrdns == 0 ? DIT_SPAN("") : dn.norm;
	r = r < 0 ? r : read_how(line, is_entry, &rule);
	r = r < 0 ? r : read_shards(line, is_entry ? &rule.own : &rule.below);
	return r < 0 ? r : keep_rule(line, &rule, is_entry);
}

/* ---- lines ---- */

static int read_line(struct line *line)
{
	struct dit_span word = {NULL, 0};
	int r = 0;

	line->rest = skip_blanks(line->rest);
	if (line->rest.len == 0 || line->rest.data[0] == '#') {
		return 0;
	}
	r = next_word(line, &word);
	if (r < 0) {
		return r;
	}
	if (dit_span_eq(word, DIT_SPAN("shard"))) {
		return read_names(line);
	}
	if (dit_span_eq(word, DIT_SPAN("below"))) {
		return read_rule(line, false);
	}
	return dit_span_eq(word, DIT_SPAN("entry"))
	               ? read_rule(line, true)
	               : wrong(line,
	                       "a line begins with \"shard\", \"below\", \"entry\" or "
	                       "\"#\", not with \"%.*s\"",
	                       DIT_SPAN_ARGS(word));
}

static int read_lines(struct line *line, struct dit_span text)
{
	int r = 0;

	while (r == 0 && text.len > 0) {
		const char *lf = memchr(text.data, '\n', text.len);
		size_t len = lf == NULL ? text.len : (size_t)(lf - text.data);

		line->number++;
		line->rest = (struct dit_span){text.data, len};
		if (memchr(text.data, '\0', len) != NULL) {
			return wrong(line, "a byte with the value zero");
		}
		r = read_line(line);
		dit_cut(&text, lf == NULL ? len : len + 1);
	}
	return r;
}

int dit_split_rules_read(struct split_rules *rules, const char *path, char *why,
                         size_t why_size)
{
	struct line line = {
		.rules = rules, .path = path, .why = why, .why_size = why_size};
	struct dit_span text = {NULL, 0};
	int r = 0;

	dit_arena_init(&rules->arena, BLOCK_BYTES);
	r = dit_file_read(path, &rules->arena, &text);
	r = r < 0 ? r : read_lines(&line, text);
	if (r == 0 && rules->nnames == 0) {
		r = wrong(&line, "no line names a shard");
	}
	return r;
}

void dit_split_rules_deinit(struct split_rules *rules)
{
	dit_arena_deinit(&rules->arena);
	free(rules->names);
	free(rules->rules);
}
