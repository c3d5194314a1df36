/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Operational attributes that an entry lacks (values.md 2.4), made from its stamp alone,
 * so that any thread can make them. For the stamp 1700000000.123456 s, sequence 7:
 *
 *   createTimestamp  20231114221320Z
 *   entryCSN         20231114221320.123456Z#000007#000#000000
 *   entryUUID        version 1 (RFC 9562 section 5.1): 100 ns ticks since 1582-10-15,
 *                    ten per microsecond and one per sequence number, then clock
 *                    sequence and node
 *
 * Normal forms are stored with entryUUID and the names only (storage.md 4.3).
 */
#include "entry/entry_work.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/cut.h"
#include "base/error.h"

/* From the start of the Gregorian calendar to 1970, in 100 ns (RFC 9562 section 5.1). */
#define UUID_EPOCH_TICKS 0x01b21dd213814000ull

#define SECOND_LEN 14 /* YYYYmmddHHMMSS */
#define TIME_LEN   15 /* and Z */
#define CSN_LEN    40 /* YYYYmmddHHMMSS.uuuuuuZ#CCCCCC#SSS#000000 */
#define UUID_LEN   36

static const char hex_digits[] = "0123456789abcdef";

struct completion {
	const struct dit_entry_context *context;
	struct dit_entry_work *work;
	const struct dit_entry_stamp *stamp;
	struct dit_entry *entry;
	struct dit_arena *arena;
	struct dit_span time; /* made when first needed */
};

/* The last @p n digits of @p value, zeros in front. @return after them */
static char *put_digits(char *out, uint64_t value, unsigned n, unsigned base)
{
	for (unsigned i = n; i > 0; i--) {
		out[i - 1] = hex_digits[value % base];
		value /= base;
	}
	return out + n;
}

/* YYYYmmddHHMMSS; made once for the entries of a second. */
static char *put_second(struct completion *c, char *out)
{
	struct dit_entry_second *at = &c->work->second;
	uint64_t second = c->stamp->time_us / 1000000;

	if (!at->is_set || at->second != second) {
		time_t time = (time_t)second;
		struct tm utc;

		at->is_set = true;
		at->second = second;
		(void)strftime(at->text, sizeof(at->text), "%Y%m%d%H%M%S",
		               gmtime_r(&time, &utc));
	}
	memcpy(out, at->text, SECOND_LEN);
	return out + SECOND_LEN;
}

/* The functions that follow make a value, and its normal form if it is stored. */

static int make_time(struct completion *c, struct dit_span *ret,
                     struct dit_span *ret_normal)
{
	char *text = NULL;

	(void)ret_normal;
	if (c->time.data == NULL) {
		text = dit_arena_bytes(c->arena, TIME_LEN);
		if (text == NULL) {
			return -ENOMEM;
		}
		*put_second(c, text) = 'Z';
		c->time = (struct dit_span){text, TIME_LEN};
	}
	*ret = c->time;
	return 0;
}

static int make_csn(struct completion *c, struct dit_span *ret,
                    struct dit_span *ret_normal)
{
	char *text = dit_arena_bytes(c->arena, CSN_LEN);
	char *out = text;

	(void)ret_normal;
	if (text == NULL) {
		return -ENOMEM;
	}
	out = put_second(c, out);
	*out++ = '.';
	out = put_digits(out, c->stamp->time_us % 1000000, 6, 10);
	*out++ = 'Z';
	*out++ = '#';
	out = put_digits(out, c->stamp->sequence, 6, 16);
	*out++ = '#';
	out = put_digits(out, c->context->sid, 3, 16);
	*out++ = '#';
	(void)put_digits(out, 0, 6, 16);
	*ret = (struct dit_span){text, CSN_LEN};
	return 0;
}

/* The fields of the time are swapped about. */
static int make_uuid(struct completion *c, struct dit_span *ret,
                     struct dit_span *ret_normal)
{
	const struct dit_entry_stamp *stamp = c->stamp;
	uint64_t ticks = UUID_EPOCH_TICKS + stamp->time_us * 10 + stamp->sequence;
	uint64_t high = ticks << 32 | (ticks >> 16 & 0xffff0000) | 0x1000 |
	                (ticks >> 48 & 0x0fff);
	uint64_t low = 0x8000000000000000ull |
	               (uint64_t)(stamp->clock_seq & 0x3fff) << 48 |
	               (stamp->node & 0xffffffffffffull);
	const uint64_t bytes[] = {htobe64(high), htobe64(low)};
	char *text = dit_arena_bytes(c->arena, UUID_LEN + sizeof(bytes));
	char *out = text;

