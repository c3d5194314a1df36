# An output that cannot be written is told, and the exit status is 1.
"$DITADD" -f slapd.conf -l "$DATA/ldif/operational.ldif"
for output in /nonexistent/x '' . /dev/full; do
	"$DITCAT" -f slapd.conf -l "$output"
	echo "$?"
done
"$DITCAT" -f slapd.conf >/dev/full
echo "$?"
# A reader that goes away. The export is larger than a pipe and a piece.
{
	cat "$DATA/ldif/operational.ldif"
	echo
	printf 'dn: cn=big,dc=example,dc=com\nobjectClass: person\ncn: big\nsn: b\n'
	printf 'description: %02000000d\n' 1
} >big.ldif
rm -rf db/*
"$DITADD" -c -f slapd.conf -l big.ldif
{
	"$DITCAT" -f slapd.conf
	echo "$?" >status
} | sleep 0.1
cat status
ls -A | tr '\n' ' '
