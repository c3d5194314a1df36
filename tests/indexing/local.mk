# tests/indexing/local.mk
check_PROGRAMS += \
	%D%/test_builders \
	%D%/test_index_writer \
	%D%/test_key_changes \
	%D%/test_stored_keys \
	$(NULL)
%C%_test_index_writer_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=dit_output_cut_index \
	-Wl,--wrap=dit_output_finish \
	-Wl,--wrap=dit_output_open_part \
	-Wl,--wrap=dit_output_put_lists
EXTRA_DIST += \
	%D%/builders_fixture.h \
	%D%/fake_output.h \
	$(NULL)
thread_tests += \
	%D%/test_index_writer \
	$(NULL)
