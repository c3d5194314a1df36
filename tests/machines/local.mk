# tests/machines/local.mk
# Loads on many machines. The first two need no engine; "./bootstrap machines" runs all.
script_tests += \
	%D%/fronts.sh \
	%D%/shards.sh \
	$(NULL)
long_scripts += %D%/fronts.sh
machine_scripts += \
	%D%/copies.sh \
	%D%/engine_kills.sh \
	%D%/engines.sh \
	%D%/fronts.sh \
	%D%/kubernetes.sh \
	%D%/shards.sh \
	$(NULL)
EXTRA_DIST += $(machine_scripts) %D%/fronts.py %D%/kube.py %D%/machines_lib.sh
