/* SPDX-License-Identifier: BSD-2-Clause */
/* The walker reads the free list; the walk ends after that list. */
#include "commit/free_pages.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/error.h"
#include "walk/walk_private.h"

/* Commits that may come in between, one after the other. */
#define ATTEMPTS 100

static void ignore(void *ctx, const struct dit_walk_finding *finding)
{
	(void)ctx;
	(void)finding;
}

/* 0; DIT_E_CORRUPT: the free list lacks pages that lie after the end of the file. */
static int read_free_list(struct walk *walk)
{
	int r = dit_walk_begin(walk, false);

	if (r == 0) {
		r = dit_walk_free_tree(walk);
		dit_page_source_deinit(&walk->source);
	}
	if (r == 0) {
		r = atomic_load(&walk->error);
	}
	if (r == 0 && atomic_load(&walk->nfreed_behind) != walk->nbehind) {
		r = DIT_E_CORRUPT;
	}
	return r;
}

static int check(struct walk *walk, struct dit_file_lack *ret)
{
	bool is_usable = false;
	struct stat status;
	int r = dit_walk_metas(walk, &is_usable);

	/* liblmdb tells what is wrong with the meta pages. */
	if (r == 0 && (!is_usable || walk->nbehind == 0)) {
		return 0;
	}
	if (r < 0) {
		return r;
	}
	if (fstat(walk->opts->fd, &status) != 0) {
		return -errno;
	}
	*ret = (struct dit_file_lack){.file_bytes = (uint64_t)status.st_size,
	                              .needed_bytes = (walk->npages + walk->nbehind) *
	                                              walk->page_bytes};
	r = read_free_list(walk);
	return r == DIT_E_CORRUPT && dit_walk_metas_have_changed(walk) ? -ESTALE : r;
}

int dit_file_check_size(int fd, struct dit_file_lack *ret)
{
	const struct dit_walk_opts opts = {.fd = fd,
	                                   .transaction = DIT_WALK_NEWEST,
	                                   .nthreads = 1,
	                                   .found = ignore,
	                                   .max_findings = 1};
	int r = -ESTALE;

	for (unsigned i = 0; i < ATTEMPTS && r == -ESTALE; i++) {
		struct walk walk = {.opts = &opts};

		r = -pthread_mutex_init(&walk.lock, NULL);
		if (r == 0) {
			r = check(&walk, ret);
			dit_walk_end(&walk);
		}
	}
	return r == -ESTALE ? DIT_E_CORRUPT : r;
}
