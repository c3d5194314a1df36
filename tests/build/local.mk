# tests/build/local.mk
check_PROGRAMS += \
	%D%/test_builders \
	%D%/test_index_writer \
	%D%/test_stored_keys \
	$(NULL)
%C%_test_builders_SOURCES = %D%/builders_fixture.h %D%/test_builders.c
%C%_test_builders_LDADD = $(test_libs)
%C%_test_index_writer_SOURCES = %D%/builders_fixture.h %D%/test_index_writer.c
%C%_test_index_writer_LDADD = $(test_libs)
%C%_test_stored_keys_SOURCES = %D%/builders_fixture.h %D%/test_stored_keys.c
%C%_test_stored_keys_LDADD = $(test_libs)
