# An interrupt ends an export also while the reader of a pipe is slow.
{
	printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n'
	printf 'description: %02000000d\n' 1
} >big.ldif
"$DITADD" -f slapd.conf -l big.ldif
mkfifo pipe
sleep 120 <pipe &
reader=$!
"$DITCAT" -f slapd.conf -l pipe &
pid=$!
# It has the pipe open: it then knows what signals are for.
until [ -n "$(find -L /proc/$pid/fd -samefile pipe 2>/dev/null)" ]; do
	kill -0 $pid || break
	sleep 0.02
done
sleep 0.3
kill -TERM $pid
wait $pid
echo "$?"
kill $reader
