# tests/bulk/local.mk
check_PROGRAMS += \
	%D%/test_dn_table \
	%D%/test_load \
	%D%/test_load_existing \
	%D%/test_load_glue \
	%D%/test_load_nomem \
	$(NULL)
%C%_test_dn_table_SOURCES = %D%/test_dn_table.c
%C%_test_dn_table_LDADD = $(test_libs)
%C%_test_load_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_load.c
%C%_test_load_LDADD = $(test_libs)
%C%_test_load_existing_SOURCES = \
	%D%/load_fixture.c \
	%D%/load_fixture.h \
	%D%/test_load_existing.c
%C%_test_load_existing_LDADD = $(test_libs)
%C%_test_load_glue_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_load_glue.c
%C%_test_load_glue_LDADD = $(test_libs)
%C%_test_load_glue_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fsync
%C%_test_load_nomem_SOURCES = %D%/load_fixture.c %D%/load_fixture.h %D%/test_load_nomem.c
%C%_test_load_nomem_LDADD = $(test_libs)
%C%_test_load_nomem_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
