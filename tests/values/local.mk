# tests/values/local.mk
check_PROGRAMS += \
	%D%/test_cert_assertion \
	%D%/test_dn \
	%D%/test_filter \
	%D%/test_normalize_vectors \
	%D%/test_utf8_prep \
	%D%/test_value \
	%D%/test_value_aci \
	%D%/test_value_authz \
	%D%/test_value_cert \
	%D%/test_value_order \
	$(NULL)
%C%_test_filter_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
EXTRA_DIST += \
	%D%/sample_context.h \
	%D%/sample_schema.h \
	$(NULL)
