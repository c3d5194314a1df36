# tests/split/local.mk
check_PROGRAMS += %D%/test_split

long_units += \
	%D%/test_split \
	$(NULL)
