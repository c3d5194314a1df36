/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values: the first byte of the input chooses a rule or syntax, the rest is the value.
 * Results are never NULL; a pretty form is its own pretty form.
 */
#include <stdint.h>
#include <stdlib.h>

#include "fuzz/fuzz_target.h"
#include "values/value.h"

enum kind {
	KIND_NORMALIZE,
	KIND_PRETTY,
	KIND_VALIDATE,
	KIND_COUNT,
};

static void check_pretty(const struct dit_schema *schema, enum dit_validator validator,
                         struct dit_span value, struct dit_arena *arena)
{
	struct dit_span out = {0};
	struct dit_span again = {0};

	if (dit_value_pretty(schema, validator, value, arena, &out) != 0) {
		return;
	}
	CHECK(out.data != NULL);
	/* Filters in URLs hold normal values, and not every normal form is its own. */
	if (validator != DIT_VALID_AUTHZ &&
	    dit_value_pretty(schema, validator, out, arena, &again) == 0) {
		CHECK(dit_span_eq(out, again));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct dit_schema *schema;
	struct dit_span value = {(const char *)data + 1, size - 1};
	struct dit_span out = {0};
	struct dit_arena arena;
	unsigned number = 0;

	if (size == 0) {
		return 0;
	}
	if (schema == NULL) {
		CHECK(dit_schema_new(&schema, DIT_OPENLDAP_ASSUMED) == 0);
		dit_schema_freeze(schema);
	}
	dit_arena_init(&arena, 256);
	number = data[0] / KIND_COUNT;
	switch (data[0] % KIND_COUNT) {
	case KIND_NORMALIZE:
		if (number > DIT_NORM_NONE && number <= DIT_NORM_ACI &&
		    dit_value_normalize(schema, (enum dit_normalizer)number, value,
		                        &arena, &out) == 0) {
			CHECK(out.data != NULL);
		}
		break;
	case KIND_PRETTY:
		if (number <= DIT_VALID_ACI) {
			check_pretty(schema, (enum dit_validator)number, value, &arena);
		}
		break;
	default:
		if (number <= DIT_VALID_ACI) {
			(void)dit_value_validate(schema, (enum dit_validator)number,
			                         value);
		}
		break;
	}
	dit_arena_deinit(&arena);
	return 0;
}
