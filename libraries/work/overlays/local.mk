# libraries/work/overlays/local.mk
libditkit_a_SOURCES += \
	%D%/overlay_rules.c \
	%D%/overlay_tables.c \
	%D%/overlays.c \
	%D%/overlays.h \
	%D%/overlays_impl.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
