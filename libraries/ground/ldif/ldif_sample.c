/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Samples. Windows are read first and kept, since a weight depends on how many windows
 * there were: long records use the budget up sooner.
 *
 * The windows are visited in an order that leaves no part out whenever the budget ends:
 * first, last, middle, then the middles between those (bit-reversed numbers).
 */
#include "ldif/ldif_sample.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/grow.h"
#include "base/whole_io.h"
#include "ldif/input_kind.h"
#include "ldif/ldif_reader.h"

#define WINDOW_BYTES (64u << 10)
/* A record longer than this is not sought for. */
#define RECORD_MAX (32u << 20)
/* Long records: so many windows may use so many times the budget. */
#define WINDOWS_MIN  64
#define LONG_BUDGETS 8
#define READ_BYTES   (64u << 10)
/* In the sample, from a pipe or a packed file. */
#define BATCHES_MIN 4

/** A record of the sample. */
struct piece {
	uint64_t start; /* in all inputs, one after the other */
	size_t at;      /* in the text of the sample */
	size_t len;
	unsigned window;
};

struct window {
	uint64_t position;
	double distance; /* bytes of the input that it stands for */
	unsigned number;
};

struct input {
	int fd;
	uint64_t first; /* its first byte, counted over all inputs */
	uint64_t size;
};

struct sample {
	const struct dit_ldif_sample_opts *opts;
	struct input *inputs;
	size_t ninputs;
	uint64_t size; /* of all */
	char *text;
	size_t text_len;
	size_t text_size;
	struct piece *pieces;
	size_t npieces;
	size_t pieces_size;
	struct window *windows; /* in the order in which they were taken */
	size_t windows_size;
	unsigned nwindows;
	size_t window_bytes;
};

/* ---- inputs ---- */

static int open_one(struct sample *sample, const char *path, bool *ret_is_plain)
{
	struct input *input = &sample->inputs[sample->ninputs];
	char start[DIT_INPUT_KIND_BYTES];
	struct stat st;
	ssize_t n = 0;

	/* A pipe that is opened and closed again would be lost. */
	if (stat(path, &st) < 0) {
		return -errno;
	}
	if (!S_ISREG(st.st_mode)) {
		*ret_is_plain = false;
		return 0;
	}
	input->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (input->fd < 0) {
		return -errno;
	}
	sample->ninputs++;
	if (fstat(input->fd, &st) < 0) {
		return -errno;
	}
	input->first = sample->size;
	input->size = (uint64_t)st.st_size;
	sample->size += input->size;
	n = pread(input->fd, start, sizeof(start), 0);
	if (n < 0) {
		return -errno;
	}
	if (dit_pack_format_of((struct dit_span){start, (size_t)n}) != DIT_PACK_NONE) {
		*ret_is_plain = false;
		return 0;
	}
	return dit_input_other_than_ldif((struct dit_span){start, (size_t)n}) == NULL
	               ? 0
	               : DIT_E_INVALID;
}

/* @param ret_is_plain  all are regular files that are not packed */
static int open_inputs(struct sample *sample, bool *ret_is_plain, const char **ret_failed)
{
	const struct dit_ldif_sample_opts *opts = sample->opts;

	*ret_is_plain = true;
	sample->inputs = calloc(opts->npaths + 1, sizeof(*sample->inputs));
	if (sample->inputs == NULL) {
		return -ENOMEM;
	}
	for (size_t i = 0; i < opts->npaths; i++) {
		int r = 0;

		*ret_failed = opts->paths[i];
		if (opts->paths[i] == NULL) {
			*ret_is_plain = false;
			continue;
		}
		r = open_one(sample, opts->paths[i], ret_is_plain);
		if (r < 0) {
			return r;
		}
	}
	return 0;
}

static void release(struct sample *sample)
{
	for (size_t i = 0; i < sample->ninputs; i++) {
		(void)close(sample->inputs[i].fd);
	}
	free(sample->inputs);
	free(sample->text);
	free(sample->pieces);
	free(sample->windows);
}

/* ---- records ---- */

