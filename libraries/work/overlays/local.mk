# libraries/work/overlays/local.mk
libditkit_a_SOURCES += \
	%D%/overlay_join.c \
	%D%/overlay_rules.c \
	%D%/overlays.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
