# tests/entry/local.mk
check_PROGRAMS += \
	%D%/test_entry_check \
	%D%/test_entry_check_names \
	%D%/test_entry_check_values \
	%D%/test_entry_complete \
	%D%/test_entry_nomem \
	%D%/test_entry_read \
	%D%/test_sid_set \
	%D%/test_value_sort \
	$(NULL)
EXTRA_DIST += \
	%D%/check_fixture.h \
	%D%/entry_fixture.h \
	$(NULL)
%C%_test_entry_check_SOURCES = %D%/test_entry_check.c
%C%_test_entry_check_LDADD = $(test_libs)
%C%_test_entry_check_names_SOURCES = %D%/test_entry_check_names.c
%C%_test_entry_check_names_LDADD = $(test_libs)
%C%_test_entry_check_values_SOURCES = %D%/test_entry_check_values.c
%C%_test_entry_check_values_LDADD = $(test_libs)
%C%_test_entry_complete_SOURCES = %D%/test_entry_complete.c
%C%_test_entry_complete_LDADD = $(test_libs)
%C%_test_entry_nomem_SOURCES = %D%/test_entry_nomem.c
%C%_test_entry_nomem_LDADD = $(test_libs)
%C%_test_entry_nomem_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_entry_read_SOURCES = %D%/test_entry_read.c
%C%_test_entry_read_LDADD = $(test_libs)
%C%_test_sid_set_SOURCES = %D%/test_sid_set.c
%C%_test_sid_set_LDADD = $(test_libs)
%C%_test_value_sort_SOURCES = %D%/test_value_sort.c
%C%_test_value_sort_LDADD = $(test_libs)
