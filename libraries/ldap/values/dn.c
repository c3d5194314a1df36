/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Distinguished names: the functions of dn.h.
 *
 * Two short cuts do most of the work; everything else goes through dn_list.c.
 *
 * Many DNs have one parent, of entries and of values such as managers. With a cache, the
 * text after the first RDN is looked up as text among the parents that were met, and the
 * parent's forms are put after those of the new RDN. That is right because RDNs do not
 * influence each other; only where the first one ends must be beyond doubt, so no
 * backslash or quote may come before. Most DNs of entries are their own pretty and normal
 * form, and then nothing is made.
 *
 * A normal form alone, of a DN in plain ASCII with string types, is written straight into
 * its place while the text is scanned.
 */
#include "values/dn.h"

#include <errno.h>
#include <string.h>

#include <xxhash.h>

#include "base/ascii.h"
#include "base/cut.h"
#include "base/error.h"
#include "base/pattern.h"
#include "values/dn_parse.h"
#include "values/value_scope.h"

#define CACHE_BLOCK_BYTES 4096

/* Then the cache starts over: each parent takes several times its text. */
#define CACHE_TEXT_MAX ((size_t)64 << 10)

/* More room for a plain normal form than the text needs: for longer type names. */
#define PLAIN_SLACK 64

/* Both forms of the RDNs with those of @p parent after them. */
static int put_both(struct dit_dn_list *list, const struct dit_dn *parent,
                    struct dit_dn *ret)
{
	struct dit_dn dn = {.nrdns = list->n + parent->nrdns};
	uint32_t *pretty_at = NULL;
	uint32_t *norm_at = NULL;
	int r = 0;

	pretty_at = dit_arena_alloc_aligned(list->inner.arena,
	                                    2 * (size_t)dn.nrdns * sizeof(*pretty_at),
	                                    _Alignof(uint32_t));
	if (pretty_at == NULL) {
		return -ENOMEM;
	}
	norm_at = pretty_at + dn.nrdns;
	r = dit_dn_list_put(list, DIT_DN_PRETTY, parent->pretty, pretty_at, &dn.pretty);
	r = r ?: dit_dn_list_put(list, DIT_DN_NORM, parent->norm, norm_at, &dn.norm);
	if (r < 0) {
		return r;
	}
	for (unsigned i = 0; i < parent->nrdns; i++) {
		pretty_at[list->n + i] = parent->pretty_at[i] +
		                         (uint32_t)(dn.pretty.len - parent->pretty.len);
		norm_at[list->n + i] =
			parent->norm_at[i] + (uint32_t)(dn.norm.len - parent->norm.len);
	}
	dn.pretty_at = pretty_at;
	dn.norm_at = norm_at;
	*ret = dn;
	return 0;
}

/* Copy a value that still points into @p text. */
static int own_value(struct dit_arena *arena, struct dit_span text,
                     struct dit_span *value)
{
	uintptr_t at = (uintptr_t)value->data;

	if (at >= (uintptr_t)text.data && at < (uintptr_t)text.data + text.len) {
		*value = dit_arena_copy(arena, *value);
	}
	return value->data == NULL ? -ENOMEM : 0;
}

/* The AVAs of the first RDN. */
static int put_avas(struct dit_arena *arena, struct dit_span text,
                    const struct dit_dn_rdn *rdn, struct dit_dn *ret)
{
	struct dit_ava *avas = dit_arena_alloc(arena, rdn->nitems * sizeof(*avas));
	struct dit_ava *to = avas;

	if (avas == NULL) {
		return -ENOMEM;
	}
	for (struct dit_dn_item *item = rdn->items; item != NULL; item = item->next) {
		int r = own_value(arena, text, &item->value[DIT_DN_PRETTY]);

		r = r ?: own_value(arena, text, &item->value[DIT_DN_NORM]);
		if (r < 0) {
			return r;
		}
		*to++ = (struct dit_ava){item->type, item->value[DIT_DN_PRETTY],
		                         item->value[DIT_DN_NORM]};
	}
	ret->avas = avas;
	ret->navas = rdn->nitems;
	return 0;
}

