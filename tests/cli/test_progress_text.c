/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of the texts of progress: the bar fits any terminal and leaves the last column
 * free; what matters most stays longest; what is not known is left out; JSON has all
 * counts.
 */
#include <errno.h>

#include "test.h"

#include "meter.h"

static const struct dit_progress indexes = {.phase = 2,
                                            .unit = DIT_PROGRESS_POSTINGS,
                                            .done = 111,
                                            .total = 222,
                                            .nentries = 1234567,
                                            .bytes_read = 1000000000,
                                            .bytes_total = 1000000000,
                                            .npostings = 222,
                                            .bytes_written = 1250000000,
                                            .stored_bytes = 12,
                                            .run_bytes = 5,
                                            .memory_bytes = 210 << 20,
                                            .threads = 2};

static struct progress_view view_of(const struct dit_progress *progress)
{
	program_invocation_short_name = "ditadd";
	return (struct progress_view){.phase = "indexes",
	                              .progress = progress,
	                              .share = 0.42,
	                              .seconds = 10,
	                              .left = 12.4};
}

TEST(the_bar_has_all_that_fits)
{
	static const struct {
		unsigned columns;
		const char *text;
	} cases[] = {
		{120,
	         "indexes    [############------------------]  42%  123457/s  119 MiB/s  "
	         "memory 210 MiB  0:12 left"},
		{80,
	         "indexes    [#####--------]  42%  123457/s  119 MiB/s  memory 210 MiB  "
	         "0:12 left"},
		{60, "indexes    [###------]  42%  123457/s  119 MiB/s  0:12 left"},
		{40, "indexes    [####------]  42%  0:12 left"},
		{30, "indexes     42%  0:12 left"},
		{20, "indexes     42%  0:"},
		{2, "i"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct progress_view view = view_of(&indexes);
		char text[PROGRESS_TEXT_BYTES];

		progress_text_bar(text, sizeof(text), cases[i].columns, &view);
		assert_string_equal(text, cases[i].text);
	}
}

TEST(no_bar_is_wider_than_the_terminal)
{
	struct dit_progress progress = indexes;

	progress.nentries = UINT64_MAX / 2;
	progress.bytes_written = UINT64_MAX;
	progress.memory_bytes = UINT64_MAX;
	for (unsigned columns = 1; columns < 200; columns++) {
		for (unsigned share = 0; share <= 10; share++) {
			struct progress_view view = view_of(&progress);
			char text[PROGRESS_TEXT_BYTES];

			view.share = (double)share / 10;
			view.left = share * 100000.0;
			progress_text_bar(text, sizeof(text), columns, &view);
			assert_true(strlen(text) < (columns < 2 ? 2 : columns));
		}
	}
}

TEST(what_is_not_known_is_left_out)
{
	static const struct dit_progress none = {.threads = 1};
	struct progress_view view = view_of(&none);
	char text[PROGRESS_TEXT_BYTES];

	view.share = -1;
	view.left = -1;
	progress_text_bar(text, sizeof(text), 80, &view);
	assert_string_equal(text, "indexes   ");
	progress_text_line(text, sizeof(text), &view);
	assert_string_equal(text, "ditadd: indexes");
	progress_text_json(text, sizeof(text), &view);
	assert_null(strstr(text, "percent"));
}

TEST(times_have_hours)
{
	static const struct {
		double seconds;
		const char *text;
	} cases[] = {{0, ", 0:00 left"},       {59.4, ", 0:59 left"},
	             {59.6, ", 1:00 left"},    {3599, ", 59:59 left"},
	             {3600, ", 1:00:00 left"}, {100000, ", 27:46:40 left"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct progress_view view = view_of(&indexes);
		char text[PROGRESS_TEXT_BYTES];

		view.left = cases[i].seconds;
		progress_text_line(text, sizeof(text), &view);
		assert_non_null(strstr(text, cases[i].text));
	}
}

TEST(speeds_and_times_are_those_of_the_moment)
{
	static const struct {
		const char *name;
		double seconds;
		bool is_over;
		const char *text;
	} cases[] = {
		{"just begun", 0.017, false, ", memory 210 MiB, 0:12 left"},
		{"a second later", 1, false,
	         ", 1234567/s, 1.2 GiB/s, memory 210 MiB, 0:12 left"},
		{"over at once", 0.5, true,
	         ", 2469134/s, 2.3 GiB/s, memory 210 MiB, in 0:01"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct progress_view view = view_of(&indexes);
		char text[PROGRESS_TEXT_BYTES];
		const char *end = NULL;

		view.seconds = cases[i].seconds;
		view.is_over = cases[i].is_over;
		progress_text_line(text, sizeof(text), &view);
		end = strstr(text, " entries");
		assert_non_null(end);
		if (strcmp(end + strlen(" entries"), cases[i].text) != 0) {
			fail_msg("%s: %s", cases[i].name, text);
		}
	}
}

TEST(a_progress_line_has_all_fields)
{
	struct progress_view view = view_of(&indexes);
	char text[PROGRESS_TEXT_BYTES];

	progress_text_line(text, sizeof(text), &view);
	assert_string_equal(text, "ditadd: indexes, 42%, 1234567 entries, 123457/s, "
	                          "119 MiB/s, memory 210 MiB, 0:12 left");
}

TEST(json_has_all_figures_of_the_progress)
{
	struct progress_view view = view_of(&indexes);
	char text[PROGRESS_TEXT_BYTES];

	progress_text_json(text, sizeof(text), &view);
	assert_string_equal(
		text,
		"{\"phase\":\"indexes\",\"seconds\":10.0,\"percent\":42.0,"
		"\"seconds_left\":12.4,\"unit\":\"postings\",\"done\":111,\"total\":222,"
		"\"entries\":1234567,\"bytes_read\":1000000000,"
		"\"bytes_total\":1000000000,\"postings\":222,"
		"\"bytes_written\":1250000000,\"stored_bytes\":12,\"run_bytes\":5,"
		"\"memory_bytes\":220200960,\"threads\":2}");
}