	if (text == NULL) {
		return -ENOMEM;
	}
	out = put_digits(out, high >> 32, 8, 16);
	*out++ = '-';
	out = put_digits(out, high >> 16, 4, 16);
	*out++ = '-';
	out = put_digits(out, high, 4, 16);
	*out++ = '-';
	out = put_digits(out, low >> 48, 4, 16);
	*out++ = '-';
	out = put_digits(out, low, 12, 16);
	memcpy(out, bytes, sizeof(bytes));
	*ret = (struct dit_span){text, UUID_LEN};
	*ret_normal = (struct dit_span){out, sizeof(bytes)};
	return 0;
}

static int make_rootdn(struct completion *c, struct dit_span *ret,
                       struct dit_span *ret_normal)
{
	static const struct dit_span empty = DIT_SPAN("");

	*ret = c->context->rootdn.len > 0 ? c->context->rootdn : empty;
	*ret_normal = c->context->rootdn.len > 0 ? c->context->rootdn_norm : empty;
	return 0;
}

typedef int (*make_fn)(struct completion *c, struct dit_span *ret,
                       struct dit_span *ret_normal);

static int add(struct completion *c, const struct dit_ad *ad, make_fn make)
{
	struct dit_span *values = dit_arena_alloc(c->arena, 2 * sizeof(*values));
	struct dit_attr *attr = dit_entry_add(c->entry, ad, c->arena);
	int r = 0;

	if (values == NULL || attr == NULL) {
		return -ENOMEM;
	}
	values[1].data = NULL;
	r = make(c, &values[0], &values[1]);
	attr->values = values;
	attr->normal = values[1].data != NULL ? values + 1 : NULL;
	attr->nvalues = 1;
	return r;
}

/*
 * Look at an entryCSN that the record has. A second value is reported, and so is a CSN
 * without a server ID. The CSN of a removed server, and its normal form, are replaced by
 * a new one.
 */
static int take_csn(struct completion *c, struct dit_attr *attr, struct dit_notes *notes)
{
	int sid = attr->nvalues == 1 ? dit_csn_sid(attr->values[0]) : -1;
	struct dit_span csn = {NULL, 0};
	int r = 0;

	if (sid < 0) {
		if (c->context->warns_of_csn) {
			dit_notes_add(notes, DIT_REPORT_REMARK,
			              "warning, entryCSN values not valid in entry "
			              "dn=\"%.*s\"",
			              DIT_SPAN_ARGS(c->entry->dn.pretty));
		}
		return 0;
	}
	if (c->context->removed_sids == NULL ||
	    !dit_sid_set_has(c->context->removed_sids, sid)) {
		return 0;
	}
	r = make_csn(c, &csn, NULL);
	if (r == 0) {
		attr->values[0] = csn;
		if (attr->normal != NULL) {
			attr->normal[0] = csn;
		}
	}
	return r;
}

/* Which of the attributes that a provider gives to an entry were missing. */
static void tell_missing(const struct completion *c, bool lacks_uuid, bool lacks_csn,
                         struct dit_notes *notes)
{
	if (!c->context->warns_of_missing || !(lacks_uuid || lacks_csn) ||
	    (c->context->spares_root && c->entry->dn.pretty.len == 0)) {
		return;
	}
	dit_notes_add(notes, DIT_REPORT_REMARK,
	              "warning, missing attrs %s%s from entry dn=\"%.*s\"",
	              lacks_uuid ? "entryUUID" : "", lacks_csn ? ",entryCSN" : "",
	              DIT_SPAN_ARGS(c->entry->dn.pretty));
}

static const struct {
	struct dit_span name;
	make_fn make;
} parts[DIT_ENTRY_NCOMPLETED] = {
	{DIT_SPAN("entryUUID"), make_uuid},
	{DIT_SPAN("creatorsName"), make_rootdn},
	{DIT_SPAN("createTimestamp"), make_time},
	{DIT_SPAN("entryCSN"), make_csn},
	{DIT_SPAN("modifiersName"), make_rootdn},
	{DIT_SPAN("modifyTimestamp"), make_time},
};

#define FIRST_OF_CHANGE 3 /* these and those after them are given by each change */

static void find_ads(struct dit_entry_work *work, const struct dit_schema *schema)
{
	for (size_t i = 0; i < DIT_ENTRY_NCOMPLETED; i++) {
		work->completed[i] = &dit_schema_find_type(schema, parts[i].name)->ad;
	}
}

/* Which of the parts has the entry? Attributes of users, nearly all that there are, are
 * passed over. */
static void find_parts(const struct completion *c, bool *has)
{
	for (uint32_t i = 0; i < c->entry->nattrs; i++) {
		const struct dit_ad *ad = c->entry->attrs[i].ad;

		for (size_t k = 0;
		     ad->type->usage != DIT_USAGE_USER && k < DIT_ENTRY_NCOMPLETED; k++) {
			has[k] |= ad == c->work->completed[k];
		}
	}
}

