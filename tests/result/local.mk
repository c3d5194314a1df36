# tests/result/local.mk
check_PROGRAMS += \
	%D%/test_export_file \
	%D%/test_export_pack \
	$(NULL)
%C%_test_export_file_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=dit_slab_get \
	-Wl,--wrap=fchown \
	-Wl,--wrap=fcntl \
	-Wl,--wrap=flock \
	-Wl,--wrap=fsync \
	-Wl,--wrap=fstatat \
	-Wl,--wrap=pwrite \
	-Wl,--wrap=write
%C%_test_export_pack_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