/* The place after the first blank line at or after @p from; SIZE_MAX: none. */
static size_t find_end(const char *text, size_t len, size_t from)
{
	for (size_t i = from; i + 1 < len;) {
		const char *at = memchr(text + i, '\n', len - i - 1);

		if (at == NULL) {
			break;
		}
		i = (size_t)(at - text) + 1;
		if (text[i] == '\n') {
			return i + 1;
		}
		if (text[i] == '\r' && i + 1 < len && text[i + 1] == '\n') {
			return i + 2;
		}
	}
	return SIZE_MAX;
}

static struct dit_span skip_line(struct dit_span text)
{
	const char *end = memchr(text.data, '\n', text.len);
	size_t n = end == NULL ? text.len : (size_t)(end - text.data) + 1;

	return (struct dit_span){text.data + n, text.len - n};
}

static bool begins(struct dit_span text, const char *word)
{
	size_t len = strlen(word);

	return text.len >= len && strncasecmp(text.data, word, len) == 0;
}

/* Without comments and "version:" in front; empty: there is no entry in it. */
static struct dit_span entry_of(struct dit_span text)
{
	if (begins(text, "\357\273\277")) { /* a byte order mark */
		text = (struct dit_span){text.data + 3, text.len - 3};
	}
	while (text.len > 0) {
		bool is_comment = text.data[0] == '#';

		if (!is_comment && text.data[0] != '\n' && text.data[0] != '\r' &&
		    !begins(text, "version:")) {
			break;
		}
		text = skip_line(text);
		while (is_comment && text.len > 0 && text.data[0] == ' ') {
			text = skip_line(text);
		}
	}
	/* The blank line belongs to no record. */
	while (text.len > 1 && text.data[text.len - 1] == '\n' &&
	       (text.data[text.len - 2] == '\n' || text.data[text.len - 2] == '\r')) {
		text.len--;
		text.len -= text.data[text.len - 1] == '\r';
	}
	return begins(text, "include:") ? (struct dit_span){"", 0} : text;
}

static int add_piece(struct sample *sample, const char *text, size_t len, uint64_t start)
{
	struct piece *piece = NULL;

	/* Windows that lie in one long record find it again. */
	for (size_t i = 0; len > sample->window_bytes && i < sample->npieces; i++) {
		if (sample->pieces[i].start == start) {
			return 0;
		}
	}
	if (sample->npieces == sample->pieces_size) {
		struct piece *grown = dit_grow(sample->pieces, &sample->pieces_size,
		                               sample->npieces + 1, sizeof(*grown));

		if (grown == NULL) {
			return -ENOMEM;
		}
		sample->pieces = grown;
	}
	if (sample->text_len + len > sample->text_size) {
		char *grown = dit_grow(sample->text, &sample->text_size,
		                       sample->text_len + len, 1);

		if (grown == NULL) {
			return -ENOMEM;
		}
		sample->text = grown;
	}
	memcpy(sample->text + sample->text_len, text, len);
	piece = &sample->pieces[sample->npieces++];
	*piece = (struct piece){.start = start,
	                        .at = sample->text_len,
	                        .len = len,
	                        .window =
	                                sample->nwindows == 0 ? 0 : sample->nwindows - 1};
	sample->text_len += len;
	return 0;
}

/* ---- windows ---- */

/** A part of an input, in memory. */
struct part {
	const struct input *input;
	char *text;
	size_t size;
	size_t len;
	uint64_t offset; /* of its first byte in the input */
};

/* Replace the content by so many bytes from @p offset on. */
static int read_part(struct part *part, uint64_t offset, size_t len)
{
	size_t done = 0;

	if (len > part->size) {
		char *grown = dit_grow(part->text, &part->size, len, 1);

		if (grown == NULL) {
			return -ENOMEM;
		}
		part->text = grown;
	}
	while (done < len) {
		ssize_t n = pread(part->input->fd, part->text + done, len - done,
		                  (off_t)(offset + done));

		if (n < 0 && errno != EINTR) {
			return -errno;
		}
		if (n == 0) {
			break;
		}
		done += n > 0 ? (size_t)n : 0;
	}
	part->offset = offset;
	part->len = done;
	return 0;
}

/*
 * Read a window and what is before and after it, until both ends lie between records.
 *
 * @param ret_first  of the first record that the window touches, in the part
 *
 * @return 1; 0: a record is too long; negative
 */
static int read_window(struct part *part, uint64_t offset, size_t window,
                       size_t *ret_first)
{
	size_t before = READ_BYTES;
	size_t behind = READ_BYTES;

	for (;;) {
		uint64_t from = offset > before ? offset - before : 0;
		uint64_t to = offset + window + behind;
		size_t at = 0;
		size_t first = SIZE_MAX;
		size_t last = 0;
		int r = 0;

		to = to < part->input->size ? to : part->input->size;
		r = read_part(part, from, (size_t)(to - from));
		if (r < 0) {
			return r;
		}
		first = from == 0 ? 0 : SIZE_MAX;
		for (at = find_end(part->text, part->len, 0);
		     at != SIZE_MAX && from + at <= offset;
		     at = find_end(part->text, part->len, at)) {
			first = at;
		}
		last = (size_t)(offset + window - from);
		last = find_end(part->text, part->len, last > 2 ? last - 2 : 0);
		if (first != SIZE_MAX && (last != SIZE_MAX || to == part->input->size)) {
			*ret_first = first;
			part->len = last != SIZE_MAX ? last : part->len;
			return 1;
		}
		if (before + behind > RECORD_MAX) {
			return 0;
		}
		before = first == SIZE_MAX ? before * 4 : before;
		behind = last == SIZE_MAX ? behind * 4 : behind;
	}
}

/* @return 1 or -ENOMEM */
static int add_window(struct sample *sample, uint64_t position)
{
	struct window *grown =
		dit_grow(sample->windows, &sample->windows_size,
	                 (size_t)sample->nwindows + 1, sizeof(*sample->windows));

	if (grown == NULL) {
		return -ENOMEM;
	}
	sample->windows = grown;
	grown[sample->nwindows] =
		(struct window){.position = position, .number = sample->nwindows};
	sample->nwindows++;
	return 1;
}

static int compare_positions(const void *a, const void *b)
{
	const struct window *x = a;
	const struct window *y = b;

	return (x->position > y->position) - (x->position < y->position);
}

