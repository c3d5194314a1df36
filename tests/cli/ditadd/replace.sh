# --replace: a new database in the place of another one, with all of its entries.
ditadd() {
	"$DITADD" "$@" 2>err
	local status=$?
	sed 's/[0-9-]*T[0-9]*:[0-9:]*Z/TIME/' err
	[ $status -eq 0 ] || echo "exit $status"
}
count() { "$DITCAT" -f slapd.conf | grep -c ^dn:; }
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n' >one.ldif
ditadd -f slapd.conf -l "$DATA/ldif/bare.ldif"
count
# A dry run and an estimate find no entry that is in the way; a load that fails changes nothing.
ditadd -f slapd.conf --replace -u -l one.ldif
ditadd -f slapd.conf --replace --estimate -l one.ldif >out
cp db/data.mdb before
printf '\ndn: cn=x,dc=example,dc=com\nobjectClass: nothing\n' | cat one.ldif - >bad.ldif
ditadd -f slapd.conf --replace -l bad.ldif
ditadd -f slapd.conf --replace -c -w -l bad.ldif --prepare
cmp before db/data.mdb
count
ditadd -f slapd.conf --publish
ditadd -f slapd.conf -w --publish --replace | sed 's/TIME/x/'
count
ditadd -f slapd.conf --replace -l "$DATA/ldif/bare.ldif"
count
ditadd -f slapd.conf --replace --if-empty -l one.ldif
# The writer of a pipe has failed, or no record can be stored: the entries stay. An empty
# file, whose name was given, makes an empty database.
for input in '' 'dn: dc=other'; do
	printf '%s\n' "$input" | ditadd -f slapd.conf -c --replace --prepare
	ditadd -f slapd.conf -c --replace -u -l <(printf '%s\n' "$input")
	count
done
ditadd -f slapd.conf --replace -l /dev/null
: >empty.ldif
ditadd -f slapd.conf --replace -l empty.ldif
count
# Somebody has it.
flock db "$DITADD" -f slapd.conf --replace -l one.ldif 2>err || sed 's/ by .*//' err
# The old file is of the other generation, or damaged.
ditadd -f slapd.conf --replace --openldap=2.7 -l one.ldif
printf damaged | dd of=db/data.mdb bs=1 seek=12 conv=notrunc status=none
ditadd -f slapd.conf --replace -l one.ldif
count
rm -r db/*
ditadd -f slapd.conf --openldap=2.7 -l "$DATA/ldif/bare.ldif"
ditadd -f slapd.conf --replace -l one.ldif
printf damaged | dd of=db/data.mdb bs=1 seek=100 conv=notrunc status=none
ditadd -f slapd.conf --openldap=2.7 --replace -l one.ldif
count