/* @p text with the forms of @p parent after it. */
static int parse_below(const struct dit_schema *schema, struct dit_span text,
                       const struct dit_dn *parent, struct dit_arena *arena,
                       struct dit_dn *ret)
{
	const struct dit_value_scope scope = {.schema = schema, .arena = arena};
	struct dit_dn_list list;
	struct dit_dn dn = {0};
	int r = 0;

	dit_dn_list_init(&list, &scope,
	                 DIT_DN_FORM_BIT(DIT_DN_PRETTY) | DIT_DN_FORM_BIT(DIT_DN_NORM));
	r = dit_dn_list_read(&list, text, UINT_MAX);
	r = r < 0 ? r : put_both(&list, parent, &dn);
	r = r < 0 || list.n == 0 ? r : put_avas(arena, text, list.first, &dn);
	if (r < 0) {
		return r;
	}
	*ret = dn;
	return 0;
}

static struct dit_dn_cache_slot *slot_of(struct dit_dn_cache *cache, struct dit_span text)
{
	return &cache->slots[XXH3_64bits(text.data, text.len) % DIT_DN_CACHE_SLOTS];
}

static bool is_of(const struct dit_dn_cache_slot *slot, struct dit_span text)
{
	return slot->text.data != NULL && dit_span_eq(slot->text, text);
}

/* Empty a slot. @return a copy of the text that it is to hold; data NULL: no memory */
static struct dit_span begin_slot(struct dit_dn_cache *cache,
                                  struct dit_dn_cache_slot *slot, struct dit_span text)
{
	if (cache->arena.block_bytes == 0) {
		dit_arena_init(&cache->arena, CACHE_BLOCK_BYTES);
	}
	if (cache->nbytes > CACHE_TEXT_MAX) {
		dit_arena_reset(&cache->arena);
		memset(cache->slots, 0, sizeof(cache->slots));
		cache->nbytes = 0;
	}
	slot->text.data = NULL;
	cache->nbytes += text.len;
	return dit_arena_copy(&cache->arena, text);
}

/* @param is_norm  its normal form alone is wanted, as of all in this cache
 * @param ret      points into the cache */
static int find_parent(struct dit_dn_cache *cache, const struct dit_schema *schema,
                       struct dit_span text, bool is_norm, const struct dit_dn **ret)
{
	const struct dit_value_scope scope = {.schema = schema, .arena = &cache->arena};
	const struct dit_dn none = {0};
	struct dit_dn_cache_slot *slot = cache->last; /* neighbours have one parent */

	if (slot == NULL || !is_of(slot, text)) {
		slot = slot_of(cache, text);
		cache->last = slot;
	}
	if (!is_of(slot, text)) {
		struct dit_span copy = begin_slot(cache, slot, text);
		int r = copy.data == NULL ? -ENOMEM
		        : is_norm         ? dit_scope_dn(&scope, DIT_DN_NORM, text,
		                                         &slot->parent.norm)
		                  : parse_below(schema, text, &none, &cache->arena,
		                                &slot->parent);

		if (r < 0) {
			return r;
		}
		slot->text = copy;
	}
	*ret = &slot->parent;
	return 0;
}

void dit_dn_cache_deinit(struct dit_dn_cache *cache)
{
	dit_arena_deinit(&cache->arena);
	*cache = (struct dit_dn_cache){0};
}

/* Is the RDN its own normal form? Most of a directory's users are named so. */
static bool is_normal_rdn(struct dit_span rdn, const struct dit_attr_type *type)
{
	size_t n = type == NULL ? rdn.len : type->ad.name.len;

	if (n >= rdn.len || rdn.data[n] != '=' ||
	    memcmp(rdn.data, type->ad.name.data, n) != 0 ||
	    !dit_dn_takes_ascii(type->validator) ||
	    !dit_dn_keeps_plain(dit_dn_normalizer(type))) {
		return false;
	}
	dit_cut(&rdn, n + 1);
	return dit_dn_is_kept(rdn);
}

