/* SPDX-License-Identifier: BSD-2-Clause */
/* Inputs of test_ldif_reader.c, each with the records that slapadd reads of it. */
#ifndef DITKIT_LDIF_READER_CASES_H
#define DITKIT_LDIF_READER_CASES_H

#include <stddef.h>

#include "ldif/ldif_reader.h"

#define RECORDS_MAX  4
#define INCLUDES_MAX 3

struct expected {
	uint64_t line;
	const char *text;
};

struct reader_case {
	const char *what;
	const char *input;
	const char *files[INCLUDES_MAX];      /* contents of i0, i1, i2 */
	struct expected records[RECORDS_MAX]; /* text NULL: no more */
	const char *error;
};

/* clang-format off */
static const struct reader_case cases[] = {
	{"nothing", "", {0}, {{0}}, NULL},
	{"blank lines", "\n\r\n\n", {0}, {{0}}, NULL},
	{"one record", "dn: a\nb: c\n", {0}, {{1, "dn: a\nb: c\n"}}, NULL},
	{"two", "dn: a\n\ndn: b\n\n", {0}, {{1, "dn: a\n"}, {3, "dn: b\n"}}, NULL},
	{"without final LF", "dn: a\n\ndn: b", {0}, {{1, "dn: a\n"}, {3, "dn: b"}}, NULL},
	{"with CR LF", "dn: a\r\n\r\ndn: b\r\n\r\n\r\n", {0},
	 {{1, "dn: a\r\n"}, {3, "dn: b\r\n"}}, NULL},
	{"a CR at the end is a line", "\r", {0}, {{1, "\r"}}, NULL},
	{"CR CR LF is not blank", "dn: a\n\r\r\ndn: b\n", {0},
	 {{1, "dn: a\n\r\r\ndn: b\n"}}, NULL},
	{"a line of spaces is not blank", "dn: a\n   \ndn: b\n\n \n", {0},
	 {{1, "dn: a\n   \ndn: b\n"}, {5, " \n"}}, NULL},
	{"a first line with a space", "dn: a\n\n dn: b\n", {0},
	 {{1, "dn: a\n"}, {3, " dn: b\n"}}, NULL},
	{"a number alone is a record", "1\n\n2", {0}, {{1, "1\n"}, {3, "2"}}, NULL},

	{"lines are counted from the blank after a record",
	 "dn: a\nb: c\nd: e\n\n# c\n#d\n\n\n# e\n f\ndn: b\n", {0},
	 {{1, "dn: a\nb: c\nd: e\n"}, {5, "# e\n f\ndn: b\n"}}, NULL},
	{"comments alone are no record", "# a\n\n# b\n c\n\ndn: a\n\n# c", {0},
	 {{1, "dn: a\n"}}, NULL},
	{"comments belong to the record after them", "#a\n b\ndn: c\n# d\n\n", {0},
	 {{1, "#a\n b\ndn: c\n# d\n"}}, NULL},

	{"include", "dn: a\n\ninclude: file:i0\n\ndn: d\n", {"dn: b\n\ndn: c\n"},
	 {{1, "dn: a\n"}, {3, "dn: b\n"}, {6, "dn: c\n"}, {7, "dn: d\n"}}, NULL},
	{"lines of included files count", "include: file:i0\n\ndn: b\nb: c\n\ndn: c",
	 {"\n#\n\ndn: a\n\n\n"}, {{1, "dn: a\n"}, {7, "dn: b\nb: c\n"}, {12, "dn: c"}},
	 NULL},
	{"the end of an included file ends the record",
	 "include: file:i0\nb: c\n\ndn: b\n",
	 {"dn: a\n"}, {{1, "dn: a\n"}, {3, "b: c\n"}, {5, "dn: b\n"}}, NULL},
	{"also without a final LF", "include: file:i0\nb: c\n", {"dn: a"},
	 {{1, "dn: a"}, {3, "b: c\n"}}, NULL},
	{"one include after the other", "include: file:i0\ninclude: file:i1\n",
	 {"dn: a\n", "dn: b\n"}, {{1, "dn: a\n"}, {3, "dn: b\n"}}, NULL},
	{"nested", "include: file:i0\n\ndn: c\n",
	 {"include: file:i1\ndn: b\n", "dn: a\n"},
	 {{1, "dn: a\n"}, {4, "dn: b\n"}, {5, "dn: c\n"}}, NULL},
	{"at the end", "include: file:i0", {"include: file:i1", "dn: a"},
	 {{1, "dn: a"}}, NULL},
	{"empty", "include: file:i0\n\ndn: a\n", {""}, {{1, "dn: a\n"}}, NULL},
	{"only a comment", "include: file:i0\n\ndn: a\n", {"# a"},
	 {{1, "dn: a\n"}}, NULL},
	{"after a comment", "dn: a\n\n# c\n d\ninclude: file:i0\n", {"dn: b\n"},
	 {{1, "dn: a\n"}, {3, "dn: b\n"}}, NULL},
	{"any case and any space", "INCLUDE:\t\v FILE:%690\r\n", {"dn: a\n"},
	 {{1, "dn: a\n"}}, NULL},
	{"not inside a record", "dn: a\ninclude: file:i0\n", {"dn: b\n"},
	 {{1, "dn: a\ninclude: file:i0\n"}}, NULL},
	{"nor after a number", "1\ninclude: file:i0\n", {"dn: b\n"},
	 {{1, "1\ninclude: file:i0\n"}}, NULL},
	{"nor after a space", " include: file:i0\n", {"dn: b\n"},
	 {{1, " include: file:i0\n"}}, NULL},
	{"a word must be whole", "include\n\nincluded: a\n", {0},
	 {{1, "include\n"}, {3, "included: a\n"}}, NULL},

	{"version", "version: 1\ndn: a\n\ndn: b\n", {0},
	 {{2, "dn: a\n"}, {4, "dn: b\n"}}, NULL},
	{"version alone", "version: 1\n\ndn: a\n", {0}, {{3, "dn: a\n"}}, NULL},
	{"nothing but a version", "version: 1", {0}, {{0}}, NULL},
	{"version in any case, CR LF, no blank", "VERSION:1\r\ndn: a\r\n", {0},
	 {{2, "dn: a\r\n"}}, NULL},
	{"version with blanks", "version:\t 1 \ndn: a\n", {0}, {{2, "dn: a\n"}}, NULL},
	{"version after comments and blank lines",
	 "# a\n b\n\n\n# c\nversion: 1\n# d\n e\ndn: a\n", {0},
	 {{7, "# d\n e\ndn: a\n"}}, NULL},
	{"a folded version is another one", "#\nversion: 1\n 0\ndn: a\n", {0},
	 {{1, "#\nversion: 1\n 0\ndn: a\n"}}, NULL},
	{"nor may the number be folded", "version:\n 1\ndn: a\n", {0},
	 {{1, "version:\n 1\ndn: a\n"}}, NULL},
	{"version 2", "version: 2\ndn: a\n", {0}, {{1, "version: 2\ndn: a\n"}}, NULL},
	{"version 10", "version: 10\ndn: a\n", {0}, {{1, "version: 10\ndn: a\n"}},
	 NULL},
	{"version in base64", "version:: MQ==\n", {0}, {{1, "version:: MQ==\n"}}, NULL},
	{"version after the first line", "dn: a\nversion: 1\n\nversion: 1\n", {0},
	 {{1, "dn: a\nversion: 1\n"}, {4, "version: 1\n"}}, NULL},
	{"a second version", "version: 1\n\nversion: 1\n", {0},
	 {{3, "version: 1\n"}}, NULL},
	{"a second version at once", "version: 1\nversion: 1\ndn: a\n", {0},
	 {{2, "version: 1\ndn: a\n"}}, NULL},
	{"version in an included file", "version: 1\ninclude: file:i0\n\ndn: b\n",
	 {"# a\nversion: 1\ndn: a\n"}, {{5, "dn: a\n"}, {6, "dn: b\n"}}, NULL},
	{"version after an included file", "include: file:i0\nversion: 1\n", {"#\n"},
	 {{1, "version: 1\n"}}, NULL},
	{"a byte order mark", "\357\273\277dn: a\n", {0}, {{1, "dn: a\n"}}, NULL},
	{"a byte order mark alone", "\357\273\277", {0}, {{0}}, NULL},
	{"a byte order mark, then the version", "\357\273\277version: 1\ndn: a\n", {0},
	 {{2, "dn: a\n"}}, NULL},
	{"a second byte order mark", "\357\273\277\357\273\277dn: a\n", {0},
	 {{1, "\357\273\277dn: a\n"}}, NULL},
	{"a byte order mark in an included file", "include: file:i0\n",
	 {"\357\273\277dn: a\n"}, {{1, "dn: a\n"}}, NULL},

	{"missing file", "dn: a\n\ninclude: file:///nonexistent\n\ndn: b\n", {0},
	 {{1, "dn: a\n"}}, "ldif_read_record: include file:///nonexistent failed"},
	{"missing file, CR LF", "include: file:///nonexistent\r\n", {0}, {{0}},
	 "ldif_read_record: include file:///nonexistent failed"},
	{"missing file, no LF", "dn: a\n\ninclude: file:///nonexistent", {0},
	 {{1, "dn: a\n"}}, "ldif_read_record: include file:///nonexistent failed"},
	{"trailing space", "include: file:i0 \n", {"dn: a\n"}, {{0}},
	 "ldif_read_record: include file:i0  failed"},
	{"no URL", "include: i0\n", {"dn: a\n"}, {{0}},
	 "ldif_read_record: include i0 failed"},
	{"nothing to include", "include:\n", {0}, {{0}},
	 "ldif_read_record: include  failed"},
	{"bad escape", "include: file:i%3\n", {0}, {{0}},
	 "ldif_read_record: include file:i%3 failed"},
	{"no fold", "include: file:\n i0\n", {"dn: a\n"}, {{0}},
	 "ldif_read_record: include file: failed"},
	{"a loop", "include: file:i0\n", {"include: file:i0\n"}, {{0}},
	 "ldif_read_record: include file:i0 failed: 64 files are open already"},
	{"a directory", "include: file:.\n", {0}, {{0}},
	 "ldif_read_record: reading file:. failed: Is a directory"},
};
/* clang-format on */

#endif
