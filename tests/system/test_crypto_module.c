/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Contract of crypto modules:
 * - a module gives a key, MACs and checksums, or says nothing that has to be done;
 * - one that is none, or that names impossible sizes, is refused in words;
 * - what was encrypted can be decrypted with the same key and nonce alone;
 * - root loads none that another user can exchange;
 * - the key is in no core.
 */
#include "system/crypto_module.h"

#include <sys/stat.h>

#include "base/error.h"
#include "system/secret.h"
#include "test.h"

static char why[DIT_CRYPTO_WHY_BYTES];

static const char *module(void)
{
	static char path[4096];
	const char *dir = getenv("DIT_BUILDDIR");

	(void)snprintf(path, sizeof(path), "%s/tests/system/xor_module.so",
	               dir == NULL ? "." : dir);
	return path;
}

static int open_as(struct dit_crypto **ret, const char *kind, const char *passphrase)
{
	assert_int_equal(setenv("XOR_MODULE", kind, 1), 0);
	*ret = NULL;
	return dit_crypto_open(ret, module(), passphrase, why);
}

TEST(tables_say_what_is_to_be_done)
{
	static const struct {
		const char *kind;
		const char *passphrase;
		bool is_there;
		bool encrypts;
		unsigned mac_bytes;
		unsigned sum_bytes;
	} cases[] = {
		{"", "secret", true, true, 16, 8},
		{"", "", true, true, 16, 8},
		{"", NULL, true, false, 0, 8},
		{"mac", "secret", true, true, 16, 0},
		{"mac", NULL, false, false, 0, 0},
		{"sum", "secret", true, false, 0, 8},
		{"sum", NULL, true, false, 0, 8},
		{"bare", "secret", true, true, 0, 0},
		{"no-key-function", "secret", true, true, 16, 0},
		{"no-sum-size", NULL, false, false, 0, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct dit_crypto *crypto = NULL;

		print_message("%s\n", cases[i].kind);
		assert_int_equal(open_as(&crypto, cases[i].kind, cases[i].passphrase), 0);
		assert_string_equal(why, "");
		assert_int_equal(crypto != NULL, cases[i].is_there);
		if (crypto != NULL) {
			assert_int_equal(dit_crypto_encrypts(crypto), cases[i].encrypts);
			assert_int_equal(crypto->mac_bytes, cases[i].mac_bytes);
			assert_int_equal(crypto->sum_bytes, cases[i].sum_bytes);
		}
		dit_crypto_close(crypto);
	}
}

TEST(impossible_modules_are_refused)
{
	static const struct {
		const char *kind;
		const char *words;
	} cases[] = {
		{"nothing", "it gives no functions"},
		{"long-mac", "its MAC or its checksum is too long"},
		{"negative-mac", "its MAC or its checksum is too long"},
		{"long-sum", "its MAC or its checksum is too long"},
		{"long-key", "its key has no possible length"},
		{"no-key", "its key has no possible length"},
		{"failing-key", "it makes no key of the passphrase"},
	};
	struct dit_crypto *crypto = NULL;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		print_message("%s\n", cases[i].kind);
		assert_int_equal(open_as(&crypto, cases[i].kind, "geheim"),
		                 DIT_E_UNSUPPORTED);
		assert_non_null(strstr(why, cases[i].words));
		assert_null(strstr(why, "geheim"));
		assert_null(crypto);
	}
}

TEST(files_that_are_no_modules_are_refused)
{
	struct dit_crypto *crypto = NULL;

	assert_int_equal(dit_crypto_open(&crypto, "libm.so.6", "geheim", why),
	                 DIT_E_UNSUPPORTED);
	assert_non_null(strstr(why, "it has no function MDB_crypto"));
	assert_int_equal(dit_crypto_open(&crypto, "/nowhere/module.so", "geheim", why),
	                 DIT_E_UNSUPPORTED);
	assert_non_null(strstr(why, "/nowhere/module.so"));
	assert_int_equal(dit_crypto_open(&crypto, "nowhere.so", "geheim", why),
	                 DIT_E_UNSUPPORTED);
	assert_non_null(strstr(why, "nowhere.so"));
}

TEST(passphrase_is_the_key_without_a_function)
{
	struct dit_crypto *crypto = NULL;

	assert_int_equal(open_as(&crypto, "no-key-function", "secret"), 0);
	assert_memory_equal(crypto->key, "secret\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
	                    24);
	dit_crypto_close(crypto);
	assert_int_equal(open_as(&crypto, "no-key-function",
	                         "a passphrase that is longer than the key"),
	                 0);
	assert_memory_equal(crypto->key, "a passphrase that is longer than the key", 24);
	dit_crypto_close(crypto);
}

