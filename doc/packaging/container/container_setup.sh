#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# For Containerfile and oci_image.sh, in the root of the image: slapd and ditkit, without a
# directory. /tmp has the package, slapd.conf and first-start.sh.
set -eu
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
	slapd ldap-utils /tmp/ditkit_*.deb
rm -rf /etc/ldap/slapd.d /var/lib/ldap/*.mdb /var/lib/apt/lists/*
sed 's,^directory.*,directory /var/lib/ldap,' /tmp/slapd.conf >/etc/ldap/slapd.conf
install /tmp/first-start.sh /usr/local/sbin/
mkdir /ldif
rm -f /tmp/*
