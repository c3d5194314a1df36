/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Write standard input to a file that has its name when it is complete,
 * and never leads elsewhere.
 *
 *   safe_copy FILE
 */
#include <stdio.h>
#include <unistd.h>

#include <ditkit/export_file.h>
#include <ditkit/version.h>

static int copy(struct dit_export_file *file)
{
	char bytes[4096];
	size_t n;

	while ((n = fread(bytes, 1, sizeof(bytes), stdin)) > 0) {
		if (write(file->fd, bytes, n) != (ssize_t)n) {
			return -1; /* errno says why */
		}
	}
	return ferror(stdin) ? -1 : 0;
}

int main(int argc, char *argv[])
{
	struct dit_export_file file;
	int r;

	if (argc != 2) {
		fprintf(stderr, "usage: safe_copy FILE (%s)\n", dit_version());
		return 2;
	}
	r = dit_export_file_open(&file, argv[1], 0, NULL);
	if (r < 0) {
		fprintf(stderr, "safe_copy: %s: %s\n", argv[1],
		        file.why[0] != '\0' ? file.why : dit_strerror(r));
	} else if (copy(&file) < 0) {
		perror("safe_copy");
		r = -1;
	} else if ((r = dit_export_file_finish(&file)) < 0) {
		fprintf(stderr, "safe_copy: %s: %s\n", argv[1],
		        dit_strerror(r));
	}
	dit_export_file_close(&file); /* removes what is not finished */
	return r < 0;
}
