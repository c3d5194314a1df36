# "version: 1", "changetype: add" and controls, as other servers write them; what is no
# addition is refused, and in the reject file as it came.
input=$DATA/ldif/change-records.ldif
"$DITADD" -c -v -f slapd.conf --rejects rejects.ldif -l "$input"
cat rejects.ldif
echo "--- $(slapcat -f slapd.conf | grep -c ^dn:) entries"
echo "--- from line 15 on" >&2
"$DITADD" -c -u -v --openldap=2.5 -j 15 -f slapd.conf -l "$input"
echo "--- from an included file" >&2
printf 'version: 1\ninclude: file://%s\n' "$input" >outer.ldif
"$DITADD" -c -u -v --openldap=2.5 -f slapd.conf -l outer.ldif
echo "--- strict" >&2
"$DITADD" -c -u --strict -f slapd.conf -l "$input"
echo "--- of an attribute with that name" >&2
sed "s/^database/attributetype ( 1.2.3.4 NAME 'version' SUP name )\n\
attributetype ( 1.2.3.5 NAME 'changetype' SUP name )\n&/" slapd.conf >own.conf
printf 'dn: cn=x,dc=example,dc=com\nchangetype: modify\nobjectClass: device\n' |
	sed 's/device/&\nobjectClass: extensibleObject/; 1s/^/version: 1\n/' >own.ldif
"$DITADD" -u -v --openldap=2.5 -f own.conf -l own.ldif
