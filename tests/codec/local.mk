# tests/codec/local.mk
check_PROGRAMS += \
	%D%/test_entry_codec \
	%D%/test_name_codec \
	%D%/test_split_codec \
	$(NULL)
%C%_test_entry_codec_SOURCES = %D%/test_entry_codec.c
%C%_test_entry_codec_LDADD = $(test_libs)
%C%_test_name_codec_SOURCES = %D%/name_fixture.h %D%/test_name_codec.c
%C%_test_name_codec_LDADD = $(test_libs)
%C%_test_split_codec_SOURCES = %D%/test_split_codec.c
%C%_test_split_codec_LDADD = $(test_libs)
