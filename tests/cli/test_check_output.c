/* SPDX-License-Identifier: BSD-2-Clause */
/* Findings of ditcheck where memory is short: all of them, or an error. */
#include "test.h"

#include <errno.h>

#include <jansson.h>

#include "check_output.h"

static long countdown; /* allocations until the failing one */

static void *fail_once(size_t size)
{
	return countdown-- == 0 ? NULL : malloc(size);
}

/* @param ret  owned: the lines, or the JSON. @return as output_finish() */
static int tell(long n, bool is_json, char **ret)
{
	struct dit_check_kind_stats kind = {.kind = "posting-missing", .nfindings = 1};
	const struct dit_check_stats stats = {
		.nfindings = 1, .kinds = &kind, .nkinds = 1};
	const struct dit_check_finding finding = {.file = "db/data.mdb",
	                                          .kind = "posting-missing",
	                                          .database = "cn",
	                                          .page = 12,
	                                          .node = 3,
	                                          .id = 4,
	                                          .dn = "dc=x",
	                                          .attribute = "cn",
	                                          .text = "it is not there"};
	const struct dit_check_file file = {.file = "db/data.mdb", .nfindings = 1};
	struct output output;
	int terminal = dup(STDOUT_FILENO);
	FILE *out = tmpfile();
	int r = 0;

	assert_non_null(out);
	(void)fflush(stdout);
	(void)dup2(fileno(out), STDOUT_FILENO);
	countdown = n;
	r = output_init(&output, is_json);
	if (r == 0) {
		output_found(&output, &finding);
		output_file(&output, &file);
		r = output_finish(&output, &stats);
		output_deinit(&output);
	}
	(void)fflush(stdout);
	(void)dup2(terminal, STDOUT_FILENO);
	(void)close(terminal);
	*ret = calloc(1, 4096);
	assert_non_null(*ret);
	rewind(out);
	assert_in_range(fread(*ret, 1, 4095, out), r == 0 ? 1 : 0, 4094);
	(void)fclose(out);
	return r;
}

TEST(a_finding_is_whole_or_an_error_is_told)
{
	json_set_alloc_funcs(fail_once, free);
	for (int is_json = 0; is_json <= 1; is_json++) {
		char *whole = NULL;
		size_t len = 0;

		assert_int_equal(tell(-1, is_json, &whole), 0);
		/* The lines of kinds repeat what the findings say. */
		len = is_json ? strlen(whole) : (size_t)(strstr(whole, "\n\n") - whole);
		for (long n = 0; countdown < 0; n++) {
			char *text = NULL;

			if (tell(n, is_json, &text) == 0) {
				assert_memory_equal(text, whole, len);
			} else {
				assert_int_equal(errno, ENOMEM);
			}
			free(text);
		}
		free(whole);
	}
	json_set_alloc_funcs(malloc, free);
}
