# A database for OpenLDAP 2.7: made, not added to, not mixed with those of other releases.
for release in 2.7 2.7 2.6; do
	"$DITADD" --openldap=$release --stats -f slapd.conf -l "$DATA/ldif/bare.ldif" |
		sed -n '2p;s/^[^ ]*data.mdb: //;s/ MiB.*//p'
	echo "$release: ${PIPESTATUS[0]}" >&2
done
"$DITCHECK" --quick --database db
rm db/data.mdb
"$DITADD" --openldap=2.6 -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITADD" --openldap=2.7 -f slapd.conf -l "$DATA/ldif/bare.ldif"
