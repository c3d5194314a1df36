#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# GNU parallel: starts the steps over ssh, tries each three times, and waits.
cd "$(dirname "$0")" || exit
. ./site.sh

shards() { # shards STEP: on the machine of each shard
	# shellcheck disable=SC2086 # the words of SHARDS
	parallel --will-cite --retries 3 --colsep : \
		ssh -o BatchMode=yes '{2}' /srv/ditkit/step.sh "$1" '{1}' ::: $SHARDS
}
seq 0 $((NPARTS - 1)) | parallel --will-cite --retries 3 -j1 \
	--sshlogin "$(echo "$HOSTS" | tr ' ' ,)" /srv/ditkit/step.sh split "{}/$NPARTS" || exit
if shards prepare; then
	shards publish
else
	shards abandon
	exit 1
fi
