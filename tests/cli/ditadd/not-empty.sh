# Entries that are there already are refused, and the database stays as it is; others are
# added.
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
cp db/data.mdb before
"$DITADD" -f slapd.conf -l "$DATA/ldif/bare.ldif"
echo $?
cmp before db/data.mdb && ls db
printf 'dn: cn=more,dc=example,dc=com\nobjectClass: device\ncn: more\n' |
	"$DITADD" -v -f slapd.conf
echo $?
