# A database for OpenLDAP 2.7: made, added to, not mixed with those of other releases.
for release in 2.7 2.7 2.6; do
	"$DITADD" --openldap=$release --stats -f slapd.conf -l "$DATA/ldif/bare.ldif" |
		sed -n '2p;s/.*data.mdb, [0-9.]* \([KM]iB, 5 entries\)$/\1/p'
	echo "$release: ${PIPESTATUS[0]}" >&2
done
printf 'dn: ou=more,dc=example,dc=com\nobjectClass: organizationalUnit\nou: more\n' |
	"$DITADD" --openldap=2.7 -q -f slapd.conf
"$DITCAT" --openldap=2.7 -f slapd.conf -a '(ou=more)' | grep '^dn: '
"$DITCHECK" --openldap=2.7 -f slapd.conf
rm db/data.mdb
"$DITADD" --openldap=2.6 -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITADD" --openldap=2.7 -f slapd.conf -l "$DATA/ldif/bare.ldif"
