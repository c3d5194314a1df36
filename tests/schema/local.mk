# tests/schema/local.mk
check_PROGRAMS += %D%/test_attr_desc
%C%_test_attr_desc_SOURCES = %D%/test_attr_desc.c
%C%_test_attr_desc_LDADD = $(test_libs)
check_PROGRAMS += %D%/test_schema
%C%_test_schema_SOURCES = %D%/schema_fixture.h %D%/test_schema.c
%C%_test_schema_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_schema_refused
%C%_test_schema_refused_SOURCES = %D%/schema_fixture.h %D%/test_schema_refused.c
%C%_test_schema_refused_LDADD = $(test_libs)
