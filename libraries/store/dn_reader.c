/* SPDX-License-Identifier: BSD-2-Clause */
#include "store/dn_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/grow.h"
#include "store/name_codec.h"

/* A DN of more RDNs is taken for a circle of parents. */
#define DEPTH_MAX 65536
#define NSLOTS    1024 /* parents that are remembered; a power of 2 */

/* One form of a DN. */
struct text {
	char *data; /* owned */
	size_t len;
	size_t size;
};

/* A parent that is remembered: each ID has one place. */
struct slot {
	uint64_t id; /* 0: nothing */
	struct text pretty;
	struct text norm;
};

struct dit_dn_reader {
	struct dit_scan *nodes;   /* goes with the entries */
	struct dit_scan *parents; /* sought */
	uint64_t at;              /* where nodes stands; 0: nowhere */
	struct dit_name at_name;
	struct text pretty; /* the latest result */
	struct text norm;
	struct slot slots[NSLOTS];
};

int dit_dn_reader_new(struct dit_dn_reader **ret, struct dit_snapshot *snapshot,
                      unsigned reader)
{
	struct dit_dn_reader *dns = calloc(1, sizeof(*dns));
	int r = 0;

	if (dns == NULL) {
		return -ENOMEM;
	}
	r = dit_scan_open_by(&dns->nodes, snapshot, reader, "dn2i");
	if (r == 0) {
		r = dit_scan_open_by(&dns->parents, snapshot, reader, "dn2i");
	}
	if (r < 0) {
		dit_dn_reader_free(dns);
		return r;
	}
	*ret = dns;
	return 0;
}

void dit_dn_reader_free(struct dit_dn_reader *reader)
{
	if (reader == NULL) {
		return;
	}
	dit_scan_close(reader->nodes);
	dit_scan_close(reader->parents);
	free(reader->pretty.data);
	free(reader->norm.data);
	for (size_t i = 0; i < NSLOTS; i++) {
		free(reader->slots[i].pretty.data);
		free(reader->slots[i].norm.data);
	}
	free(reader);
}

/* ---- records ---- */

/* The first record of a key is the node's own. */
static int decode_self(struct dit_span record, struct dit_name *ret)
{
	int r = dit_name_decode(record, ret);

	return r == 0 && ret->is_child ? DIT_E_CORRUPT : r;
}

static int seek(struct dit_scan *scan, uint64_t id, struct dit_name *ret)
{
	struct dit_span wanted = {(const char *)&id, sizeof(id)};
	struct dit_span key;
	struct dit_span record;
	int r = dit_scan_seek(scan, wanted, &key, &record);

	if (r <= 0) {
		return r < 0 ? r : DIT_E_UNKNOWN;
	}
	return decode_self(record, ret);
}

/* To the key behind the one where the cursor stands; most often that is the ID. */
static int step(struct dit_dn_reader *reader, uint64_t id)
{
	struct dit_span key;
	struct dit_span record;
	int r = dit_scan_next_key(reader->nodes, &key, &record);

	if (r <= 0) {
		return r < 0 ? r : DIT_E_UNKNOWN;
	}
	if (key.len != sizeof(id) || memcmp(key.data, &id, sizeof(id)) != 0) {
		return DIT_E_UNKNOWN;
	}
	return decode_self(record, &reader->at_name);
}

static int find_node(struct dit_dn_reader *reader, uint64_t id)
{
	int r = DIT_E_UNKNOWN;

	if (reader->at == id) {
		return 0;
	}
	if (reader->at != 0 && id == reader->at + 1) {
		r = step(reader, id);
	}
	if (r == DIT_E_UNKNOWN) {
		r = seek(reader->nodes, id, &reader->at_name);
	}
	reader->at = r == 0 ? id : 0;
	return r;
}

/* ---- texts ---- */

static int append(struct text *text, struct dit_span bytes, bool is_first)
{
	size_t need = text->len + bytes.len + 1;
	char *data = dit_grow(text->data, &text->size, need, 1);

	if (data == NULL) {
		return -ENOMEM;
	}
	text->data = data;
	if (!is_first) {
		data[text->len++] = ',';
	}
	if (bytes.len > 0) {
		memcpy(data + text->len, bytes.data, bytes.len);
	}
	text->len += bytes.len;
	return 0;
}

static struct dit_span text_span(const struct text *text)
{
	return (struct dit_span){text->data, text->len};
}

static int append_both(struct dit_dn_reader *reader, struct dit_span pretty,
                       struct dit_span norm, bool is_first)
{
	int r = append(&reader->pretty, pretty, is_first);

	return r < 0 ? r : append(&reader->norm, norm, is_first);
}

static struct slot *slot_of(struct dit_dn_reader *reader, uint64_t id)
{
	return &reader->slots[id % NSLOTS];
}

/* What stands behind the first RDN is the parent's DN. */
static int remember(struct dit_dn_reader *reader, uint64_t parent,
                    const struct dit_name *self)
{
	struct slot *slot = slot_of(reader, parent);
	size_t pretty_at = self->pretty.len + 1;
	size_t norm_at = self->norm.len + 1;
	int r = 0;

	slot->id = 0;
	slot->pretty.len = 0;
	slot->norm.len = 0;
	r = append(&slot->pretty,
	           (struct dit_span){reader->pretty.data + pretty_at,
	                             reader->pretty.len - pretty_at},
	           true);
	if (r == 0) {
		r = append(&slot->norm,
		           (struct dit_span){reader->norm.data + norm_at,
		                             reader->norm.len - norm_at},
		           true);
	}
	if (r == 0) {
		slot->id = parent;
	}
	return r;
}

/*
 * The RDNs of all ancestors, from the nearest to the topmost or to one that is known. A
 * circle comes back to the ancestor that was met last at a depth that is a power of 2.
 */
static int append_ancestors(struct dit_dn_reader *reader, uint64_t parent)
{
	struct dit_name name;
	unsigned depth = 0;
	uint64_t met = 0;

	while (parent != 0) {
		const struct slot *slot = slot_of(reader, parent);
		int r = 0;

		if (slot->id == parent) {
			return append_both(reader, text_span(&slot->pretty),
			                   text_span(&slot->norm), false);
		}
		if (parent == met || ++depth > DEPTH_MAX) {
			return DIT_E_CORRUPT;
		}
		met = (depth & (depth - 1)) == 0 ? parent : met;
		r = seek(reader->parents, parent, &name);
		if (r == DIT_E_UNKNOWN) {
			return DIT_E_CORRUPT;
		}
		if (r == 0) {
			r = append_both(reader, name.pretty, name.norm, false);
		}
		if (r < 0) {
			return r;
		}
		parent = name.id;
	}
	return 0;
}

int dit_dn_reader_get(struct dit_dn_reader *reader, uint64_t id, struct dit_dn_text *ret)
{
	const struct dit_name *self = &reader->at_name;
	int r = find_node(reader, id);

	if (r < 0) {
		return r;
	}
	reader->pretty.len = 0;
	reader->norm.len = 0;
	r = append_both(reader, self->pretty, self->norm, true);
	if (r == 0) {
		r = append_ancestors(reader, self->id);
	}
	if (r == 0 && self->id != 0 && slot_of(reader, self->id)->id != self->id) {
		r = remember(reader, self->id, self);
	}
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_dn_text){text_span(&reader->pretty), text_span(&reader->norm),
	                            self->id};
	return 0;
}