int dit_entry_complete(const struct dit_entry_context *context,
                       struct dit_entry_caches *caches, struct dit_entry *entry,
                       const struct dit_entry_stamp *stamp, struct dit_notes *notes)
{
	struct dit_entry_work *work = caches->work;
	struct completion c = {context, work, stamp, entry, notes->arena, {NULL, 0}};
	bool has[DIT_ENTRY_NCOMPLETED] = {false};
	bool lacks_uuid = false;
	bool lacks_csn = false;

	if (!context->lastmod) {
		return 0;
	}
	if (work->completed[0] == NULL) {
		find_ads(work, context->schema);
	}
	find_parts(&c, has);
	for (size_t i = 0; i < DIT_ENTRY_NCOMPLETED; i++) {
		const struct dit_ad *ad = work->completed[i];
		int r = 0;

		if (!has[i]) {
			r = add(&c, ad, parts[i].make);
			lacks_uuid |= parts[i].make == make_uuid;
			lacks_csn |= parts[i].make == make_csn;
		} else if (parts[i].make == make_csn) {
			r = take_csn(&c, dit_entry_find(entry, ad), notes);
		}
		if (r < 0) {
			return r;
		}
	}
	tell_missing(&c, lacks_uuid, lacks_csn, notes);
	return 0;
}

int dit_entry_mark_modified(const struct dit_entry_context *context,
                            struct dit_entry_caches *caches, struct dit_entry *entry,
                            const struct dit_entry_stamp *stamp, struct dit_arena *arena,
                            const struct dit_ad *const *given, size_t ngiven)
{
	struct completion c = {context, caches->work, stamp, entry, arena, {NULL, 0}};
	int r = 0;

	if (!context->lastmod) {
		return 0;
	}
	if (c.work->completed[0] == NULL) {
		find_ads(c.work, context->schema);
	}
	for (size_t i = FIRST_OF_CHANGE; i < DIT_ENTRY_NCOMPLETED && r == 0; i++) {
		struct dit_attr *attr = dit_entry_find(entry, c.work->completed[i]);
		size_t k = 0;

		while (k < ngiven && given[k] != c.work->completed[i]) {
			k++;
		}
		if (k < ngiven) {
			continue;
		}
		if (attr != NULL) {
			dit_entry_remove(entry, attr);
		}
		r = add(&c, c.work->completed[i], parts[i].make);
	}
	return r;
}

int dit_entry_clock_init(struct dit_entry_clock *clock)
{
	if (getrandom(&clock->node, sizeof(clock->node), 0) < 0 ||
	    getrandom(&clock->clock_seq, sizeof(clock->clock_seq), 0) < 0) {
		return -errno;
	}
	/* Multicast bit: no network card has such an address (RFC 4122 section 4.5). */
	clock->node = (clock->node & 0xffffffffffff) | 0x010000000000;
	clock->clock_seq &= 0x3fff;
	return 0;
}

uint64_t dit_entry_clock_next(struct dit_entry_clock *clock, size_t n)
{
	uint64_t now = dit_clock_us(CLOCK_REALTIME);

	if (now <= clock->last_us) {
		now = clock->last_us + 1;
	}
	clock->last_us = now + n / 10;
	return now;
}

/* ---- server IDs ---- */

/* The third part of a CSN. slapd reads the number with strtol(), which stops at '#'. */
int dit_csn_sid(struct dit_span csn)
{
	struct dit_span part = {0};
	char *end = NULL;
	long sid = 0;

	for (int i = 0; i < 3; i++) {
		if (!dit_cut_until(&csn, '#', &part)) {
			return -1;
		}
	}
	sid = strtol(part.data, &end, 16);
	return part.len == 0 || end != part.data + part.len || sid < 0 || sid >= DIT_NSIDS
	               ? -1
	               : (int)sid;
}

int dit_sid_set_parse(const char *text, struct dit_sid_set *ret)
{
	struct dit_sid_set set = {{0}};
	struct dit_span rest = dit_span_of(text);
	bool has_more = true;

	while (has_more) {
		struct dit_span part = {0};
		unsigned sid = 0;

		has_more = dit_cut_until(&rest, ',', &part);
		for (size_t i = 0; i < part.len; i++) {
			if (part.data[i] < '0' || part.data[i] > '9') {
				return DIT_E_SYNTAX;
			}
			sid = sid * 10 + (unsigned)(part.data[i] - '0');
			if (sid >= DIT_NSIDS) {
				return DIT_E_SYNTAX;
			}
		}
		if (part.len > 0) {
			set.words[sid / 64] |= (uint64_t)1 << (sid % 64);
		}
	}
	*ret = set;
	return 0;
}
