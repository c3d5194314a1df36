/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The map of a split, and after a NUL lines that are DNs: what is refused says why; a DN
 * has the same shards whatever was looked up before it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cut.h"
#include "base/error.h"
#include "fuzz/fuzz_target.h"
#include "split/split_impl.h"

static struct dit_split_map *read_map(const struct dit_schema *schema, const char *path)
{
	struct dit_split_map *map = NULL;
	struct dit_fault fault = {""};
	uint64_t line = 0;
	int r = dit_split_map_read(&map, path, schema, &line, &fault);

	CHECK(r == 0 ? fault.text[0] == '\0' && map->nnames > 0
	             : r == DIT_E_CONFIG && fault.text[0] != '\0');
	return map;
}

/* @param ret  bits of shards; -1: the text is no DN */
static int find(struct dit_split_map *map, struct dit_span dn, int64_t *ret)
{
	struct dit_split_shards shards = {NULL, 0};
	int r = dit_split_map_find(map, dn, &shards);

	*ret = r < 0 ? -1 : 0;
	CHECK(r == 0 || r == DIT_E_INVALID || r == DIT_E_UNSUPPORTED);
	for (size_t i = 0; i < shards.n && r == 0; i++) {
		CHECK(shards.list[i] < map->nnames);
		*ret |= (int64_t)1 << shards.list[i] % 62;
	}
	return r;
}

static void look_up(const struct dit_schema *schema, const char *path,
                    struct dit_split_map *map, struct dit_span dns)
{
	struct dit_span dn = {NULL, 0};
	int64_t shards[3];

	while (dns.len > 0) {
		struct dit_split_map *fresh = read_map(schema, path);

		(void)dit_cut_until(&dns, '\n', &dn);
		CHECK(find(fresh, dn, &shards[0]) == find(map, dn, &shards[1]));
		CHECK(find(map, dn, &shards[2]) >= 0 || shards[2] == -1);
		CHECK(shards[0] == shards[1] && shards[1] == shards[2]);
		dit_split_map_free(fresh);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct dit_schema *schema;
	const char *nul = size == 0 ? NULL : memchr(data, '\0', size);
	size_t len = nul == NULL ? size : (size_t)(nul - (const char *)data);
	struct dit_split_map *map = NULL;
	char path[64];
	int fd = memfd_create("map", MFD_CLOEXEC);

	if (schema == NULL) {
		CHECK(dit_schema_new(&schema, DIT_OPENLDAP_ASSUMED) == 0);
		dit_schema_freeze(schema);
	}
	CHECK(fd >= 0 && write(fd, data, len) == (ssize_t)len);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	map = read_map(schema, path);
	if (map != NULL && nul != NULL) {
		look_up(schema, path, map, (struct dit_span){nul + 1, size - len - 1});
	}
	dit_split_map_free(map);
	CHECK(close(fd) == 0);
	return 0;
}
