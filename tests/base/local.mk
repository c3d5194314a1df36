# tests/base/local.mk
check_PROGRAMS += \
	%D%/test_arena \
	%D%/test_ascii \
	%D%/test_cut \
	%D%/test_feed \
	%D%/test_grow \
	%D%/test_memory \
	%D%/test_notes \
	%D%/test_pairs \
	%D%/test_pattern \
	%D%/test_slab \
	%D%/test_stop \
	%D%/test_team \
	%D%/test_tell \
	%D%/test_ticker \
	%D%/test_version \
	$(NULL)

%C%_test_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fopen -Wl,--wrap=sysconf

%C%_test_slab_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=mmap -Wl,--wrap=mremap \
	-Wl,--wrap=aligned_alloc

%C%_test_ticker_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sync_file_range

%C%_test_tell_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
thread_tests += \
	%D%/test_feed \
	%D%/test_slab \
	%D%/test_stop \
	%D%/test_team \
	%D%/test_ticker \
	$(NULL)
