# tests/index/local.mk
check_PROGRAMS += \
	%D%/test_index_keys \
	%D%/test_index_sound \
	%D%/test_key_hash \
	%D%/test_key_integer \
	%D%/test_key_phonetic \
	%D%/test_key_time \
	$(NULL)
EXTRA_DIST += \
	%D%/index_fixture.h \
	$(NULL)
