/* SPDX-License-Identifier: BSD-2-Clause */
#include "result_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

static int fail(const struct result_file *file, int r)
{
	(void)fprintf(stderr, "%s: %s: %s\n", file->program, file->path,
	              file->out.why[0] == '\0' ? strerror(-r) : file->out.why);
	return -1;
}

int result_file_open(struct result_file *file, const char *program, const char *path)
{
	int r = 0;

	*file = (struct result_file){.program = program, .path = path};
	/* Where standard output is a file, what is in it stays. */
	r = dit_export_file_open(&file->out, path, O_APPEND, NULL);
	if (r == 0) {
		file->file = fdopen(file->out.fd, "w");
		r = file->file == NULL ? -errno : dit_export_file_keep(&file->out);
	}
	if (r < 0) {
		(void)fail(file, r);
		result_file_drop(file);
	}
	return r < 0 ? -1 : 0;
}

int result_file_place(struct result_file *file)
{
	bool is_bad = ferror(file->file) != 0; /* its reason is gone */
	int r = fflush(file->file) != 0 ? -errno : 0;

	if (is_bad) {
		(void)fprintf(stderr, "%s: %s: not written completely\n", file->program,
		              file->path);
		r = -1;
	} else {
		r = r < 0 ? r : dit_export_file_finish(&file->out);
		r = r < 0 ? fail(file, r) : 0;
	}
	result_file_drop(file);
	return r;
}

void result_file_drop(struct result_file *file)
{
	if (file->file != NULL) {
		(void)fclose(file->file);
		file->file = NULL;
		file->out.fd = -1;
	}
	dit_export_file_close(&file->out);
}
