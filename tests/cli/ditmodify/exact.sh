# Exact changes lead from one state to another one, with all that slapd makes itself. They are
# made in the state that they are for, and lead on from each other.
shown() { # shown FILE: without times, and what depends on them
	sed '/^replace: modifyTimestamp/,/^-/d; s/[0-9a-f]\{32\}/DIGEST/; s/^# made: .*/# made: .../; s/[0-9]\{14\}[.0-9]*Z/TIME/g; s/^entryUUID: .*/entryUUID: .../' "$1"
}
mkdir one two
"$DITADD" -q -w -f slapd.conf -l "$DATA/ldif/bare.ldif"
cp db/data.mdb one
"$DITMODIFY" -w -f slapd.conf <<'LDIF'
dn: uid=ann,ou=People,dc=example,dc=com
changetype: modrdn
newrdn: uid=anna
deleteoldrdn: 1
newsuperior: dc=example,dc=com

dn: ou=new,dc=example,dc=com
changetype: add
objectClass: organizationalUnit
LDIF
cp db/data.mdb two
"$DITMODIFY" -w -f slapd.conf <<'LDIF'
dn: uid=anna,dc=example,dc=com
changetype: modify
replace: description
description: three
LDIF
"$DITDIFF" -f slapd.conf --exact one two >1.ldif
"$DITDIFF" -f slapd.conf --exact two db >2.ldif
shown 1.ldif
shown 2.ldif
hidden() { sed 's/[0-9a-f]\{32\}/DIGEST/g'; }
echo "# a header alone"
{ sed '/^dn/,$d' 1.ldif; echo '# end of changes'; cat 2.ldif; } >missing.ldif
"$DITMODIFY" -f slapd.conf -u --database one --exact missing.ldif 2>&1 | hidden
echo "# a part of the changes, alone and before others"
sed '/^dn: ou=new/,$d' 1.ldif >part.ldif
"$DITMODIFY" -f slapd.conf --database one --exact part.ldif 2>&1
"$DITMODIFY" -f slapd.conf --database one --exact part.ldif 2.ldif 2>&1 | hidden
"$DITMODIFY" -f slapd.conf -u --database one --exact --force part.ldif && echo "# with --force: 0"
"$DITDIFF" -f slapd.conf one two | grep -v '^# end' | "$DITMODIFY" -f slapd.conf --database one 2>&1
echo "# both, to the state that the database has; then they are for another one"
"$DITMODIFY" -f slapd.conf --database one --exact 1.ldif 2.ldif
"$DITDIFF" -f slapd.conf --exact one >3.ldif
echo "# status $?: $(wc -l <3.ldif) lines"
"$DITCHECK" -f slapd.conf --database one | sed "s,$PWD,DIR,"
digest=$(sed -n 's/^# after: //p' 2.ldif)
"$DITDIFF" -f slapd.conf --digest one | grep -c "$digest"
"$DITMODIFY" -f slapd.conf --database one --exact 1.ldif 2>&1 | hidden
"$DITMODIFY" -f slapd.conf --database two --exact 2.ldif 1.ldif 2>&1 | hidden
echo "# a gap, and back over it"
"$DITDIFF" -f slapd.conf --exact --reverse two db >back.ldif
"$DITMODIFY" -f slapd.conf --database one --exact back.ldif
"$DITDIFF" -f slapd.conf --exact one two >3.ldif
echo "# status $?"
echo "# other changes come before; they are not for --exact, and changes with attributes of slapd's are"
printf 'dn: ou=new,dc=example,dc=com\nchangetype: delete\n\n' | cat - 2.ldif >mixed.ldif
"$DITMODIFY" -f slapd.conf --database two --exact mixed.ldif 2>&1 | hidden
"$DITMODIFY" -f slapd.conf --database two --exact --force mixed.ldif
"$DITMODIFY" -f slapd.conf --database one 2.ldif 2>&1 | hidden
echo "# other changes come between two exact ones"
printf 'dn: ou=new,dc=example,dc=com\nchangetype: delete\n' >other.ldif
{ echo '# ditdiff changes 1'; cat other.ldif; echo '# end of changes'; } >plain.ldif
for file in other plain; do
	"$DITMODIFY" -f slapd.conf -u --database one --exact 2.ldif $file.ldif back.ldif 2>&1 | hidden
done
"$DITMODIFY" -f slapd.conf -u --database one --exact 2.ldif back.ldif && echo "# without them: 0"
echo "# without --exact the state is looked at as well"
grep -v '^[a-z].*CSN\|^modify\|^replace: [em]' 1.ldif >plain.ldif
"$DITMODIFY" -f slapd.conf -u --database db plain.ldif 2>&1 | hidden
"$DITDIFF" -f slapd.conf --exact --attrs cn one two
"$DITDIFF" -f slapd.conf --exact --subtree ou=People,dc=example,dc=com one two
echo "# headers: CRLF, after a folded comment"
sed 's/$/\r/' 1.ldif >crlf.ldif
{ printf '# a comment\n that goes on\n'; cat 1.ldif; } >folded.ldif
for file in crlf folded; do
	"$DITMODIFY" -f slapd.conf -u --exact $file.ldif 2>&1 | hidden
done
echo "# entries below one that has become a referral, an alias or a subentry"
mkdir three
for class in referral alias subentry; do
	"$DITADD" -f slapd.conf -q -s --exact -d 0 --database three --replace <<-LDIF
		dn: dc=example,dc=com
		objectClass: domain
		dc: example

		dn: ou=new,dc=example,dc=com
		objectClass: $class
		objectClass: extensibleObject
		ou: new

		dn: cn=new,ou=new,dc=example,dc=com
		objectClass: device
		cn: new
	LDIF
	"$DITDIFF" -f slapd.conf --exact one three >4.ldif
	"$DITMODIFY" -f slapd.conf --exact --database one 4.ldif
	"$DITDIFF" -f slapd.conf --exact one three >5.ldif
	echo "# $class: status $?"
