/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * damage FILE SEED
 *
 * Damage a data file in one to three places that the seed chooses: a bit, a word, the
 * header of a page, a slot, a whole page, the end of the file. Half of the files are
 * forged with knowledge of their format: a child is the page itself, its parent, another
 * child or a page of another tree; likewise roots of trees and pages of long values;
 * counts, keys, lengths, flags and bounds. Pages that are sealed as lib.sh seals them are
 * opened for that, and sealed again. Says what it did.
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

#include "files/data_seal.h"
#include "page/meta_pages.h"
#include "page/page_seal.h"
#include "page/page_view.h"
#include "system/xor_crypto.h"

#define PAGE_BYTES_MAX 65536u

static uint64_t state;
static unsigned page_bytes; /* of the file */

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
	             len, at, at / page_bytes, number);
	return pwrite(fd, &number, len, (off_t)at) == (ssize_t)len ? 0 : -1;
}

static int flip(int fd, uint64_t at)
{
	unsigned char byte = 0;

	if (pread(fd, &byte, 1, (off_t)at) != 1) {
		return -1;
	}
	byte ^= (unsigned char)(1u << draw(8));
	(void)printf("a bit at %" PRIu64 " (page %" PRIu64 ")\n", at, at / page_bytes);
	return pwrite(fd, &byte, 1, (off_t)at) == 1 ? 0 : -1;
}

/* By zeros, another page, or the beginning of a number of pages. */
static int write_page(int fd, uint64_t page, uint64_t npages)
{
	char bytes[PAGE_BYTES_MAX] = {0};
	uint64_t from = draw(npages);

	if (draw(2) == 0 &&
	    pread(fd, bytes, page_bytes, (off_t)(from * page_bytes)) != page_bytes) {
		return -1;
	}
	(void)printf("page %" PRIu64 " becomes another\n", page);
	return pwrite(fd, bytes, page_bytes, (off_t)(page * page_bytes)) == page_bytes
	               ? 0
	               : -1;
}

static int damage(int fd, uint64_t npages)
{
	uint64_t page = draw(8) == 0 ? draw(2) : draw(npages);
	uint64_t at = page * page_bytes;

	switch (draw(7)) {
	case 0:
		return flip(fd, at + draw(page_bytes));
	case 1: /* the header */
		return write_number(fd, at + 2 * draw(8), 2, npages);
	case 2: /* a slot, or what a meta page says */
		return write_number(fd, at + 16 + 2 * draw(60), 2, npages);
	case 3:
		return write_number(fd, at + 16 + 8 * draw(17), 8, npages);
	case 4: /* a node */
		return write_number(fd, at + 2 * draw(page_bytes / 2), 2, npages);
	case 5:
		return write_page(fd, page, npages);
	default:
		if (draw(6) != 0) {
			return flip(fd, at + draw(160));
		}
		/* An empty file is an empty database. */
		page = 1 + draw(npages - 1);
		(void)printf("the file ends before page %" PRIu64 "\n", page);
		return ftruncate(fd, (off_t)(page * page_bytes));
	}
}

/* ---- forgery ---- */

struct forged {
	int fd;
	uint64_t npages;
	uint64_t number; /* of the page that is forged */
	uint64_t other;  /* a page that cannot be where it is put */
	struct dit_page_view view;
	struct dit_node_view node; /* the one that is forged */
	char bytes[PAGE_BYTES_MAX];
};

static bool is_sealed(const struct forged *forged, uint64_t number)
{
	return forged->view.format->crypto != NULL && number >= DIT_FIRST_PAGE;
}

static bool read_page(const struct forged *forged, uint64_t number,
                      struct dit_page_view *ret)
{
	char *bytes = (char *)ret->bytes;

	return pread(forged->fd, bytes, page_bytes, (off_t)(number * page_bytes)) ==
	               page_bytes &&
	       (!is_sealed(forged, number) ||
	        dit_page_unseal(ret->format, bytes, page_bytes) == 0) &&
	       dit_view_has_bounds(*ret);
}

static int say(struct forged *forged, const char *what, uint64_t number)
{
	(void)printf("page %" PRIu64 ": %s becomes %" PRIu64 "\n", forged->number, what,
	             number);
	if (is_sealed(forged, forged->number) &&
	    dit_page_seal(forged->view.format, forged->bytes, page_bytes) != 0) {
		return -1;
	}
	return pwrite(forged->fd, forged->bytes, page_bytes,
	              (off_t)(forged->number * page_bytes)) == page_bytes
	               ? 0
	               : -1;
}

/* The first page with one of the flags, from a page on that is drawn. */
static bool find_page(struct forged *forged, unsigned flags, uint64_t *ret)
{
	uint64_t start = draw(forged->npages);

	for (uint64_t i = 0; i < forged->npages; i++) {
		*ret = (start + i) % forged->npages;
		if (*ret >= 2 && read_page(forged, *ret, &forged->view) &&
		    (dit_view_flags(forged->view) & flags) != 0 &&
		    dit_view_number(forged->view) == *ret &&
		    dit_view_count(forged->view) > 0) {
			return true;
		}
	}
	return false;
}

