/* SPDX-License-Identifier: BSD-2-Clause */
/* Trees of names, and the many ways to write one (values.md 5). */
#include "random.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPECIAL ",;+\"<>\\="

unsigned tree_grow(struct tree *tree, const struct attributes *attributes,
                   unsigned parent, struct rng *rng)
{
	struct node *node = NULL;

	if (tree->n == tree->size) {
		tree->size = 2 * tree->size + 16;
		tree->nodes = realloc(tree->nodes, tree->size * sizeof(*tree->nodes));
		if (tree->nodes == NULL) {
			perror("randdit");
			exit(2);
		}
	}
	node = &tree->nodes[tree->n];
	*node = (struct node){.parent = parent, .navas = rng_chance(rng, 90) ? 1 : 2};
	for (unsigned i = 0; i < node->navas; i++) {
		struct ava *ava = &node->avas[i];

		do {
			unsigned at = rng_below(rng, attributes->n);

			ava->attribute =
				&attributes->list[rng_chance(rng, 60) ? at % 7 : at];
		} while (!ava->attribute->can_name ||
		         (i > 0 && ava->attribute == node->avas[0].attribute));
		value_for_name(ava->attribute->kind, rng, &ava->value);
	}
	return tree->n++;
}

static void add_hex(struct text *out, char byte)
{
	char hex[4];

	(void)snprintf(hex, sizeof(hex), "\\%02X", (unsigned char)byte);
	text_string(out, hex);
}

/* A value within quotes: only the quote and the backslash need an escape. */
static void add_quoted(const struct text *value, struct text *out)
{
	text_byte(out, '"');
	for (size_t i = 0; i < value->len; i++) {
		if (value->data[i] == '"' || value->data[i] == '\\') {
			text_byte(out, '\\');
		}
		text_byte(out, value->data[i]);
	}
	text_byte(out, '"');
}

static void add_value(const struct ava *ava, bool is_calm, struct rng *rng,
                      struct text *out)
{
	const struct text *value = &ava->value;
	bool ignores_case = ava->attribute->kind == KIND_DIRECTORY ||
	                    ava->attribute->kind == KIND_IA5;
	bool is_mixed = !is_calm && ignores_case && rng_chance(rng, 20);

	if (!is_calm && rng_chance(rng, 5)) {
		add_quoted(value, out);
		return;
	}
	for (size_t i = 0; i < value->len; i++) {
		char byte = value->data[i];
		bool is_edge = i == 0 || i + 1 == value->len;

		if ((!is_calm && rng_chance(rng, 3)) ||
		    (is_edge && isspace((unsigned char)byte))) {
			add_hex(out, byte);
			continue;
		}
		if (strchr(SPECIAL, byte) != NULL || (i == 0 && byte == '#')) {
			text_byte(out, '\\');
		}
		if (is_mixed && byte > 0) {
			byte = (char)(rng_chance(rng, 50) ? toupper(byte)
			                                  : tolower(byte));
		}
		text_byte(out, byte);
		if (byte == ' ' && is_mixed) {
			text_byte(out, ' ');
		}
	}
}

static void add_gap(bool is_calm, struct rng *rng, struct text *out)
{
	if (!is_calm && rng_chance(rng, 5)) {
		text_byte(out, ' ');
	}
}

static void add_rdn(const struct node *node, bool is_calm, struct rng *rng,
                    struct text *out)
{
	unsigned first = is_calm ? 0 : rng_below(rng, node->navas);

	for (unsigned i = 0; i < node->navas; i++) {
		const struct ava *ava = &node->avas[(first + i) % node->navas];

		if (i > 0) {
			add_gap(is_calm, rng, out);
			text_byte(out, '+');
			add_gap(is_calm, rng, out);
		}
		if (is_calm) {
			text_string(out, ava->attribute->names[0]);
		} else {
			attribute_spell(ava->attribute, rng, out);
		}
		add_gap(is_calm, rng, out);
		text_byte(out, '=');
		add_gap(is_calm, rng, out);
		add_value(ava, is_calm, rng, out);
	}
}

void tree_spell(const struct tree *tree, unsigned node, bool is_calm, struct rng *rng,
                struct text *out)
{
	bool is_upper = !is_calm && rng_chance(rng, 5);

	while (node != NO_PARENT) {
		add_rdn(&tree->nodes[node], is_calm, rng, out);
		node = tree->nodes[node].parent;
		if (node == NO_PARENT && tree->suffix[0] == '\0') {
			return;
		}
		add_gap(is_calm, rng, out);
		text_byte(out, !is_calm && rng_chance(rng, 5) ? ';' : ',');
		add_gap(is_calm, rng, out);
	}
	for (const char *at = tree->suffix; *at != '\0'; at++) {
		text_byte(out, is_upper ? (char)toupper((unsigned char)*at) : *at);
	}
}

void tree_free(struct tree *tree)
{
	for (unsigned i = 0; i < tree->n; i++) {
		for (unsigned j = 0; j < tree->nodes[i].navas; j++) {
			text_free(&tree->nodes[i].avas[j].value);
		}
	}
	free(tree->nodes);
	*tree = (struct tree){0};
}
