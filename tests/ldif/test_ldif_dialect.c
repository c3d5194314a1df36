/* SPDX-License-Identifier: BSD-2-Clause */
/* Blanks, as releases of slapd read them. */
#include "test.h"

#include "ldif/ldif_parse.h"

TEST(later_releases_read_blanks_differently)
{
	static const char record[] = "dn : dc=x\ncn \t: a\nsn:\tb\no: \tc\nou:\n  d\n"
				     "l::\tZQ==\nst :: Zg==\nc:\v\n";
	static const struct {
		const char *name;
		size_t nblanks;       /* of 2.5, in the name, as NUL bytes */
		const char *value[2]; /* of 2.5, of 2.7 */
	} lines[] = {
		{"dn", 1, {"dc=x", "dc=x"}}, {"cn", 2, {"a", "a"}},
		{"sn", 0, {"b", "\tb"}},     {"o", 0, {"c", "\tc"}},
		{"ou", 0, {"d", " d"}},      {"l", 0, {"e", "e"}},
		{"st", 1, {"f", "f"}},       {"c", 0, {"", "\v"}},
	};

	for (int later = 0; later < 2; later++) {
		struct dit_ldif_dialect dialect = {later != 0, later != 0};
		struct dit_ldif_lines got = {0};
		struct dit_arena arena;
		struct dit_notes notes;

		dit_arena_init(&arena, 4096);
		dit_notes_init(&notes, &arena);
		assert_int_equal(
			dit_ldif_parse(&dialect, dit_span_of(record), NULL, &notes, &got),
			0);
		assert_int_equal(got.nlines, sizeof(lines) / sizeof(lines[0]));
		for (size_t i = 0; i < got.nlines; i++) {
			size_t len = strlen(lines[i].name);
			const struct dit_ldif_line *line = &got.lines[i];

			assert_int_equal(line->name.len,
			                 len + (later ? 0 : lines[i].nblanks));
			assert_memory_equal(line->name.data, lines[i].name, len);
			assert_span_equal(line->value, lines[i].value[later]);
		}
		dit_arena_deinit(&arena);
	}
}

/* A line without a name is refused for that: its value is not decoded, nor fetched. */
TEST(later_releases_leave_nameless_values_alone)
{
	static const char record[] = "dn: dc=x\n::d@GV4dA==\n:< http://x\n: text\n";

	for (int later = 0; later < 2; later++) {
		struct dit_ldif_dialect dialect = {later != 0, later != 0};
		struct dit_ldif_lines got = {0};
		struct dit_arena arena;
		struct dit_notes notes;

		dit_arena_init(&arena, 4096);
		dit_notes_init(&notes, &arena);
		assert_int_equal(
			dit_ldif_parse(&dialect, dit_span_of(record), NULL, &notes, &got),
			0);
		assert_int_equal(got.nlines, 4);
		for (size_t i = 1; i < got.nlines; i++) {
			assert_int_equal(got.lines[i].name.len, 0);
		}
		assert_int_equal(got.lines[1].is_damaged, later == 0);
		assert_int_equal(got.lines[2].is_damaged, later == 0);
		assert_int_equal(got.lines[3].value.len, later != 0 ? 0 : 4);
		dit_arena_deinit(&arena);
	}
}
