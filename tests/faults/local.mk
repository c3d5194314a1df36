# tests/faults/local.mk
# Faults from outside: losses of power, kills, calls that fail. See README.md there.
slow_scripts += %D%/failing.sh %D%/kills.sh %D%/power.sh
script_tests += %D%/damage.sh %D%/disks.sh %D%/resources.sh %D%/split.sh %D%/worst.sh
long_scripts += %D%/damage.sh %D%/disks.sh %D%/failing.sh %D%/kills.sh %D%/power.sh %D%/valgrind.sh \
	%D%/worst.sh
EXTRA_DIST += %D%/README.md %D%/faults_lib.sh %D%/valgrind.sh %D%/valgrind.supp

# Libraries for LD_PRELOAD, made for the tests alone.
fault_libraries = %D%/fail.so %D%/recorder.so
check_DATA += $(fault_libraries)
CLEANFILES += $(fault_libraries)
EXTRA_DIST += %D%/fail.c %D%/recorder.c %D%/journal.h

test_tools += %D%/damage %D%/replay %D%/worst
%C%_replay_SOURCES = \
	%D%/disk.c \
	%D%/disk.h \
	%D%/disk_image.c \
	%D%/disk_private.h \
	%D%/judge.c \
	%D%/judge.h \
	%D%/replay.c \
	$(NULL)
%C%_worst_LDADD =
