# tests/check/local.mk
check_PROGRAMS += \
	%D%/test_check \
	%D%/test_check_damage \
	%D%/test_check_findings \
	%D%/test_check_index \
	%D%/test_check_passes \
	%D%/test_check_sizes \
	%D%/test_check_snapshot \
	%D%/test_check_sums \
	%D%/test_check_tree_sums \
	%D%/test_check_use \
	%D%/test_one_bit \
	$(NULL)
%C%_test_check_index_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_findings_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_sizes_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_sums_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_tree_sums_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_check_use_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
EXTRA_DIST += \
	%D%/content_damages.h \
	%D%/content_records.h \
	%D%/told_fixture.h \
	$(NULL)
thread_tests += \
	%D%/test_check \
	%D%/test_check_findings \
	%D%/test_check_snapshot \
	$(NULL)
long_units += \
	%D%/test_check_damage \
	%D%/test_one_bit \
	$(NULL)
