# tests/ldif/local.mk
check_PROGRAMS += %D%/test_base64
%C%_test_base64_SOURCES = %D%/test_base64.c
%C%_test_base64_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_ldif_parse
%C%_test_ldif_parse_SOURCES = %D%/test_ldif_parse.c
%C%_test_ldif_parse_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_ldif_reader
%C%_test_ldif_reader_SOURCES = %D%/ldif_reader_cases.h %D%/test_ldif_reader.c
%C%_test_ldif_reader_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_ldif_part
%C%_test_ldif_part_SOURCES = %D%/test_ldif_part.c
%C%_test_ldif_part_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_ldif_skip
%C%_test_ldif_skip_SOURCES = %D%/test_ldif_skip.c
%C%_test_ldif_skip_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_ldif_write
%C%_test_ldif_write_SOURCES = %D%/test_ldif_write.c
%C%_test_ldif_write_LDADD = $(test_libs)
check_PROGRAMS += %D%/test_ldif_dialect
%C%_test_ldif_dialect_SOURCES = %D%/test_ldif_dialect.c
%C%_test_ldif_dialect_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_input_kind
%C%_test_input_kind_SOURCES = %D%/test_input_kind.c
%C%_test_input_kind_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_ldif_inputs
%C%_test_ldif_inputs_SOURCES = %D%/test_ldif_inputs.c
%C%_test_ldif_inputs_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_unpack
%C%_test_unpack_SOURCES = %D%/test_unpack.c
%C%_test_unpack_LDADD = $(test_libs)
%C%_test_unpack_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)

