# tests/index/local.mk
check_PROGRAMS += %D%/test_index_keys
%C%_test_index_keys_SOURCES = %D%/test_index_keys.c %D%/index_fixture.h
%C%_test_index_keys_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_index_sound
%C%_test_index_sound_SOURCES = %D%/test_index_sound.c %D%/index_fixture.h
%C%_test_index_sound_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_key_hash
%C%_test_key_hash_SOURCES = %D%/test_key_hash.c
%C%_test_key_hash_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_key_integer
%C%_test_key_integer_SOURCES = %D%/test_key_integer.c
%C%_test_key_integer_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_key_phonetic
%C%_test_key_phonetic_SOURCES = %D%/test_key_phonetic.c
%C%_test_key_phonetic_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_key_time
%C%_test_key_time_SOURCES = %D%/test_key_time.c
%C%_test_key_time_LDADD = $(test_libs)
