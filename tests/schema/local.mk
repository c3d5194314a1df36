# tests/schema/local.mk
check_PROGRAMS += \
	%D%/test_attr_desc \
	%D%/test_schema \
	%D%/test_schema_refused \
	$(NULL)
EXTRA_DIST += \
	%D%/schema_fixture.h \
	$(NULL)
thread_tests += \
	%D%/test_attr_desc \
	$(NULL)
