/* SPDX-License-Identifier: BSD-2-Clause */
/* Tree records of dn2i; the layout is in the header. */
#include "codec/name_codec.h"

#include "base/error.h"

#define LEN_BYTES 2
#define ID_BYTES  8
#define CHILD_BIT 0x8000u

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

/* Everything in front of the IDs. NULL: too long. */
static char *put_names(char *out, size_t size, struct dit_span norm,
                       struct dit_span pretty, unsigned bit)
{
	size_t max = size - DIT_NAME_EXTRA_BYTES;
	unsigned len = 0;

	if (norm.len > max || pretty.len > max - norm.len) {
		return NULL;
	}
	len = (unsigned)norm.len | bit;
	*out++ = (char)(len >> 8);
	*out++ = (char)(len & 0xff);
	out = put_string(out, norm);
	return put_string(out, pretty);
}

int dit_name_encode_long_child(char *out, size_t size, struct dit_span norm,
                               struct dit_span pretty, uint64_t id, uint64_t nsubs)
{
	char *at = put_names(out, size, norm, pretty, CHILD_BIT);

	if (at == NULL) {
		return DIT_E_TOOLONG;
	}
	at = put_id(at, id);
	return (int)(put_id(at, nsubs) - out);
}

int dit_name_encode_long_self(char *out, size_t size, struct dit_span norm,
                              struct dit_span pretty, uint64_t parent)
{
	char *at = put_names(out, size, norm, pretty, 0);

	if (at == NULL) {
		return DIT_E_TOOLONG;
	}
	return (int)(put_id(at, parent) - out);
}

int dit_name_encode_child(char *out, struct dit_span norm, struct dit_span pretty,
                          uint64_t id, uint64_t nsubs)
{
	return dit_name_encode_long_child(out, DIT_NAME_RECORD_MAX, norm, pretty, id,
	                                  nsubs);
}

int dit_name_encode_self(char *out, struct dit_span norm, struct dit_span pretty,
                         uint64_t parent)
{
	return dit_name_encode_long_self(out, DIT_NAME_RECORD_MAX, norm, pretty, parent);
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
