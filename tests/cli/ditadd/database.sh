# Another directory in place of the configured one, which stays as it is.
mkdir sub other
sed -i "/^database/i database mdb\nsuffix ou=people,dc=example,dc=com\nsubordinate\ndirectory $PWD/sub" slapd.conf
there=(-f slapd.conf --database other)
cat >changes.ldif <<'LDIF'
dn: uid=ann,ou=People,dc=example,dc=com
changetype: modrdn
newrdn: uid=anna
deleteoldrdn: 1
LDIF
"$DITADD" "${there[@]}" --estimate=json -l "$DATA/ldif/bare.ldif" | grep '"directory": "other"'
"$DITADD" "${there[@]}" -q -l "$DATA/ldif/bare.ldif"
"$DITCAT" "${there[@]}" | grep ^dn:
"$DITMODIFY" "${there[@]}" -l changes.ldif
"$DITCAT" "${there[@]}" -a '(uid=anna)' | grep ^dn:
"$DITCHECK" "${there[@]}"
ls -A db sub other
# Refused calls.
try() {
	"$@" -f slapd.conf
	echo "$?"
}
for tool in "$DITADD" "$DITCAT" "$DITMODIFY" "$DITCHECK"; do
	try "$tool" --database ''
done
try "$DITADD" -l "$DATA/ldif/bare.ldif" --database none
try "$DITCAT" --database none
try "$DITMODIFY" -l changes.ldif --database none
for option in --prepare --publish --abandon --status; do
	try "$DITADD" "$option" --database other
done
try "$DITCAT" -n 0 --database other -F db
