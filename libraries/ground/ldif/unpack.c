/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unpacking ahead: a feed whose slots hold text.
 *
 *   callback ─▶ input (64 KiB) ─▶ codec ─▶ slot, slot, slot, slot ─▶ dit_unpack_read()
 *
 * A slot is handed over when it is full, or when the data ends. If an error comes while
 * a slot has text already, the slot goes first, and the next one tells the error. Only
 * the text of a slot in which damage shows is dropped.
 */
#include "ldif/unpack.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/feed.h"
#include "ldif/unpack_codec.h"

#define NSLOTS      4
#define SLOT_BYTES  ((size_t)256 << 10)
#define INPUT_BYTES ((size_t)64 << 10)

struct unpack_slot {
	char *text;
	size_t ntext;
	uint64_t packed; /* packed bytes up to the end of the text */
};

struct dit_unpack {
	/* [const] */
	struct dit_unpack_opts opts;
	struct dit_feed *feed;

	/* [own: the feed's thread, or the only one] */
	struct dit_codec *codec;
	enum dit_pack_format format; /* of the present member, else of the one before */
	bool is_in_member;
	char *input;
	size_t at; /* the next byte of the input */
	size_t end;
	uint64_t packed; /* bytes of the data before "at" */
	bool is_at_end;  /* the callback has no more */
	bool is_cut;     /* a member has no end */
	int failed;      /* what the next slot tells */

	/* [handoff: the feed's thread > reader, with a slot or with the end] */
	struct unpack_slot slots[NSLOTS];
	char error[128];

	/* [own: reader] */
	bool has_slot;
	unsigned slot;
	size_t slot_at;
};

/* ---- packed bytes ---- */

/* Have at least @p need bytes of input, fewer only at its end. 0 or negative */
static int fetch(struct dit_unpack *unpack, size_t need)
{
	size_t left = unpack->end - unpack->at;

	if (left >= need || unpack->is_at_end) {
		return 0;
	}
	memmove(unpack->input, unpack->input + unpack->at, left);
	unpack->at = 0;
	unpack->end = left;
	while (unpack->end < need && !unpack->is_at_end) {
		ssize_t n =
			unpack->opts.read(unpack->opts.ctx, unpack->input + unpack->end,
		                          INPUT_BYTES - unpack->end);

		if (n < 0) {
			return (int)n;
		}
		unpack->end += (size_t)n;
		unpack->is_at_end = n == 0;
	}
	return 0;
}

static void skip(struct dit_unpack *unpack, size_t nbytes)
{
	unpack->at += nbytes;
	unpack->packed += nbytes;
}

/* Zeros fill up the blocks of tapes after gzip data, and may follow xz data. */
static bool may_be_padded(enum dit_pack_format format)
{
	return format == DIT_PACK_GZIP || format == DIT_PACK_XZ;
}

/* @return 1: not at the end of the data; 0; negative */
static int skip_padding(struct dit_unpack *unpack)
{
	int r = fetch(unpack, 1);

	while (r == 0 && unpack->at < unpack->end) {
		if (unpack->input[unpack->at] != '\0' || !may_be_padded(unpack->format)) {
			return 1;
		}
		skip(unpack, 1);
		r = fetch(unpack, 1);
	}
	return r;
}

/* ---- members ---- */

static int tell(struct dit_unpack *unpack, int r)
{
	const char *format = dit_pack_format_name(unpack->format);
	unsigned long long packed = unpack->packed;

	if (r == DIT_E_UNSUPPORTED) {
		(void)snprintf(unpack->error, sizeof(unpack->error),
		               "its %s data needs more than %d MiB of memory", format,
		               DIT_CODEC_MEMORY_MIB);
	} else if (r == DIT_E_INVALID && unpack->is_in_member) {
		(void)snprintf(unpack->error, sizeof(unpack->error),
		               "its %s data is %s at byte %llu", format,
		               unpack->is_cut ? "cut off" : "damaged", packed);
	} else if (r == DIT_E_INVALID) {
		(void)snprintf(unpack->error, sizeof(unpack->error),
		               "after its %s data, at byte %llu, comes something else",
		               format, packed);
	}
	return r;
}

/* @return 1: there is one; 0: the data has ended; negative */
static int begin_member(struct dit_unpack *unpack)
{
	struct dit_span start = {0};
	enum dit_pack_format format = DIT_PACK_NONE;
	int r = skip_padding(unpack);

	if (r <= 0) {
		return r;
	}
	r = fetch(unpack, DIT_PACK_MAGIC_BYTES);
	if (r < 0) {
		return r;
	}
	start.data = unpack->input + unpack->at;
	start.len = unpack->end - unpack->at;
	format = dit_pack_format_of(start);
	if (format == DIT_PACK_NONE) {
		return DIT_E_INVALID;
	}
	unpack->format = format;
	r = dit_codec_begin(unpack->codec, format);
	unpack->is_in_member = r == 0;
	return r < 0 ? r : 1;
}

