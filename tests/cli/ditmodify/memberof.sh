# --memberof: memberships that a load without slapd has left out, or that are wrong.
{
	echo 'moduleload memberof'
	cat slapd.conf
	echo 'overlay memberof'
} >memberof.conf
cat >in.ldif <<'LDIF'
dn: dc=example,dc=com
objectClass: domain
dc: example

dn: cn=group,dc=example,dc=com
objectClass: groupOfNames
cn: group
member: uid=ann,dc=example,dc=com
member: uid=none,dc=example,dc=com

dn: uid=ann,dc=example,dc=com
objectClass: account
uid: ann

dn: uid=bob,dc=example,dc=com
objectClass: account
uid: bob
memberOf: cn=group,dc=example,dc=com
LDIF
"$DITADD" -q -f memberof.conf -l in.ldif
"$DITCHECK" -f memberof.conf
echo "# ditcheck: status $?"
"$DITCHECK" --overlays -f memberof.conf
echo "# --overlays: status $?"
"$DITMODIFY" -u --memberof -v -f memberof.conf
echo "# dry run: status $?"
"$DITMODIFY" --memberof -v -f memberof.conf
echo "# status $?"
"$DITCAT" -f memberof.conf | grep -E '^(dn|memberOf):'
"$DITCHECK" --overlays -f memberof.conf
"$DITADD" -q --replace -f memberof.conf -l in.ldif
"$DITMODIFY" --memberof --stats=stats.json -f memberof.conf
grep -o '"memberships_[a-z]*": [0-9]*' stats.json
"$DITMODIFY" --memberof --stats=stats.json -f memberof.conf
grep -o '"memberships_[a-z]*": [0-9]*' stats.json
"$DITMODIFY" --memberof -f slapd.conf
echo "# without the overlay: status $?"
"$DITMODIFY" --memberof -f memberof.conf -l in.ldif 2>&1 | head -1
# Entries of a load with -s have no structuralObjectClass, and get one. An entry that the schema
# does not allow stays; the others get their memberships.
cat >>in.ldif <<'LDIF'

dn: cn=other,dc=example,dc=com
objectClass: groupOfNames
cn: other
member: cn=carl,dc=example,dc=com

dn: cn=carl,dc=example,dc=com
objectClass: person
cn: carl
LDIF
"$DITADD" -s -q --replace -f memberof.conf -l in.ldif
"$DITMODIFY" --memberof -f memberof.conf
echo "# an entry without sn: status $?"
"$DITCAT" -f memberof.conf -a '(memberOf=*)' | grep -E '^(dn|memberOf):'
