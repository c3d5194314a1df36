# Somebody cuts the file while it is exported: the mapped pages are gone.
{
	printf 'dn: dc=example,dc=com\nobjectClass: dcObject\nobjectClass: organization\n'
	printf 'dc: example\no: x\n'
	for i in $(seq 4000); do
		printf '\ndn: cn=%d,dc=example,dc=com\nobjectClass: device\ncn: %d\n' $i $i
		printf 'description: %0900d\n' $i
	done
} >in.ldif
"$DITADD" -q -f slapd.conf -l in.ldif
mkfifo pipe
"$DITCAT" -T 1 -f slapd.conf >pipe &
exec 3<pipe
head -c 1000 <&3 | head -n 1
truncate -s 8192 db/data.mdb
cat <&3 >/dev/null
wait $!
echo $?
