/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of dit_tell():
 * - texts of any length are told whole;
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

static void tell(struct listener *listener, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void tell(struct listener *listener, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	dit_tell(listener == NULL ? NULL : listen, listener, DIT_REPORT_WARNING, format,
	         args);
	va_end(args);
}

/* "A: x...x" with this many bytes */
static void tell_bytes(struct listener *listener, size_t len)
{
	char name[2 * DIT_TELL_BYTES];

	assert_in_range(len, 4, sizeof(name) + 2);
	memset(name, 'x', sizeof(name));
	name[len - 3] = '\0';
	listener->text[0] = '\0';
	tell(listener, "%c: %s", 'A', name);
}

static void texts_are_told_whole(void **state)
{
	struct listener listener = {.nheard = 0};
	const size_t lens[] = {4, DIT_TELL_BYTES - 1, DIT_TELL_BYTES, DIT_TELL_BYTES + 1,
	                       2 * DIT_TELL_BYTES};
	(void)state;

	for (unsigned i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		tell_bytes(&listener, lens[i]);
		assert_int_equal(listener.nheard, i + 1);
		assert_int_equal(listener.kind, DIT_REPORT_WARNING);
		assert_int_equal(strlen(listener.text), lens[i]);
		assert_memory_equal(listener.text, "A: x", 4);
	}
}

static void texts_without_memory_are_cut(void **state)
{
	struct listener listener = {.nheard = 0};
	(void)state;

	for (size_t len = DIT_TELL_BYTES - 2; len < DIT_TELL_BYTES + 2; len++) {
		countdown = 0;
		tell_bytes(&listener, len);
		countdown = -1;
		assert_int_equal(strlen(listener.text),
		                 len < DIT_TELL_BYTES ? len : DIT_TELL_BYTES - 1);
	}
	assert_int_equal(listener.nheard, 4);
}

static void a_listener_is_not_needed(void **state)
{
	(void)state;
	tell(NULL, "%s", "text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_told_whole),
		cmocka_unit_test(texts_without_memory_are_cut),
		cmocka_unit_test(a_listener_is_not_needed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
