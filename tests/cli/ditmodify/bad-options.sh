# Every wrong call says what is wrong with it, and ends with 1 before the input is read.
mkdir empty
while read -r options; do
	# shellcheck disable=SC2086 # several words
	"$DITMODIFY" -f slapd.conf $options 2>err </dev/null
	echo "$?: $(head -1 err | sed "s,^.*/ditmodify:,ditmodify:,")"
done <<-'OPTIONS'
	-b dc=example,dc=com -n 1
	-o foo=bar
	-o schema-check=perhaps
	-o remove-sids=1
	-S 4096
	-j x
	-n x
	-T 0
	-d nonsense
	-l
	-t
	--prepare
	--memory 1K
	--max-record x
	--max-rejects x
	--openldap 2.4
	--progress sometimes
	--memberof -
	empty
	--rejects /nonexistent/rejects
	--stats=/nonexistent/stats
OPTIONS
