# multival is set for a database that has entries. slapd loses the values that an entry has in
# excess of it when any attribute changes; here they are stored apart.
printf '%s\n' 'dn: dc=example,dc=com' 'objectClass: domain' 'dc: example' \
	'description: '{a,b,c,d} | "$DITADD" -f slapd.conf
echo 'multival description 3,1' >>slapd.conf
printf '%s\n' 'dn: dc=example,dc=com' 'changetype: modify' 'add: l' 'l: here' |
	"$DITMODIFY" -f slapd.conf
"$DITCAT" -f slapd.conf | grep '^d\|^l'
"$DITCHECK" -f slapd.conf
echo "# equal values, as ditadd -q stores them, go apart with their normal forms"
sed -i 's/^multival.*/multival description 4,1/' slapd.conf
printf '%s\n' 'dn: dc=example,dc=com' 'objectClass: domain' 'dc: example' \
	'description: '{C,B,A,b} | "$DITADD" -f slapd.conf -q --replace
printf '%s\n' 'dn: dc=example,dc=com' 'add: description' 'description: D' |
	"$DITMODIFY" -f slapd.conf
"$DITCAT" -f slapd.conf | grep '^desc'
"$DITCHECK" -f slapd.conf
