# Features that ditkit leaves to others are refused by name.
cp slapd.conf base.conf
try() {
	"$DITADD" -f slapd.conf -l /dev/null "$@"
	echo "$*: $?"
}
# with PLACE LINE...: global, or at the end of the database
with() {
	local place=$1
	shift
	{
		[ "$place" != global ] || printf '%s\n' "$@"
		cat base.conf
		[ "$place" = global ] || printf '%s\n' "$@"
	} >slapd.conf
}

# The config database of a slapd.conf.
try -n 0
# Other back ends.
with database 'database ldif' 'suffix "dc=y"' 'directory .'
try -n 2
try -n 2 -u
try -b dc=y
# Encryption, other page sizes.
for directive in 'crypto x' 'passphrase x' 'dbpagesize 8192'; do
	with database "$directive"
	try
done
# Component matching.
with database 'index cn component'
try
with global "attributetype ( 1.2.3.4 NAME 'x' EQUALITY componentFilterMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )"
try
ls -A db
