#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sends the prepared database of shard a to other machines and publishes it there. The
# manifest goes last: a copy without it is unfinished, and --publish refuses it.
#
#   copies.sh HOST...      between step.sh prepare a and step.sh publish a
set -eu
from=/srv/ditkit/db/a/ditkit-prepared
for host; do
	rsync -a --exclude=manifest.json "$from/" "$host:$from/"
	rsync -a "$from/manifest.json" "$host:$from/"
	ssh -o BatchMode=yes "$host" ditadd --publish -f /srv/ditkit/slapd-copy.conf
done
