# tests/golden/local.mk
# The databases that slapadd 2.7.0 made of our input, and those that we make of it.
slow_scripts += %D%/files.sh
long_scripts += %D%/files.sh
script_tests += %D%/golden.sh %D%/limits.sh

test_tools += %D%/golden_dump
%C%_golden_dump_SOURCES = \
	%D%/golden_dump.c \
	%D%/memory_output.c \
	%D%/memory_output.h \
	$(NULL)
%C%_golden_dump_LDFLAGS = $(AM_LDFLAGS) $(record_output_wraps) \
	-Wl,--wrap=dit_output_add_index \
	-Wl,--wrap=dit_output_begin_changes \
	-Wl,--wrap=dit_output_cut_index \
	-Wl,--wrap=dit_output_open \
	-Wl,--wrap=dit_output_open_part \
	-Wl,--wrap=dit_output_put_lists
