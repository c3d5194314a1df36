# tests/config/local.mk
check_PROGRAMS += \
	%D%/test_conf_file \
	%D%/test_conf_lines \
	%D%/test_conf_reporter \
	%D%/test_settings \
	%D%/test_settings_2_7 \
	%D%/test_settings_choose \
	%D%/test_settings_errors \
	%D%/test_settings_tree \
	%D%/test_slapd_version \
	$(NULL)
%C%_test_conf_reporter_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=vasprintf \
	-Wl,--wrap=__vasprintf_chk
EXTRA_DIST += \
	%D%/conf_fixture.h \
	$(NULL)
