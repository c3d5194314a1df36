# tests/ldif/local.mk
check_PROGRAMS += \
	%D%/test_base64 \
	%D%/test_input_kind \
	%D%/test_ldif_dialect \
	%D%/test_ldif_inputs \
	%D%/test_ldif_lines \
	%D%/test_ldif_parse \
	%D%/test_ldif_part \
	%D%/test_ldif_reader \
	%D%/test_ldif_write \
	%D%/test_unpack \
	$(NULL)

%C%_test_unpack_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
EXTRA_DIST += \
	%D%/ldif_fixture.h \
	%D%/ldif_reader_cases.h \
	$(NULL)
thread_tests += \
	%D%/test_ldif_inputs \
	%D%/test_ldif_parse \
	$(NULL)
long_units += \
	%D%/test_ldif_reader \
	%D%/test_unpack \
	$(NULL)
