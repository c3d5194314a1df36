/* SPDX-License-Identifier: BSD-2-Clause */
#include "report_lists.h"

#include <math.h>

#include <jansson.h>

#include "figures.h"
#include "html.h"
#include "run_facts.h"
#include "svg.h"

#define BAR_HEIGHT   14
#define SPARK_HEIGHT 20
#define NCLASSES     32

/* The classes of lengths of a list, by the place of their bit. */
static void take_lengths(const json_t *index, uint64_t *classes)
{
	const json_t *lengths = json_object_get(index, "list_lengths");

	for (size_t i = 0; i < json_array_size(lengths); i++) {
		const json_t *length = json_array_get(lengths, i);
		uint64_t from = fact_number(length, "from");
		unsigned class = 0;

		while (from > 1 && class < NCLASSES - 1) {
			from /= 2;
			class ++;
		}
		classes[class] += fact_number(length, "keys");
	}
}

static unsigned count_of(const uint64_t *classes)
{
	unsigned n = NCLASSES;

	while (n > 0 && classes[n - 1] == 0) {
		n--;
	}
	return n;
}

unsigned report_count_classes(json_t *const *indexes, size_t n)
{
	uint64_t classes[NCLASSES] = {0};

	for (size_t i = 0; i < n; i++) {
		take_lengths(indexes[i], classes);
	}
	return count_of(classes);
}

/* Heights are logarithms: one key with a long list is to be seen, too. */
void report_spark(FILE *out, const json_t *index, unsigned nclasses)
{
	uint64_t classes[NCLASSES] = {0};
	double max = 1;

	take_lengths(index, classes);
	for (unsigned i = 0; i < NCLASSES; i++) {
		max = log2((double)classes[i] + 1) > max ? log2((double)classes[i] + 1)
		                                         : max;
	}
	svg_begin(out, SPARK_HEIGHT, "lengths of lists, from one ID to many");
	for (unsigned i = 0; i < nclasses; i++) {
		double height = SPARK_HEIGHT * log2((double)classes[i] + 1) / max;

		svg_bar(out,
		        (struct svg_box){.left = (double)i / nclasses,
		                         .right = (i + 0.8) / nclasses,
		                         .top = SPARK_HEIGHT - height,
		                         .bottom = SPARK_HEIGHT},
		        "entries", NULL);
	}
	svg_end(out);
}

static void print_length(FILE *out, unsigned class, uint64_t n, uint64_t max,
                         uint64_t sum)
{
	uint64_t from = (uint64_t)1 << class;

	(void)fprintf(out, "<tr data-from=\"%llu\"><td>%s", (unsigned long long)from,
	              figure_count(from).text);
	if (class > 0) {
		(void)fprintf(out, " to %s", figure_count(2 * from - 1).text);
	}
	(void)fputs("</td><td class=\"chart broad\">", out);
	svg_begin(out, BAR_HEIGHT, "keys");
	svg_bar(out,
	        (struct svg_box){.right = (double)n / (double)max, .bottom = BAR_HEIGHT},
	        "entries", NULL);
	svg_end(out);
	(void)fputs("</td>", out);
	html_count(out, "keys", n);
	html_share(out, "share", (double)n, (double)sum);
	(void)fputs("</tr>\n", out);
}

void report_lengths(FILE *out, json_t *const *indexes, size_t n)
{
	uint64_t classes[NCLASSES] = {0};
	uint64_t max = 0;
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		take_lengths(indexes[i], classes);
	}
	for (unsigned i = 0; i < NCLASSES; i++) {
		max = classes[i] > max ? classes[i] : max;
		sum += classes[i];
	}
	if (sum == 0) {
		return;
	}
	(void)fputs(
		"<section id=\"lengths\"><h2>Lengths of lists</h2>\n<p class=\"note\">"
		"How many entries a key leads to, over all indexes.</p>\n"
		"<div class=\"wide\"><table><thead><tr><th>entries</th><th></th>"
		"<th>keys</th><th>share</th></tr></thead><tbody>\n",
		out);
	for (unsigned i = 0; i < count_of(classes); i++) {
		print_length(out, i, classes[i], max, sum);
	}
	(void)fputs("</tbody></table></div></section>\n", out);
}
