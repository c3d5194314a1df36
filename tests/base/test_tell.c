/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_tell():
 * - texts are told whole, but for the middle of long ones; lists have no limit;
 * - without memory long ones lose their end, short ones nothing;
 * - a listener is not needed.
 */
#include "test.h"

#include "base/notes.h"
#include "nomem.h"

struct listener {
	enum dit_report_kind kind;
	char text[3 * DIT_TELL_BYTES];
	unsigned nheard;
};

static void listen(void *ctx, const struct dit_report *report)
{
	struct listener *listener = ctx;

	listener->kind = report->kind;
	(void)snprintf(listener->text, sizeof(listener->text), "%s", report->text);
	listener->nheard++;
}

static void tell(struct listener *listener, enum dit_report_kind kind, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

static void tell(struct listener *listener, enum dit_report_kind kind, const char *format,
                 ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(listener == NULL ? NULL : listen, listener, kind, format, args);
	va_end(args);
}

/* "A: x...x: B" with this many bytes */
static void tell_bytes(struct listener *listener, enum dit_report_kind kind, size_t len)
{
	char name[2 * DIT_TELL_BYTES];

	assert_in_range(len, 7, sizeof(name) + 5);
	memset(name, 'x', sizeof(name));
	name[len - 6] = '\0';
	listener->text[0] = '\0';
	tell(listener, kind, "%c: %s: B", 'A', name);
}

TEST(texts_are_told_whole)
{
	struct listener listener = {.nheard = 0};
	const struct {
		enum dit_report_kind kind;
		size_t len;
	} cases[] = {
		{DIT_REPORT_WARNING, 8},
		{DIT_REPORT_WARNING, DIT_TELL_BYTES - 1},
		{DIT_REPORT_ADDED, DIT_TELL_BYTES},
		{DIT_REPORT_MISSING, 2 * DIT_TELL_BYTES},
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tell_bytes(&listener, cases[i].kind, cases[i].len);
		assert_int_equal(listener.nheard, i + 1);
		assert_int_equal(listener.kind, cases[i].kind);
		assert_int_equal(strlen(listener.text), cases[i].len);
		assert_memory_equal(listener.text, "A: xx", 5);
	}
}

static bool ends_with(const char *text, const char *end)
{
	return strlen(text) > strlen(end) &&
	       strcmp(text + strlen(text) - strlen(end), end) == 0;
}

/* The bytes of the text that are not told are counted in it. */
TEST(the_middle_of_long_texts_is_left_out)
{
	const size_t lens[] = {DIT_TELL_BYTES, DIT_TELL_BYTES + 1, 2 * DIT_TELL_BYTES};
	struct listener listener = {.nheard = 0};

	for (unsigned i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		const char *mark = NULL;
		unsigned left_out = 0;
		int n = 0;

		tell_bytes(&listener, DIT_REPORT_WARNING, lens[i]);
		assert_in_range(strlen(listener.text), DIT_TELL_BYTES - 512,
		                DIT_TELL_BYTES - 1);
		assert_memory_equal(listener.text, "A: xx", 5);
		assert_true(ends_with(listener.text, "xx: B"));
		mark = strchr(listener.text, '[');
		assert_non_null(mark);
		assert_int_equal(sscanf(mark, "[%u bytes]%n", &left_out, &n), 1);
		assert_int_equal(strlen(listener.text) + left_out - (size_t)n -
		                         strlen(" ...  ... "),
		                 lens[i]);
	}
}

/* Three bytes each, at all places. */
TEST(characters_are_not_cut)
{
	struct listener listener = {.nheard = 0};

	for (int blanks = 0; blanks < 3; blanks++) {
		char text[3 * DIT_TELL_BYTES + 1];

		for (size_t i = 0; i < sizeof(text) - 1; i++) {
			text[i] = "\xe2\x82\xac"[i % 3];
		}
		text[sizeof(text) - 1] = '\0';
		tell(&listener, DIT_REPORT_ERROR, "%*s%s", blanks, "", text);
		assert_non_null(strstr(listener.text, "\xe2\x82\xac ... ["));
		assert_non_null(strstr(listener.text, "] ... \xe2\x82\xac"));
	}
}

TEST(texts_without_memory_are_cut)
{
	struct listener listener = {.nheard = 0};

	for (size_t len = DIT_TELL_BYTES - 2; len < DIT_TELL_BYTES + 2; len++) {
		countdown = 0;
		tell_bytes(&listener, DIT_REPORT_WARNING, len);
		countdown = -1;
		assert_int_equal(strlen(listener.text),
		                 len < DIT_TELL_BYTES ? len : DIT_TELL_BYTES - 1);
	}
	assert_int_equal(listener.nheard, 4);
}

TEST(a_listener_is_not_needed)
{
	tell(NULL, DIT_REPORT_ERROR, "%s", "text");
}
