/* SPDX-License-Identifier: BSD-2-Clause */
#include "run_facts.h"

#include <stdlib.h>
#include <string.h>

uint64_t fact_number(const json_t *object, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(object, name));

	return n < 0 ? 0 : (uint64_t)n;
}

double fact_seconds(const json_t *object, const char *name)
{
	return json_number_value(json_object_get(object, name));
}

const char *fact_text(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));

	return text == NULL ? "" : text;
}

uint64_t fact_sum(const json_t *array, const char *name)
{
	uint64_t n = 0;

	for (size_t i = 0; i < json_array_size(array); i++) {
		n += fact_number(json_array_get(array, i), name);
	}
	return n;
}

double fact_max_seconds(const json_t *array, const char *name)
{
	double max = 0;

	for (size_t i = 0; i < json_array_size(array); i++) {
		double seconds = fact_seconds(json_array_get(array, i), name);

		max = seconds > max ? seconds : max;
	}
	return max;
}

json_t *fact_named(const json_t *array, const char *name)
{
	for (size_t i = 0; i < json_array_size(array); i++) {
		json_t *object = json_array_get(array, i);

		if (strcmp(fact_text(object, "name"), name) == 0) {
			return object;
		}
	}
	return NULL;
}

const char *fact_phase_title(const char *name)
{
	return strcmp(name, "publish") == 0 ? "sync and put in place" : name;
}

static int compare_numbers(const json_t *x, const json_t *y, const char *name)
{
	uint64_t a = fact_number(x, name);
	uint64_t b = fact_number(y, name);

	return (a < b) - (a > b);
}

static int compare_bytes(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a;
	const json_t *y = *(json_t *const *)b;
	int order = compare_numbers(x, y, "bytes");

	return order != 0 ? order
	                  : strcmp(fact_text(x, "database"), fact_text(y, "database"));
}

json_t **fact_largest(const json_t *databases, size_t from, size_t *ret_n)
{
	size_t n = json_array_size(databases);
	json_t **largest = from < n ? calloc(n - from, sizeof(*largest)) : NULL;

	*ret_n = largest == NULL ? 0 : n - from;
	for (size_t i = 0; i < *ret_n; i++) {
		largest[i] = json_array_get(databases, from + i);
	}
	if (largest != NULL) {
		qsort(largest, *ret_n, sizeof(json_t *), compare_bytes);
	}
	return largest;
}

static int compare_indexes(const void *a, const void *b)
{
	const json_t *x = *(json_t *const *)a;
	const json_t *y = *(json_t *const *)b;
	double s = fact_seconds(x, "wall_s");
	double t = fact_seconds(y, "wall_s");
	int order = (s < t) - (s > t);

	if (order == 0) {
		order = compare_numbers(x, y, "bytes");
	}
	if (order == 0) {
		order = compare_numbers(x, y, "postings");
	}
	return order != 0 ? order : strcmp(fact_text(x, "name"), fact_text(y, "name"));
}

json_t **fact_indexes(const json_t *json, size_t *ret_n)
{
	const json_t *databases = json_object_get(json, "databases");
	json_t **indexes = NULL;
	size_t n = 0;

	*ret_n = 0;
	for (size_t i = 0; i < json_array_size(databases); i++) {
		n += json_array_size(
			json_object_get(json_array_get(databases, i), "indexes"));
	}
	indexes = n == 0 ? NULL : calloc(n, sizeof(*indexes));
	if (indexes == NULL) {
		return NULL;
	}
	for (size_t i = 0; i < json_array_size(databases); i++) {
		const json_t *of =
			json_object_get(json_array_get(databases, i), "indexes");

		for (size_t k = 0; k < json_array_size(of); k++) {
			indexes[(*ret_n)++] = json_array_get(of, k);
		}
	}
	qsort(indexes, n, sizeof(json_t *), compare_indexes);
	return indexes;
}
