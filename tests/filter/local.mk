# tests/filter/local.mk
check_PROGRAMS += \
	%D%/test_filter_index \
	%D%/test_filter_match \
	$(NULL)
%C%_test_filter_index_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
