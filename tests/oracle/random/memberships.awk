# SPDX-License-Identifier: BSD-2-Clause
#
# Random databases with overlays, and entries for them.
#
#	awk -v seed=N -v n=8 -v part=conf -v release=2.6 -f memberships.awk    slapd.conf, N databases
#	awk -v seed=N -v number=I -v part=ldif -f memberships.awk              LDIF of database I
#
# part=sorted: the same LDIF, groups last, whose members are users; so order makes no
# difference to memberships.
# part=spoilt: the same LDIF, with values of memberOf that are right or wrong.

function rand_of(m)
{
	return int(rand() * m)
}

function one_of(list, word, m)
{
	m = split(list, word, " ")
	return word[1 + rand_of(m)]
}

# The choices of database i depend on the seed and on i alone.
function choose(i)
{
	srand(seed * 1000 + i)
	rand()
	ninstances = 1 + (rand_of(3) == 0)
	dangling[1] = one_of("- ignore drop drop error")
	dangling[2] = one_of("- ignore drop")
	swapped = rand_of(2)
	shared = rand_of(2)
	dn[1] = rand_of(3) == 0
	dn[2] = rand_of(2) == 0
	has_lastmod = rand_of(6) > 0
	has_unique = rand_of(3) == 0
	has_refint = rand_of(3) == 0
	addcheck = release != "2.5" && rand_of(3) == 0
	scope = one_of("sub one")
}

function overlay(k, i)
{
	print "overlay memberof"
	if (dangling[k] != "-") {
		print "memberof-dangling " dangling[k]
	}
	if (dn[k]) {
		print "memberof-dn cn=Overlay" k ",dc=m" i
	}
	if (k == 2) {
		print "memberof-group-oc groupOfUniqueNames\nmemberof-member-ad uniqueMember"
		if (!shared) {
			print "memberof-memberof-ad seeAlso"
		}
	} else if (addcheck) {
		print "memberof-addcheck true"
	}
}

function conf(i)
{
	print "include @SCHEMA@/core.schema\ninclude @SCHEMA@/cosine.schema"
	print "include @SCHEMA@/inetorgperson.schema\nmodulepath /usr/lib/ldap"
	print "moduleload back_mdb\nmoduleload memberof\nmoduleload refint\nmoduleload unique"
	print "attributeoptions x-\nsizelimit unlimited"
	for (i = 1; i <= n; i++) {
		choose(i)
		print "database mdb\nsuffix dc=m" i "\nrootdn cn=Admin,dc=m" i
		print "rootpw secret\ndirectory @DB@-" i "\nmaxsize 16777216\nenvflags nosync"
		print "index member,memberOf eq\nindex modifiersName,seeAlso eq,pres"
		if (!has_lastmod) {
			print "lastmod off"
		}
		if (has_refint) {
			print "overlay refint\nrefint_attributes member manager"
		}
		if (ninstances == 2 && swapped) {
			overlay(2, i)
		}
		overlay(1, i)
		if (ninstances == 2 && !swapped) {
			overlay(2, i)
		}
		if (has_unique) {
			print "overlay unique\nunique_uri ldap:///?mail,audio?" scope
		}
	}
}

function case_of(name)
{
	return rand_of(8) == 0 ? toupper(name) : name
}

# A name that may be in the database; "@" stands for the suffix, spelt in one of two ways.
function any_name(k)
{
	k = rand_of(24)
	if (k == 0) {
		return "cn=nobody" rand_of(3) ",@"
	}
	if (k == 1) {
		return "cn=Admin,@"
	}
	return k < 14 ? "uid=" case_of("u" rand_of(nusers)) ",@" \
		: k < 16 ? "uid=c" rand_of(4) ",ou=p,@" : "cn=" case_of("g" rand_of(ngroups)) ",@"
}

function members(attr, k, name, seen)
{
	delete seen
	for (k = 1 + rand_of(6); k > 0; k--) {
		name = any_name()
		if (!(tolower(name) in seen)) {
			seen[tolower(name)] = 1
			text = text attr (rand_of(9) == 0 && attr == "member" ? ";x-a" : "") ": " name "\n"
		}
	}
}

