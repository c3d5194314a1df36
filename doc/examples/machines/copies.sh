#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Sends the prepared database of shard a to other machines and publishes it there. The
# manifest goes last: a copy without it is unfinished, and --publish refuses it.
#
#   copies.sh HOST...      between step.sh prepare a and step.sh publish a
set -eu
from=/srv/ditkit/db/a/ditkit-prepared
ours=$(ditadd --status -f /srv/ditkit/slapd-a.conf)
for host; do
	# A killed run has published some of the copies.
	case $(ssh -o BatchMode=yes "$host" ditadd --status -f /srv/ditkit/slapd-copy.conf) in
	*': published'*"${ours##*, }")
		echo "$host: published already"
		continue
		;;
	esac
	rsync -a --exclude=manifest.json "$from/" "$host:$from/"
	rsync -a "$from/manifest.json" "$host:$from/"
	ssh -o BatchMode=yes "$host" ditadd --publish -f /srv/ditkit/slapd-copy.conf
done
