/* SPDX-License-Identifier: BSD-2-Clause */
#include "bulk/export_match.h"

#include "base/error.h"
#include "values/dn.h"

#define ARENA_BYTES 4096

int dit_export_match_init(struct dit_export_match *match, const struct dit_schema *schema,
                          const struct dit_export_opts *opts)
{
	struct dit_dn dn;
	int r = 0;

	*match = (struct dit_export_match){.scope = opts->scope,
	                                   .has_base = opts->base != NULL};
	dit_arena_init(&match->arena, ARENA_BYTES);
	if (match->has_base) {
		r = dit_dn_parse(schema, dit_span_of(opts->base), &match->arena, NULL,
		                 &dn);
	}
	if (r == DIT_E_UNSUPPORTED) {
		r = DIT_E_INVALID;
	}
	if (r == 0 && match->has_base) {
		match->base = dn.norm;
	}
	return r;
}

void dit_export_match_deinit(struct dit_export_match *match)
{
	dit_arena_deinit(&match->arena);
}

/* In a normal DN a comma in a value has a backslash before it, or is written in hex. */
static struct dit_span parent_of(struct dit_span dn)
{
	for (size_t i = 0; i < dn.len; i++) {
		if (dn.data[i] == '\\') {
			i++;
		} else if (dn.data[i] == ',') {
			return (struct dit_span){dn.data + i + 1, dn.len - i - 1};
		}
	}
	return (struct dit_span){dn.data + dn.len, 0};
}

bool dit_export_matches(const struct dit_export_match *match,
                        const struct dit_entry_view *entry)
{
	struct dit_span dn = entry->norm_dn;
	bool is_base = false;

	if (!match->has_base) {
		return true;
	}
	is_base = dit_span_eq(dn, match->base);
	switch (match->scope) {
	case DIT_EXPORT_BASE:
		return is_base;
	case DIT_EXPORT_ONE:
		return !is_base && dn.len > 0 && dit_span_eq(parent_of(dn), match->base);
	case DIT_EXPORT_CHILDREN:
		return !is_base && dit_dn_is_below(dn, match->base);
	case DIT_EXPORT_SUBTREE:
		break;
	}
	return dit_dn_is_below(dn, match->base);
}
