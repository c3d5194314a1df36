/* SPDX-License-Identifier: BSD-2-Clause */
#include "reader/dn_reader.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/grow.h"
#include "base/object.h"
#include "codec/name_codec.h"

#define NSLOTS 1024 /* ancestors that are remembered; a power of 2 */
#define FAR    128  /* this ancestor of a node is remembered as well as the parent */
/* Both forms of a DN that slapd takes: 8192 bytes each. */
#define SLAPD_DN_BYTES ((size_t)2 * 8192)
/* Subtrees that were moved may have longer DNs. In a forged tree they would have
 * megabytes, each of them. */
#define DN_BYTES_MAX    (8 * SLAPD_DN_BYTES)
#define SLOTS_BYTES_MAX (NSLOTS * SLAPD_DN_BYTES)

/* One form of a DN. */
struct text {
	char *data; /* owned */
	size_t len;
	size_t size;
};

/* A parent that is remembered: each ID has one place. */
struct slot {
	uint64_t id; /* 0: nothing */
	int error;   /* below 0: it has no DN, and the texts are empty */
	struct text pretty;
	struct text norm;
};

struct dit_dn_reader {
	struct dit_tree_cursor *nodes;   /* goes with the entries */
	struct dit_tree_cursor *parents; /* sought */
	uint64_t at;                     /* where nodes stands; 0: nowhere */
	struct dit_name at_name;
	struct text pretty; /* the latest result */
	struct text norm;
	struct slot slots[NSLOTS];
	size_t slots_bytes; /* of their texts */
	unsigned nerrors;   /* remembered since the last restart, or more */
};

int dit_dn_reader_new(struct dit_dn_reader **ret, struct dit_snapshot *snapshot,
                      unsigned reader)
{
	struct dit_dn_reader *dns = calloc(1, sizeof(*dns));
	int r = 0;

	if (dns == NULL) {
		return -ENOMEM;
	}
	r = dit_snapshot_cursor_open(&dns->nodes, snapshot, reader, "dn2i");
	r = r ?: dit_snapshot_cursor_open(&dns->parents, snapshot, reader, "dn2i");
	return DIT_HAND_OVER(r, ret, dns, dit_dn_reader_free);
}

static void forget_slots(struct dit_dn_reader *reader)
{
	for (size_t i = 0; i < NSLOTS; i++) {
		free(reader->slots[i].pretty.data);
		free(reader->slots[i].norm.data);
	}
	memset(reader->slots, 0, sizeof(reader->slots));
	reader->slots_bytes = 0;
}

void dit_dn_reader_free(struct dit_dn_reader *reader)
{
	if (reader == NULL) {
		return;
	}
	dit_tree_cursor_close(reader->nodes);
	dit_tree_cursor_close(reader->parents);
	free(reader->pretty.data);
	free(reader->norm.data);
	forget_slots(reader);
	free(reader);
}

/* ---- records ---- */

/* The first record of a key is the node's own. */
static int decode_self(struct dit_span record, struct dit_name *ret)
{
	int r = dit_name_decode(record, ret);

	return r == 0 && ret->is_child ? DIT_E_CORRUPT : r;
}

static int seek(struct dit_tree_cursor *cursor, uint64_t id, struct dit_name *ret)
{
	struct dit_span wanted = {(const char *)&id, sizeof(id)};
	struct dit_span key;
	struct dit_span record;
	int r = dit_tree_cursor_find(cursor, wanted, &key, &record);

	if (r <= 0) {
		return r < 0 ? r : DIT_E_UNKNOWN;
	}
	return decode_self(record, ret);
}

/* To the key after the one where the cursor stands; most often that is the ID. */
static int step(struct dit_dn_reader *reader, uint64_t id)
{
	struct dit_span key;
	struct dit_span record;
	int r = dit_tree_cursor_next_key(reader->nodes, &key, &record);

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

	if (DIT_GROW(text->data, text->size, need) < 0) {
		return -ENOMEM;
	}
	if (!is_first) {
		text->data[text->len++] = ',';
	}
	(void)dit_span_put(text->data + text->len, bytes);
	text->len += bytes.len;
	return 0;
}

static struct dit_span text_span(const struct text *text)
{
	return (struct dit_span){text->data, text->len};
}

static struct dit_span span_from(const struct text *text, size_t at)
{
	return (struct dit_span){text->data + at, text->len - at};
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

static struct slot *empty_slot(struct dit_dn_reader *reader, uint64_t id)
{
	struct slot *slot = slot_of(reader, id);

