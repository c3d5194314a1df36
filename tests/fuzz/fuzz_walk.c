/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small data file with some bytes changed, walked by one thread and by three.
 *
 * The input is a list of changes, 4 bytes each: page, place in the page (2 bytes; with
 * the highest bit it is in the page's first 64 bytes, where most of the format is), byte.
 */
#include "pages/walk_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>

#define CHANGE_BYTES 4
#define HEAD_BYTES   64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void change(struct image *image, const uint8_t *change)
{
	unsigned place = change[1] | (unsigned)change[2] << 8;
	size_t page = change[0] % (image->len / IMAGE_PAGE);

	place = (place & 0x8000) != 0 ? place % HEAD_BYTES : place % IMAGE_PAGE;
	image->bytes[page * IMAGE_PAGE + place] ^= (char)change[3];
}

static void look_at(void *ctx, const struct dit_walk_finding *finding)
{
	uint64_t *nbytes = ctx;

	*nbytes += strlen(finding->text) + strlen(dit_walk_kind_name(finding->kind));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image whole[IMAGE_NMAKERS];
	struct image image;
	uint64_t nbytes = 0;
	struct dit_walk_stats stats;
	struct dit_walk_opts opts = {.transaction = DIT_WALK_NEWEST,
	                             .order = image_order,
	                             .found = look_at,
	                             .found_ctx = &nbytes,
	                             .max_findings = 1000};

	for (int maker = 0; maker < IMAGE_NMAKERS; maker++) {
		if (whole[maker].bytes == NULL) {
			whole[maker] = image_new((enum image_maker)maker);
		}
		image = image_copy(&whole[maker]);
		for (size_t i = 0; i + CHANGE_BYTES <= size; i += CHANGE_BYTES) {
			change(&image, data + i);
		}
		opts.fd = memfd_create("walk", MFD_CLOEXEC);
		if (opts.fd < 0 ||
		    write(opts.fd, image.bytes, image.len) != (ssize_t)image.len) {
			abort();
		}
		for (opts.nthreads = 1; opts.nthreads <= 3; opts.nthreads += 2) {
			int r = dit_walk(&opts, &stats);

			if (r == 0 && stats.nused + stats.nfree > 2 * stats.npages) {
				abort();
			}
		}
		(void)close(opts.fd);
		image_free(&image);
	}
	return 0;
}