/* Is a DN below this parent its own normal form? @param stop  the length of its RDN */
static inline bool is_normal_below(const struct dit_dn *parent, struct dit_span text,
                                   size_t stop, const struct dit_attr_type *type)
{
	struct dit_span rest = text;

	dit_cut(&rest, stop + 1);
	return text.data[stop] == ',' && dit_span_eq(parent->norm, rest) &&
	       is_normal_rdn((struct dit_span){text.data, stop}, type);
}

/* Is it, below the parent that was found last? The members of a group are most often
 * siblings. */
static inline bool is_normal_sibling(const struct dit_dn_cache *cache,
                                     struct dit_span text)
{
	const struct dit_dn_cache_slot *slot = cache->last;
	struct dit_span rest = text;
	size_t stop = 0;

	if (slot == NULL || text.len <= slot->text.len) {
		return false;
	}
	stop = text.len - slot->text.len - 1;
	dit_cut(&rest, stop + 1);
	return text.data[stop] == ',' && is_of(slot, rest) &&
	       is_normal_below(&slot->parent, text, stop, cache->last_type);
}

/* A DN that is its own pretty and normal form. @param stop  the length of its first RDN,
 * which is_normal_rdn() knows */
static int take_as_it_is(struct dit_span text, size_t stop,
                         const struct dit_attr_type *type, const struct dit_dn *parent,
                         struct dit_arena *arena, struct dit_dn *ret)
{
	unsigned nrdns = parent->nrdns + 1;
	struct dit_ava *ava = dit_arena_alloc(arena, sizeof(*ava));
	uint32_t *at =
		dit_arena_alloc_aligned(arena, nrdns * sizeof(*at), _Alignof(uint32_t));
	struct dit_span copy = dit_arena_copy(arena, text);
	struct dit_span value = {copy.data, stop};

	if (ava == NULL || at == NULL || copy.data == NULL) {
		return -ENOMEM;
	}
	dit_cut(&value, type->ad.name.len + 1);
	*ava = (struct dit_ava){type, value, value};
	at[0] = 0;
	for (unsigned i = 1; i < nrdns; i++) {
		at[i] = parent->norm_at[i - 1] + (uint32_t)stop + 1;
	}
	*ret = (struct dit_dn){copy, copy, nrdns, at, at, ava, 1};
	return 0;
}

int dit_dn_parse(const struct dit_schema *schema, struct dit_span text,
                 struct dit_arena *arena, struct dit_dn_cache *cache, struct dit_dn *ret)
{
	const struct dit_dn none = {0};
	const struct dit_dn *parent = NULL;
	struct dit_span rdn = text;
	struct dit_span rest = text;
	size_t stop = 0;
	int r = 0;

	if (text.len > DIT_DN_MAX) {
		return DIT_E_INVALID;
	}
	if (cache != NULL) {
		stop = dit_dn_first_stop(text);
	}
	if (stop == 0) {
		return parse_below(schema, text, &none, arena, ret);
	}
	dit_cut(&rest, stop + 1);
	if (rest.len == 0) {
		return DIT_E_INVALID; /* a separator at the end */
	}
	r = find_parent(cache, schema, rest, false, &parent);
	if (r < 0) {
		return r;
	}
	rdn.len = stop;
	if (dit_span_eq(parent->pretty, rest) &&
	    is_normal_below(parent, text, stop, cache->last_type)) {
		return take_as_it_is(text, stop, cache->last_type, parent, arena, ret);
	}
	r = parse_below(schema, rdn, parent, arena, ret);
	cache->last_type = r < 0 ? NULL : ret->avas[0].type;
	return r;
}

/*
 * Is the AVA an RDN that only needs squeezing and folding? A copied value is after the
 * output in the arena, which could then not be trimmed.
 */
static bool is_plain_rdn(const struct dit_raw_ava *raw, const struct dit_attr_type *type)
{
	return !raw->is_copy && raw->value.len > 0 && raw->is_plain && raw->is_ascii &&
	       (raw->stop == ',' || raw->stop == '\0') &&
	       dit_dn_takes_ascii(type->validator) &&
	       dit_dn_keeps_plain(dit_dn_normalizer(type));
}