/* One step in the present member. @return 0 or negative */
static int step(struct dit_unpack *unpack, struct dit_codec_io *io)
{
	size_t room = io->out_len;
	size_t left = unpack->end - unpack->at;
	int r = 0;

	io->in = unpack->input + unpack->at;
	io->in_len = left;
	r = dit_codec_step(unpack->codec, io);
	skip(unpack, left - io->in_len);
	if (r > 0) {
		unpack->is_in_member = false;
		return 0;
	}
	if (r < 0 || io->in_len < left || io->out_len < room) {
		return r;
	}
	/* It needs more, and what it has left it has looked at. */
	r = fetch(unpack, io->in_len + 1);
	if (r == 0 && unpack->end - unpack->at == io->in_len) {
		unpack->is_cut = true;
		r = DIT_E_INVALID;
	}
	return r;
}

/* Damage is seen after the bytes that came of it. */
static bool is_doubtful(const struct dit_unpack *unpack, int r)
{
	return r == DIT_E_INVALID && unpack->is_in_member && !unpack->is_cut;
}

static int fill(void *ctx, unsigned number)
{
	struct dit_unpack *unpack = ctx;
	struct unpack_slot *slot = &unpack->slots[number];
	struct dit_codec_io io = {.out = slot->text, .out_len = SLOT_BYTES};
	int r = unpack->failed;
	bool is_end = false;

	while (r == 0 && io.out_len > 0 && !is_end) {
		if (unpack->is_in_member) {
			r = step(unpack, &io);
			continue;
		}
		r = begin_member(unpack);
		is_end = r == 0;
		r = r > 0 ? 0 : r;
	}
	slot->ntext = is_doubtful(unpack, r) ? 0 : SLOT_BYTES - io.out_len;
	slot->packed = unpack->packed;
	if (r < 0 && unpack->failed == 0) {
		unpack->failed = tell(unpack, r);
	}
	return slot->ntext > 0 ? 1 : r;
}

/* ---- the reader's side ---- */

static int make(struct dit_unpack *unpack)
{
	const struct dit_unpack_opts *opts = &unpack->opts;
	int r = dit_codec_new(&unpack->codec);

	assert(opts->start.len <= INPUT_BYTES);
	unpack->input = malloc(INPUT_BYTES);
	if (r < 0 || unpack->input == NULL) {
		return -ENOMEM;
	}
	memcpy(unpack->input, opts->start.data, opts->start.len);
	unpack->end = opts->start.len;
	for (unsigned i = 0; i < NSLOTS; i++) {
		unpack->slots[i].text = malloc(SLOT_BYTES);
		if (unpack->slots[i].text == NULL) {
			return -ENOMEM;
		}
	}
	return dit_feed_new(&unpack->feed, NSLOTS, opts->is_threaded ? "unpack" : NULL,
	                    fill, unpack);
}

int dit_unpack_new(struct dit_unpack **ret, const struct dit_unpack_opts *opts)
{
	struct dit_unpack *unpack = calloc(1, sizeof(*unpack));
	int r = 0;

	if (unpack == NULL) {
		return -ENOMEM;
	}
	unpack->opts = *opts;
	r = make(unpack);
	if (r < 0) {
		dit_unpack_free(unpack);
		return r;
	}
	*ret = unpack;
	return 0;
}

void dit_unpack_free(struct dit_unpack *unpack)
{
	if (unpack == NULL) {
		return;
	}
	dit_feed_free(unpack->feed); /* joins the thread first */
	for (unsigned i = 0; i < NSLOTS; i++) {
		free(unpack->slots[i].text);
	}
	free(unpack->input);
	dit_codec_free(unpack->codec);
	free(unpack);
}

int dit_unpack_peek(struct dit_unpack *unpack, struct dit_span *ret)
{
	const struct unpack_slot *slot = &unpack->slots[unpack->slot];
	int r = 1;

	if (unpack->has_slot && unpack->slot_at == slot->ntext) {
		dit_feed_return(unpack->feed);
		unpack->has_slot = false;
	}
	if (!unpack->has_slot) {
		r = dit_feed_take(unpack->feed, &unpack->slot);
		slot = &unpack->slots[unpack->slot];
		unpack->has_slot = r > 0;
		unpack->slot_at = 0;
	}
	if (r > 0) {
		ret->data = slot->text + unpack->slot_at;
		ret->len = slot->ntext - unpack->slot_at;
	}
	return r;
}

ssize_t dit_unpack_read(struct dit_unpack *unpack, char *buffer, size_t size,
                        uint64_t *ret_packed)
{
	struct dit_span text = {0};
	int r = dit_unpack_peek(unpack, &text);

	if (r <= 0) {
		return r;
	}
	if (text.len > size) {
		text.len = size;
	}
	memcpy(buffer, text.data, text.len);
	unpack->slot_at += text.len;
	*ret_packed = unpack->slots[unpack->slot].packed;
	return (ssize_t)text.len;
}

const char *dit_unpack_error(const struct dit_unpack *unpack)
{
	return unpack->error;
}
