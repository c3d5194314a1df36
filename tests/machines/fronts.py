# SPDX-License-Identifier: BSD-2-Clause
"""fronts.py ONE FRONT [OTHER]: whether searches at two servers find the same entries, in any
order. A search whose text matches OTHER, a regular expression, may have another answer. The
entries' contextCSN is not compared: each shard has its own."""
import re
import sys

import ldap
from ldap.controls import SimplePagedResultsControl

BASE = 'dc=example,dc=com'
SCOPES = {'base': 0, 'one': 1, 'sub': 2, 'children': 3}


def pages(server, base, scope, text, attrs):
    """The entries, ten in a page."""
    cookie, found = b'', []
    while True:
        page = SimplePagedResultsControl(True, size=10, cookie=cookie)
        message = server.search_ext(base, scope, text, attrs, serverctrls=[page])
        _, entries, _, controls = server.result3(message)
        found += entries
        cookie = b''.join(c.cookie for c in controls if c.controlType == page.controlType)
        if not cookie:
            return found


def answer(url, base, scope, text, attrs, kind):
    """The result and what was found, sorted; of a limited search the number."""
    found, result = [], 'success'
    server = ldap.initialize(url)
    try:
        if kind == 'paged':
            found = pages(server, base, SCOPES[scope], text, attrs)
        else:
            message = server.search_ext(base, SCOPES[scope], text, attrs,
                                        sizelimit=3 if kind == 'limited' else 0)
            for _ in range(100000):
                entries = server.result(message, all=0)[1]
                if not entries:
                    break
                found += entries
    except ldap.LDAPError as error:
        result = error.args[0].get('desc')
    if kind == 'limited':
        return result, len(found)
    return result, sorted((dn, sorted((name, sorted(values)) for name, values in entry.items()
                                      if name != 'contextCSN')) for dn, entry in found if dn)


def searches(url):
    people = ldap.initialize(url).search_s('ou=People,' + BASE, ldap.SCOPE_ONELEVEL, '(uid=*)', ['1.1'])
    person = sorted(dn for dn, _ in people)[40]
    for base in (BASE, 'ou=People,' + BASE, 'ou=Groups,' + BASE, person,
                 'uid=nobody,ou=People,' + BASE, 'ou=Nothing,' + BASE):
        for scope in SCOPES:
            yield base, scope, '(objectClass=*)', ['*', '+'], ''
            yield base, scope, '(sn=Smith)', None, ''
            yield base, scope, f'(member={person})', ['cn'], ''
            yield base, scope, '(&(cn=*a*)(!(mail=*7@example.com)))', ['cn', 'mail'], ''
            yield base, scope, '(|(uid=*7)(objectClass=organizationalUnit))', ['1.1'], ''
            yield base, scope, '(title=*)', ['1.1'], ''
            yield base, scope, '(sn=S*)', ['1.1'], 'paged'
            yield base, scope, '(sn=J*)', ['1.1'], 'limited'


def main(one, front, other=''):
    count = {'same': 0, 'other': 0, 'wrong': 0}
    nfound = 0
    for search in searches(one):
        base, scope, text, attrs, kind = search
        line = f'{base} {scope} {text} {" ".join(attrs or [])} {kind}'.strip()
        left, right = answer(one, *search), answer(front, *search)
        nfound += len(left[1]) if isinstance(left[1], list) else left[1]
        if left == right:
            count['same'] += 1
        elif other and re.fullmatch(other, line):
            count['other'] += 1
        else:
            count['wrong'] += 1
            print(f'another answer: {line}: {left[0]}, {right[0]}')
    print(f'{sum(count.values())} searches, {nfound} entries: {count["same"]} answers are the '
          f'same, {count["other"]} others are known, {count["wrong"]} are not')
    return count['wrong'] > 0 or count['same'] == 0 or nfound == 0


sys.exit(main(*sys.argv[1:]))
