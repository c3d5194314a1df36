/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of notes:
 * - they are told once, oldest first, with their kinds;
 * - texts live in the arena; the middle of long ones is left out;
 * - a note without memory is lost, the others are not.
 */
#include "test.h"

#include "base/notes.h"
#include "schema_test.h"

#define HEARD_MAX 4

struct listener {
	enum dit_report_kind kinds[HEARD_MAX];
	char texts[HEARD_MAX][32];
	size_t nheard;
};

static void listen(void *ctx, const struct dit_report *report)
{
	struct listener *listener = ctx;

	assert_in_range(listener->nheard, 0, HEARD_MAX - 1);
	listener->kinds[listener->nheard] = report->kind;
	(void)snprintf(listener->texts[listener->nheard], sizeof(listener->texts[0]),
	               "%s", report->text);
	listener->nheard++;
}

struct fixture {
	struct dit_arena arena;
	struct dit_notes notes;
	struct listener listener;
};

static int setup(void **state)
{
	struct fixture *f = test_alloc(sizeof(*f));

	test_arena_init(&f->arena, 64);
	dit_notes_init(&f->notes, &f->arena);
	*state = f;
	return 0;
}

SETUP_TEST(notes_are_told_once_and_oldest_first)
{
	struct fixture *f = *state;

	dit_notes_add(&f->notes, DIT_REPORT_WARNING, "first %d", 1);
	dit_notes_add(&f->notes, DIT_REPORT_DIAGNOSTIC, "%s %.*s", "second", 1, "2x");
	dit_notes_tell(&f->notes, listen, &f->listener);
	dit_notes_tell(&f->notes, listen, &f->listener);

	assert_int_equal(f->listener.nheard, 2);
	assert_int_equal(f->listener.kinds[0], DIT_REPORT_WARNING);
	assert_string_equal(f->listener.texts[0], "first 1");
	assert_int_equal(f->listener.kinds[1], DIT_REPORT_DIAGNOSTIC);
	assert_string_equal(f->listener.texts[1], "second 2");
}

SETUP_TEST(notes_can_be_added_after_telling)
{
	struct fixture *f = *state;

	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "old");
	dit_notes_tell(&f->notes, NULL, NULL);
	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "new");
	dit_notes_tell(&f->notes, listen, &f->listener);

	assert_int_equal(f->listener.nheard, 1);
	assert_string_equal(f->listener.texts[0], "new");
}

SETUP_TEST(the_notes_after_one_can_be_forgotten)
{
	struct fixture *f = *state;
	const struct dit_note *kept = NULL;

	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "kept");
	kept = f->notes.last;
	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "forgotten");
	dit_notes_cut(&f->notes, kept);
	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "new");
	dit_notes_tell(&f->notes, listen, &f->listener);
	assert_int_equal(f->listener.nheard, 2);
	assert_string_equal(f->listener.texts[1], "new");

	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "forgotten");
	dit_notes_cut(&f->notes, NULL);
	dit_notes_tell(&f->notes, listen, &f->listener);
	assert_int_equal(f->listener.nheard, 2);
}

SETUP_TEST(the_middle_of_long_texts_is_left_out)
{
	struct fixture *f = *state;
	const char *text = NULL;

	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "%s", "");
	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "5%05000d7", 0);
	assert_string_equal(f->notes.first->text, "");
	text = f->notes.last->text;
	assert_in_range(strlen(text), DIT_TELL_BYTES - 512, DIT_TELL_BYTES - 1);
	assert_int_equal(text[0], '5');
	assert_int_equal(text[strlen(text) - 1], '7');
}

SETUP_TEST(a_note_without_memory_is_lost_alone)
{
	struct fixture *f = *state;
	size_t block_bytes = f->arena.block_bytes;

	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "kept");
	f->arena.block_bytes = SIZE_MAX; /* no further block */
	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "%0100d", 0);
	f->arena.block_bytes = block_bytes;
	dit_notes_add(&f->notes, DIT_REPORT_ERROR, "kept, too");
	dit_notes_tell(&f->notes, listen, &f->listener);

	assert_int_equal(f->listener.nheard, 2);
	assert_string_equal(f->listener.texts[0], "kept");
	assert_string_equal(f->listener.texts[1], "kept, too");
}