static unsigned squeeze_flags(const struct dit_attr_type *type)
{
	enum dit_normalizer normalizer = dit_dn_normalizer(type);

	return normalizer == DIT_NORM_UTF8_FOLD || normalizer == DIT_NORM_IA5_FOLD
	               ? DIT_ASCII_FOLD
	               : 0;
}

/* @return 1: the normal form of a plain DN; 0: not such a DN; negative as usual */
static int normalize_plain(struct dit_dn_list *list, struct dit_span text,
                           struct dit_span *ret)
{
	struct dit_arena *arena = list->inner.arena;
	struct dit_dn_scan scan = {text.data, text.data + text.len, arena};
	size_t size = text.len + PLAIN_SLACK;
	char *start = dit_arena_bytes(arena, size);
	struct dit_raw_ava raw = {0};
	size_t n = 0;

	if (start == NULL) {
		return -ENOMEM;
	}
	do {
		const struct dit_attr_type *type = NULL;
		struct dit_span name = {0};
		int r = dit_dn_scan_ava(&scan, &raw);

		if (r < 0) {
			return r;
		}
		type = dit_dn_list_type(list, raw.type);
		if (type == NULL) {
			return DIT_E_INVALID;
		}
		name = type->ad.name;
		if (!is_plain_rdn(&raw, type) ||
		    n + name.len + raw.value.len + 2 + DIT_ASCII_SLACK > size) {
			return 0;
		}
		memcpy(start + n, name.data, name.len);
		n += name.len;
		start[n++] = '=';
		n += (size_t)dit_ascii_squeeze(raw.value, squeeze_flags(type), start + n);
		start[n++] = ',';
	} while (raw.stop != '\0');
	dit_arena_trim(arena, start, n - 1);
	*ret = (struct dit_span){start, n - 1};
	return 1;
}

/* @param list  begun */
static int make_form(struct dit_dn_list *list, enum dit_dn_form form,
                     struct dit_span text, struct dit_span *ret)
{
	struct dit_arena *arena = list->inner.arena;
	int r = dit_dn_list_check(list, text);

	if (r == 0 && form == DIT_DN_NORM && text.len > 0) {
		struct dit_arena_mark mark = dit_arena_mark(arena);

		r = normalize_plain(list, text, ret);
		if (r == 1) {
			return 0;
		}
		dit_arena_rewind(arena, mark);
	}
	r = r ?: dit_dn_list_read(list, text, UINT_MAX);
	return r < 0 || form == DIT_DN_NONE
	               ? r
	               : dit_dn_list_put(list, form, (struct dit_span){0}, NULL, ret);
}

int dit_scope_dn(const struct dit_value_scope *scope, enum dit_dn_form form,
                 struct dit_span text, struct dit_span *ret)
{
	struct dit_dn_list list;

	dit_dn_list_init(&list, scope, DIT_DN_FORM_BIT(form));
	return make_form(&list, form, text, ret);
}

/* The type of the RDN before is most often that of this one. */
static int normalize_rdn(const struct dit_value_scope *scope, struct dit_dn_cache *cache,
                         struct dit_span text, struct dit_span *ret)
{
	struct dit_dn_list list;
	int r = 0;

	dit_dn_list_init(&list, scope, DIT_DN_FORM_BIT(DIT_DN_NORM));
	list.last_type = cache->last_type;
	r = make_form(&list, DIT_DN_NORM, text, ret);
	cache->last_type = list.last_type;
	return r;
}

int dit_dn_normalize(const struct dit_schema *schema, struct dit_span text,
                     struct dit_arena *arena, struct dit_dn_cache *cache,
                     struct dit_span *ret)
{
	const struct dit_value_scope scope = {.schema = schema, .arena = arena};
	struct dit_span parts[] = {{text.data, 0}, DIT_SPAN(","), {NULL, 0}};
	const struct dit_dn *parent = NULL;
	struct dit_span rest = text;
	size_t stop = 0;
	int r = 0;

