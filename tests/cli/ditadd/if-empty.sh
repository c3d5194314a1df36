# --if-empty loads into a database without entries, and leaves another one as it is.
try() {
	"$DITADD" --if-empty -f slapd.conf "$@" "$DATA/ldif/bare.ldif"
	echo "$1: $?"
}
try -u
ls db
try -v
cp db/data.mdb before
try -q
try -u
try --estimate
try --stats=stats.json
grep '"result"\|"exit_status"' stats.json
"$DITADD" --if-empty -d 0 -f slapd.conf "$DATA/ldif/bare.ldif"
echo "silent: $?"
"$DITADD" --if-empty -f slapd.conf missing.ldif
echo "no input: $?"
cmp before db/data.mdb
# A tree without an entry is empty, and so is a database that slapd has made.
rm db/*
"$DITADD" -f slapd.conf -l /dev/null
"$DITADD" --if-empty -f slapd.conf "$DATA/ldif/bare.ldif"
echo "filled: $?"
"$DITCAT" -f slapd.conf | grep -c ^dn:
