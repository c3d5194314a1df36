# Each wrong call says what is wrong, then the usage; exit status 1.
try() {
	"$DITINDEX" "$@" 2>&1 | head -1 | sed 's!^/.*/!!'
	"$DITINDEX" "$@" >/dev/null 2>&1
	echo "exit $?"
}
try --nothing
try -b dc=example,dc=com -n 1
try --index-keys=letters
try --memory 1
try --memory much
try -o nothing=1
try -T 0