/* The branch page that has this one as a child; itself if there is none. */
static uint64_t parent_of(const struct forged *forged, uint64_t page)
{
	char bytes[PAGE_BYTES_MAX];
	struct dit_page_view view = {bytes, forged->view.len, forged->view.format};
	struct dit_node_view node;

	for (uint64_t i = 2; i < forged->npages; i++) {
		if (!read_page(forged, i, &view) ||
		    dit_view_flags(view) != DIT_PAGE_BRANCH) {
			continue;
		}
		for (unsigned slot = 0; slot < dit_view_count(view); slot++) {
			if (dit_view_node(view, slot, &node) == DIT_NODE_FITS &&
			    node.child == page) {
				return i;
			}
		}
	}
	return page;
}

static uint64_t draw_page(const struct forged *forged)
{
	uint64_t page = forged->number;
	unsigned slot = (unsigned)draw(dit_view_count(forged->view));
	struct dit_node_view node;

	switch (draw(6)) {
	case 0:
		return page;
	case 1:
		return parent_of(forged, page);
	case 2:
		return parent_of(forged, parent_of(forged, page));
	case 3:
		return dit_view_node(forged->view, slot, &node) == DIT_NODE_FITS
		               ? node.child
		               : page;
	case 4:
		return draw_number(forged->npages);
	default:
		return draw(forged->npages);
	}
}

static char *at(struct forged *forged, const char *place)
{
	return forged->bytes + (place - forged->view.bytes);
}

static int forge_child(struct forged *forged)
{
	char *header = forged->bytes + forged->node.at;

	memcpy(header, &forged->other, 6);
	return say(forged, "a child", forged->other);
}

static int forge_key(struct forged *forged)
{
	struct dit_span key = forged->node.key;
	uint64_t number = draw_number(forged->npages);
	unsigned slot = (unsigned)draw(dit_view_count(forged->view));
	struct dit_node_view other;

	if (key.len == 0) {
		return 0;
	}
	if (draw(2) == 0 && dit_view_node(forged->view, slot, &other) == DIT_NODE_FITS &&
	    other.key.len <= key.len) {
		memmove(at(forged, key.data), other.key.data, other.key.len);
		return say(forged, "a key that of a slot", slot);
	}
	memcpy(at(forged, key.data), &number, key.len < 8 ? key.len : 8);
	return say(forged, "a key", number);
}

/* A field of the record of a tree. */
static int forge_record(struct forged *forged, char *bytes)
{
	struct dit_tree_record record;

	memcpy(&record, bytes, sizeof(record));
	switch (draw(6)) {
	case 0:
		record.depth = (uint16_t)draw(draw(2) == 0 ? 8 : 65536);
		break;
	case 1:
		record.nitems = draw(2) == 0 ? draw(5) : draw_number(forged->npages);
		break;
	case 2:
		record.flags ^= (uint16_t)(1u << draw(7));
		break;
	case 3:
		record.item_bytes = (uint32_t)draw(draw(2) == 0 ? 16 : UINT32_MAX);
		break;
	default:
		record.root = forged->other;
		break;
	}
	memcpy(bytes, &record, sizeof(record));
	return say(forged, "a record of a tree: its root", record.root);
}

/* The contents of a node of a leaf. */
static int forge_value(struct forged *forged)
{
	struct dit_span value = forged->node.value;
	unsigned flags = forged->node.flags;
	const unsigned header_bytes = forged->view.format->header_bytes;
	uint64_t number = forged->other;

	if ((flags & DIT_NODE_BIG) != 0 && value.len >= sizeof(number)) {
		/* A sealed value is no page of its own. */
		if (draw(2) == 0 && !is_sealed(forged, forged->number)) {
			memcpy(&forged->number, value.data, sizeof(forged->number));
			(void)read_page(forged, forged->number, &forged->view);
			number = draw_number(forged->npages);
			memcpy(forged->bytes + header_bytes - 4, &number, 4);
			return say(forged, "the number of a long value's pages", number);
		}
		/* In a sealed file the node says how many pages are sealed together. */
		memcpy(at(forged, value.data) + (value.len > 8 && draw(2) == 0 ? 8 : 0),
		       &number, sizeof(number));
		return say(forged, "the first page of a long value, or their number",
		           number);
	}
	if ((flags & DIT_NODE_TREE) != 0 && value.len == sizeof(struct dit_tree_record)) {
		return forge_record(forged, at(forged, value.data));
	}
	if ((flags & DIT_NODE_LIST) != 0 && value.len >= header_bytes) {
		number = draw(2) == 0 ? draw(value.len + 8) : draw(65536);
		memcpy(at(forged, value.data) + header_bytes - 2 * (1 + draw(4)), &number,
		       2);
		return say(forged, "a word of a list's page", number);
	}
	if (value.len >= sizeof(number)) {
		memcpy(at(forged, value.data), &number, sizeof(number));
	}
	return say(forged, "a value", number);
}

