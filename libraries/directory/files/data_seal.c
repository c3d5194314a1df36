/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * No meta page tells the key. Another key opens no page, so one page that opens shows
 * that the key is right, and that pages that do not open are damaged.
 */
#include "files/data_seal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/error.h"
#include "config/settings.h"
#include "page/meta_pages.h"
#include "page/page_seal.h"
#include "page/page_view.h"
#include "system/file_io.h"
#include "system/secret.h"

/* The roots are tried, and so many pages from the first one on. */
#define PAGES_TRIED 64
/* The key of temporary files is made of so many. */
#define RANDOM_BYTES 32

/* A passphrase that nobody knows: the module makes a key of it that suits it. */
static int open_runs(struct dit_data_seal *seal, const char *module, char *why)
{
	unsigned char bytes[RANDOM_BYTES];
	char *text = dit_secret_new(2 * RANDOM_BYTES + 1);
	int r = 0;

	if (text == NULL) {
		return -ENOMEM;
	}
	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
		r = -EIO;
	}
	for (size_t i = 0; i < sizeof(bytes); i++) {
		(void)snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	}
	explicit_bzero(bytes, sizeof(bytes));
	r = r ?: dit_crypto_open(&seal->runs_crypto, module, text, why);
	dit_secret_free(text, 2 * RANDOM_BYTES + 1);
	seal->runs.crypto = seal->runs_crypto;
	return r;
}

static int open_both(struct dit_data_seal *seal, const struct dit_data_settings *data,
                     char *why)
{
	int r = dit_crypto_open(&seal->crypto, data->crypto_module, data->passphrase,
	                        why);

	if (r < 0 || seal->crypto == NULL) {
		return r;
	}
	seal->format = dit_page_format_sealed(seal->crypto);
	return dit_crypto_encrypts(seal->crypto)
	               ? open_runs(seal, data->crypto_module, why)
	               : 0;
}

int dit_data_seal_open(struct dit_data_seal **ret, const struct dit_data_settings *data,
                       struct dit_fault *fault)
{
	char why[DIT_CRYPTO_WHY_BYTES] = "";
	struct dit_data_seal *seal = NULL;
	int r = 0;

	*ret = NULL;
	if (data->crypto_module == NULL) {
		return 0;
	}
	seal = calloc(1, sizeof(*seal));
	r = seal == NULL ? -ENOMEM : open_both(seal, data, why);
	if (r < 0 || seal->crypto == NULL) {
		dit_data_seal_close(seal);
		seal = NULL;
	}
	*ret = seal;
	return why[0] == '\0' ? r : dit_fault_say(fault, r, "\"crypto\": %.370s", why);
}

void dit_data_seal_close(struct dit_data_seal *seal)
{
	if (seal != NULL) {
		dit_crypto_close(seal->runs_crypto);
		dit_crypto_close(seal->crypto);
		free(seal);
	}
}

/* ---- is it so? ---- */

static int refuse(struct dit_fault *fault, const char *what)
{
	return dit_fault_say(fault, DIT_E_UNSUPPORTED, "%s", what);
}

static int check_kind(const struct dit_meta_seal *is,
                      const struct dit_page_format *sealed, struct dit_fault *fault)
{
	bool encrypts = sealed != NULL && dit_crypto_encrypts(sealed->crypto);
	unsigned sum_bytes = sealed == NULL ? 0 : sealed->crypto->sum_bytes;

	if (is->is_encrypted && !encrypts) {
		return refuse(
			fault,
			"its pages are encrypted: name the configuration of OpenLDAP "
			"2.7 that has their \"crypto\" and \"passphrase\" (-f or -F)");
	}
	if (encrypts && !is->is_encrypted) {
		return refuse(fault,
		              "its pages are not encrypted, and the configuration "
		              "has a \"passphrase\" for it: slapd refuses it, too");
	}
	if (is->sum_bytes != sum_bytes) {
		return dit_fault_say(fault, DIT_E_UNSUPPORTED,
		                     "its pages have checksums of %u bytes, not of %u: "
		                     "name the configuration of OpenLDAP 2.7 that has "
		                     "their \"crypto\" (-f or -F)",
		                     is->sum_bytes, sum_bytes);
	}
	return 0;
}

