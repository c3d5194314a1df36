#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# One prepared database for a provider and two consumers: the consumers start from its
# contextCSN, and the provider sends no entry until one is changed. A consumer without the
# copy gets all entries.
entries=3000
. "$(dirname "$0")/machines_lib.sh"

# sent N: the provider has sent so many entries
sent() {
	[ "$(grep -c 'ENTRY dn="[^"]' "$work/n1.log")" -eq "$1" ]
}

# finds NODE FILTER
finds() {
	ldapsearch -x -LLL -H "ldap://$1" -b dc=example,dc=com "$2" 1.1 | grep -q ^dn:
}

# follows N: so many consumers have begun to search at the provider
follows() {
	[ "$(grep -c 'SRCH base="dc=example,dc=com"' "$work/n1.log")" -ge "$1" ]
}

make_input
mkdir -p "$work"/n4/a "$work"/n5/a "$work"/n6/a
start_sshd n4 n5 n6
check "split" /srv/ditkit/step.sh split 0/1
check "preparation" /srv/ditkit/step.sh prepare a
check "copies and their publication" printed Copies
check "publication" /srv/ditkit/step.sh publish a
for n in n4 n5; do
	check "the copy on $n is the original" cmp "$work/$n/a/data.mdb" /srv/ditkit/db/a/data.mdb
done

start_slapd n1 /srv/ditkit/slapd-a.conf
start_slapd n4 /srv/ditkit/slapd-copy.conf ssh n4
start_slapd n5 /srv/ditkit/slapd-copy.conf ssh n5
check "both consumers follow the provider" soon follows 2
check "no entry was sent to them" sent 0
check "an entry is added at the provider" ldapadd -x -H ldap://n1 -D cn=admin,dc=example,dc=com \
	-w secret <<-END
	dn: cn=new,ou=Groups,dc=example,dc=com
	objectClass: groupOfNames
	cn: new
	member: dc=example,dc=com
	END
check "n4 gets it" soon finds n4 cn=new
check "n5 gets it" soon finds n5 cn=new
check "two entries were sent, one to each" soon sent 2

start_slapd n6 /srv/ditkit/slapd-copy.conf ssh n6
check "a consumer that begins with nothing gets it, too" soon finds n6 cn=new
all=$(($(ditcat -f /srv/ditkit/slapd-a.conf | grep -c ^dn:) + 2))
check "all entries were sent to it" soon sent "$all"
echo "all entries, and two changes: $all"
finish
