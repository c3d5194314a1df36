/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Every row of normalize-vectors.tsv: rule, syntax, value, normal form as slapadd stored
 * it. SAME: the rule has no normal form of its own; REJECTED: the loader refused it.
 */
#include "base/error.h"
#include "sample_schema.h"
#include "values/value.h"

#define NROWS_MIN 459

static size_t read_hex(const char *hex, char *to)
{
	size_t n = 0;
	unsigned byte = 0;

	assert_memory_equal(hex, "hex:", 4);
	for (hex += 4; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
		to[n++] = (char)byte;
	}
	return n;
}

static void check_row(const struct dit_schema *schema, struct dit_arena *arena, char *row,
                      unsigned line)
{
	const char *name = strsep(&row, "\t");
	const char *syntax = strsep(&row, "\t");
	const char *in_hex = strsep(&row, "\t");
	const char *out_hex = strsep(&row, "\t");
	const struct dit_rule *rule = dit_schema_find_rule(schema, dit_span_of(name));
	char in[4096];
	char want[4096];
	struct dit_span value = {in, read_hex(in_hex, in)};
	struct dit_span out = {0};
	int r = 0;

	(void)syntax;
	assert_non_null(rule);
	if (strcmp(out_hex, "SAME") == 0) {
		assert_int_equal(rule->normalizer, DIT_NORM_NONE);
		return;
	}
	r = dit_value_normalize(schema, rule->normalizer, value, arena, &out);
	if (strcmp(out_hex, "REJECTED") == 0) {
		if (r != DIT_E_INVALID) {
			fail_msg("line %u: %s accepted or failed: %d", line, name, r);
		}
		return;
	}
	if (r != 0 ||
	    !dit_span_eq(out, (struct dit_span){want, read_hex(out_hex, want)})) {
		fail_msg("line %u: %s: %d \"%.*s\"", line, name, r, DIT_SPAN_ARGS(out));
	}
}

TEST(normal_forms_are_those_that_slapadd_stored)
{
	struct dit_schema *schema = sample_schema();
	struct dit_arena *arena = test_arena(4096);
	FILE *file = fopen(test_data("normalize-vectors.tsv"), "r");
	char row[16384];
	unsigned nrows = 0;

	assert_non_null(file);
	assert_non_null(fgets(row, sizeof(row), file)); /* names of the columns */
	while (fgets(row, sizeof(row), file) != NULL) {
		row[strcspn(row, "\n")] = '\0';
		check_row(schema, arena, row, nrows++ + 2);
	}

	assert_true(nrows >= NROWS_MIN);
	(void)fclose(file);
}
