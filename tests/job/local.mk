# tests/job/local.mk
check_PROGRAMS += \
	%D%/test_before_open \
	%D%/test_chosen \
	%D%/test_csn_list \
	%D%/test_glue \
	%D%/test_job \
	%D%/test_release_rules \
	%D%/test_value_rules \
	$(NULL)
%C%_test_csn_list_SOURCES = %D%/test_csn_list.c
%C%_test_csn_list_LDADD = $(test_libs)
%C%_test_csn_list_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_chosen_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h %D%/test_chosen.c
%C%_test_chosen_LDADD = $(test_libs)
%C%_test_before_open_SOURCES = tests/load/load_fixture.c tests/load/load_fixture.h %D%/test_before_open.c
%C%_test_before_open_LDADD = $(test_libs)
%C%_test_release_rules_SOURCES = %D%/test_release_rules.c
%C%_test_release_rules_LDADD = $(test_libs)
%C%_test_job_SOURCES = %D%/test_job.c
%C%_test_job_LDADD = $(test_libs)
%C%_test_job_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags) \
	-Wl,--wrap=dit_memory_available \
	-Wl,--wrap=dit_memory_limit
%C%_test_glue_SOURCES = %D%/test_glue.c
%C%_test_glue_LDADD = $(test_libs)
%C%_test_glue_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
%C%_test_value_rules_SOURCES = %D%/test_value_rules.c
%C%_test_value_rules_LDADD = $(test_libs)
%C%_test_value_rules_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
