/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Most records begin with a line like "dn: uid=a,ou=b", whole and plain. A line that is
 * folded, encoded or has a control character is given to ldif_parse.h, alone. Of a record
 * that begins with something else all lines are.
 */
#include "split/split_name.h"

#include <string.h>

#include "base/cut.h"

/* The line at the front, its folds and last LF included. */
static struct dit_span logical_line(struct dit_span text)
{
	const char *end = text.data + text.len;
	const char *at = text.data;

	do {
		const char *lf = memchr(at, '\n', (size_t)(end - at));

		at = lf == NULL ? end : lf + 1;
	} while (at < end && *at == ' ');
	return (struct dit_span){text.data, (size_t)(at - text.data)};
}

/* The value of a "dn:" line that can stand as it is; data NULL: look closer. */
static struct dit_span plain_value(struct dit_span line)
{
	static const struct dit_span none = {NULL, 0};

	line.len -= line.len > 0 && line.data[line.len - 1] == '\n' ? 1 : 0;
	line.len -= line.len > 0 && line.data[line.len - 1] == '\r' ? 1 : 0;
	if (!dit_cut_prefix(&line, DIT_SPAN("dn:"))) {
		return none;
	}
	(void)dit_cut_spaces(&line);
	if (line.len == 0 || line.data[0] == ':' || line.data[0] == '<') {
		return none;
	}
	for (size_t i = 0; i < line.len; i++) {
		if ((unsigned char)line.data[i] < ' ') {
			return none;
		}
	}
	return line;
}

/* @return 1; 0: no line of the text has a DN; negative */
static int parse(const struct dit_ldif_dialect *dialect, struct dit_span text,
                 const struct dit_file_rules *files, struct dit_arena *arena,
                 struct dit_span *ret)
{
	struct dit_notes notes;
	struct dit_ldif_lines lines = {.nlines = 0};
	int r = 0;

	dit_notes_init(&notes, arena);
	r = dit_ldif_parse(dialect, text, files, &notes, &lines);
	for (size_t i = 0; i < lines.nlines && r == 0; i++) {
		const struct dit_ldif_line *line = &lines.lines[i];

		if (line->name.data != NULL && !line->is_damaged &&
		    dit_span_eq_nocase(line->name, DIT_SPAN("dn"))) {
			*ret = line->value;
			r = 1;
		}
	}
	return r;
}

int dit_split_name_find(const struct dit_ldif_dialect *dialect, struct dit_span record,
                        const struct dit_file_rules *files, struct dit_arena *arena,
                        struct dit_span *ret)
{
	static const struct dit_file_rules none = {.refuse_all = true};
	struct dit_span rest = record;
	struct dit_span line = logical_line(rest);
	struct dit_span value = {NULL, 0};
	int r = 0;

	while (line.len > 0 && line.data[0] == '#') {
		dit_cut(&rest, line.len);
		line = logical_line(rest);
	}
	value = plain_value(line);
	if (value.data != NULL) {
		*ret = value;
		return 1;
	}
	if (dit_cut_prefix(&(struct dit_span){line.data, line.len}, DIT_SPAN("dn:"))) {
		r = parse(dialect, line, files, arena, ret);
	}
	return r == 0 ? parse(dialect, record, &none, arena, ret) : r;
}
