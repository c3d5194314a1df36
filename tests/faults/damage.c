/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * damage FILE SEED
 *
 * Damage a data file in one to three places that the seed chooses: a bit, a word, the
 * header of a page, a slot, a whole page, the end of the file. Says what it did.
 *
 * Exit status: 0; 2 error.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u

static uint64_t state;

static uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

/* A number that is odd in an interesting way. */
static uint64_t draw_number(uint64_t npages)
{
	switch (draw(5)) {
	case 0:
		return draw(npages);
	case 1:
		return npages + draw(1000);
	case 2:
		return UINT64_MAX - draw(3);
	case 3:
		return draw(65536);
	default:
		return draw(UINT64_MAX);
	}
}

static int write_number(int fd, uint64_t at, unsigned len, uint64_t npages)
{
	uint64_t number = draw_number(npages);

	(void)printf("%u bytes at %" PRIu64 " (page %" PRIu64 ") become %" PRIx64 "\n",
	             len, at, at / PAGE, number);
	return pwrite(fd, &number, len, (off_t)at) == (ssize_t)len ? 0 : -1;
}

static int flip(int fd, uint64_t at)
{
	unsigned char byte = 0;

	if (pread(fd, &byte, 1, (off_t)at) != 1) {
		return -1;
	}
	byte ^= (unsigned char)(1u << draw(8));
	(void)printf("a bit at %" PRIu64 " (page %" PRIu64 ")\n", at, at / PAGE);
	return pwrite(fd, &byte, 1, (off_t)at) == 1 ? 0 : -1;
}

/* By zeros, another page, or the beginning of a number of pages. */
static int write_page(int fd, uint64_t page, uint64_t npages)
{
	char bytes[PAGE] = {0};
	uint64_t from = draw(npages);

	if (draw(2) == 0 && pread(fd, bytes, PAGE, (off_t)(from * PAGE)) != PAGE) {
		return -1;
	}
	(void)printf("page %" PRIu64 " becomes another\n", page);
	return pwrite(fd, bytes, PAGE, (off_t)(page * PAGE)) == PAGE ? 0 : -1;
}

static int damage(int fd, uint64_t npages)
{
	uint64_t page = draw(8) == 0 ? draw(2) : draw(npages);
	uint64_t at = page * PAGE;

	switch (draw(7)) {
	case 0:
		return flip(fd, at + draw(PAGE));
	case 1: /* the header */
		return write_number(fd, at + 2 * draw(8), 2, npages);
	case 2: /* a slot, or what a meta page says */
		return write_number(fd, at + 16 + 2 * draw(60), 2, npages);
	case 3:
		return write_number(fd, at + 16 + 8 * draw(17), 8, npages);
	case 4: /* a node */
		return write_number(fd, at + 2 * draw(PAGE / 2), 2, npages);
	case 5:
		return write_page(fd, page, npages);
	default:
		if (draw(6) != 0) {
			return flip(fd, at + draw(160));
		}
		/* An empty file is an empty database. */
		page = 1 + draw(npages - 1);
		(void)printf("the file ends before page %" PRIu64 "\n", page);
		return ftruncate(fd, (off_t)(page * PAGE));
	}
}

int main(int argc, char **argv)
{
	struct stat st;
	uint64_t n = 0;
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0 || fstat(fd, &st) != 0 || (uint64_t)st.st_size < 4 * (uint64_t)PAGE) {
		(void)fprintf(stderr, "usage: damage FILE SEED (of 4 pages or more)\n");
		return 2;
	}
	state = (strtoull(argv[2], NULL, 10) + 1) * 0x9e3779b97f4a7c15u;
	for (n = 1 + draw(3); n > 0; n--) {
		if (fstat(fd, &st) == 0 && (uint64_t)st.st_size >= 4 * (uint64_t)PAGE &&
		    damage(fd, (uint64_t)st.st_size / PAGE) < 0) {
			return 2;
		}
	}
	return close(fd) == 0 ? 0 : 2;
}
