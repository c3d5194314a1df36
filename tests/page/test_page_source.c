/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of a page source whose pages are read:
 * - every page is read as it is;
 * - pages that lie in a row are read with one call, and none after the last;
 * - a file that is cut is told.
 */
#include "test.h"

#include "page/page_source.h"

#define PAGE   4096u
#define NPAGES 3000u

/* ---- a file of numbered pages ---- */

static int open_file(void)
{
	int fd = test_nameless_file();
	char page[PAGE];

	for (uint64_t i = 0; i < NPAGES; i++) {
		memset(page, (int)(i % 251), sizeof(page));
		memcpy(page, &i, sizeof(i));
		assert_int_equal(write(fd, page, PAGE), PAGE);
	}
	return fd;
}

/* Pages far apart, each as it should be. */
static int read_all(struct dit_page_source *source, uint64_t first, uint64_t step)
{
	char page[PAGE];

	for (uint64_t i = 0; i < NPAGES; i++) {
		uint64_t wanted = (first + i * step) % NPAGES;
		uint64_t number = 0;

		if (dit_page_source_read(source, wanted, 1, page) != 1) {
			return -1;
		}
		memcpy(&number, page, sizeof(number));
		if (number != wanted || page[PAGE - 1] != (char)(wanted % 251)) {
			return -1;
		}
	}
	return 0;
}

TEST(pages_are_read_as_they_are)
{
	struct dit_page_source source;
	int fd = open_file();

	dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES);
	assert_int_equal(read_all(&source, 0, 1), 0);
	assert_int_equal(read_all(&source, 7, 1301), 0);
	assert_int_equal(close(fd), 0);
}

TEST(neighbours_are_read_with_one_call)
{
	char *pages = test_alloc(16 * PAGE);
	struct dit_page_source source;
	int fd = open_file();
	uint64_t number = 0;

	dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES - 5);
	assert_int_equal(dit_page_source_read(&source, 100, 16, pages), 16);
	memcpy(&number, pages + 15 * PAGE, sizeof(number));
	assert_int_equal(number, 115);
	assert_int_equal(dit_page_source_read(&source, NPAGES - 7, 16, pages), 2);

	/* A page that is there in half is none. */
	assert_int_equal(ftruncate(fd, 50 * PAGE + 100), 0);
	dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES);
	assert_int_equal(dit_page_source_read(&source, 48, 16, pages), 2);
	assert_int_equal(dit_page_source_read(&source, 50, 16, pages), -ENODATA);
	assert_int_equal(dit_page_source_read(&source, 2000, 1, pages), -ENODATA);
	assert_int_equal(close(fd), 0);
	dit_page_source_init(&source, fd, &dit_lmdb_09, PAGE, NPAGES);
	assert_int_equal(dit_page_source_read(&source, 1, 4, pages), -EBADF);
}
