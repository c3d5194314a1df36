# SPDX-License-Identifier: BSD-2-Clause
# State number "state" of a directory that changes at random, as LDIF with entryUUIDs: the
# same for the same "seed". Between two states entries are added, deleted, renamed, moved,
# exchange their names, get other values, another case, another structural class, or another
# entryUUID.
#
#   awk -v seed=1 -v state=3 -f states.awk

function any(n) { return int(rand() * n) }
function pick(list,   words, n) {
	n = split(list, words, " ")
	return words[1 + any(n)]
}
function key(i) { return parent[i] "/" tolower(rdn[i]) }
function is_below(i, top) {
	while (i != 0 && i != top) {
		i = parent[i]
	}
	return i == top
}
function has_children(i,   j) {
	for (j = 1; j < n; j++) {
		if (alive[j] && parent[j] == i) {
			return 1
		}
	}
	return 0
}
function random_entry(   i) {
	i = any(n)
	return alive[i] ? i : 0
}
function new_rdn() { return pick("cn ou") "=" pick("a b c d A B Carl D\\2CE") }
# Give entry i a parent and a name, if no other has it.
function place(i, p, name,   old) {
	if (((p "/" tolower(name)) in taken) && taken[p "/" tolower(name)] != i) {
		return
	}
	delete taken[key(i)]
	parent[i] = p
	rdn[i] = name
	taken[key(i)] = i
}
function fill(i) {
	class[i] = rdn[i] ~ /^ou/ ? "organizationalUnit" : pick("person groupOfNames")
	nmembers[i] = 1 + any(6)
	first[i] = any(20)
	text[i] = pick("- Alpha ALPHA beta;gamma gamma;delta beta;Alpha;gamma w7w=")
	sn[i] = pick("x X y")
}
function add(   p, name) {
	p = random_entry()
	name = new_rdn()
	if ((p "/" tolower(name)) in taken) {
		return
	}
	alive[n] = 1
	parent[n] = p
	rdn[n] = name
	uuid[n] = ++nuuids
	taken[key(n)] = n
	fill(n)
	n++
}
function exchange(i, j,   name) {
	if (i == 0 || j == 0 || is_below(i, j) || is_below(j, i) ||
	    substr(rdn[i], 1, 2) != substr(rdn[j], 1, 2)) {
		return
	}
	delete taken[key(i)]
	delete taken[key(j)]
	name = parent[i] SUBSEP rdn[i]
	parent[i] = parent[j]
	rdn[i] = rdn[j]
	split(name, part, SUBSEP)
	parent[j] = part[1]
	rdn[j] = part[2]
	taken[key(i)] = i
	taken[key(j)] = j
}
function change(   i, what, p) {
	i = random_entry()
	what = any(10)
	if (what < 2) {
		add()
	} else if (i == 0) {
		return
	} else if (what == 2) {
		if (!has_children(i)) {
			alive[i] = 0
			delete taken[key(i)]
		}
	} else if (what == 3) {
		place(i, parent[i], substr(rdn[i], 1, 3) substr(new_rdn(), 4))
	} else if (what < 6) {
		p = random_entry()
		if (!is_below(p, i)) {
			place(i, p, rdn[i])
		}
	} else if (what == 6) {
		exchange(i, random_entry())
	} else if (what == 7) {
		text[i] = pick("- Alpha ALPHA beta;gamma gamma;delta beta;Alpha;gamma w7w=")
		first[i] = any(20)
		sn[i] = pick("x X y")
	} else if (what == 8) {
		uuid[i] = ++nuuids # deleted, and added again
		fill(i)
	} else if (rdn[i] !~ /\\/) {
		what = substr(rdn[i], 4)
		what = toupper(what) == what ? tolower(what) : toupper(what)
		place(i, parent[i], substr(rdn[i], 1, 3) what)
	}
}
function dn(i) { return i == 0 ? suffix : rdn[i] "," dn(parent[i]) }
function print_entry(i,   value, j, values, m) {
	value = substr(rdn[i], 4)
	gsub(/\\2[Cc]/, ",", value)
	printf "dn: %s\nobjectClass: %s\n%s: %s\n", dn(i), class[i], substr(rdn[i], 1, 2), value
	if (class[i] == "person") {
		print "sn: " sn[i]
	} else if (class[i] == "groupOfNames") {
		for (j = 0; j < nmembers[i]; j++) {
			print "member: cn=m" (first[i] + j) "," suffix
		}
	}
	m = split(text[i], values, ";")
	for (j = 1; j <= m; j++) {
		if (values[j] != "-") {
			print "description:" (values[j] ~ /=$/ ? ": " : " ") values[j]
		}
	}
	printf "entryUUID: 00000000-0000-4000-8000-%012d\n\n", uuid[i]
}
function print_below(top,   i) {
	for (i = 1; i < n; i++) {
		if (alive[i] && parent[i] == top) {
			print_entry(i)
			print_below(i)
		}
	}
}
BEGIN {
	srand(seed)
	suffix = "dc=example,dc=com"
	n = alive[0] = 1
	for (k = 0; k < 25; k++) {
		add()
	}
	for (s = 0; s < state; s++) {
		for (k = any(30); k >= 0; k--) {
			change()
		}
	}
	print "dn: " suffix "\nobjectClass: domain\ndc: example"
	print "entryUUID: 00000000-0000-4000-8000-000000000000\n"
	print_below(0)
}
