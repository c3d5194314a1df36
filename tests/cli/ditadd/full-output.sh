# If standard output cannot be written, each program says so and fails.
for tool in "$DITADD" "$DITCAT" "$DITCHECK" "$DITDIFF" "$DITINDEX" "$DITMODIFY" "$DITSPLIT"; do
	for option in --help --version; do
		"$tool" $option >/dev/full
		echo "${tool##*/} $option: $?"
	done
done
"$DITADD" --status -f slapd.conf >/dev/full
echo "ditadd --status: $?"
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/bare.ldif"
"$DITINDEX" --online -f slapd.conf >/dev/full
echo "ditindex --online: $?"
