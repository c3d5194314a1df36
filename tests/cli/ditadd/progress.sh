# The display while a load runs. A short run shows nothing by itself.
for how in '' 0 -1 often 86401; do
	"$DITADD" --progress "$how" -f slapd.conf 2>&1 | head -1
done
cat >one.ldif <<-LDIF
	dn: dc=example,dc=com
	objectClass: dcObject
	objectClass: organization
	dc: example
	o: x
LDIF
load() {
	rm -rf db/*
	"$DITADD" -q -f slapd.conf "$@" || echo "status $?"
}
load -l one.ldif && echo "quiet by itself"
load -l one.ldif --progress=lines && echo "no line in a short run"
load -l one.ldif --progress=none && echo "none"

echo "JSON: each phase, and the end"
load -l one.ldif --progress=json 2>err
sed -n 's/^{"phase":"\([a-z ]*\)",.*"threads":[0-9]*}$/\1/p' err
[ "$(wc -l <err)" = 5 ] || cat err

echo "a signal asks for a line, whatever is shown"
mkfifo pipe
for how in none lines bar json; do
	rm -rf db/*
	"$DITADD" -q -f slapd.conf --progress=$how <pipe 2>err &
	pid=$!
	exec 3>pipe
	cat one.ldif >&3
	for _ in {1..400}; do
		[ -e db/ditkit-staging ] && break
		sleep 0.05
	done
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		kill -USR1 $pid
		sleep 0.2
		grep -q '^ditadd: entries' err || grep -q '"phase":"entries".*"total":0' err && break
	done
	exec 3>&-
	wait $pid
	echo "$how: status $?, $(tr '\r' '\n' <err | grep -c '^ditadd: entries\|"phase":"entries"' |
		sed 's/^[1-9][0-9]*$/told/')"
done

echo "a line every second, and a bar"
rm -rf db/*
{ sleep 1.5; cat one.ldif; } | "$DITADD" -q -f slapd.conf --progress=1 2>err
sed -n 's/entries.*/entries .../; /^ditadd: \(entries\|done\)/p' err | sort -u
load -l one.ldif --progress=bar 2>&1 | tr '\r' '\n' | sed -n '$s/ .* \([0-9]*%\).*/ \1/p'
"$DITINDEX" -q -f slapd.conf --progress=json 2>&1 | sed 's/",.*//; s/.*"//'
"$DITCAT" -f slapd.conf --progress=json -l out.ldif 2>&1 | sed 's/",.*//; s/.*"//'
"$DITCHECK" -f slapd.conf --progress=json 2>&1 >out | sed 's/",.*//; s/.*"//'
