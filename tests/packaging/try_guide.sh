#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# For roots.sh, in a bare Debian whose /try holds the packages, guide.md, examples.awk and
# search_log.awk: the commands of the guide, one after the other, as they stand. Only
# systemctl is ours, since no systemd runs here. tests/manuals/examples.sh runs the same commands in a
# directory. It changes the system that it runs in.
set -u
cd /try || exit 1
[ ! -e /usr/sbin/ditadd ] && [ ! -e /usr/sbin/slapd ] || {
	echo 'try_guide.sh: this is no bare root' >&2
	exit 1
}
export PATH=/try/bin:$PATH
mkdir bin blocks
cat >bin/systemctl <<'END'
#!/bin/bash
case $* in
"stop slapd")
	[ -e /try/slapd.pid ] || exit 0
	kill "$(cat /try/slapd.pid)"
	for _ in {1..200}; do
		[ -e /try/slapd.pid ] || exit 0
		sleep 0.05
	done
	exit 1
	;;
"start slapd")
	mkdir -p /run/slapd
	chown openldap:openldap /run/slapd
	(
		/usr/sbin/slapd -u openldap -g openldap -F /etc/ldap/slapd.d -h ldapi:/// -d 0 &
		slapd=$!
		echo $slapd >/try/slapd.pid
		wait $slapd
		rm /try/slapd.pid
	) >/dev/null 2>&1 &
	for _ in {1..200}; do
		ldapsearch -x -H ldapi:/// -b "" -s base 1.1 >/dev/null 2>&1 && exit 0
		sleep 0.05
	done
	exit 1
	;;
"enable --now ditkit-export@1.timer")
	find /lib/systemd/system /usr/lib/systemd/system -name ditkit-export@.timer | grep -q .
	;;
"start ditkit-export@1")
	unit=$(find /lib/systemd/system/ /usr/lib/systemd/system/ -name ditkit-export@.service |
		head -n 1)
	$(sed -n 's/^ExecStart=//; T; s/%i/1/p' "$unit")
	;;
*) exit 1 ;;
esac
END
chmod +x bin/systemctl
trap 'systemctl stop slapd' EXIT

awk -v dir=blocks -f examples.awk guide.md || exit 1
normal='s/[0-9][0-9.]*/N/g; s/[[:space:]]\{1,\}/ /g; s/ $//'
nrun=0
skipped=no
for block in blocks/*; do
	case $block in
	*.same) [ $skipped = no ] || continue ;;
	# There is no second configuration or state here, and another rootdn.
	*.move | *.changed | *.copied)
		skipped=yes
		continue
		;;
	*) skipped=no ;;
	esac
	case $block in
	*.empty)
		systemctl stop slapd
		rm -f /var/lib/ldap/*.mdb
		;;
	*.logged) awk -f search_log.awk >/var/log/slapd.log ;;
	*.refused)
		printf '\ndn: ou=Bad,dc=harbour,dc=example\nobjectClass: nonsense\nou: Bad\n' \
			>>people.ldif
		;;
	esac
	nrun=$((nrun + 1))
	if ! grep -q '^[$#] ' "$block"; then
		bash -eu -o pipefail "$block" >out 2>&1 </dev/null || {
			sed 's/^/    | /' "$block"
			tail -n 20 out | sed 's/^/    > /'
			exit 1
		}
		continue
	fi
	# A session: each line that is printed below a command has to come.
	sed -n 's/^[$#] //p' "$block" >script
	bash script >out 2>&1 </dev/null
	sed "$normal" out >got
	grep -v '^[$#] ' "$block" | grep -v '^\.\.\.$' | sed "$normal" |
		while IFS= read -r line; do
			grep -qxF -- "$line" got || {
				echo "    not printed: $line"
				sed 's/^/    > /' out
				exit 1
			}
		done || exit 1
done
[ "$nrun" -ge 12 ] || {
	echo "try_guide.sh: $nrun examples" >&2
	exit 1
}
echo "the guide: $nrun examples"
