# tests/diff/local.mk
check_PROGRAMS += \
	%D%/test_diff \
	$(NULL)
%C%_test_diff_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
thread_tests += \
	%D%/test_diff \
	$(NULL)
