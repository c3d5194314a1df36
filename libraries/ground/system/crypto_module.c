/* SPDX-License-Identifier: BSD-2-Clause */
/* Loading a module with care, and calling it. */
#include "system/crypto_module.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/errno_text.h"
#include "base/error.h"
#include "base/object.h"
#include "system/path.h"
#include "system/secret.h"

/* liblmdb has so much room for a key. */
#define KEY_BYTES_MAX 2048
/* A copy of so much is on the stack. */
#define STACK_BYTES 16384

/* ---- may root load it? ---- */

static int refuse_file(const char *path, char *why)
{
	(void)snprintf(why, DIT_CRYPTO_WHY_BYTES,
	               "root does not load \"%.200s\": another user can change the file",
	               path);
	return -EPERM;
}

/* A path without links. */
static int check_real_path(char *path, char *why)
{
	char words[DIT_PATH_WHY_BYTES];
	char *slash = strrchr(path, '/');
	struct stat st;
	int dir_fd = -1;
	int r = 0;

	*slash = '\0';
	dir_fd = dit_path_open_to_work(slash == path ? "/" : path, words);
	*slash = '/';
	if (dir_fd < 0) {
		(void)snprintf(why, DIT_CRYPTO_WHY_BYTES,
		               "root does not load \"%.100s\": %.250s", path,
		               words[0] == '\0' ? dit_errno_text(-dir_fd) : words);
		return -EPERM;
	}
	if (fstatat(dir_fd, slash + 1, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode) || st.st_uid != 0 ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
		r = refuse_file(path, why);
	}
	(void)close(dir_fd);
	return r;
}

/*
 * Root follows the links now, and loads what they lead to: nobody else can exchange a
 * part of that path. The loader of the system looks for a name without a slash where root
 * has told it to.
 *
 * @param ret  free() it
 */
static int choose_path(const char *module, char **ret, char *why)
{
	char *path = NULL;
	int r = 0;

	if (geteuid() != 0 || strchr(module, '/') == NULL) {
		*ret = strdup(module);
		return *ret == NULL ? -ENOMEM : 0;
	}
	path = realpath(module, NULL);
	if (path == NULL) {
		(void)snprintf(why, DIT_CRYPTO_WHY_BYTES, "\"%.200s\": %s", module,
		               dit_errno_text(errno));
		return DIT_E_UNSUPPORTED;
	}
	r = check_real_path(path, why);
	return DIT_HAND_OVER(r, ret, path, free);
}

/* ---- opening ---- */

static int refuse(const char *module, const char *what, char *why)
{
	(void)snprintf(why, DIT_CRYPTO_WHY_BYTES,
	               "\"%.200s\" is no module for \"crypto\": %s", module, what);
	return DIT_E_UNSUPPORTED;
}

static int load(struct dit_crypto *crypto, const char *module, char *why)
{
	dit_module_fn fn = NULL;
	char *path = NULL;
	int r = choose_path(module, &path, why);

	if (r < 0) {
		return r;
	}
	crypto->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(path);
	if (crypto->library == NULL) {
		const char *text = dlerror();

		(void)snprintf(why, DIT_CRYPTO_WHY_BYTES, "%.300s",
		               text == NULL ? module : text);
		return DIT_E_UNSUPPORTED;
	}
	*(void **)&fn = dlsym(crypto->library, "MDB_crypto");
	if (fn == NULL) {
		return refuse(module, "it has no function MDB_crypto", why);
	}
	crypto->table = fn();
	return crypto->table != NULL ? 0 : refuse(module, "it gives no functions", why);
}

static bool is_size(int bytes, int max)
{
	return bytes >= 0 && bytes <= max;
}

static int check_table(const struct dit_module_table *table, const char *module,
                       char *why)
{
	if (!is_size(table->mac_bytes, DIT_CRYPTO_TAG_MAX) ||
	    !is_size(table->sum_bytes, DIT_CRYPTO_TAG_MAX)) {
		return refuse(module, "its MAC or its checksum is too long", why);
	}
	if (table->crypt != NULL &&
	    (table->key_bytes < 1 || !is_size(table->key_bytes, KEY_BYTES_MAX))) {
		return refuse(module, "its key has no possible length", why);
	}
	return 0;
}