function add(dn_text, is_group)
{
	entry[++nentries] = "dn: " dn_text "\n" text "\n"
	gsub(/@x/, "#x", entry[nentries])
	gsub(/@/, "dc=" (rand_of(12) == 0 && part != "sorted" && !addcheck ? "M" : "m") number, entry[nentries])
	group[nentries] = is_group
}

function make_user(k)
{
	text = "objectClass: inetOrgPerson\nuid: u" k "\ncn: u" k "\nsn: u\n"
	if (rand_of(3) == 0) {
		text = text "mail" (rand_of(4) == 0 ? ";x-a" : "") ": m" rand_of(nusers) "@x.org\n"
	}
	if (rand_of(4) == 0) {
		text = text "audio: x\n"
	}
	if (rand_of(4) == 0) {
		text = text "manager: " any_name() "\n"
	}
	if (addcheck && rand_of(8) == 0) {
		text = text "objectClass: extensibleObject\nmember: " any_name() "\n"
	}
	if (part != "sorted" && rand_of(5) == 0) {
		text = text "seeAlso: " any_name() "\n"
	}
	add("uid=u" k ",@", 0)
}

function make_group(k, is_unique)
{
	is_unique = rand_of(3) == 0
	text = "objectClass: " (is_unique ? "groupOfUniqueNames" : "groupOfNames") "\ncn: g" k "\n"
	members(is_unique ? "uniqueMember" : "member")
	if (rand_of(8) == 0) {
		text = text "objectClass: extensibleObject\n"
		members(is_unique ? "member" : "uniqueMember")
	}
	if (rand_of(5) == 0) {
		text = text "owner: " any_name() "\n"
	}
	add("cn=g" k ",@", 1)
}

function shuffle(k, other, t)
{
	for (k = nentries; k > 1; k--) {
		other = 1 + rand_of(k)
		t = entry[k]; entry[k] = entry[other]; entry[other] = t
		t = group[k]; group[k] = group[other]; group[other] = t
	}
}

# Groups and users that may or may not be members, or no entries at all.
function spoil(out, k)
{
	for (k = 1 + rand_of(3); k > 0; k--) {
		out = out "memberOf: cn=g" rand_of(ngroups) k ",dc=m" number "\n"
	}
	return out
}

function ldif(k)
{
	choose(number)
	srand(seed * 1000 + number + 500)
	rand()
	nusers = 6 + rand_of(20)
	ngroups = 2 + rand_of(10)
	for (k = 0; k < nusers; k++) {
		make_user(k)
	}
	for (k = 0; k < ngroups; k++) {
		make_group(k)
	}
	for (k = 0; k < 4; k++) {
		text = "objectClass: account\nuid: c" k "\n"
		if (rand_of(2) == 0) {
			text = text "objectClass: extensibleObject\nmail: m" rand_of(nusers) "@x.org\n"
		}
		add("uid=c" k ",ou=p,@", 0)
	}
	shuffle()
	print "dn: dc=m" number "\nobjectClass: domain\ndc: m" number "\n"
	print "dn: ou=p,dc=m" number "\nobjectClass: organizationalUnit\nou: p\n"
	for (k = 1; k <= nentries; k++) {
		if (!(part == "sorted" && group[k])) {
			show(entry[k], group[k])
		}
	}
	for (k = 1; k <= nentries && part == "sorted"; k++) {
		if (group[k]) {
			show(entry[k], group[k])
		}
	}
}

function show(text, is_group)
{
	if (part == "spoilt" && rand_of(2) == 0) {
		sub(/\n\n$/, "\n" spoil() "\n", text)
	}
	if (part == "sorted") {
		gsub(/\n(member|member;x-a|uniqueMember): cn=[^\n]*/, "", text)
		if (!is_group) {
			gsub(/\nmember: [^\n]*/, "", text)
		}
	}
	gsub(/#x/, "@x", text)
	printf "%s", text
}

BEGIN {
	if (part == "conf") {
		conf()
	} else {
		ldif()
	}
}
