/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Digests of states as another host may send them: two files, one after the other in the
 * input, with a NUL between them. Digests that are read can be compared. A file is equal
 * to itself, and both sides say the same of two files.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "diff/diff.h"
#include "fuzz/fuzz_target.h"

struct text {
	char path[64];
	int fd;
};

static void count(void *ctx, const struct dit_report *report)
{
	CHECK(report->text != NULL);
	++*(unsigned *)ctx;
}

static int discard(void *ctx, const char *data, size_t len)
{
	(void)ctx;
	CHECK(len == 0 || data != NULL);
	return 0;
}

static void write_text(struct text *text, const uint8_t *data, size_t size)
{
	text->fd = memfd_create("digest", MFD_CLOEXEC);
	CHECK(text->fd >= 0 && write(text->fd, data, size) == (ssize_t)size);
	(void)snprintf(text->path, sizeof(text->path), "/proc/self/fd/%d", text->fd);
}

/* A configuration, which the digests do not need. */
static const char *conf_path(void)
{
	static const char conf[] = "database mdb\nsuffix cn=x\ndirectory /\n";
	static struct text text = {.fd = 0};

	if (text.fd == 0) {
		write_text(&text, (const uint8_t *)conf, sizeof(conf) - 1);
	}
	return text.path;
}

/* @return 0; 1: they differ; negative */
static int compare(const struct text *a, const struct text *b)
{
	struct dit_diff_opts opts = DIT_DIFF_OPTS_INIT;
	struct dit_diff_stats stats;
	unsigned nreports = 0;
	int r = 0;

	opts.digests[0] = a->path;
	opts.digests[1] = b->path;
	opts.conf = conf_path();
	opts.openldap = DIT_OPENLDAP_2_6;
	opts.threads = 1;
	opts.report = count;
	opts.report_ctx = &nreports;
	r = dit_diff(&opts, discard, NULL, &stats);
	CHECK(r == 0 || (r < 0 && nreports > 0));
	if (r == 0) {
		r = stats.differs;
		dit_diff_stats_deinit(&stats);
	}
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size == 0 ? NULL : memchr(data, 0, size);
	size_t first = end == NULL ? size : (size_t)(end - data);
	struct text a;
	struct text b;
	int r = 0;

	write_text(&a, data, first);
	write_text(&b, data + first + (end != NULL), size - first - (end != NULL));
	r = compare(&a, &b);
	CHECK(compare(&b, &a) == r || r < 0);
	CHECK(compare(&a, &a) <= 0);
	CHECK(compare(&b, &b) <= 0);
	(void)close(a.fd);
	(void)close(b.fd);
	return 0;
}