static int compare_windows(const void *a, const void *b)
{
	const struct window *x = a;
	const struct window *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Each window stands for what is nearer to it than to the others. */
static void measure_distances(struct sample *sample)
{
	struct window *windows = sample->windows;
	size_t n = sample->nwindows;

	if (n == 0) {
		return;
	}
	qsort(windows, n, sizeof(*windows), compare_positions);
	for (size_t i = 0; i < n; i++) {
		double half = (double)sample->window_bytes / 2;
		double middle = (double)windows[i].position + half;
		double from =
			i == 0 ? 0
			       : ((double)windows[i - 1].position + half + middle) / 2;
		double to =
			i + 1 == n
				? (double)sample->size
				: ((double)windows[i + 1].position + half + middle) / 2;

		windows[i].distance = to - from;
	}
	qsort(windows, n, sizeof(*windows), compare_windows);
}

static int take_window(struct sample *sample, struct part *part, uint64_t position)
{
	size_t i = 0;
	uint64_t offset = 0;
	size_t window = sample->window_bytes;
	size_t at = 0;
	int r = 0;

	while (i + 1 < sample->ninputs && position >= sample->inputs[i + 1].first) {
		i++;
	}
	part->input = &sample->inputs[i];
	offset = position - part->input->first;
	if (offset + window > part->input->size) {
		window = (size_t)(part->input->size - offset);
	}
	r = read_window(part, offset, window, &at);
	if (r > 0) {
		r = add_window(sample, position);
	}
	while (r > 0 && at < part->len) {
		size_t end = find_end(part->text, part->len, at);

		end = end == SIZE_MAX ? part->len : end;
		r = add_piece(sample, part->text + at, end - at,
		              part->input->first + part->offset + at);
		r = r < 0 ? r : 1;
		at = end;
	}
	return r;
}

/* One of 2^bits numbers, with its bits reversed: 0, 1/2, 1/4, 3/4, ... */
static uint64_t turned(uint64_t i, unsigned bits)
{
	uint64_t n = 0;

	for (unsigned b = 0; b < bits; b++) {
		n = n << 1 | (i >> b & 1);
	}
	return n;
}

static int take_windows(struct sample *sample, unsigned bits)
{
	uint64_t n = (uint64_t)1 << bits;
	uint64_t last = sample->size - sample->window_bytes;
	struct part part = {.text = NULL};
	int r = 0;

	/* The last one is a window more. */
	for (uint64_t i = 0; i <= n && r >= 0; i++) {
		uint64_t place = i == 0 ? 0 : i == 1 ? n : turned(i - 1, bits);
		uint64_t budget =
			sample->opts->budget_bytes * (i < WINDOWS_MIN ? LONG_BUDGETS : 1);

		if (dit_stop_is_set(sample->opts->stop)) {
			r = DIT_E_STOPPED;
		} else if (sample->text_len >= budget && i >= 3) {
			break;
		} else {
			r = take_window(
				sample, &part,
				(uint64_t)((double)last * (double)place / (double)n));
		}
	}
	free(part.text);
	return r < 0 ? r : 0;
}

static int take_whole(struct sample *sample)
{
	struct part part = {.text = NULL};
	int r = 0;

	for (size_t i = 0; i < sample->ninputs && r == 0; i++) {
		size_t at = 0;

		part.input = &sample->inputs[i];
		r = read_part(&part, 0, (size_t)part.input->size);
		while (r == 0 && at < part.len) {
			size_t end = find_end(part.text, part.len, at);

			end = end == SIZE_MAX ? part.len : end;
			r = add_piece(sample, part.text + at, end - at,
			              part.input->first + at);
			at = end;
		}
	}
	free(part.text);
	return r;
}

static double weight_of(const struct sample *sample, const struct piece *piece)
{
	double distance = sample->windows[piece->window].distance;
	double weight = distance / ((double)piece->len + (double)sample->window_bytes);

	return weight < 1 ? 1 : weight;
}

static bool is_costly(const struct sample *sample, struct dit_span text)
{
	uint64_t nlines = 0;

	for (size_t i = 0; i < text.len; i++) {
		nlines += text.data[i] == '\n';
	}
	return sample->opts->record_max > 0 &&
	       dit_ldif_record_cost(text.len, nlines) > sample->opts->record_max;
}

static int give_out(struct sample *sample, dit_ldif_sample_fn take, void *ctx,
                    struct dit_ldif_sample *ret)
{
	double scale = 1;
	double bytes = 0;
	int r = 0;

	for (size_t i = 0; i < sample->npieces && !ret->is_whole; i++) {
		bytes += weight_of(sample, &sample->pieces[i]) *
		         (double)sample->pieces[i].len;
	}
	if (bytes > 0) {
		scale = (double)sample->size / bytes;
	}
	for (size_t i = 0; i < sample->npieces && r == 0; i++) {
		const struct piece *piece = &sample->pieces[i];
		struct dit_ldif_sample_record record = {
			.text = entry_of(
				(struct dit_span){sample->text + piece->at, piece->len}),
			.weight = ret->is_whole ? 1 : weight_of(sample, piece) * scale,
			.window = ret->is_whole ? (unsigned)(piece->start /
		                                             sample->window_bytes)
		                                : piece->window};

		if (is_costly(sample, record.text)) {
			return DIT_E_TOOLONG;
		}
		if (record.text.len > 0) {
			record.weight = record.weight < 1 ? 1 : record.weight;
			ret->nsampled++;
			ret->sampled_bytes += piece->len;
			r = take(ctx, &record);
		}
	}
	return r;
}

static int sample_files(struct sample *sample, dit_ldif_sample_fn take, void *ctx,
                        struct dit_ldif_sample *ret)
{
	unsigned bits = 1;
	int r = 0;

	ret->bytes = sample->size;
	ret->text_bytes = sample->size;
	if (sample->size <= sample->opts->budget_bytes ||
	    sample->size <= 8 * sample->window_bytes) {
		ret->is_whole = true;
		r = take_whole(sample);
	} else {
		while (((uint64_t)2 << bits) * sample->window_bytes <=
		       sample->opts->budget_bytes) {
			bits++;
		}
		r = take_windows(sample, bits);
		measure_distances(sample);
	}
	return r < 0 ? r : give_out(sample, take, ctx, ret);
}

/* ---- packed files and pipes ---- */

/*
 * Batch number n is taken with a probability of wanted / n, and weighs the inverse: so
 * the whole input is represented however long it is. The random numbers are always the
 * same ones: the answer for an input is, too.
 */
static bool is_taken(uint64_t *seed, double probability)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 9007199254740992.0 < probability;
}

