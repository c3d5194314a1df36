# Every wrong call says what is wrong with it.
while read -r options; do
	# shellcheck disable=SC2086 # several words
	"$DITCAT" $options 2>err
	echo "$?: $(head -1 err | sed 's,.*/ditcat,ditcat,')"
done <<-'OPTIONS'
	-b dc=x -n 1
	-n x
	-T 0
	-T two
	-d foo
	-o foo=bar
	-o ldif-wrap=
	-o ldif-wrap=-1
	-o ldif-wrap=99999999999
	-o ldif_wrap=wide
	-H dc=x
	-H ldap://host/dc=x
	-q
	--nonsense
	extra
	--openldap 2.4
OPTIONS
# A long word is not echoed whole.
long=$(printf '%0100000d' 0)
for option in "-a($long" -bcn="$long" -d"x$long" -H"$long" -l"$long" -n"$long" -o"x$long" \
	-oldif-wrap="$long" "$long"; do
	"$DITCAT" -f slapd.conf "$option" 2>err
	[ "$(wc -c <err)" -lt 10000 ] || echo "${option:0:20}: $(wc -c <err) bytes"
done
