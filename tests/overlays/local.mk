# tests/overlays/local.mk
check_PROGRAMS += \
	%D%/test_overlays \
	$(NULL)
%C%_test_overlays_LDFLAGS = $(AM_LDFLAGS) $(nomem_flags)
