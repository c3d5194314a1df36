# tests/pipeline/local.mk
check_PROGRAMS += \
	%D%/test_pipeline \
	$(NULL)
%C%_test_pipeline_SOURCES = %D%/test_pipeline.c
%C%_test_pipeline_LDADD = $(test_libs)
%C%_test_pipeline_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
