# libraries/ldap/index/local.mk
libditkit_a_SOURCES += \
	%D%/index_keys.c \
	%D%/index_keys.h \
	%D%/index_set.c \
	%D%/index_work.h \
	%D%/key_bytes.c \
	%D%/key_bytes.h \
	%D%/key_hash.c \
	%D%/key_hash.h \
	$(NULL)
EXTRA_DIST += %D%/README.md
