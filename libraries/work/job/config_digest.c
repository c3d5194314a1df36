/* SPDX-License-Identifier: BSD-2-Clause */
#include "job/config_digest.h"

const char *const dit_config_parts[DIT_CONFIG_NPARTS] = {
	[DIT_CONFIG_INDEXES] = "indexes",
	[DIT_CONFIG_VALUES] = "values",
	[DIT_CONFIG_SCHEMA] = "schema",
};

/* A name with its numbers. */
static void add(struct dit_sum128 *sum, struct dit_span name, const unsigned n[3])
{
	struct dit_span numbers = {(const char *)n, 3 * sizeof(n[0])};
	struct dit_sum128 one = dit_sum128_of(numbers, dit_sum128_seed(name, 0));

	dit_sum128_add(sum, &one);
}

static struct dit_sum128 of_indexes(const struct dit_settings *settings,
                                    const struct dit_database *db)
{
	const struct dit_index_params *params = &settings->index;
	struct dit_sum128 sum = {0, 0};

	add(&sum, DIT_SPAN("substrings"),
	    (unsigned[]){params->substr_if_minlen, params->substr_if_maxlen,
	                 params->substr_any_len});
	add(&sum, DIT_SPAN("keys"),
	    (unsigned[]){params->intlen, params->hash64, settings->idlexp});
	for (size_t i = 0; i < db->nindexes; i++) {
		add(&sum, db->indexes[i].ad->name,
		    (unsigned[]){db->indexes[i].kinds, 0, 0});
	}
	return sum;
}

static struct dit_sum128 of_values(const struct dit_settings *settings,
                                   const struct dit_database *db)
{
	const struct dit_multival_rules *multival = &db->multival;
	struct dit_sum128 sum = {0, 0};

	add(&sum, DIT_SPAN(""), (unsigned[]){multival->hi, multival->lo, 0});
	for (size_t i = 0; i < multival->nspecs; i++) {
		const struct dit_multival_spec *spec = &multival->specs[i];

		add(&sum, spec->ad->name, (unsigned[]){spec->hi, spec->lo, 0});
	}
	for (size_t i = 0; i < settings->nsortvals; i++) {
		add(&sum, dit_span_of(settings->sortvals[i]->name),
		    (unsigned[]){0, 0, 1});
	}
	return sum;
}

void dit_config_digest(const struct dit_settings *settings, const struct dit_database *db,
                       struct dit_sum128 ret[DIT_CONFIG_NPARTS])
{
	ret[DIT_CONFIG_INDEXES] = of_indexes(settings, db);
	ret[DIT_CONFIG_VALUES] = of_values(settings, db);
	ret[DIT_CONFIG_SCHEMA] = dit_schema_digest(settings->schema);
}
