# A tool that waits for a load that has the database says so, and an interrupt ends it.
printf 'dn: dc=example,dc=com\nobjectClass: domain\ndc: example\n\n' >in.ldif
"$DITADD" --openldap=2.6 -q -f slapd.conf -l in.ldif
mkdir other
cp db/data.mdb other
mkfifo more
"$DITADD" --openldap=2.6 -q -f slapd.conf -l more &
loader=$!
exec 9>more
printf 'dn: cn=%s,dc=example,dc=com\nobjectClass: device\n\n' more >&9
until grep -q "OFDLCK .* WRITE .*:$(stat -c %i db/lock.mdb 2>/dev/null) " /proc/locks; do
	sleep 0.05
done
for tool in "$DITCHECK" "$DITCAT" "$DITDIFF other"; do
	rm -f said
	$tool --openldap=2.6 -f slapd.conf 2>said &
	pid=$!
	until grep -qs waiting said; do
		kill -0 $pid || break
		sleep 0.02
	done
	kill -TERM $pid
	for i in {1..100}; do
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL $pid 2>/dev/null && echo "it still waits"
	wait $pid
	echo "$?"
	sed 's/process [0-9]*/process N/' said >&2
done
exec 9>&-
wait $loader
