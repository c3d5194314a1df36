/* SPDX-License-Identifier: BSD-2-Clause */
#include "check_config_output.h"

#include <jansson.h>

#include "run_facts.h"

static const char *const kind_names[DIT_CHECK_INDEX_KINDS] = {"pres", "eq", "approx",
                                                              "sub"};

static const char *kind_name(unsigned kind)
{
	return kind_names[__builtin_ctz(kind) % DIT_CHECK_INDEX_KINDS];
}

static json_t *index_json(const struct dit_check_index_use *index)
{
	json_t *kinds = json_array();
	json_t *uses = json_object();

	for (unsigned i = 0; i < DIT_CHECK_INDEX_KINDS; i++) {
		if ((index->kinds & 1u << i) != 0) {
			(void)json_array_append_new(kinds, json_string(kind_names[i]));
			(void)json_object_set_new(
				uses, kind_names[i],
				json_integer((json_int_t)index->nuses[i]));
		}
	}
	return json_pack("{s:o, s:o, s:b, s:I, s:I, s:o}", "name", json_text(index->name),
	                 "kinds", kinds, "numeric", (int)index->is_numeric,
	                 "sampled_values", (json_int_t)index->nvalues, "digit_values",
	                 (json_int_t)index->ndigits, "uses", uses);
}

static json_t *searches_json(const struct dit_check_config *config)
{
	json_t *missing = json_array();

	for (size_t i = 0; i < config->nmissing; i++) {
		const struct dit_check_missing *one = &config->missing[i];

		(void)json_array_append_new(missing,
		                            json_pack("{s:o, s:s, s:I}", "attribute",
		                                      json_text(one->attribute), "kind",
		                                      kind_name(one->kind), "searches",
		                                      (json_int_t)one->nsearches));
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:o}", "counted",
	                 (json_int_t)config->nsearches, "base",
	                 (json_int_t)config->nbases, "elsewhere",
	                 (json_int_t)config->nelsewhere, "unread",
	                 (json_int_t)config->nunread, "unindexed",
	                 (json_int_t)config->nunindexed, "missing", missing);
}

struct json_t *config_json(const struct dit_check_config *config)
{
	json_t *indexes = json_array();
	/* A suffix that is no UTF-8 is not told. */
	json_t *suffix = config->suffix.len == 0
	                         ? json_string("")
	                         : json_stringn(config->suffix.data, config->suffix.len);

	if (suffix == NULL) {
		suffix = json_null();
	}
	for (size_t i = 0; i < config->nindexes; i++) {
		(void)json_array_append_new(indexes, index_json(&config->indexes[i]));
	}
	return json_pack("{s:o, s:o, s:I, s:i, s:I, s:o, s:o}", "file",
	                 json_text(config->file), "suffix", suffix, "maxsize_bytes",
	                 (json_int_t)config->maxsize_bytes, "idlexp", (int)config->idlexp,
	                 "sampled_entries", (json_int_t)config->nsampled, "indexes",
	                 indexes, "searches", searches_json(config));
}