done
echo "# in the middle of a change an entry has too many values for one so long"
echo 'multival description 2,1' >>slapd.conf
long=$(printf '%0600d' 0)
state() { # state DIRECTORY OU DESCRIPTION...
	mkdir "$1"
	{
		printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n'
		printf 'dn: %s,dc=example,dc=com\nobjectClass: organizationalUnit\n' "$2"
		printf 'entryUUID: 00000000-0000-4000-8000-000000000001\nou: a\n'
		printf 'description: %s\n' "${@:3}"
	} | "$DITADD" -f slapd.conf -q --exact -d 0 --database "$1"
}
state four ou=a "$long" x
state five description=b "$long" b
"$DITDIFF" -f slapd.conf --exact four five >6.ldif
"$DITMODIFY" -f slapd.conf --exact --database four 6.ldif
"$DITDIFF" -f slapd.conf --exact four five >7.ldif
echo "# status $?"
echo "# values that are equal, as a load stores them"
sed -i '/^multival/d' slapd.conf
i=0
for values in 'x' 'X x y' 'x y' 'y X' 'X x X'; do
	# shellcheck disable=SC2086
	state "equal-$((i += 1))" ou=a $values
	[ $i -gt 1 ] || continue
	"$DITDIFF" -f slapd.conf --exact equal-$((i - 1)) equal-$i >8.ldif
	"$DITMODIFY" -f slapd.conf --exact --database equal-$((i - 1)) 8.ldif
	"$DITDIFF" -f slapd.conf --exact equal-$((i - 1)) equal-$i >9.ldif
	echo "# status $?"
done
echo "# LDIF of entries that the schema does not allow, and that lack what a load adds"
printf 'dn: dc=example,dc=com\nobjectClass: dcObject\ndc: example\n' >bare.ldif
mkdir bare
"$DITADD" -f slapd.conf -q -s --exact --database bare bare.ldif
"$DITDIFF" -f slapd.conf --exact bare bare.ldif >10.ldif
echo "# status $?"
echo "# entries without the values of their names move, and get other names"
names() { # names DIRECTORY DN...: entries that have no more than a class
	mkdir "$1"
	{
		printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n'
		for dn in "${@:2}"; do # an empty one: no entry with that entryUUID
			n=$((n + 1))
			[ -n "$dn" ] || continue
			printf 'dn: %s,dc=example,dc=com\nobjectClass: organizationalUnit\n' "$dn"
			printf 'entryUUID: 00000000-0000-4000-8000-%012d\n\n' $n
		done
	} | "$DITADD" -f slapd.conf -q -s --exact -d 0 --database "$1"
	n=0
}
names six ou=a ou=b cn=c+sn=e
names seven ou=a ou=b,ou=a ou=c
"$DITDIFF" -f slapd.conf --exact six seven >11.ldif
"$DITMODIFY" -f slapd.conf --exact --database six 11.ldif
"$DITDIFF" -f slapd.conf --exact six seven >12.ldif
echo "# status $?"
names eight ou=a ou=b cn=c+sn=e
"$DITDIFF" -f slapd.conf --exact six eight >13.ldif
"$DITMODIFY" -f slapd.conf --exact --database six 13.ldif
"$DITDIFF" -f slapd.conf --exact six eight >14.ldif
echo "# status $?"
echo "# two entries exchange their names"
names nine ou=a cn=b
names ten cn=b ou=a
"$DITDIFF" -f slapd.conf --exact nine ten >15.ldif
"$DITMODIFY" -f slapd.conf --exact --database nine 15.ldif
"$DITDIFF" -f slapd.conf --exact nine ten >16.ldif
echo "# status $?"
echo "# an entry below a hole becomes another one, and one is added"
names eleven cn=a,ou=hole ou=b 2>/dev/null
names twelve ou=b cn=a,ou=hole cn=c,ou=hole 2>/dev/null
"$DITDIFF" -f slapd.conf --exact eleven twelve >17.ldif
"$DITMODIFY" -f slapd.conf --exact --database eleven 17.ldif
"$DITDIFF" -f slapd.conf --exact eleven twelve >18.ldif
echo "# status $?"
"$DITCHECK" -f slapd.conf --database eleven | grep -o 'name-.*\|hole.*\|[0-9]* findings.*'
echo "# holes go with the last entry below them"
names thirteen ou=a cn=c,cn=hole,cn=hole,ou=a cn=d,cn=hole,ou=a ou=e,cn=kept cn=f,cn=kept 2>/dev/null
names fourteen '' '' cn=d '' cn=f,cn=kept 2>/dev/null
"$DITDIFF" -f slapd.conf --exact thirteen fourteen >19.ldif
"$DITMODIFY" -f slapd.conf --exact --database thirteen 19.ldif
"$DITDIFF" -f slapd.conf --exact thirteen fourteen >20.ldif
echo "# status $?"
"$DITCHECK" -f slapd.conf --database thirteen | grep -o 'dn2i.*\|[^ ]*: hole.*\|[0-9]* findings.*'
"$DITCHECK" -f slapd.conf --database thirteen --stats | grep -o '^id2e.*'
echo "# an entry that has another value than its name gets a name"
state fifteen ou=b x
state sixteen ou=c x
"$DITDIFF" -f slapd.conf --exact fifteen sixteen >21.ldif
"$DITMODIFY" -f slapd.conf --exact --database fifteen 21.ldif
"$DITDIFF" -f slapd.conf --exact fifteen sixteen >22.ldif
echo "# status $?"
