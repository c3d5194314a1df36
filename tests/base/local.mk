# tests/base/local.mk
check_PROGRAMS += %D%/test_arena
%C%_test_arena_SOURCES = %D%/test_arena.c
%C%_test_arena_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_grow
%C%_test_grow_SOURCES = %D%/test_grow.c
%C%_test_grow_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_notes
%C%_test_notes_SOURCES = %D%/test_notes.c
%C%_test_notes_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_feed
%C%_test_feed_SOURCES = %D%/test_feed.c
%C%_test_feed_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_path
%C%_test_path_SOURCES = %D%/test_path.c
%C%_test_path_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_memory
%C%_test_memory_SOURCES = %D%/test_memory.c
%C%_test_memory_LDADD = $(test_libs)
%C%_test_memory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=fopen -Wl,--wrap=sysconf

check_PROGRAMS += %D%/test_stop
%C%_test_stop_SOURCES = %D%/test_stop.c
%C%_test_stop_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_team
%C%_test_team_SOURCES = %D%/test_team.c
%C%_test_team_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_ticker
%C%_test_ticker_SOURCES = %D%/test_ticker.c
%C%_test_ticker_LDADD = $(test_libs)
%C%_test_ticker_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=sync_file_range

check_PROGRAMS += %D%/test_version
%C%_test_version_SOURCES = %D%/test_version.c
%C%_test_version_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_cut
%C%_test_cut_SOURCES = %D%/test_cut.c
%C%_test_cut_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_ascii
%C%_test_ascii_SOURCES = %D%/test_ascii.c
%C%_test_ascii_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_tmp_dir
%C%_test_tmp_dir_SOURCES = %D%/test_tmp_dir.c
%C%_test_tmp_dir_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_whole_io
%C%_test_whole_io_SOURCES = %D%/test_whole_io.c
%C%_test_whole_io_LDADD = $(test_libs)

check_PROGRAMS += %D%/test_tell
%C%_test_tell_SOURCES = %D%/test_tell.c
%C%_test_tell_LDADD = $(test_libs)
%C%_test_tell_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)

check_PROGRAMS += %D%/test_crypto_module
%C%_test_crypto_module_SOURCES = %D%/test_crypto_module.c
%C%_test_crypto_module_LDADD = $(test_libs)

# A module for "crypto", made for the tests alone.
check_DATA += %D%/xor_module.so
CLEANFILES += %D%/xor_module.so
EXTRA_DIST += %D%/xor_crypto.h %D%/xor_module.c
%D%/xor_module.so: %D%/xor_module.c %D%/xor_crypto.h
	@$(MKDIR_P) %D%
	$(AM_V_CC)$(CC) -std=gnu11 -Wall -Wextra -O1 -g -fPIC -shared \
		-I$(top_srcdir)/libraries/ground $(xxhash_CFLAGS) -o $@ \
		$(srcdir)/%D%/xor_module.c
