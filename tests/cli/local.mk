# tests/cli/local.mk
script_tests += %D%/hostile.sh %D%/messages.sh %D%/run.sh %D%/user.sh
EXTRA_DIST += %D%/ditadd %D%/ditcat %D%/ditcheck %D%/ditindex

noinst_PROGRAMS += %D%/hostile
%C%_hostile_SOURCES = %D%/hostile.c
