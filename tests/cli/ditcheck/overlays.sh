# --overlays: references that dangle, and values that are not unique.
{
	printf 'moduleload refint\nmoduleload unique\nmoduleload memberof\n'
	cat slapd.conf
	printf 'overlay refint\nrefint_attributes manager uniqueMember\nrefint_nothing cn=nothing,dc=example,dc=com\n'
	printf 'overlay unique\nunique_uri ldap:///?uid,mail?sub?(objectClass=inetOrgPerson)\n'
	printf 'overlay memberof\nmemberof-dangling drop\n'
} >overlays.conf
person() {
	printf 'dn: uid=%s,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: %s\ncn: x\nsn: x\n' "$1" "$1"
	printf '%s\n' "${@:2}" ''
}
{
	printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n'
	person ann 'mail: a@example.com' 'manager: cn=nothing,dc=example,dc=com'
	person bob 'mail: b@example.com' 'mail: A@example.com' 'manager: uid=ann,dc=example,dc=com'
	person eve 'mail: b@example.com' 'manager: uid=none,dc=example,dc=com'
	printf 'dn: cn=g,dc=example,dc=com\nobjectClass: groupOfNames\ncn: g\n'
	printf 'member: uid=none,dc=example,dc=com\n\n'
	printf 'dn: cn=u,dc=example,dc=com\nobjectClass: groupOfUniqueNames\ncn: u\n'
	printf "uniqueMember: uid=ann,dc=example,dc=com#'01'B\n"
	printf "uniqueMember: uid=no,dc=example,dc=com#'01'B\n\n"
} >in.ldif
"$DITADD" -q -f overlays.conf -l in.ldif
"$DITCHECK" -f overlays.conf
echo "# status $?"
"$DITCHECK" --overlays -f overlays.conf
echo "# --overlays: status $?"
"$DITCHECK" --overlays --quick -f overlays.conf
echo "# --quick: status $?"
"$DITCHECK" --overlays -f slapd.conf
echo "# no overlays: status $?"
sed -i 's/^refint_attributes.*/refint_attributes nonsense/' overlays.conf
"$DITCHECK" -f overlays.conf
echo "# a wrong directive: status $?"
"$DITCHECK" --overlays -f overlays.conf
echo "# --overlays: status $?"