/* A module that counts wrong finds room after its key. */
static int make_key(struct dit_crypto *crypto, const char *module, const char *passphrase,
                    char *why)
{
	struct dit_module_bytes key = {(size_t)crypto->table->key_bytes, NULL};

	crypto->key = dit_secret_new(KEY_BYTES_MAX);
	if (crypto->key == NULL) {
		return -ENOMEM;
	}
	key.data = crypto->key;
	if (crypto->table->key == NULL) {
		size_t len = strnlen(passphrase, key.len);

		memcpy(crypto->key, passphrase, len);
		return 0;
	}
	return crypto->table->key(passphrase, &key) == 0
	               ? 0
	               : refuse(module, "it makes no key of the passphrase", why);
}

static int begin(struct dit_crypto *crypto, const char *module, const char *passphrase,
                 char *why)
{
	const struct dit_module_table *table = NULL;
	int r = load(crypto, module, why);

	if (r == 0) {
		table = crypto->table;
		r = check_table(table, module, why);
	}
	if (r < 0) {
		return r;
	}
	if (table->sum != NULL) {
		crypto->sum_bytes = (unsigned)table->sum_bytes;
	}
	if (table->crypt == NULL || passphrase == NULL) {
		return 0;
	}
	crypto->mac_bytes = (unsigned)table->mac_bytes;
	return make_key(crypto, module, passphrase, why);
}

int dit_crypto_open(struct dit_crypto **ret, const char *module, const char *passphrase,
                    char *ret_why)
{
	struct dit_crypto *crypto = calloc(1, sizeof(*crypto));
	int r = crypto == NULL ? -ENOMEM : 0;

	ret_why[0] = '\0';
	r = r ?: begin(crypto, module, passphrase, ret_why);
	if (r < 0 || (crypto->key == NULL && crypto->sum_bytes == 0)) {
		dit_crypto_close(crypto);
		crypto = NULL;
	}
	if (r == 0) {
		*ret = crypto;
	}
	return r;
}

void dit_crypto_close(struct dit_crypto *crypto)
{
	if (crypto != NULL) {
		dit_secret_free(crypto->key, KEY_BYTES_MAX);
		if (crypto->library != NULL) {
			(void)dlclose(crypto->library);
		}
		free(crypto);
	}
}

/* ---- calls ---- */

/* A module is given input and output that lie apart, as liblmdb does it. */
static int call(const struct dit_crypto *crypto, struct dit_crypto_nonce nonce,
                struct dit_module_bytes bytes, char *mac, int encrypts)
{
	const struct dit_module_bytes keys[3] = {
		{(size_t)crypto->table->key_bytes, crypto->key},
		{sizeof(nonce), &nonce},
		{crypto->mac_bytes, crypto->mac_bytes == 0 ? NULL : mac},
	};
	_Alignas(16) char page[STACK_BYTES];
	char *copy = bytes.len <= sizeof(page) ? page : malloc(bytes.len);
	struct dit_module_bytes in = {bytes.len, copy};
	int r = 0;

	if (copy == NULL) {
		return -ENOMEM;
	}
	memcpy(copy, bytes.data, bytes.len);
	r = crypto->table->crypt(&in, &bytes, keys, encrypts) == 0 ? 0
	    : encrypts                                             ? -EIO
	                                                           : DIT_E_CORRUPT;
	if (copy != page) {
		free(copy);
	}
	return r;
}

int dit_crypto_encrypt(const struct dit_crypto *crypto, struct dit_crypto_nonce nonce,
                       struct dit_module_bytes bytes, char *mac)
{
	return call(crypto, nonce, bytes, mac, 1);
}

int dit_crypto_decrypt(const struct dit_crypto *crypto, struct dit_crypto_nonce nonce,
                       struct dit_module_bytes bytes, char *mac)
{
	return call(crypto, nonce, bytes, mac, 0);
}

void dit_crypto_sum(const struct dit_crypto *crypto, struct dit_module_bytes in,
                    char *out)
{
	const struct dit_module_bytes key = {(size_t)crypto->table->key_bytes,
	                                     crypto->key};
	struct dit_module_bytes to = {crypto->sum_bytes, out};

	crypto->table->sum(&in, &to, dit_crypto_encrypts(crypto) ? &key : NULL);
}
