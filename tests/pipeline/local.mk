# tests/pipeline/local.mk
check_PROGRAMS += \
	%D%/test_pipeline \
	$(NULL)
%C%_test_pipeline_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
thread_tests += \
	%D%/test_pipeline \
	$(NULL)
