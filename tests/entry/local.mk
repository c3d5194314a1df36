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
%C%_test_entry_nomem_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
