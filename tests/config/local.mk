# tests/config/local.mk
check_PROGRAMS += %D%/test_conf_lines
%C%_test_conf_lines_SOURCES = %D%/test_conf_lines.c
%C%_test_conf_lines_LDADD = $(test_libs)
check_PROGRAMS += %D%/test_settings
%C%_test_settings_SOURCES = %D%/test_settings.c %D%/conf_fixture.h
%C%_test_settings_LDADD = $(test_libs)
check_PROGRAMS += %D%/test_settings_choose
%C%_test_settings_choose_SOURCES = %D%/test_settings_choose.c %D%/conf_fixture.h
%C%_test_settings_choose_LDADD = $(test_libs)
check_PROGRAMS += %D%/test_settings_errors
%C%_test_settings_errors_SOURCES = %D%/test_settings_errors.c %D%/conf_fixture.h
%C%_test_settings_errors_LDADD = $(test_libs)
check_PROGRAMS += %D%/test_settings_tree
%C%_test_settings_tree_SOURCES = %D%/test_settings_tree.c %D%/conf_fixture.h
%C%_test_settings_tree_LDADD = $(test_libs)
