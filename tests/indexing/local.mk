# tests/indexing/local.mk
check_PROGRAMS += \
	%D%/test_builders \
	%D%/test_index_writer \
	%D%/test_stored_keys \
	$(NULL)
EXTRA_DIST += \
	%D%/builders_fixture.h \
	%D%/fake_output.h \
	$(NULL)
thread_tests += \
	%D%/test_index_writer \
	$(NULL)
