# tests/files/local.mk
check_PROGRAMS += \
	%D%/test_files \
	%D%/test_strerror \
	$(NULL)
%C%_test_files_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=access -Wl,--wrap=mkdirat