	slot->id = 0;
	slot->error = 0;
	slot->pretty.len = 0;
	slot->norm.len = 0;
	return slot;
}

static size_t bytes_of(const struct slot *slot)
{
	return slot->pretty.size + slot->norm.size;
}

/* An ancestor, and where its DN begins in the latest result. */
struct ancestor {
	uint64_t id; /* 0: none */
	size_t pretty_at;
	size_t norm_at;
};

static int remember(struct dit_dn_reader *reader, struct ancestor ancestor)
{
	struct slot *slot = empty_slot(reader, ancestor.id);
	size_t old_bytes = 0;
	int r = 0;

	if (reader->slots_bytes - bytes_of(slot) + reader->pretty.len + reader->norm.len >
	    SLOTS_BYTES_MAX) {
		forget_slots(reader);
	}
	old_bytes = bytes_of(slot);
	r = append(&slot->pretty, span_from(&reader->pretty, ancestor.pretty_at), true);
	r = r ?: append(&slot->norm, span_from(&reader->norm, ancestor.norm_at), true);
	reader->slots_bytes += bytes_of(slot) - old_bytes;
	if (r == 0) {
		slot->id = ancestor.id;
	}
	return r;
}

/* Ancestors that have no DN, from the nearest on. */
struct broken {
	unsigned n;   /* no more than these */
	size_t bytes; /* of the nearest one's DN, as far as it was followed; SIZE_MAX: it
	               * does not lead to a topmost node */
};

/* With two commas. */
static size_t rdn_bytes(const struct dit_name *name)
{
	return name->pretty.len + name->norm.len + 2;
}

/*
 * The RDNs of all ancestors, from the nearest to the topmost or to one that is known. A
 * circle comes back to the ancestor that was met last at a depth that is a power of 2.
 *
 * A DN that is too long is followed NSLOTS steps further, so that more ancestors can be
 * marked as too long.
 *
 * @param ret_far  the ancestor FAR steps away; of a chain of nodes whose children come
 *                 first, not each has to go to its end
 */
static int append_ancestors(struct dit_dn_reader *reader, uint64_t parent,
                            struct broken *ret, struct ancestor *ret_far)
{
	size_t self_bytes = reader->pretty.len + reader->norm.len + 2;
	size_t bytes = self_bytes - 2;
	struct dit_name name;
	unsigned depth = 0;
	unsigned nfurther = 0;
	uint64_t met = 0;

	*ret = (struct broken){NSLOTS, SIZE_MAX};
	*ret_far = (struct ancestor){.id = 0};
	while (parent != 0 && (bytes <= DN_BYTES_MAX || nfurther++ < NSLOTS)) {
		const struct slot *slot = slot_of(reader, parent);
		int r = 0;

		if (slot->id == parent && slot->error < 0) {
			ret->n = depth < NSLOTS ? depth : NSLOTS;
			return slot->error;
		}
		if (slot->id == parent) {
			bytes += slot->pretty.len + slot->norm.len + 2;
			ret->bytes = bytes - self_bytes;
			return bytes > DN_BYTES_MAX
			               ? DIT_E_TOOLONG
			               : append_both(reader, text_span(&slot->pretty),
			                             text_span(&slot->norm), false);
		}
		if (parent == met) {
			return DIT_E_CORRUPT;
		}
		depth++;
		met = (depth & (depth - 1)) == 0 ? parent : met;
		r = seek(reader->parents, parent, &name);
		if (r < 0) {
			return r == DIT_E_UNKNOWN ? DIT_E_CORRUPT : r;
		}
		if (depth == FAR) {
			*ret_far = (struct ancestor){parent, reader->pretty.len + 1,
			                             reader->norm.len + 1};
		}
		bytes += rdn_bytes(&name);
		if (bytes <= DN_BYTES_MAX) {
			r = append_both(reader, name.pretty, name.norm, false);
		}
		if (r < 0) {
			return r;
		}
		parent = name.id;
	}
	ret->bytes = bytes - self_bytes;
	return bytes > DN_BYTES_MAX ? DIT_E_TOOLONG : 0;
}

/* Without this each node of a long circle costs the way to its end. */
static void remember_broken(struct dit_dn_reader *reader, uint64_t id,
                            struct broken broken, int error)
{
	struct dit_name name;

	while (id != 0 && broken.n-- > 0 && broken.bytes > DN_BYTES_MAX) {
		struct slot *slot = slot_of(reader, id);

		if (slot->id == id && slot->error < 0) {
			return;
		}
		slot = empty_slot(reader, id);
		slot->id = id;
		slot->error = error;
		reader->nerrors++;
		if (seek(reader->parents, id, &name) < 0) {
			return;
		}
		broken.bytes -= rdn_bytes(&name);
		id = name.id;
	}
}

int dit_dn_reader_get(struct dit_dn_reader *reader, uint64_t id, struct dit_dn_text *ret)
{
	const struct dit_name *self = &reader->at_name;
	struct ancestor parent = {.id = 0};
	struct ancestor far = {.id = 0};
	struct broken broken;
	int r = find_node(reader, id);

	if (r < 0) {
		return r;
	}
	reader->pretty.len = 0;
	reader->norm.len = 0;
	r = append_both(reader, self->pretty, self->norm, true);
	if (r == 0) {
		r = append_ancestors(reader, self->id, &broken, &far);
		if (r == DIT_E_CORRUPT || r == DIT_E_TOOLONG) {
			remember_broken(reader, self->id, broken, r);
		}
	}
	if (r == 0 && self->id != 0 && slot_of(reader, self->id)->id != self->id) {
		parent = (struct ancestor){self->id, self->pretty.len + 1,
		                           self->norm.len + 1};
		r = remember(reader, parent);
	}
	if (r == 0 && far.id != 0) {
		r = remember(reader, far);
	}
	if (r < 0) {
		return r;
	}
	*ret = (struct dit_dn_text){text_span(&reader->pretty), text_span(&reader->norm),
	                            self->id};
	return 0;
}

void dit_dn_reader_restart(struct dit_dn_reader *reader)
{
	reader->at = 0;
	/* An error may be another one from where the way to it is longer. */
	for (size_t i = 0; i < NSLOTS && reader->nerrors > 0; i++) {
		if (reader->slots[i].error < 0) {
			(void)empty_slot(reader, reader->slots[i].id);
		}
	}
	reader->nerrors = 0;
}
