# LDIF packed by gzip, zstd, xz and bzip2 is read, whatever the file's name is.
"$DITADD" -q -f slapd.conf -l "$DATA/ldif/operational.ldif"
"$DITCAT" -f slapd.conf >plain
rm -r db/*
head -40 plain | sed '/^$/q' >first
tail -n +"$(($(wc -l <first) + 1))" plain >second
for tool in gzip zstd xz bzip2; do
	$tool -c <plain >whole 2>/dev/null
	($tool -c <first && $tool -c <second) >parts 2>/dev/null
	for threads in 1 2; do
		for file in whole parts; do
			"$DITADD" -T $threads -f slapd.conf -l $file
			"$DITCAT" -f slapd.conf | cmp - plain && echo "$tool, $threads, $file"
			rm db/*
			"$DITADD" -T $threads -f slapd.conf <$file
			"$DITCAT" -f slapd.conf | cmp - plain && echo "of stdin"
			rm db/*
			# shellcheck disable=SC2002 # a pipe is meant
			cat $file | "$DITADD" -T $threads -f slapd.conf -l -
			"$DITCAT" -f slapd.conf | cmp - plain && echo "of a pipe"
			rm db/*
		done
	done
done
(gzip -c first && bzip2 -c second) >mixed
"$DITADD" -f slapd.conf -l mixed
"$DITCAT" -f slapd.conf | cmp - plain && echo "mixed"
