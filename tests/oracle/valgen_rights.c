/* SPDX-License-Identifier: BSD-2-Clause */
/* Values that say who may do what: authorization rules, with filters and URLs; ACIs. */
#include "oracle/valgen.h"

static void put_filter(struct gen *g, struct buf *b, unsigned depth)
{
	static const char *const attrs[] = {"cn",
	                                    "CN",
	                                    "commonName",
	                                    "sn",
	                                    "nosuch",
	                                    "uid",
	                                    "member",
	                                    "uidNumber",
	                                    "objectClass",
	                                    "2.5.4.3",
	                                    "cn;lang-en",
	                                    "mail",
	                                    "entryUUID",
	                                    "description",
	                                    "userPassword",
	                                    "telephoneNumber",
	                                    "c"};
	static const char *const kinds[] = {
		"=", "=", "=", ">=", "<=", "~=", ":=", ":caseExactMatch:=", ":dn:="};

	put(b, '(');
	if (depth < 3 && one_in(g, 3)) {
		put(b, PICK_CHAR(g, "&|!&"));
		for (size_t n = pick(g, 4); n > 0; n--) {
			put_filter(g, b, depth + 1);
		}
		put(b, ')');
		return;
	}
	put_str(b, PICK(g, attrs));
	put_str(b, PICK(g, kinds));
	switch (pick(g, 6)) {
	case 0:
		put(b, '*');
		break;
	case 1:
		put_ascii(g, b);
		put(b, '*');
		put_ascii(g, b);
		break;
	case 2:
		put_str(b, "A\\2a\\28b");
		break;
	case 3:
		put_str(b, "CN=Foo,DC=X");
		break;
	default:
		put_ascii(g, b);
		break;
	}
	put(b, ')');
}

static void put_url(struct gen *g, struct buf *b)
{
	static const char *const heads[] = {"ldap:///",    "LDAP:///",  "ldap://host/",
	                                    "ldaps:///",   "<ldap:///", "ldap://:389/",
	                                    "URL:ldap:///"};
	static const char *const scopes[] = {"",         "sub",      "SUB",
	                                     "one",      "base",     "subtree",
	                                     "onelevel", "children", "nosuch"};

	put_str(b, one_in(g, 3) ? PICK(g, heads) : "ldap:///");
	put_dn(g, b, pick(g, 3));
	put_str(b, one_in(g, 12) ? "?cn" : "?");
	put(b, '?');
	put_str(b, PICK(g, scopes));
	if (!one_in(g, 4)) {
		put(b, '?');
		put_filter(g, b, 0);
	}
	if (one_in(g, 10)) {
		put_str(b, "?x-ext");
	}
}

void make_authz(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"dn:",       "u:",        "*", "group",
	                                     ":",         "/",         "?", "%20",
	                                     "dn.exact:", "dn.regex:", NULL};
	static const char *const styles[] = {
		"dn:",       "dn.exact:",  "DN.Subtree:", "dn.children:", "dn.onelevel:",
		"dn.regex:", "dn.nosuch:", "dn",          "dn: "};
	static const char *const users[] = {
		"u:", "u.mech:", "u.mech/realm:", "U:", "u/realm:", "u"};
	static const char *const groups[] = {"group:",
	                                     "group/groupOfNames:",
	                                     "GROUP:",
	                                     "group/groupofnames/MEMBER:",
	                                     "group/2.5.6.9/member;lang-en:",
	                                     "group/nosuch/member:",
	                                     "group/person/nosuch:",
	                                     "group.exact/groupOfNames/member:",
	                                     "group/person/:",
	                                     "group//member:"};
	size_t from = b->n;

	switch (pick(g, 7)) {
	case 0:
		put_str(b, PICK(g, users));
		put_ascii(g, b);
		break;
	case 1:
		put_str(b, PICK(g, groups));
		put_dn(g, b, pick(g, 3));
		break;
	case 2:
		put_str(b, one_in(g, 2) ? "*" : "dn:*");
		break;
	case 3:
		put_url(g, b);
		break;
	case 4:
		put_dn(g, b, pick(g, 3));
		break;
	default:
		put_str(b, PICK(g, styles));
		put_dn(g, b, pick(g, 3));
		break;
	}
	maybe_mutate(g, b, from, tokens);
	/* After a NUL slapadd's forms have bytes from memory. */
	for (size_t i = from; i < b->n; i++) {
		b->data[i] = b->data[i] == '\0' ? 'n' : b->data[i];
	}
}

void make_aci(struct gen *g, struct buf *b)
{
	static const char *const tokens[] = {"#",    "entry", "children", "grant",
	                                     "deny", ";",     ",",        "[all]",
	                                     "r",    "self",  "public",   NULL};
	static const char *const scopes[] = {"entry", "children", "subtree",
	                                     "ENTRY", "Subtree",  "nosuch"};
	static const char *const rights[] = {
		"grant;r,s,c;[all]",
		"deny;w;[entry]",
		"grant;r;cn,sn",
		"grant;r,w;[children]",
		"GRANT;R;[All]",
		"grant;r,s,c;[all];w;cn",
		"grant;;cn",
		"grant;x;cn",
		"grant;w,r;CN,commonName",
		"grant;r;nosuch",
		"grant",
		"deny;0;[all]",
		"grant;r;[entry],cn",
		"grant;w;cn=foo",
		"grant;r;member.base=dc=x",
	};
	static const char *const subjects[] = {
		"access-id#",
		"subtree#",
		"onelevel#",
		"children#",
		"self#",
		"public#",
		"users#",
		"group#",
		"group/groupOfNames/member#",
		"role#",
		"role/organizationalRole#",
		"dnattr#",
		"set#",
		"set-ref#",
		"ACCESS-ID#",
		"nosuch#",
		"group/person/cn#",
		"GROUP/2.5.6.9/MEMBER#",
	};
	static const char *const attrs[] = {"member", "MEMBER", "cn", "nosuch",
	                                    "seeAlso"};
	size_t from = b->n;

	make_oid(g, b);
	put(b, '#');
	put_str(b, PICK(g, scopes));
	put(b, '#');
	put_str(b, PICK(g, rights));
	put(b, '#');
	put_str(b, PICK(g, subjects));
	switch (pick(g, 4)) {
	case 0:
		put_str(b, PICK(g, attrs));
		break;
	case 1:
		break;
	default:
		put_dn(g, b, pick(g, 3));
		break;
	}
	maybe_mutate(g, b, from, tokens);
	/* slapadd keeps the length of what stands after a NUL, and not its bytes. */
	for (size_t i = from; i < b->n; i++) {
		b->data[i] = b->data[i] == '\0' ? 'n' : b->data[i];
	}
}
