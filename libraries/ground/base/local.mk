# libraries/ground/base/local.mk
noinst_LTLIBRARIES += %D%/libbase.la
rooms += %D%/libbase.la
%C%_libbase_la_SOURCES = \
	%D%/arena.c \
	%D%/arena.h \
	%D%/ascii.c \
	%D%/ascii.h \
	%D%/before_open.h \
	%D%/big_endian.h \
	%D%/clock.h \
	%D%/crypto_module.c \
	%D%/crypto_module.h \
	%D%/cut.h \
	%D%/digest.c \
	%D%/digest.h \
	%D%/errno_text.h \
	%D%/error.h \
	%D%/feed.c \
	%D%/feed.h \
	%D%/file_size_signal.c \
	%D%/file_size_signal.h \
	%D%/grow.c \
	%D%/grow.h \
	%D%/ids.h \
	%D%/monitor.h \
	%D%/notes.c \
	%D%/notes.h \
	%D%/openldap.c \
	%D%/openldap.h \
	%D%/path.c \
	%D%/path.h \
	%D%/pieces.h \
	%D%/progress.h \
	%D%/regular_file.c \
	%D%/regular_file.h \
	%D%/report.h \
	%D%/secret.c \
	%D%/secret.h \
	%D%/span.h \
	%D%/stop.c \
	%D%/stop.h \
	%D%/sum128.c \
	%D%/sum128.h \
	%D%/sync_file.c \
	%D%/sync_file.h \
	%D%/team.c \
	%D%/team.h \
	%D%/ticker.c \
	%D%/ticker.h \
	%D%/tmp_dir.c \
	%D%/tmp_dir.h \
	%D%/version.c \
	%D%/version.h \
	%D%/whole_io.c \
	%D%/whole_io.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
