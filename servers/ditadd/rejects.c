/* SPDX-License-Identifier: BSD-2-Clause */
/* The reject file. */
#include "rejects.h"

#include <errno.h>

int rejects_open(FILE **ret, const char *path)
{
	FILE *file = fopen(path, "w");

	if (file == NULL) {
		return -errno;
	}
	*ret = file;
	return 0;
}

/* A comment goes on in lines that begin with a space, so a newline cannot end it. */
static void put_comment(FILE *file, const char *name, const char *text)
{
	(void)fprintf(file, "# %s: ", name);
	for (; *text != '\0'; text++) {
		(void)fputc(*text, file);
		if (*text == '\n') {
			(void)fputc(' ', file);
		}
	}
	(void)fputc('\n', file);
}

int rejects_write(void *file, const struct dit_reject *reject)
{
	FILE *out = file;

	(void)fprintf(out, "# line: %llu\n", (unsigned long long)reject->line);
	put_comment(out, "dn", reject->dn);
	put_comment(out, "reason", reject->reason);
	/* A line that begins with a space would go on with the comment. */
	if (reject->record_len > 0 && reject->record[0] == ' ') {
		(void)fputc('\n', out);
	}
	(void)fwrite(reject->record, 1, reject->record_len, out);
	if (reject->record_len > 0 && reject->record[reject->record_len - 1] != '\n') {
		(void)fputc('\n', out);
	}
	(void)fputc('\n', out);
	return ferror(out) != 0 ? -EIO : 0;
}

int rejects_close(FILE *file)
{
	int is_bad = ferror(file);

	if (fclose(file) != 0) {
		return -errno;
	}
	return is_bad != 0 ? -EIO : 0;
}