	if (text.len <= DIT_DN_MAX) {
		*ret = text;
		if (is_normal_sibling(cache, text)) {
			return 0;
		}
		stop = dit_dn_first_stop(text);
	}
	if (stop > 0 && stop + 1 < text.len) {
		dit_cut(&rest, stop + 1);
		r = find_parent(cache, schema, rest, true, &parent);
		if (r == 0 && is_normal_below(parent, text, stop, cache->last_type)) {
			return 0;
		}
		parts[0].len = stop;
		r = r ?: normalize_rdn(&scope, cache, parts[0], &parts[0]);
		if (r == 0) {
			parts[2] = parent->norm;
			return dit_arena_join(arena, parts, 3, ret);
		}
		if (r == -ENOMEM) {
			return r;
		}
	}
	/* Errors are those of the whole text. */
	return dit_scope_dn(&scope, DIT_DN_NORM, text, ret);
}

int dit_scope_rdn(const struct dit_value_scope *scope, enum dit_dn_form form,
                  struct dit_span text, struct dit_span *ret)
{
	struct dit_dn_list list;
	int r = 0;

	dit_dn_list_init(&list, scope, DIT_DN_FORM_BIT(form));
	r = dit_dn_list_read(&list, text, 1);
	return r < 0 || form == DIT_DN_NONE
	               ? r
	               : dit_dn_list_put(&list, form, (struct dit_span){0}, NULL, ret);
}

void dit_name_uid_split(struct dit_span text, struct dit_span *ret_dn,
                        struct dit_span *ret_uid)
{
	const char *mark = text.len == 0 ? NULL : memrchr(text.data, '#', text.len);
	size_t n = mark == NULL ? text.len : (size_t)(mark - text.data);

	*ret_dn = text;
	*ret_uid = DIT_SPAN("");
	if (n < text.len && dit_pattern_is((struct dit_span){mark + 1, text.len - n - 1},
	                                   DIT_BIT_STRING)) {
		ret_dn->len = n;
		*ret_uid = (struct dit_span){mark, text.len - n};
	}
}

int dit_scope_name_uid(const struct dit_value_scope *scope, enum dit_dn_form form,
                       struct dit_span text, struct dit_span *ret)
{
	struct dit_span parts[2]; /* DN and UID */
	int r = 0;

	dit_name_uid_split(text, &parts[0], &parts[1]);
	r = dit_scope_dn(scope, form, parts[0], &parts[0]);
	if (r == 0 && (parts[1].len == 0 || form == DIT_DN_NONE)) {
		*ret = parts[0];
		return 0;
	}
	return r < 0 ? r : dit_arena_join(scope->arena, parts, 2, ret);
}

bool dit_dn_is_below(struct dit_span dn, struct dit_span suffix)
{
	size_t above = 0;

	if (suffix.len == 0) {
		return true;
	}
	if (dn.len < suffix.len) {
		return false;
	}
	above = dn.len - suffix.len;
	if (memcmp(dn.data + above, suffix.data, suffix.len) != 0) {
		return false;
	}
	/* A raw ',' of a normal form always separates RDNs. */
	return above == 0 || dn.data[above - 1] == ',';
}

struct dit_span dit_dn_parent(struct dit_span dn)
{
	for (size_t i = 0; i < dn.len; i++) {
		if (dn.data[i] == '\\') {
			i++;
		} else if (dn.data[i] == ',') {
			return (struct dit_span){dn.data + i + 1, dn.len - i - 1};
		}
	}
	return (struct dit_span){dn.data + dn.len, 0};
}

unsigned dit_dn_depth(struct dit_span dn)
{
	unsigned depth = 0;

	while (dn.len > 0) {
		dn = dit_dn_parent(dn);
		depth++;
	}
	return depth;
}

struct dit_span dit_dn_first_rdn(struct dit_span dn)
{
	size_t rest = dit_dn_parent(dn).len;

	return (struct dit_span){dn.data, dn.len - rest - (rest > 0)};
}
