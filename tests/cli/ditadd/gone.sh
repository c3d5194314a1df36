# The file or its directory goes while the load waits for the rest of its input: the load
# says where the file is, and fails.
printf 'dn: ou=new,dc=example,dc=com\nobjectClass: organizationalUnit\nou: new\n' >more.ldif
mkfifo input

# load LDIF COMMAND: which runs as soon as the load has the file open; with --explain it is open
# before, too, for a look
load() {
	"$DITADD" --explain=no -f slapd.conf -l input &
	pid=$!
	exec 9>input
	while kill -0 $pid && ! readlink /proc/$pid/fd/* | grep -q 'data\.mdb$'; do
		sleep 0.01
	done
	eval "$2"
	cat "$1" >&9
	exec 9>&-
	wait $pid
	echo "$2: exit status $?"
}

load "$DATA/ldif/bare.ldif" 'mv db away'
ls -A away
rm -r away && mkdir db
load "$DATA/ldif/bare.ldif" 'true'
cp -r db saved
load more.ldif 'mv db/data.mdb old && cp old db/data.mdb'
load more.ldif 'rm db/data.mdb'
cmp saved/data.mdb old
