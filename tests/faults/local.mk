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
%D%/fail.so: %D%/fail.c
	@$(MKDIR_P) %D%
	$(AM_V_CC)$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -O1 -g -fPIC -shared -o $@ \
		$(srcdir)/%D%/fail.c
%D%/recorder.so: %D%/recorder.c %D%/journal.h
	@$(MKDIR_P) %D%
	$(AM_V_CC)$(CC) -D_GNU_SOURCE -std=gnu11 -Wall -Wextra -O1 -g -fPIC -shared -o $@ \
		$(srcdir)/%D%/recorder.c

noinst_PROGRAMS += %D%/replay
%C%_replay_SOURCES = \
	%D%/disk.c \
	%D%/disk.h \
	%D%/disk_image.c \
	%D%/disk_private.h \
	%D%/judge.c \
	%D%/judge.h \
	%D%/replay.c \
	$(NULL)
%C%_replay_LDADD = $(test_libs)

noinst_PROGRAMS += %D%/damage
%C%_damage_SOURCES = %D%/damage.c
%C%_damage_LDADD = $(test_libs)

noinst_PROGRAMS += %D%/worst
%C%_worst_SOURCES = %D%/worst.c
