# An interrupt ends an export also while the reader of a pipe is slow.
{
	printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n'
	printf 'description: %0300000d\n' 1
} >big.ldif
"$DITADD" -f slapd.conf -l big.ldif
mkfifo pipe
sleep 5 <pipe &
reader=$!
"$DITCAT" -f slapd.conf -l pipe &
pid=$!
sleep 0.5
kill -TERM $pid
wait $pid
echo "$?"
kill $reader
