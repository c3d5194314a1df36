/* SPDX-License-Identifier: BSD-2-Clause */
#include "store/ad_names.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

static uint32_t number_of(struct dit_span key)
{
	uint32_t number = 0;

	if (key.len == sizeof(number)) {
		memcpy(&number, key.data, sizeof(number));
	}
	return number <= DIT_AD_NUMBER_MAX ? number : 0;
}

/* A type that the configuration has no more is no error: its values can be printed. */
static int find_ad(struct dit_schema *schema, struct dit_ad_name *name)
{
	int r = 0;

	if (schema == NULL) {
		return 0;
	}
	r = dit_ad_find(schema, NULL, name->name, &name->ad, NULL);
	return r == DIT_E_UNKNOWN ? 0 : r;
}

static int read_all(struct dit_ad_names *names, struct dit_scan *scan,
                    struct dit_schema *schema)
{
	struct dit_span key;
	struct dit_span value;
	int r = dit_scan_next(scan, &key, &value);

	while (r > 0) {
		uint32_t number = number_of(key);

		if (number > 0) {
			names->list[number].name = value;
			names->n = number >= names->n ? number + 1 : names->n;
			r = find_ad(schema, &names->list[number]);
		}
		if (r >= 0) {
			r = dit_scan_next(scan, &key, &value);
		}
	}
	return r;
}

int dit_ad_names_read(struct dit_ad_names *ret, struct dit_snapshot *snapshot,
                      struct dit_schema *schema)
{
	return dit_ad_names_read_by(ret, snapshot, 0, schema);
}

int dit_ad_names_read_by(struct dit_ad_names *ret, struct dit_snapshot *snapshot,
                         unsigned reader, struct dit_schema *schema)
{
	struct dit_ad_names names = {0};
	struct dit_scan *scan = NULL;
	int r = dit_scan_open_by(&scan, snapshot, reader, "ad2i");

	if (r < 0) {
		return r;
	}
	names.list = calloc(DIT_AD_NUMBER_MAX + 1, sizeof(*names.list));
	r = names.list == NULL ? -ENOMEM : read_all(&names, scan, schema);
	dit_scan_close(scan);
	if (r < 0) {
		dit_ad_names_deinit(&names);
		return r;
	}
	*ret = names;
	return 0;
}

void dit_ad_names_deinit(struct dit_ad_names *names)
{
	free(names->list);
	*names = (struct dit_ad_names){0};
}
