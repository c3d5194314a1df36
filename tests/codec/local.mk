# tests/codec/local.mk
check_PROGRAMS += \
	%D%/test_entry_codec \
	%D%/test_name_codec \
	%D%/test_split_codec \
	$(NULL)
EXTRA_DIST += \
	%D%/name_fixture.h \
	$(NULL)
