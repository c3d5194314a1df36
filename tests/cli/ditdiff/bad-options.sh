# Every wrong call says what is wrong with it, and ends with 2.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
mkdir empty
while read -r options; do
	# shellcheck disable=SC2086 # several words
	"$DITDIFF" -f slapd.conf $options 2>err
	echo "$?: $(head -1 err | sed "s,$PWD,DIR,g")"
done <<-'OPTIONS'

	-b dc=x -n 1 db
	-o foo=bar db
	-o ldif-wrap=1 db
	--attrs , db
	--attrs nonsense db empty
	-a (cn= db empty
	--subtree nonsense db empty
	--subtree= db db
	--exact --attrs cn db db
	--exact -a (cn=*) db db
	--memory 1K db
	db db
	db db/data.mdb
	- -
	db
	nowhere
	empty
	a b c
OPTIONS
