# No result is written over a file of a database.
printf '%s\n' 'dn: dc=example,dc=com' 'objectClass: domain' 'dc: example' '' 'dn: cn=a' >in.ldif
"$DITADD" -q -f slapd.conf -c -d 0 -l in.ldif 2>/dev/null
cp db/data.mdb before
try() {
	"$@"
	echo "$?"
	cmp before db/data.mdb
}
try "$DITADD" -c -f slapd.conf --rejects db/data.mdb -l in.ldif
try "$DITADD" -f slapd.conf --stats=db/lock.mdb -l in.ldif
try "$DITCAT" -f slapd.conf -l db/data.mdb
try "$DITCHECK" -f slapd.conf --stats --report db/data.mdb
# Nor where the load is going to make it.
rm db/*
for file in db/data.mdb db/lock.mdb; do
	"$DITADD" -c -f slapd.conf --rejects $file -l in.ldif
	"$DITADD" -c -f slapd.conf --report=$file -l in.ldif
done
ls db
