# A subordinate database without the one that it belongs to, next to another one.
. "${0%/*}/../orphan_site.sh"
"$DITCAT" -f slapd.conf
