/* SPDX-License-Identifier: BSD-2-Clause */
#include "pages/free_pages.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "pages/lmdb_format.h"
#include "pages/meta_pages.h"

#define PAGE_MIN 512u
#define PAGE_MAX 65536u
/* Of a tree that liblmdb makes, far more than any file needs. */
#define DEPTH_MAX 32
/* Commits that may come in between, one after the other. */
#define ATTEMPTS 100

struct walk {
	int fd;
	unsigned page_bytes;
	uint64_t file_pages;
	uint64_t nread;   /* pages of the tree; a tree that goes in circles ends */
	uint64_t nbehind; /* free pages behind the end of the file */
};

static int read_at(int fd, void *to, size_t len, uint64_t at)
{
	ssize_t n = pread(fd, to, len, (off_t)at);

	if (n < 0) {
		return -errno;
	}
	return (size_t)n == len ? 0 : DIT_E_CORRUPT;
}

/* A list: its length, then numbers of pages. */
static int count_list(struct walk *walk, const char *list, uint64_t len)
{
	uint64_t n = 0;

	if (len < sizeof(n)) {
		return DIT_E_CORRUPT;
	}
	memcpy(&n, list, sizeof(n));
	if (n > len / sizeof(n) - 1) {
		return DIT_E_CORRUPT;
	}
	for (uint64_t i = 1; i <= n; i++) {
		uint64_t page = 0;

		memcpy(&page, list + i * sizeof(page), sizeof(page));
		walk->nbehind += page >= walk->file_pages;
	}
	return 0;
}

static int count_long_list(struct walk *walk, uint64_t first_page, uint64_t len)
{
	char *list = NULL;
	int r = 0;

	if (first_page >= walk->file_pages ||
	    len > (walk->file_pages - first_page) * walk->page_bytes) {
		return DIT_E_CORRUPT;
	}
	list = malloc(len);
	if (list == NULL) {
		return -ENOMEM;
	}
	r = read_at(walk->fd, list, len,
	            first_page * walk->page_bytes + sizeof(struct dit_page_header));
	if (r == 0) {
		r = count_list(walk, list, len);
	}
	free(list);
	return r;
}

/* The node of a leaf, its header within the page. */
static int count_node(struct walk *walk, const char *page, size_t offset)
{
	struct dit_node_header node;
	size_t at = offset + sizeof(node);
	uint64_t len = 0;
	uint64_t first_page = 0;

	memcpy(&node, page + offset, sizeof(node));
	len = node.low | (uint64_t)node.high << 16;
	at += node.key_len;
	if ((node.flags & DIT_NODE_BIG) != 0) {
		if (at + sizeof(first_page) > walk->page_bytes) {
			return DIT_E_CORRUPT;
		}
		memcpy(&first_page, page + at, sizeof(first_page));
		return count_long_list(walk, first_page, len);
	}
	return at + len > walk->page_bytes ? DIT_E_CORRUPT
	                                   : count_list(walk, page + at, len);
}

static int count_tree(struct walk *walk, uint64_t number, unsigned depth);

static int count_child(struct walk *walk, const char *page, size_t offset, unsigned depth)
{
	struct dit_node_header node;

	memcpy(&node, page + offset, sizeof(node));
	return count_tree(
		walk, node.low | (uint64_t)node.high << 16 | (uint64_t)node.flags << 32,
		depth);
}

static int count_page(struct walk *walk, const char *page, unsigned depth)
{
	const struct dit_page_header *header = (const void *)page;
	bool is_branch = (header->flags & DIT_PAGE_BRANCH) != 0;
	int r = 0;

	if ((header->flags & (DIT_PAGE_BRANCH | DIT_PAGE_LEAF)) == 0 ||
	    header->lower < sizeof(*header) || header->lower > walk->page_bytes) {
		return DIT_E_CORRUPT;
	}
	for (unsigned i = 0; i < dit_page_count(page) && r == 0; i++) {
		uint16_t offset = 0;

		memcpy(&offset, page + sizeof(*header) + i * sizeof(offset),
		       sizeof(offset));
		if (offset + sizeof(struct dit_node_header) > walk->page_bytes) {
			return DIT_E_CORRUPT;
		}
		r = is_branch ? count_child(walk, page, offset, depth + 1)
		              : count_node(walk, page, offset);
	}
	return r;
}

static int count_tree(struct walk *walk, uint64_t number, unsigned depth)
{
	char *page = NULL;
	int r = 0;

	if (number >= walk->file_pages || depth > DEPTH_MAX ||
	    walk->nread++ > walk->file_pages) {
		return DIT_E_CORRUPT;
	}
	page = malloc(walk->page_bytes);
	if (page == NULL) {
		return -ENOMEM;
	}
	r = read_at(walk->fd, page, walk->page_bytes, number * walk->page_bytes);
	if (r == 0) {
		r = count_page(walk, page, depth);
	}
	free(page);
	return r;
}

/* The meta page that counts, and the size of pages; false: liblmdb judges. */
static bool read_meta(int fd, unsigned *ret_page_bytes, struct dit_meta *ret)
{
	struct dit_meta metas[2];
	unsigned page_bytes = 0;

	if (read_at(fd, &metas[0], sizeof(metas[0]), sizeof(struct dit_page_header)) !=
	    0) {
		return false;
	}
	/* The first tree's record says how large pages are. */
	page_bytes = metas[0].free_tree.item_bytes;
	if (metas[0].magic != DIT_META_MAGIC || page_bytes < PAGE_MIN ||
	    page_bytes > PAGE_MAX || (page_bytes & (page_bytes - 1)) != 0 ||
	    dit_metas_read(fd, page_bytes, metas) < 0) {
		return false;
	}
	*ret_page_bytes = page_bytes;
	*ret = metas[metas[1].transaction > metas[0].transaction];
	return true;
}

static int check(int fd, const struct dit_meta *meta, unsigned page_bytes,
                 struct dit_file_lack *ret)
{
	struct walk walk = {.fd = fd, .page_bytes = page_bytes};
	uint64_t npages = meta->last_page + 1;
	struct stat st;
	int r = 0;

	if (fstat(fd, &st) != 0) {
		return -errno;
	}
	walk.file_pages = (uint64_t)st.st_size / page_bytes;
	if (walk.file_pages >= npages) {
		return 0;
	}
	*ret = (struct dit_file_lack){.file_bytes = (uint64_t)st.st_size,
	                              .needed_bytes = npages * page_bytes};
	if (meta->free_tree.root != DIT_PAGE_NONE) {
		r = count_tree(&walk, meta->free_tree.root, 0);
	}
	if (r < 0) {
		return r;
	}
	return walk.nbehind == npages - walk.file_pages ? 0 : DIT_E_CORRUPT;
}

int dit_file_check_size(int fd, struct dit_file_lack *ret)
{
	struct dit_meta meta;
	unsigned page_bytes = 0;
	int r = 0;

	for (unsigned i = 0; i < ATTEMPTS; i++) {
		struct dit_meta now;

		/* First the meta page: the pages that it counts were written before. */
		if (!read_meta(fd, &page_bytes, &meta)) {
			return 0;
		}
		r = check(fd, &meta, page_bytes, ret);
		if (r != DIT_E_CORRUPT || !read_meta(fd, &page_bytes, &now) ||
		    now.transaction == meta.transaction) {
			return r;
		}
	}
	return r;
}
