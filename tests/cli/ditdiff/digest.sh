# A digest takes the place of a state: equal states have one digest, whatever their IDs and
# indexes; entries that differ are named. contextCSN does not count.
person=$'objectClass: person\nsn: Roe'
entries() { # entries DESCRIPTION LAST
	printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n%s\n\n' "$3"
	for ou in a b; do
		printf 'dn: ou=%s,dc=example,dc=com\nobjectClass: organizationalUnit\nou: %s\n\n' $ou $ou
	done
	for ((i = 1; i <= $2; i++)); do
		printf 'dn: cn=%d,ou=a,dc=example,dc=com\n%s\ncn: %d\n' "$i" "$person" "$i"
		printf 'entryUUID: 00000000-0000-4000-8000-%012d\n' "$i"
		[ "$i" -ne 7 ] || printf 'description: %s\ndescription: two\n' "$1"
		echo
	done
}
csn='contextCSN: 20260101000000.000000Z#000000#001#000000'
printf 'lastmod off\n' >>slapd.conf
grep -v '^index' slapd.conf | sed 's,/db$,/second,' >second.conf
mkdir second
entries one 99 "$csn" >first.ldif
awk 'BEGIN { RS = ""; ORS = "\n\n" } { r[NR] = $0 }
	END { print r[1]; print r[3]; print r[2]; for (i = NR; i > 3; i--) print r[i] }' first.ldif |
	sed "/^contextCSN/s/2026/2027/" >turned.ldif
"$DITADD" -q -f slapd.conf -l first.ldif
"$DITADD" -q -f second.conf -l turned.ldif
"$DITDIFF" -f slapd.conf --digest >first.json
"$DITDIFF" -f slapd.conf -T 3 --digest db | cmp - first.json
"$DITDIFF" -f slapd.conf --digest first.ldif | cmp - first.json
sed '/"version"/d; /"buckets"/,$d' first.json
"$DITDIFF" -f second.conf first.json
echo "# equal: $?"
"$DITDIFF" -f slapd.conf --digest | "$DITDIFF" -f second.conf - | head -n 1
"$DITDIFF" -f second.conf <("$DITDIFF" -f slapd.conf --digest) | head -n 1
"$DITDIFF" -f second.conf - <first.json | head -n 1
"$DITDIFF" -f second.conf - - <first.json

"$DITADD" -q -f second.conf --replace -l <(entries One 100 "$csn")
"$DITDIFF" -f second.conf first.json
echo "# one entry has changed, one is new: $?"
"$DITDIFF" -f second.conf --digest >second.json
"$DITDIFF" -f slapd.conf second.json db
"$DITDIFF" -f slapd.conf --json second.json db | grep -v version
"$DITDIFF" -f slapd.conf first.json second.json
echo "# two files: $?"
"$DITDIFF" -f slapd.conf --subtree ou=b,dc=example,dc=com --digest >below.json
"$DITDIFF" -f second.conf --subtree ou=b,dc=example,dc=com below.json

for text in '{' '{}' '{ "format": 1 }' \
	'{ "format": 1, "contextCSN": [], "digest": "zz", "buckets": [], "subtrees": [] }'; do
	echo "$text" >wrong.json
	"$DITDIFF" -f slapd.conf wrong.json
done
sed 's/"buckets": \[/&[1, "0", "0"],/' first.json >wrong.json
"$DITDIFF" -f slapd.conf wrong.json
sed 's/"[0-9a-f]\{16\}"/"nonsense"/' first.json >wrong.json
"$DITDIFF" -f slapd.conf wrong.json
sed 's/"dn": .*,/"dn": 1,/' first.json >wrong.json
"$DITDIFF" -f slapd.conf wrong.json
for wrong in 's/"entries": /&-/' 's/"entries": [0-9]*/"entries": null/' 's/"subtrees"/"none"/' 's/^   [0-9]/   -1/'; do
	sed "$wrong" first.json >wrong.json
	"$DITDIFF" -f slapd.conf wrong.json
done
echo "# wrong: $?"
"$DITDIFF" -f slapd.conf --digest db second
"$DITDIFF" -f slapd.conf --digest --summary
"$DITDIFF" -f slapd.conf --digest --attrs cn
"$DITDIFF" -f slapd.conf --digest first.json
echo "# --reverse is for two states"
"$DITDIFF" -f slapd.conf --digest --reverse second | diff - second.json && echo "# the same"
echo "# a DN makes no lines of its own"
"$DITADD" -q -f second.conf --replace <<'LDIF'
dn: dc=example,dc=com
objectClass: domain
dc: example

dn: ou=a\0Aequal\099\C2\9B,dc=example,dc=com
objectClass: organizationalUnit
ou:: YQplcXVhbAk5wps=

dn: cn=b,ou=a\0Aequal\099\C2\9B,dc=example,dc=com
objectClass: device
cn: b
LDIF
"$DITDIFF" -f slapd.conf --digest first.ldif >first.json
"$DITDIFF" -f second.conf first.json
"$DITDIFF" -f slapd.conf --digest second >second.json
"$DITDIFF" -f slapd.conf first.json second.json
"$DITDIFF" -f slapd.conf --summary db second | grep -A 1 'below ou=a'
