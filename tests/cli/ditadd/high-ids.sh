# Entry IDs end at 4294967294. slapd gives higher ones, and serves such a database.
# with_id ID: the database, whose only entry has this ID (bytes as LMDB has them). mdb_load
# 0.9.31 gives no flags to the first database that it makes: all are there.
with_id() {
	rm -rf db
	mkdir db
	"$DITADD" -q -f slapd.conf -l /dev/null 2>/dev/null
	sed -e "s/^ 0100000000000000\$/ $1/" \
		-e "s/\(6578616d706c652c64633d636f6d00\|636f6d00\)0100000000000000/\1$1/" \
		dump | mdb_load db
	cp db/data.mdb old
}

# run NAME COMMAND...: its exit status, and whether the database is what it was
run() {
	echo "$1"
	shift
	"$@" 2>&1
	echo "status $?, $(cmp -s db/data.mdb old && echo as it was || echo changed)"
}

cat >one.ldif <<-LDIF
	dn: dc=example,dc=com
	objectClass: domain
	dc: example
LDIF
for i in 1 2; do
	printf 'dn: cn=p%s,dc=example,dc=com\nobjectClass: person\ncn: p%s\nsn: s\n\n' $i $i
done >two.ldif
"$DITADD" -q -f slapd.conf -l one.ldif
mdb_dump -a db | sed '/^db_pagesize=/d; /^duplicates=/d' >dump # mdb_load wants neither

with_id fcffffff00000000
run "two IDs left" "$DITADD" -q -f slapd.conf -l two.ldif
"$DITCAT" -f slapd.conf | grep -c '^dn:'
"$DITCHECK" -f slapd.conf

with_id fdffffff00000000
run "one ID left" "$DITADD" -q -f slapd.conf -l two.ldif
run "the keys" "$DITINDEX" -q -f slapd.conf objectClass

with_id 0000000001000000
run "no ID left" "$DITADD" -q -f slapd.conf -l two.ldif
run "no keys" "$DITINDEX" -q -f slapd.conf
run "no keys, -c" "$DITINDEX" -q -c -f slapd.conf
run "a check" "$DITCHECK" -f slapd.conf
"$DITCAT" -f slapd.conf | grep -c '^dn:'
