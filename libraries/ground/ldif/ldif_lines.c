/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A blank line shows as LF LF or LF CR LF. Each block of text is compared with LF, and
 * the block one byte further on with LF and CR:
 *
 *     text         s n :   x \n  \n d n
 *     is LF        . . . . .  1   1 . .
 *     one further  . . . . 1  1   . . .        LF or CR
 *     both         . . . . .  1   . . .        a blank line may follow
 *
 * A lane that is equal is -1, so lines are counted by subtraction. Only a block with such
 * a place, once in a record, is looked at byte by byte.
 */
#include "ldif/ldif_lines.h"

#define BLOCK_BYTES ((size_t)64)
#define LANES       16
#define BLOCKS_MAX  31 /* a lane counts up to 127, four times in a block */

typedef signed char lanes __attribute__((vector_size(LANES)));

static lanes load(const char *at)
{
	lanes ret;

	memcpy(&ret, at, sizeof(ret));
	return ret;
}

static bool has_any(lanes found)
{
	uint64_t halves[2];

	memcpy(halves, &found, sizeof(halves));
	return (halves[0] | halves[1]) != 0;
}

static unsigned sum(lanes counts)
{
	unsigned ret = 0;

	for (unsigned i = 0; i < LANES; i++) {
		ret += (unsigned)counts[i];
	}
	return ret;
}

/* Pass over blocks, up to one after whose LF a blank line may begin; the byte after the
 * last block is looked at. @return bytes passed over */
static size_t skip_blocks(const char *text, size_t nblocks, uint64_t *nlines)
{
	const lanes lf = (lanes){0} + '\n';
	const lanes cr = (lanes){0} + '\r';
	size_t done = 0;

	while (done < nblocks) {
		size_t end = nblocks - done < BLOCKS_MAX ? nblocks : done + BLOCKS_MAX;
		lanes counts = {0};
		lanes found = {0};

		for (; done < end; done++) {
			const char *at = text + done * BLOCK_BYTES;
			lanes here = {0};

			for (unsigned i = 0; i < BLOCK_BYTES; i += LANES) {
				lanes next = load(at + i + 1);
				lanes is_lf = load(at + i) == lf;

				here += is_lf;
				found |= is_lf & ((next == lf) | (next == cr));
			}
			if (has_any(found)) {
				*nlines += sum(counts);
				return done * BLOCK_BYTES;
			}
			counts -= here;
		}
		*nlines += sum(counts);
	}
	return done * BLOCK_BYTES;
}

/* Does a blank line begin there? */
static bool is_blank(struct dit_span text, size_t at)
{
	size_t left = text.len - at;

	return (left > 0 && text.data[at] == '\n') ||
	       (left > 1 && text.data[at] == '\r' && text.data[at + 1] == '\n');
}

size_t dit_ldif_skip_lines(struct dit_span text, uint64_t *ret_nlines)
{
	size_t at = 0;
	const char *lf = NULL;

	*ret_nlines = 0;
	if (is_blank(text, 0)) {
		return 0;
	}
	while (at < text.len) {
		size_t end = 0;

		at += skip_blocks(text.data + at, (text.len - at - 1) / BLOCK_BYTES,
		                  ret_nlines);
		end = text.len - at > BLOCK_BYTES ? at + BLOCK_BYTES : text.len;
		while ((lf = memchr(text.data + at, '\n', end - at)) != NULL) {
			at = (size_t)(lf - text.data) + 1;
			++*ret_nlines;
			if (is_blank(text, at)) {
				return at;
			}
		}
		at = end;
	}
	lf = text.len == 0 ? NULL : memrchr(text.data, '\n', text.len);
	return lf == NULL ? 0 : (size_t)(lf - text.data) + 1;
}