/* A node's length, flags or length of the key; a slot; a word of the page's header. */
static int forge_word(struct forged *forged)
{
	const unsigned header_bytes = forged->view.format->header_bytes;
	unsigned slot = (unsigned)draw(dit_view_count(forged->view));
	char *slots = forged->bytes + header_bytes;
	uint16_t number = (uint16_t)(draw(2) == 0 ? draw(page_bytes) : draw(16));

	switch (draw(4)) {
	case 0:
		memcpy(slots + 2 * (size_t)slot,
		       slots + 2 * (size_t)draw(dit_view_count(forged->view)), 2);
		return say(forged, "a slot another one: slot", slot);
	case 1:
		memcpy(slots - 2 * (1 + draw(4)), &number, 2);
		return say(forged, "a word of the header", number);
	default:
		memcpy(forged->bytes + forged->node.at + 2 * draw(4), &number, 2);
		return say(forged, "a word of a node", number);
	}
}

/* The words of a meta page about its two trees. */
static int forge_meta(struct forged *forged)
{
	size_t place = forged->view.format->header_bytes +
	               (draw(2) == 0 ? offsetof(struct dit_meta, free_tree)
	                             : offsetof(struct dit_meta, main_tree));

	forged->number = draw(2);
	(void)read_page(forged, forged->number, &forged->view);
	return forge_record(forged, forged->bytes + place);
}

static int forge(int fd, uint64_t npages)
{
	static char key[XOR_KEY_BYTES];
	struct dit_crypto crypto = xor_crypto("sesame", key);
	struct dit_page_format sealed;
	struct forged forged = {.fd = fd, .npages = npages};
	uint32_t magic = 0;
	unsigned flags = draw(2) == 0 ? DIT_PAGE_BRANCH : DIT_PAGE_BRANCH | DIT_PAGE_LEAF;

	if (pread(fd, &magic, sizeof(magic), dit_lmdb_09.header_bytes) != sizeof(magic)) {
		return -1;
	}
	if (getenv("XOR_MODULE") != NULL && strcmp(getenv("XOR_MODULE"), "bare") == 0) {
		crypto.mac_bytes = 0;
		crypto.sum_bytes = 0;
	}
	sealed = dit_page_format_sealed(&crypto);
	forged.view = (struct dit_page_view){
		.bytes = forged.bytes,
		.format = magic == DIT_META_MAGIC  ? &dit_lmdb_09
	                  : dit_data_is_sealed(fd) ? &sealed
	                                           : &dit_lmdb_10,
	};
	forged.view.len = dit_page_end(forged.view.format, page_bytes);
	if (!find_page(&forged, flags, &forged.number)) {
		return 0;
	}
	forged.other = draw_page(&forged);
	if (draw(20) == 0) {
		return forge_meta(&forged);
	}
	if ((dit_view_flags(forged.view) & DIT_PAGE_LEAF2) != 0) {
		return forge_word(&forged); /* of an item, or of the header */
	}
	if (dit_view_node(forged.view, (unsigned)draw(dit_view_count(forged.view)),
	                  &forged.node) != DIT_NODE_FITS) {
		return 0;
	}
	switch (draw(6)) {
	case 0:
		return forge_key(&forged);
	case 1:
		return forge_word(&forged);
	default:
		return dit_view_flags(forged.view) == DIT_PAGE_BRANCH
		               ? forge_child(&forged)
		               : forge_value(&forged);
	}
}

/* The fields of the first meta page. */
static bool find_page_bytes(int fd)
{
	static const struct dit_page_format *const formats[] = {&dit_lmdb_09,
	                                                        &dit_lmdb_10};
	struct dit_meta_page page;

	for (unsigned i = 0; i < 2; i++) {
		if (dit_meta_page_read(fd, formats[i], 0, &page) == 0 &&
		    dit_meta_page_is_sound(&page)) {
			page_bytes = dit_meta_page_bytes(&page);
			return true;
		}
	}
	return false;
}

int main(int argc, char **argv)
{
	struct stat st;
	uint64_t n = 0;
	int (*change)(int, uint64_t) = NULL;
	int fd = argc == 3 ? open(argv[1], O_RDWR | O_CLOEXEC) : -1;

	if (fd < 0 || fstat(fd, &st) != 0 || !find_page_bytes(fd) ||
	    (uint64_t)st.st_size < 4 * (uint64_t)page_bytes) {
		(void)fprintf(stderr, "usage: damage FILE SEED (of 4 pages or more)\n");
		return 2;
	}
	state = (strtoull(argv[2], NULL, 10) + 1) * 0x9e3779b97f4a7c15u;
	change = draw(2) == 0 ? forge : damage;
	for (n = 1 + draw(3); n > 0; n--) {
		if (fstat(fd, &st) == 0 &&
		    (uint64_t)st.st_size >= 4 * (uint64_t)page_bytes &&
		    change(fd, (uint64_t)st.st_size / page_bytes) < 0) {
			return 2;
		}
	}
	return close(fd) == 0 ? 0 : 2;
}
