# A change that is refused: all are refused, or it alone with -c; what is said of it, the exit
# status, and the file of --rejects.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
ann=uid=ann,ou=People,dc=example,dc=com
change() { # change NAME LINE...
	printf '# %s\n' "$1"
	printf '%s\n' "${@:2}" '' | "$DITMODIFY" -f slapd.conf
	echo "# status $?"
}
cp db/data.mdb old.mdb
{
	change 'missing parent' 'dn: cn=a,ou=no,dc=example,dc=com' 'changetype: add' 'objectClass: device' 'cn: a'
	change exists "dn: $ann" 'changetype: add' 'objectClass: account' 'uid: ann'
	change 'not there' 'dn: cn=none,dc=example,dc=com' 'changetype: delete'
	change 'not a leaf' 'dn: ou=People,dc=example,dc=com' 'changetype: delete'
	change 'value exists' "dn: $ann" 'changetype: modify' 'add: cn' 'cn: ANN'
	change 'no such value' "dn: $ann" 'changetype: modify' 'delete: cn' 'cn: Eve'
	change 'no such attribute' "dn: $ann" 'changetype: modify' 'delete: title'
	change 'undefined attribute' "dn: $ann" 'changetype: modify' 'replace: nonsense' 'nonsense: 1'
	change 'invalid value' "dn: $ann" 'changetype: modify' 'replace: uidNumber' 'uidNumber: one'
	change 'invalid second value' "dn: $ann" 'changetype: modify' 'add: seeAlso' 'seeAlso: cn=a' 'seeAlso: b'
	change 'naming value' "dn: $ann" 'changetype: modify' 'replace: uid' 'uid: eve'
	change 'single-valued' "dn: $ann" 'changetype: modify' 'add: uidNumber' 'uidNumber: 2'
	change 'required attribute' "dn: $ann" 'changetype: modify' 'delete: sn'
	change 'not allowed' "dn: $ann" 'changetype: modify' 'add: dc' 'dc: ann'
	change 'other structure' "dn: $ann" 'changetype: modify' 'replace: objectClass' 'objectClass: device'
	change 'below itself' 'dn: ou=People,dc=example,dc=com' 'changetype: modrdn' 'newrdn: ou=People' \
		'deleteoldrdn: 0' "newsuperior: $ann"
	change 'no DN' 'dn: nonsense' 'changetype: delete'
	change 'no changetype' "dn: $ann" 'changetype: improve'
	change 'no operation' "dn: $ann" 'changetype: modify' 'title: a'
	change 'damaged base64' "dn: $ann" 'replace: userPassword' 'userPassword:: YWJj!!!'
	change 'no newrdn' "dn: $ann" 'changetype: modrdn' 'deleteoldrdn: 1'
	change 'no blank line' "dn: $ann" 'changetype: modrdn' 'newrdn: uid=eve' 'deleteoldrdn: 1' \
		'newsuperior: dc=example,dc=com' "dn: $ann" 'changetype: delete'
	change 'no colon' "dn $ann" 'changetype: delete'
} 2>&1
cmp db/data.mdb old.mdb && echo unchanged
cat >some.ldif <<LDIF
dn: cn=none,dc=example,dc=com
changetype: delete

dn: $ann
changetype: modify
replace: title
title: kept

dn: uid=none,dc=example,dc=com
changetype: modify
delete: title

LDIF
"$DITMODIFY" -f slapd.conf some.ldif
echo "# without -c: status $?"
cmp db/data.mdb old.mdb && echo unchanged
"$DITMODIFY" --max-rejects 1 -d 0 -f slapd.conf some.ldif
echo "# --max-rejects 1: status $?"
cmp db/data.mdb old.mdb && echo unchanged
"$DITMODIFY" -c -f slapd.conf --rejects left.ldif some.ldif 2>/dev/null
echo "# --rejects: status $?"
cat left.ldif
"$DITCAT" -f slapd.conf | grep ^title
"$DITMODIFY" -c -d 0 -f slapd.conf some.ldif
echo "# -c: status $?"
sed -n '/^dn: uid=ann/,/^$/p' some.ldif | "$DITMODIFY" -c -f slapd.conf --rejects left.ldif
echo "# --rejects, none refused: status $?, $(wc -c <left.ldif) bytes"
mkdir below
sed "s,^database.*,&\nsuffix ou=below\,dc=example\,dc=com\nsubordinate\ndirectory $PWD/below\n&," \
	slapd.conf >glued.conf
printf 'dn: ou=below,dc=example,dc=com\nobjectClass: organizationalUnit\nou: below\n' >below.ldif
"$DITADD" -q -f glued.conf below.ldif
sed '1achangetype: delete' below.ldif | sed 2q >delete.ldif
"$DITMODIFY" -d 0 -f glued.conf delete.ldif
echo "# of a subordinate database: status $?"
"$DITMODIFY" -v -b ou=below,dc=example,dc=com -f glued.conf delete.ldif
flock db "$DITMODIFY" -f slapd.conf some.ldif 2>err
echo "# in use: status $?, $(sed 's/ by .*//' err)"
sed 's/^suffix .*/suffix ""/' slapd.conf >empty.conf
rm db/*
printf 'dn: dc=one\nobjectClass: domain\n\ndn: dc=two\nobjectClass: domain\n' | "$DITADD" -q -f empty.conf
"$DITMODIFY" -c -v -f empty.conf <<'LDIF'
dn: dc=one
changetype: modrdn
newrdn: dc=two
deleteoldrdn: 1

dn: dc=one
changetype: modrdn
newrdn: dc=three
deleteoldrdn: 1
newsuperior:
LDIF
echo "# topmost entries of the empty suffix: status $?"
printf 'dn: dc=two\nchangetype: modify\nadd: description\ndescription: x\n' >two.ldif
"$DITMODIFY" -w -f empty.conf two.ldif
echo "# -w, an empty suffix without an entry: status $?, $("$DITCAT" -f empty.conf | grep -c contextCSN)"
rm db/*
printf 'dn:\nobjectClass: device\ncn: root\n\ndn: dc=two\nobjectClass: domain\n' |
	"$DITADD" -q -f empty.conf
"$DITMODIFY" -w -f empty.conf two.ldif
echo "# -w, an empty suffix with its entry: status $?"
"$DITCHECK" -f empty.conf
"$DITCAT" -f empty.conf | sed -n '/^dn/p; s/^\(contextCSN\): .*Z/\1: TIME/p'
