# tests/system/local.mk
check_PROGRAMS += \
	%D%/test_crypto_module \
	%D%/test_file_io \
	%D%/test_keeper \
	%D%/test_path \
	%D%/test_tmp_files \
	$(NULL)

# A module for "crypto", made for the tests alone.
check_DATA += %D%/xor_module.so
CLEANFILES += %D%/xor_module.so
EXTRA_DIST += %D%/xor_crypto.h %D%/xor_module.c
thread_tests += \
	%D%/test_file_io \
	$(NULL)
