#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# The image of Containerfile as an OCI layout, without a daemon: mmdebstrap makes the root of
# this machine's Debian, and umoci packs it. As root.
#
#   oci_image.sh IMAGE PACKAGE      IMAGE is made; PACKAGE: ditkit_*.deb
set -eu
[ $# -eq 2 ] || {
	echo "usage: oci_image.sh IMAGE PACKAGE" >&2
	exit 2
}
here=$(cd "${0%/*}" && pwd)
examples=$here/../../examples
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
root=$(mktemp -d "${TMPDIR:-/tmp}/ditkit-image-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
mmdebstrap --variant=minbase --format=directory --customize-hook="copy-in '$2' \
	'$examples/slapd.conf' '$examples/first-start.sh' '$here/container_setup.sh' /tmp" \
	--customize-hook='chroot "$1" sh /tmp/container_setup.sh' "$suite" "$root/root"
umoci init --layout "$1"
umoci new --image "$1:latest"
umoci insert --image "$1:latest" "$root/root" /
umoci config --image "$1:latest" --config.volume /var/lib/ldap --config.exposedports 389/tcp \
	--config.entrypoint first-start.sh --config.entrypoint /ldif
