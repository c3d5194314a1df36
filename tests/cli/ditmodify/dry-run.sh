# -u, or --dry-run, checks each change and makes none. -q and value-check change nothing; schema-check=no is -s.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
cp db/data.mdb old.mdb
cat >changes.ldif <<'LDIF'
dn: cn=a,dc=example,dc=com
changetype: add
objectClass: device
cn: a
title: not of a device

dn: cn=a,dc=example,dc=com
changetype: delete

LDIF
"$DITMODIFY" --dry-run -f slapd.conf changes.ldif
echo "$?"
for options in -s '-o schema-check=no' '-q -o value-check=yes -s'; do
	# shellcheck disable=SC2086 # several words
	"$DITMODIFY" -u -v $options -f slapd.conf changes.ldif
	echo "$options: $?"
done
cmp db/data.mdb old.mdb && echo unchanged
"$DITMODIFY" -s -v -f slapd.conf changes.ldif
echo "$?"
