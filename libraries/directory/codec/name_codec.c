/* SPDX-License-Identifier: BSD-2-Clause */
/* Tree records of dn2i; the layout is in the header. */
#include "codec/name_codec.h"

#include "base/error.h"

#define LEN_BYTES 2
#define ID_BYTES  8
#define CHILD_BIT 0x8000u
/* No name, two NULs, no ID. */
#define DUMMY_BYTES (LEN_BYTES + 2 + ID_BYTES)

static char *put_string(char *out, struct dit_span string)
{
	if (string.len > 0) {
		memcpy(out, string.data, string.len);
	}
	out[string.len] = '\0';
	return out + string.len + 1;
}

static char *put_id(char *out, uint64_t id)
{
	memcpy(out, &id, ID_BYTES);
	return out + ID_BYTES;
}

static uint64_t get_id(const char *at)
{
	uint64_t id = 0;

	memcpy(&id, at, ID_BYTES);
	return id;
}

int dit_name_encode(char *out, size_t size, const struct dit_name *name)
{
	size_t max = size - DIT_NAME_EXTRA_BYTES;
	unsigned len = 0;
	char *at = out;

	if (name->norm.len > max || name->pretty.len > max - name->norm.len) {
		return DIT_E_TOOLONG;
	}
	len = (unsigned)name->norm.len | (name->is_child ? CHILD_BIT : 0);
	*at++ = (char)(len >> 8);
	*at++ = (char)(len & 0xff);
	at = put_string(at, name->norm);
	at = put_string(at, name->pretty);
	at = put_id(at, name->id);
	if (name->is_child) {
		at = put_id(at, name->nsubs);
	}
	return (int)(at - out);
}

int dit_name_decode(struct dit_span record, struct dit_name *ret)
{
	struct dit_name name = {0};
	const char *end = NULL; /* of the pretty RDN: its NUL */
	size_t ids_len = ID_BYTES;
	unsigned len = 0;

	if (record.len < LEN_BYTES + 2 + ID_BYTES) {
		return DIT_E_CORRUPT;
	}
	len = (unsigned)(unsigned char)record.data[0] << 8 |
	      (unsigned char)record.data[1];
	name.is_child = (len & CHILD_BIT) != 0;
	len &= ~CHILD_BIT;
	if (name.is_child) {
		ids_len += ID_BYTES;
	}
	if (record.len < LEN_BYTES + len + 2 + ids_len) {
		return DIT_E_CORRUPT;
	}
	end = record.data + record.len - ids_len - 1;
	name.norm = (struct dit_span){record.data + LEN_BYTES, len};
	name.pretty.data = name.norm.data + len + 1;
	name.pretty.len = (size_t)(end - name.pretty.data);
	if (name.norm.data[len] != '\0' || *end != '\0') {
		return DIT_E_CORRUPT;
	}
	name.id = get_id(end + 1);
	name.nsubs = name.is_child ? get_id(end + 1 + ID_BYTES) : 0;
	*ret = name;
	return 0;
}

bool dit_name_is_dummy(struct dit_span record)
{
	static const char zeros[DUMMY_BYTES];

	return record.len == DUMMY_BYTES && memcmp(record.data, zeros, DUMMY_BYTES) == 0;
}
