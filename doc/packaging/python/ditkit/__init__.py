# SPDX-License-Identifier: BSD-2-Clause
"""ditkit from Python: load, iterate, check. Needs cffi and the headers of libditkit.

    import ditkit
    ditkit.load(conf='slapd.conf', input='people.ldif')
    for dn, attributes in ditkit.entries(conf='slapd.conf', filter='(sn=b*)'):
        print(dn, attributes.get('mail'))
    for finding in ditkit.check(conf='slapd.conf'):
        print(finding['kind'], finding['text'])

Options are the fields of the structs in dit_load(3), dit_entry_scan(3) and dit_check(3);
callbacks are left out. A failure is an Error, with what the library reports in words.

The declarations are read from the headers, so there is nothing here that can differ from
them, in /usr/local/include or /usr/include. DITKIT_INCLUDE names another directory,
DITKIT_LIBRARY another library.
"""
import os
import re

import cffi

_include = os.environ.get('DITKIT_INCLUDE') or next(
    (place for place in ('/usr/local/include', '/usr/include')
     if os.path.isdir(os.path.join(place, 'ditkit'))), '/usr/include')
_ffi = cffi.FFI()


def _read_header(name, done):
    """A header and those that it includes, as cffi reads them: without comments, macros
    and bodies of functions."""
    if name in done:
        return ''
    done.add(name)
    with open(os.path.join(_include, 'ditkit', name), encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
    others = re.findall(r'^#include <ditkit/(\w+\.h)>', text, flags=re.M)
    numbers = re.findall(r'^#define DIT_\w+ +\d+$', text, flags=re.M)
    text = re.sub(r'^#(.*\\\n)*.*$', '', text, flags=re.M)
    text = re.sub(r'^static inline [^;{]*\{.*?^\}', '', text, flags=re.M | re.S)
    return '\n'.join([_read_header(other, done) for other in others] + numbers +
                     [text.replace('DIT_PUBLIC ', '')])


_done = set()
_ffi.cdef('typedef int sig_atomic_t;' +
          ''.join(_read_header(name, _done)
                  for name in ('load.h', 'scan.h', 'check.h', 'version.h')))
_lib = _ffi.dlopen(os.environ.get('DITKIT_LIBRARY', 'libditkit.so.1'))
VERSION = _ffi.string(_lib.dit_version()).decode()


class Error(Exception):
    """A negative result: its code, and the reports that came before it."""

    def __init__(self, code, reports):
        words = _ffi.string(_lib.dit_strerror(code)).decode()
        super().__init__('\n'.join(reports) or words)
        self.code = code
        self.reports = reports


def _bytes(span):
    return bytes(_ffi.buffer(span.data, span.len)) if span.len else b''


def _text(pointer):
    return None if pointer == _ffi.NULL else _ffi.string(pointer).decode(errors='replace')


class _Options:
    """A struct of options, and the Python objects that it points to."""

    def __init__(self, kind, **values):
        self.kept = []
        self.reports = []
        self.struct = _ffi.new('struct dit_%s_opts *' % kind)
        self.struct.size = _ffi.sizeof(self.struct[0])
        self.struct.database = -1
        self.struct.report = self.callback('dit_report_fn', self.note_report)
        for name, value in values.items():
            setattr(self.struct, name, self.pointer(value))

    def callback(self, kind, function):
        return self.keep(_ffi.callback(kind, function))

    def note_report(self, _, report):
        self.reports.append(_text(report.text))

    def keep(self, value):
        self.kept.append(value)
        return value

    def pointer(self, value):
        if isinstance(value, (str, os.PathLike)):
            return self.keep(_ffi.new('char[]', os.fsencode(value)))
        if isinstance(value, (list, tuple)):
            return self.keep(_ffi.new('char *[]', [self.pointer(one) for one in value]))
        return value

    def expect(self, result):
        if result < 0:
            raise Error(result, self.reports)
        return result


def load(max_rejects=2**64 - 1, **values):
    """Load LDIF: all or nothing. Returns the number of entries."""
    options = _Options('load', max_rejects=max_rejects, **values)
    stats = _ffi.new('struct dit_load_stats *')
    try:
        options.expect(_lib.dit_load(options.struct, stats))
        return stats.nentries
    finally:
        _lib.dit_load_stats_deinit(stats)


def entries(attrs=(), wait_ms=10000, **values):
    """The DN of each entry, and its attributes: lists of bytes by description."""
    options = _Options('entry_scan', attrs=list(attrs), nattrs=len(attrs), threads=1,
                       wait_ms=wait_ms, **values)
    scan = _ffi.new('struct dit_entry_scan **')
    found = _ffi.new('const struct dit_entry_view **')
    options.expect(_lib.dit_entry_scan_open(scan, options.struct))
    try:
        while options.expect(_lib.dit_entry_scan_next(scan[0], 0, found)) > 0:
            entry = found[0]
            options.expect(entry.name_error)
            options.expect(entry.record_error)
            if not entry.is_hole:
                yield _bytes(entry.dn).decode(), {
                    _bytes(attr.name).decode():
                        [_bytes(value) for value in attr.values[0:attr.nvalues]]
                    for attr in entry.attrs[0:entry.nattrs]}
    finally:
        _lib.dit_entry_scan_close(scan[0])


def check(**values):
    """What is wrong with a database: a list of findings, empty if all is well."""
    options = _Options('check', **values)
    findings = []

    def found(_, finding):
        if not finding.is_note:
            findings.append({name: _text(getattr(finding, name)) for name in
                             ('file', 'kind', 'database', 'dn', 'attribute', 'text')})

    options.struct.found = options.callback('dit_check_found_fn', found)
    stats = _ffi.new('struct dit_check_stats *')
    try:
        options.expect(_lib.dit_check(options.struct, stats))
    finally:
        _lib.dit_check_stats_deinit(stats)
    return findings
