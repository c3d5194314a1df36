/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of patterns: each way to show a field, as plain text and on a page; what is
 * missing shows as nothing, or takes its optional part or its block with it.
 */
#include "test.h"

#include "patterns.h"

#define LONG "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee"

static const char statistics[] =
	"{\"wall_s\": 4.0, \"files\": [1, 2], \"rows\": ["
	" {\"yes\": true, \"no\": false, \"name\": \"a<b\", \"odd\": \"\\n\\u00e4\", \"long\": \"" LONG
	" " LONG "\", \"keys\": 12345, \"bytes\": 4096, \"none\": 0, \"one\": 1,"
	"  \"wall_s\": 1.0, \"lists\": [{\"n\": 7}], \"words\": [\"x\", \"y\"], \"odds\": {\"a\": 1, \"b\": \"x\"}, \"empty\": {},"
	"  \"list_lengths\": [{\"from\": 1, \"keys\": 3}, {\"from\": 4, \"keys\": 1}]},"
	" {\"bytes\": 8192}]}";

static const struct {
	const char *pattern;
	const char *plain; /* NULL: for pages alone */
	const char *page;
} cases[] = {
	{"as it is", "as it is", "as it is"},
	{"{name}, {keys}, {absent}.", "a<b, 12345, .", "a&lt;b, 12345, ."},
	{"{lists.0.n} of {/wall_s:seconds}", "7 of 4.00 s",
         "7 of <data value=\"4.000000\">4.00 s</data>"},
	{"{-5 name}|{7 keys:count}", "a<b  | 12,345",
         "a&lt;b|<data value=\"12345\">12,345</data>"},
	{"{-2 name}|", "a<b\n  |", "a&lt;b|"},
	{"{bytes:bytes} {none:bytes}", "4.0 KiB -",
         "<data value=\"4096\">4.0 KiB</data> -"},
	{"{keys:known}{absent:known}{none:known}", "12,3450",
         "<data value=\"12345\">12,345</data><data value=\"0\">0</data>"},
	{"{wall_s:ms}", "1.000", "1.000"},
	{"{words.0:escaped}{odd:escaped}", "x\\0a\\c3\\a4", "x\\0a\\c3\\a4"},
	{"{-3 name}|", "a<b|", "a&lt;b|"},
	{"key{keys:plural} file{one:plural}", "keys file", "keys file"},
	{"{wall_s:share:/wall_s} {bytes:each:keys}", "25 % -", "25 % -"},
	{"[!{absent:if}none][!{name:if}none]", "none", "none"},
	{"{words:words}", "x y", "x y"},
	{"{words:lines} {words:lines:2}", "x\ny x\n  y", "x\ny x\n  y"},
	{"{odd}{-2 odd}|", "?\xc3\xa4\n\xc3\xa4\n  |", "\n\xc3\xa4\n\xc3\xa4|"},
	{"<!--each /rows-->{:number}, <!--end-->", "1, 2, ", "1, 2, "},
	{"{long:wrap:2}|", LONG "\n  " LONG "\n|", LONG "\n  " LONG "\n|"},
	{"[{keys} keys][, {none} none][, {absent}][, {name}]", "12345 keys, a<b",
         "12345 keys, a&lt;b"},
	{"[{yes:if}there][{no:if}not there]", "there", "there"},
	{"{wall_s:percent:/wall_s} {bytes:bar}", "25.000 50.000", "25.000 50.000"},
	{"{none:bytes:0} {wall_s:part:2} {bytes:greatest:bytes} {keys:greatest:count}",
         "0 B 0.50 s 8.0 KiB 12,345",
         "<data value=\"0\">0 B</data> 0.50 s 8.0 KiB 12,345"},
	{"{name:raw}", "a<b", "a<b"},
	{"<!--each odds-->{key}={value};<!--end--><!--if odds-->{one}<!--end-->"
         "<!--if empty-->no<!--end-->",
         "a=1;b=x;1", "a=1;b=x;1"},
	{"<!--each lists-->{n},{/wall_s:ms};<!--end-->.", "7,4.000;.", "7,4.000;."},
	{"<!--each /rows-->{bytes}, <!--each lists-->{n}<!--end-->; <!--end-->.",
         "4096, 7; 8192, ; .", "4096, 7; 8192, ; ."},
	{"<!--with words-->{name}<!--end--><!--with absent-->no<!--each lists-->{n}"
         "<!--end--><!--end-->.",
         "a<b.", "a&lt;b."},
	{"<!--with none-->there<!--end-->", "there", "there"},
	{"<!--if none-->no<!--end--><!--if no-->no<!--end--><!--if absent-->no<!--end-->"
         "<!--if keys-->{one}<!--end--><!--if name-->{one}<!--end-->.",
         "11.", "11."},
	{"<!--above bytes-->{bytes:greatest:count}<!--end--><!--above none-->no<!--end-->.",
         "8,192.", "8,192."},
	{"{words:list}", NULL, "x</li><li>y"},
	{"{list_lengths:lengths}", NULL,
         "<i class=\"entries\" style=\"height:100.000%\"></i>"
         "<i class=\"entries\" style=\"height:0.000%\"></i>"
         "<i class=\"entries\" style=\"height:50.000%\"></i>"},
};

static void check_case(const json_t *json, const char *pattern, bool is_page,
                       const char *expected)
{
	const json_t *rows = json_object_get(json, "rows");
	char *text = NULL;
	size_t size = 0;
	struct filler filler = {.out = open_memstream(&text, &size),
	                        .json = json,
	                        .row = json_array_get(rows, 0),
	                        .rows = rows,
	                        .is_page = is_page};

	assert_non_null(filler.out);
	pattern_fill(&filler, pattern);
	assert_int_equal(fclose(filler.out), 0);
	if (strcmp(text, expected) != 0) {
		fail_msg("%s: %s", pattern, text);
	}
	free(text);
}

TEST(each_field_is_shown_as_its_pattern_says)
{
	json_t *json = json_loads(statistics, 0, NULL);

	assert_non_null(json);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (cases[i].plain != NULL) {
			check_case(json, cases[i].pattern, false, cases[i].plain);
		}
		check_case(json, cases[i].pattern, true, cases[i].page);
	}
	json_decref(json);
}
