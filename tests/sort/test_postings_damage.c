/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Postings (sort/postings.h) whose runs cannot be written, or are damaged: errors stick,
 * and damage is found.
 */
#include "sort/postings.h"

#include <signal.h>
#include <sys/resource.h>

#include "base/error.h"
#include "postings_fixture.h"
#include "sort/postings_private.h"
#include "test.h"

/** Push until something happens. */
static int push_much(struct dit_postings *postings)
{
	uint64_t keys[64];
	int r = 0;

	for (uint64_t id = 1; id < 2000 && r == 0; id++) {
		for (unsigned i = 0; i < 64; i++) {
			keys[i] = (uint32_t)((id * 64 + i) * 2654435761u);
		}
		r = dit_postings_push(postings, 0, 0, id, keys, 64);
	}
	return r;
}

TEST(a_missing_directory_is_reported_when_a_run_is_due)
{
	static const struct postings_plan plan = {
		"missing", 1, 1, POSTINGS_SHARE, 3, 0, 1, 1, 0, 0, false};
	struct postings_load load;

	postings_load_begin(&load, &plan);
	load.postings->shared.tmpdir = "/nonexistent/directory";
	assert_int_equal(push_much(load.postings), -ENOENT);
	assert_int_equal(push_much(load.postings), -ENOENT);
	assert_int_equal(dit_postings_finish(load.postings), -ENOENT);
	postings_load_end(&load);
}

/* A limit of the file size stands in for a full disk: write() fails half-way. */
TEST(a_full_disk_is_reported)
{
	static const struct postings_plan plan = {"full", 1, 1, POSTINGS_SHARE, 3, 0, 1,
	                                          1,      0, 2, false};
	struct rlimit old = {0};
	struct rlimit limit = {0};

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	/* Too small for the first run; then for a run that is merged of two. */
	for (rlim_t size = 4096; size <= 32768; size *= 8) {
		struct postings_load load;
		int r = 0;

		postings_load_begin(&load, &plan);
		limit = old;
		limit.rlim_cur = size;
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
		r = push_much(load.postings);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
		assert_int_equal(r, -EFBIG);
		assert_int_equal(load.postings->producers[0]->nruns > 0, size > 4096);
		assert_int_equal(dit_postings_finish(load.postings), -EFBIG);
		postings_load_end(&load);
	}
	assert_true(signal(SIGXFSZ, SIG_DFL) != SIG_ERR);
}

/** Read a stream to its end. @return 0 or the error */
static int read_all(struct dit_postings *postings)
{
	struct dit_posting_cursor *cursor = NULL;
	struct dit_posting_list list = {0};
	int r = dit_posting_cursor_open(&cursor, postings, 0, 0);

	while (r == 0) {
		r = (int)dit_posting_cursor_next(cursor, &list, 1);
		if (r <= 0) {
			break;
		}
		r = 0;
	}
	dit_posting_cursor_close(cursor);
	return r;
}

TEST(damaged_runs_are_found)
{
	static const struct postings_plan plan = {"damage", 1, 1, POSTINGS_SHARE, 3, 0, 1,
	                                          1,        0, 0, false};

	/* Head and payload of the first block, then bytes of later blocks. */
	for (off_t at = 0; at < 6000; at += at < 40 ? 1 : 397) {
		const struct dit_posting_run *run = NULL;
		struct postings_load load;
		char byte = 0;

		postings_load_begin(&load, &plan);
		assert_int_equal(push_much(load.postings), 0);
		assert_int_equal(dit_postings_finish(load.postings), 0);
		assert_true(load.postings->producers[0]->nruns >= 2);
		run = load.postings->producers[0]->runs[1];
		assert_int_equal(pread(run->fd, &byte, 1, at), 1);
		byte ^= 0x10;
		assert_int_equal(pwrite(run->fd, &byte, 1, at), 1);
		assert_int_equal(read_all(load.postings), DIT_E_CORRUPT);
		postings_load_end(&load);
	}
}

TEST(blocks_that_changed_places_are_found)
{
	static const struct postings_plan plan = {"places", 1, 1, POSTINGS_SHARE, 3, 0, 1,
	                                          1,        0, 0, false};
	char blocks[2][1024];
	struct postings_load load;
	int fd = -1;

	postings_load_begin(&load, &plan);
	assert_int_equal(push_much(load.postings), 0);
	assert_int_equal(dit_postings_finish(load.postings), 0);
	assert_int_equal(load.postings->block_bytes, sizeof(blocks[0]));
	fd = load.postings->producers[0]->runs[0]->fd;
	assert_int_equal(pread(fd, blocks, sizeof(blocks), 1024), sizeof(blocks));
	assert_int_equal(pwrite(fd, blocks[1], 1024, 1024), 1024);
	assert_int_equal(pwrite(fd, blocks[0], 1024, 2048), 1024);
	assert_int_equal(read_all(load.postings), DIT_E_CORRUPT);
	postings_load_end(&load);
}

TEST(cut_and_closed_runs_are_found)
{
	static const struct postings_plan plan = {"cut", 1, 1, POSTINGS_SHARE, 3, 0, 1,
	                                          1,     0, 0, false};
	struct postings_load load;

	postings_load_begin(&load, &plan);
	assert_int_equal(push_much(load.postings), 0);
	assert_int_equal(dit_postings_finish(load.postings), 0);
	assert_int_equal(ftruncate(load.postings->producers[0]->runs[0]->fd, 5000), 0);
	assert_int_equal(read_all(load.postings), DIT_E_CORRUPT);
	postings_load_end(&load);

	postings_load_begin(&load, &plan);
	assert_int_equal(push_much(load.postings), 0);
	assert_int_equal(dit_postings_finish(load.postings), 0);
	assert_int_equal(close(load.postings->producers[0]->runs[0]->fd), 0);
	load.postings->producers[0]->runs[0]->fd = -1;
	assert_int_equal(read_all(load.postings), -EBADF);
	postings_load_end(&load);
}

TEST(damage_is_found_while_runs_are_merged)
{
	static const struct postings_plan plan = {"merge", 1, 1, POSTINGS_SHARE, 3, 0, 1,
	                                          1,       0, 8, false};
	struct postings_load load;
	char byte = 0;
	int r = 0;

	postings_load_begin(&load, &plan);
	for (uint64_t id = 1; r == 0 && id < 100000; id++) {
		const struct dit_producer *p = load.postings->producers[0];
		uint64_t keys[32];

		for (unsigned i = 0; i < 32; i++) {
			keys[i] = (uint32_t)((id * 32 + i) * 2654435761u);
		}
		r = dit_postings_push(load.postings, 0, 0, id, keys, 32);
		if (p->nruns == 1 && byte == 0) {
			byte = 1;
			assert_int_equal(pwrite(p->runs[0]->fd, "?", 1, 3000), 1);
		}
	}
	assert_int_equal(r, DIT_E_CORRUPT);
	assert_int_equal(dit_postings_finish(load.postings), DIT_E_CORRUPT);
	postings_load_end(&load);
}
