# --memberof and --unique: memberships in the order of the input, what is refused, and when
# they cannot be made.
overlays() { # overlays FILE LINE...
	{
		echo 'moduleload memberof'
		echo 'moduleload unique'
		cat slapd.conf
		printf '%s\n' "${@:2}"
	} >"$1"
}
overlays memberof.conf 'overlay memberof'
overlays error.conf 'overlay memberof' 'memberof-dangling error'
overlays drop.conf 'overlay memberof' 'memberof-dangling drop'
overlays twice.conf 'overlay memberof' 'memberof-dangling drop' \
	'overlay memberof' 'memberof-dangling drop' 'memberof-memberof-ad seeAlso'
overlays unique.conf 'overlay unique' 'unique_uri ldap:///?mail?sub'
overlays wrong.conf 'overlay memberof' 'memberof-group-oc nothing'
person() {
	printf 'dn: uid=%s,dc=example,dc=com\nobjectClass: inetOrgPerson\nuid: %s\ncn: x\nsn: x\n' "$1" "$1"
	printf '%s\n' "${@:2}" ''
}
group() {
	printf 'dn: cn=%s,dc=example,dc=com\nobjectClass: groupOfNames\ncn: %s\n' "$1" "$1"
	printf 'member: uid=%s,dc=example,dc=com\n' "${@:2}"
	echo
}
{
	printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n'
	person ann 'mail: a@example.com'
	group early ann bob
	person bob 'mail: b@example.com' 'memberOf: cn=none,dc=example,dc=com'
	group late ann bob none
	person eve 'mail: A@example.com'
} >in.ldif
load() { # load CONF OPTION...
	rm -rf db
	mkdir db
	"$DITADD" -q -f "$@" 2>&1
	echo "# $*: status $?"
}
memberships() {
	"$DITCAT" -f memberof.conf | grep -E '^(dn|member|memberOf|modifiersName):'
}
load memberof.conf --memberof -l in.ldif
memberships
load memberof.conf --memberof <in.ldif
memberships | cksum
load memberof.conf -T 1 --memberof -l in.ldif
memberships | cksum
{
	cat in.ldif
	person joe 'memberOf: cn=none,dc=example,dc=com' 'title: x' 'memberOf: cn=nor,dc=example,dc=com' \
		'title: y' 'memberOf: cn=own,dc=example,dc=com'
	group own joe
	group other joe
} >blocks.ldif
load memberof.conf --memberof -l blocks.ldif
"$DITCAT" -f memberof.conf -a '(uid=joe)' | grep -Ei '^(title|memberof|sn):'
load memberof.conf -l blocks.ldif
"$DITMODIFY" --memberof -f memberof.conf
"$DITCAT" -f memberof.conf -a '(uid=joe)' | grep -Ei '^(title|memberof|sn):'
"$DITCHECK" --overlays -f memberof.conf
overlays user.conf \
	"attributetype ( 1.2.840.113556.1.8000.1 NAME 'oneGroup' SUP distinguishedName SINGLE-VALUE )" \
	'overlay memberof' 'memberof-memberof-ad seeAlso' \
	'overlay memberof' 'memberof-memberof-ad oneGroup' 'memberof-member-ad member;lang-a'
{
	cat in.ldif
	person joe 'seeAlso: cn=own,dc=example,dc=com' 'seeAlso: cn=none,dc=example,dc=com' 'title: x'
	person kim | sed 's/^objectClass.*/&\nobjectClass: extensibleObject/'
	group own joe kim | sed 's/^member:/member;lang-a;lang-b:/'
	group other joe kim | sed 's/^member:/member;lang-c:/'
	group more joe kim | sed 's/^member:/member;lang-b;lang-a:/'
} >user.ldif
load user.conf --memberof -l user.ldif
"$DITCAT" -f user.conf -a '(|(uid=joe)(uid=kim))' | grep -Ei '^(uid|title|seealso|onegroup|modifiersName):'
load drop.conf --memberof -l in.ldif
memberships | grep -c '^member:'
load twice.conf --memberof -l in.ldif
memberships | grep '^member:'
{
	cat in.ldif
	printf 'dn: c=DE,dc=example,dc=com\nobjectClass: country\nc: DE\n\n'
	group abroad bob | sed 's/uid=bob/c=DE/'
} >country.ldif
load twice.conf --memberof --stats=stats.json -l country.ldif
grep -o '"memberships_added": [0-9]*' stats.json
"$DITCAT" -f twice.conf | grep -Ec '^(memberOf|seeAlso):'
load error.conf --memberof -l in.ldif
ls db
load error.conf --memberof -c --rejects left.ldif -l in.ldif
grep -v '^#' left.ldif | grep ^dn
load unique.conf --unique -l in.ldif
ls db
load unique.conf --unique -c --rejects left.ldif -l in.ldif
load unique.conf --unique -u -l in.ldif
load slapd.conf --memberof -l in.ldif
load slapd.conf --unique -l in.ldif
load wrong.conf --memberof -l in.ldif
# shellcheck disable=SC2002 # a pipe is what is tried
cat in.ldif | load memberof.conf --memberof
load memberof.conf -l in.ldif
"$DITADD" -q -f memberof.conf --memberof -l in.ldif
echo "# again: status $?"
mkdir below
sed "s,^database.*,&\nsuffix ou=below\,dc=example\,dc=com\nsubordinate\ndirectory $PWD/below\n&," \
	memberof.conf >glued.conf
load glued.conf --memberof -l in.ldif
