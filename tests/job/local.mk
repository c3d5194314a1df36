# tests/job/local.mk
check_PROGRAMS += \
	%D%/test_before_open \
	%D%/test_chosen \
	%D%/test_csn_list \
	%D%/test_glue \
	%D%/test_job \
	%D%/test_opts \
	%D%/test_release_rules \
	%D%/test_value_rules \
	$(NULL)
%C%_test_csn_list_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_job_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=dit_memory_limit
%C%_test_glue_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_value_rules_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
thread_tests += \
	%D%/test_before_open \
	$(NULL)