/* Without a MAC and a checksum each key opens each page: what comes out is no page,
 * then. */
static bool is_page(struct dit_page_view view, uint64_t number)
{
	unsigned flags = dit_view_flags(view);

	return dit_view_number(view) == number &&
	       (flags == DIT_PAGE_OVERFLOW ||
	        ((flags == DIT_PAGE_LEAF || flags == DIT_PAGE_BRANCH ||
	          flags == (DIT_PAGE_LEAF | DIT_PAGE_LEAF2)) &&
	         dit_view_has_bounds(view)));
}

/* @return 1: it opens; 0: it does not, or is not there */
static int try_page(int fd, const struct dit_page_format *sealed, unsigned page_bytes,
                    uint64_t number, char *page)
{
	const struct dit_page_view view = {page, dit_page_end(sealed, page_bytes),
	                                   sealed};
	int r = 0;

	if (number == DIT_PAGE_NONE ||
	    dit_read_at(fd, page, page_bytes, number * page_bytes) !=
	            (ssize_t)page_bytes) {
		return 0;
	}
	r = dit_page_unseal(sealed, page, page_bytes);
	if (r == -ENOMEM) {
		return r;
	}
	return r == 0 && is_page(view, number);
}

/* The roots first: they are pages of their own. @return 1: none has pages */
static int try_pages(int fd, const struct dit_page_format *sealed,
                     const struct dit_metas *metas, char *page)
{
	uint64_t last = dit_metas_newest(metas)->last_page;
	bool is_empty = true;
	int r = 0;

	for (unsigned i = 0; i < 4 && r == 0; i++) {
		const struct dit_meta *meta = &metas->list[(i / 2) ^ metas->newest];
		uint64_t root = i % 2 == 0 ? meta->main_tree.root : meta->free_tree.root;

		is_empty = is_empty && root == DIT_PAGE_NONE;
		r = try_page(fd, sealed, metas->page_bytes, root, page);
	}
	for (uint64_t i = DIT_FIRST_PAGE; i < PAGES_TRIED && i <= last && r == 0; i++) {
		r = try_page(fd, sealed, metas->page_bytes, i, page);
	}
	return r == 0 && is_empty ? 1 : r;
}

static int check_key(int fd, const struct dit_page_format *sealed,
                     struct dit_fault *fault)
{
	struct dit_metas metas;
	char *page = NULL;
	int r = dit_metas_read(fd, sealed, &metas);

	if (r != 0) {
		return 0; /* whoever reads it says so */
	}
	page = malloc(metas.page_bytes);
	if (page == NULL) {
		return -ENOMEM;
	}
	r = try_pages(fd, sealed, &metas, page);
	free(page);
	if (r != 0) {
		return r < 0 ? r : 0;
	}
	return refuse(
		fault,
		"the configured \"passphrase\" is not that of its pages: the module of \"crypto\" opens none of them");
}

bool dit_data_is_sealed(int data_fd)
{
	struct dit_meta_seal is;

	(void)dit_metas_seal(data_fd, &dit_lmdb_10, &is);
	return is.is_encrypted || is.sum_bytes > 0;
}

int dit_data_seal_check(int data_fd, const struct dit_page_format *sealed,
                        struct dit_fault *fault)
{
	struct dit_meta_seal is;
	unsigned page_bytes = dit_metas_seal(data_fd, &dit_lmdb_10, &is);
	int r = 0;

	if (page_bytes == 0) {
		return 0;
	}
	r = check_kind(&is, sealed, fault);
	if (r == 0 && sealed != NULL && !dit_page_seal_fits(sealed, page_bytes)) {
		r = refuse(fault, "its pages are too small for the module of \"crypto\"");
	}
	return r == 0 && sealed != NULL && dit_crypto_encrypts(sealed->crypto)
	               ? check_key(data_fd, sealed, fault)
	               : r;
}
