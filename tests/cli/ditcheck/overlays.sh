# --overlays: references that dangle, values that are not unique, URLs that are none.
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
sed -i 's/^refint_attributes.*/refint_attributes manager/' overlays.conf
{
	printf 'objectclass ( 1.1.1 NAME %s SUP top STRUCTURAL MUST cn MAY labeledURI )\n' "'urls'"
	printf 'moduleload dynlist\n'
	cat slapd.conf
	printf 'overlay dynlist\ndynlist-attrset urls labeledURI member\n'
	printf 'dynlist-attrset urls ldap:///??sub?(cn=b) labeledURI mail:mail\n'
	printf 'dynlist-attrset groupOfNames labeledURI\n'
} >dynlist.conf
for name in a b; do
	printf 'dn: cn=%s,dc=example,dc=com\nobjectClass: urls\ncn: %s\n' $name $name
	printf 'labeledURI: ldap:///dc=example,dc=com?%s?sub?(cn=a)\n' '' mail
	printf 'labeledURI: ldap://host/dc=example,dc=com??sub?(cn=a)\n\n'
done >lists.ldif
"$DITADD" -q -f dynlist.conf -l lists.ldif
"$DITCHECK" --strict -f dynlist.conf
echo "# without: status $?"
"$DITCHECK" --overlays -f dynlist.conf
echo "# dynlist: status $?"
"$DITCHECK" --overlays --json -f dynlist.conf | sed -n '/"dynlists"/,/^  }/p'