static int give_batch(const struct dit_ldif_batch *batch, double weight, unsigned window,
                      dit_ldif_sample_fn take, void *ctx, struct dit_ldif_sample *ret)
{
	int r = 0;

	for (size_t i = 0; i < batch->nrecords && r == 0; i++) {
		struct dit_ldif_sample_record record = {
			.text = entry_of(batch->records[i].text),
			.weight = weight,
			.window = window};

		if (record.text.len > 0) {
			ret->nsampled++;
			ret->sampled_bytes += batch->records[i].text.len;
			r = take(ctx, &record);
		}
	}
	return r;
}

static uint64_t batch_bytes(const struct dit_ldif_batch *batch)
{
	uint64_t n = 0;

	for (size_t i = 0; i < batch->nrecords; i++) {
		n += batch->records[i].text.len;
	}
	return n;
}

static int read_all(struct sample *sample, struct dit_ldif_reader *reader,
                    dit_ldif_sample_fn take, void *ctx, struct dit_ldif_sample *ret)
{
	double wanted =
		(double)sample->opts->budget_bytes / (double)sample->window_bytes / 4;
	struct dit_ldif_batch batch = {.buffer = NULL};
	uint64_t seed = 1;
	unsigned n = 0;
	int r = 0;

	wanted = wanted < BATCHES_MIN ? BATCHES_MIN : wanted;
	ret->is_whole = true;
	while ((r = dit_ldif_reader_next(reader, &batch)) > 0) {
		double probability = ++n <= wanted ? 1 : wanted / n;

		ret->text_bytes += batch_bytes(&batch);
		ret->bytes = batch.bytes_read;
		if (sample->opts->beginning_only &&
		    ret->sampled_bytes >= sample->opts->budget_bytes) {
			ret->is_beginning = true;
			ret->is_whole = false;
			ret->bytes = dit_ldif_reader_size(reader);
			ret->scale = (double)dit_ldif_reader_size(reader) /
			             (double)batch.bytes_read;
			break;
		}
		ret->is_whole = ret->is_whole && probability == 1;
		r = is_taken(&seed, probability)
		            ? give_batch(&batch, 1 / probability, n, take, ctx, ret)
		            : 0;
		if (r < 0) {
			break;
		}
	}
	dit_ldif_batch_deinit(&batch);
	return r < 0 ? r : 0;
}

static int sample_stream(struct sample *sample, dit_ldif_sample_fn take, void *ctx,
                         struct dit_ldif_sample *ret, const char **ret_failed)
{
	const struct dit_ldif_sample_opts *opts = sample->opts;
	struct dit_file_rules files = {.value_max = RECORD_MAX, .stop = opts->stop};
	struct dit_ldif_reader_opts reader = {.paths = opts->paths,
	                                      .npaths = opts->npaths,
	                                      .files = &files,
	                                      .record_max = opts->record_max,
	                                      .batch_bytes = sample->window_bytes,
	                                      .batch_records = 2048};
	struct dit_ldif_reader *opened = NULL;
	int r = 0;

	if (opts->beginning_only && sample->ninputs < opts->npaths) {
		return DIT_E_UNSUPPORTED;
	}
	r = dit_ldif_reader_open(&opened, &reader, ret_failed);
	if (r < 0) {
		return r;
	}
	r = read_all(sample, opened, take, ctx, ret);
	dit_ldif_reader_close(opened);
	return r;
}

int dit_ldif_sample(const struct dit_ldif_sample_opts *opts, dit_ldif_sample_fn take,
                    void *ctx, struct dit_ldif_sample *ret, const char **ret_failed)
{
	struct sample sample = {.opts = opts,
	                        .window_bytes = opts->window_bytes == 0
	                                                ? WINDOW_BYTES
	                                                : opts->window_bytes};
	bool is_plain = false;
	int r = 0;

	*ret = (struct dit_ldif_sample){.scale = 1};
	*ret_failed = NULL;
	r = open_inputs(&sample, &is_plain, ret_failed);
	if (r == 0) {
		r = is_plain ? sample_files(&sample, take, ctx, ret)
		             : sample_stream(&sample, take, ctx, ret, ret_failed);
	}
	release(&sample);
	return r;
}
