/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of a record of a run: the JSON has every field of doc/stats.md, whatever bytes
 * the command line holds; rates are figures by time; a length that no key has is left
 * out.
 */
#include "test.h"

#include <jansson.h>

#include "run_record.h"

static const struct meter_phase phases[] = {{"one", 1, NULL}, {"second", 1, "two"}};
static const uint64_t times_us[] = {500000, 0};

TEST(the_record_is_complete)
{
	char *argv[] = {"test", "\xff\"<", NULL};
	const struct common_options options = {.argc = 2, .argv = argv};
	static const char *const keys[] = {
		"format",     "program", "version",    "command",      "started",
		"processors", "wall_s",  "cpu_user_s", "cpu_system_s", "memory",
		"phases",     "threads", "samples"};
	struct run_record record;
	json_t *json = NULL;
	json_t *samples = NULL;

	run_record_start(&record, &options, phases, 2);
	run_record_progress(&record, &(struct dit_progress){.phase = 0});
	/* Too soon. */
	run_record_progress(&record, &(struct dit_progress){.nentries = 5});
	run_record_progress(&record, &(struct dit_progress){.phase = 1, .nentries = 7});
	run_record_end(&record);
	json = run_record_json(&record, json_pack("{s:i}", "own", 3), times_us, times_us);
	assert_int_equal(json_integer_value(json_object_get(json, "own")), 3);
	assert_non_null(json);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_non_null(json_object_get(json, keys[i]));
	}
	assert_true(json_integer_value(json_object_get(json_object_get(json, "memory"),
	                                               "page_faults")) > 0);
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(json, "command"), 1)),
		"\\ff\"<");
	samples = json_object_get(json, "samples");
	assert_int_equal(json_array_size(samples), 3);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(samples, 1), "phase")),
		"two");
	assert_int_equal(json_integer_value(
				 json_object_get(json_array_get(samples, 2), "entries")),
	                 7);
	json_decref(json);
	run_record_deinit(&record);
}

/* A rate of the phase "entries", until the next sample; a phase that ends has none. */
TEST(samples_have_the_rate_until_the_next_one)
{
	const struct common_options options = {.argc = 0};
	struct run_record record;
	json_t *json = NULL;
	const json_t *samples = NULL;
	const uint64_t rates[] = {500, 0, 0};

	run_record_start(&record, &options, phases, 2);
	samples_add(&record.samples, &(struct sample){.time_us = 0});
	samples_add(&record.samples,
	            &(struct sample){.time_us = 2000000, .progress.nentries = 1000});
	samples_add(&record.samples,
	            &(struct sample){.time_us = 3000000,
	                             .progress = {.phase = 1, .nentries = 2000}});
	json = run_record_json(&record, json_object(), times_us, times_us);
	run_record_deinit(&record);
	samples = json_object_get(json, "samples");
	for (size_t i = 0; i < 3; i++) {
		const json_t *sample = json_array_get(samples, i);

		assert_int_equal(
			json_integer_value(json_object_get(sample, "entries_per_s")),
			rates[i]);
		assert_true(json_real_value(json_object_get(sample, "lasts_s")) ==
		            2.0 - (double)i);
	}
	json_decref(json);
}

TEST(rates_are_figures_by_time)
{
	const struct common_options options = {.argc = 0};
	struct run_record record;
	json_t *json = NULL;
	const json_t *phase = NULL;

	run_record_start(&record, &options, phases, 2);
	json = run_record_json(&record, json_pack("{s:{s:i}}", "records", "read", 1000),
	                       times_us, times_us);
	run_record_deinit(&record);
	phase = json_array_get(json_object_get(json, "phases"), 0);
	assert_int_equal(json_integer_value(json_object_get(phase, "entries_per_s")),
	                 2000);
	assert_true(json_is_null(json_object_get(phase, "bytes_per_s")));
	assert_true(json_real_value(json_object_get(phase, "wall_s")) == 0.5);
	json_decref(json);
}

TEST(lengths_are_told_by_powers_of_two)
{
	uint64_t nlists[DIT_LIST_LENGTHS] = {7, 0, 0, 9, [31] = 1};
	json_t *json = run_lengths_json(nlists);
	json_t *last = json_array_get(json, 2);

	assert_int_equal(json_array_size(json), 3);
	assert_int_equal(
		json_integer_value(json_object_get(json_array_get(json, 1), "from")), 8);
	assert_int_equal(
		json_integer_value(json_object_get(json_array_get(json, 1), "to")), 15);
	assert_int_equal(json_integer_value(json_object_get(last, "from")), 1ll << 31);
	assert_int_equal(json_integer_value(json_object_get(last, "keys")), 1);
	json_decref(json);
}

TEST(an_index_without_known_pages_has_null_bytes)
{
	char name[] = "cn";
	struct dit_index_stats index = {
		.name = name, .nkeys = 4, .cost = {.nranges = 3, .thread = 5}};
	json_t *json = run_indexes_json(&index, 1, false);
	const json_t *one = json_array_get(json, 0);

	assert_true(json_is_null(json_object_get(one, "bytes")));
	assert_string_equal(json_string_value(json_object_get(one, "thread")), "main");
	json_decref(json);
	index.cost.bytes = 4096;
	json = run_indexes_json(&index, 1, true);
	one = json_array_get(json, 0);
	assert_int_equal(json_integer_value(json_object_get(one, "bytes")), 4096);
	assert_string_equal(json_string_value(json_object_get(one, "thread")), "tool-5");
	json_decref(json);
}
