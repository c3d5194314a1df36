/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Schema definitions and attribute descriptions: each line is one, its first byte says of
 * which kind. All definitions come first. A description looked up twice is the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz_target.h"
#include "schema/schema_private.h"

static void find_twice(struct dit_schema *schema, struct dit_ad_cache *cache,
                       const char *text)
{
	const struct dit_ad *first = NULL;
	const struct dit_ad *second = NULL;
	const char *reason = NULL;

	if (dit_ad_find(schema, cache, dit_span_of(text), &first, &reason) < 0) {
		CHECK(reason != NULL);
		return;
	}
	CHECK(dit_ad_find(schema, cache, dit_span_of(text), &second, NULL) == 0);
	CHECK(second == first);
	CHECK(dit_ad_find(schema, NULL, first->name, &second, NULL) == 0);
	CHECK(second == first);
	CHECK(first->ordinal < schema->nads);
}

static void define(struct dit_schema *schema, char *line)
{
	struct dit_schema_error error = {0};
	char *space = NULL;
	int r = 0;

	switch (*line) {
	case 'a':
		r = dit_schema_define_type(schema, line + 1, &error);
		break;
	case 'o':
		r = dit_schema_define_class(schema, line + 1, &error);
		break;
	case 's':
		r = dit_schema_define_syntax(schema, line + 1, &error);
		break;
	case 'c':
		r = dit_schema_define_content_rule(schema, line + 1, &error);
		break;
	case 'x':
		r = dit_schema_define_option(schema, line + 1, &error);
		break;
	case 'm':
		space = strchr(line, ' ');
		if (space != NULL) {
			*space = '\0';
			r = dit_schema_define_macro(schema, line + 1, space + 1, &error);
		}
		break;
	default:
		break;
	}
	CHECK(r >= 0 || error.text[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dit_schema *schema = NULL;
	struct dit_ad_cache *cache = calloc(1, sizeof(*cache));
	char *text = malloc(size + 1);

	CHECK(text != NULL && cache != NULL &&
	      dit_schema_new(&schema, DIT_OPENLDAP_ASSUMED) == 0);
	for (size_t i = 0; i < size; i++) {
		text[i] = data[i] == '\n' ? '\0' : (char)data[i];
	}
	text[size] = '\0';
	for (char *line = text; line <= text + size; line += strlen(line) + 1) {
		define(schema, line);
	}
	dit_schema_freeze(schema);
	for (const char *line = text; line <= text + size; line += strlen(line) + 1) {
		find_twice(schema, cache, line);
	}
	free(cache);
	dit_schema_free(schema);
	free(text);
	return 0;
}