TEST(bytes_come_back_with_key_and_nonce_alone)
{
	const struct dit_crypto_nonce nonce = {{7, 9}};
	const char text[] = "some bytes that nobody shall read";
	char hidden[sizeof(text)];
	char again[sizeof(text)];
	const struct dit_module_bytes bytes = {sizeof(text), again};
	char mac[16];
	struct dit_crypto *crypto = NULL;
	struct dit_crypto *other = NULL;

	assert_int_equal(open_as(&crypto, "", "secret"), 0);
	assert_int_equal(open_as(&other, "", "Secret"), 0);
	memcpy(again, text, sizeof(text));
	assert_int_equal(dit_crypto_encrypt(crypto, nonce, bytes, mac), 0);
	assert_memory_not_equal(again, text, sizeof(text));
	memcpy(hidden, again, sizeof(text));
	assert_int_equal(dit_crypto_decrypt(crypto, nonce, bytes, mac), 0);
	assert_memory_equal(again, text, sizeof(text));
	memcpy(again, hidden, sizeof(text));
	assert_int_equal(dit_crypto_decrypt(other, nonce, bytes, mac), DIT_E_CORRUPT);
	memcpy(again, hidden, sizeof(text));
	assert_int_equal(
		dit_crypto_decrypt(crypto, (struct dit_crypto_nonce){{7, 8}}, bytes, mac),
		DIT_E_CORRUPT);
	memcpy(again, hidden, sizeof(text));
	again[3] ^= 1;
	assert_int_equal(dit_crypto_decrypt(crypto, nonce, bytes, mac), DIT_E_CORRUPT);
	dit_crypto_close(other);
	dit_crypto_close(crypto);
}

TEST(a_module_may_fail)
{
	char byte = 0;
	char mac[16];
	struct dit_crypto *crypto = NULL;

	assert_int_equal(open_as(&crypto, "failing", "secret"), 0);
	assert_int_equal(dit_crypto_encrypt(crypto, (struct dit_crypto_nonce){{1, 1}},
	                                    (struct dit_module_bytes){1, &byte}, mac),
	                 -EIO);
	dit_crypto_close(crypto);
}

/* The scratch directory is in one where all may write. */
TEST(root_loads_no_module_that_others_can_exchange)
{
	char *dir = test_scratch();
	char command[9000];
	char path[4200];
	struct dit_crypto *crypto = NULL;

	if (geteuid() != 0) {
		test_scratch_remove(dir);
		skip();
	}
	assert_int_equal(unsetenv("XOR_MODULE"), 0);
	(void)snprintf(path, sizeof(path), "%s/module.so", dir);
	(void)snprintf(command, sizeof(command), "cp '%s' '%s'", module(), path);
	assert_int_equal(system(command), 0);
	assert_int_equal(chmod(dir, 0755), 0);
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(dit_crypto_open(&crypto, path, "x", why), 0);
	dit_crypto_close(crypto);
	assert_int_equal(chmod(path, 0775), 0);
	assert_int_equal(dit_crypto_open(&crypto, path, "x", why), -EPERM);
	assert_non_null(strstr(why, "another user can change the file"));
	assert_int_equal(chmod(path, 0755), 0);
	assert_int_equal(chown(path, 54321, 0), 0);
	assert_int_equal(dit_crypto_open(&crypto, path, "x", why), -EPERM);
	assert_int_equal(chown(path, 0, 0), 0);
	assert_int_equal(chown(dir, 54321, 0), 0);
	assert_int_equal(dit_crypto_open(&crypto, path, "x", why), -EPERM);
	assert_non_null(strstr(why, "belongs to user 54321"));
}

/* ---- the key ---- */

/* The flags of the mapping that has the address. */
static void read_flags(const void *address, char flags[512])
{
	FILE *maps = fopen("/proc/self/smaps", "r");
	unsigned long first = 0;
	unsigned long end = 0;
	bool is_it = false;
	char line[512];

	assert_non_null(maps);
	flags[0] = '\0';
	while (fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%lx-%lx ", &first, &end) == 2) {
			is_it = first <= (unsigned long)address &&
			        (unsigned long)address < end;
		} else if (is_it && strncmp(line, "VmFlags:", 8) == 0) {
			memcpy(flags, line, sizeof(line));
		}
	}
	(void)fclose(maps);
}

TEST(keys_are_in_no_core)
{
	struct dit_crypto *crypto = NULL;
	char *text = dit_secret_text("secret");
	char flags[512];

	assert_int_equal(open_as(&crypto, "", "secret"), 0);
	read_flags(crypto->key, flags);
	assert_non_null(strstr(flags, " dd"));
	dit_crypto_close(crypto);
	assert_string_equal(text, "secret");
	read_flags(text, flags);
	assert_non_null(strstr(flags, " dd"));
	dit_secret_text_free(text);
	dit_secret_text_free(NULL);
	dit_secret_free(NULL, 1);
}
