/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A small data file with some bytes changed, walked by one thread and by three.
 *
 * The input is the list of changes of image_change().
 */
#include "fuzz/fuzz_target.h"
#include "walk/walk_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>

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
	struct dit_walk_opts opts = {
		.order = image_order, .found = look_at, .ctx = &nbytes};

	for (int maker = 0; maker < IMAGE_NMAKERS; maker++) {
		if (whole[maker].bytes == NULL) {
			whole[maker] = image_new((enum image_maker)maker);
		}
		image = image_copy(&whole[maker]);
		image_change(&image, data, size);
		opts.fd = memfd_create("walk", MFD_CLOEXEC);
		if (opts.fd < 0 ||
		    write(opts.fd, image.bytes, image.len) != (ssize_t)image.len) {
			abort();
		}
		for (opts.shared.nthreads = 1; opts.shared.nthreads <= 3;
		     opts.shared.nthreads += 2) {
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
