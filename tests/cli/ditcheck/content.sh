# Findings of the content name entry and attribute; holes are notes; exit status 1.
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n' >in.ldif
printf 'dn: cn=Mavis,ou=lost,dc=example,dc=com\nobjectClass: person\ncn: Mavis\nsn: S\n\n' >>in.ldif
"$DITADD" -q -c -f slapd.conf -l in.ldif 2>/dev/null
"$DITCHECK" -f slapd.conf
echo $?
# A letter of a normal form, in the entry's record alone: of the second place.
at=$(grep -obaF "$(printf 'Mavis')" db/data.mdb | tail -1 | cut -d: -f1)
at=$(grep -obaF "$(printf 'mavis')" db/data.mdb | awk -F: -v at=$at '$1 > at - 100' | tail -1 | cut -d: -f1)
printf x | dd of=db/data.mdb bs=1 seek=$at conv=notrunc status=none
"$DITCHECK" -f slapd.conf --memory 16M --tmpdir . | sed 's/key [0-9a-f]*/key K/'
echo "${PIPESTATUS[0]}"
"$DITCHECK" -f slapd.conf --json | sed -n '/"findings"/,$p' | sed 's/key [0-9a-f]*/key K/' | head -20
