# SPDX-License-Identifier: BSD-2-Clause
"""ditkit from Python: load, iterate, export, change, compare and check directories.

    >>> import ditkit
    >>> ditkit.load(conf='slapd.conf', input='people.ldif')['nentries']
    24
    >>> for dn, attributes in ditkit.entries(conf='slapd.conf', filter='(uid=mb*)'):
    ...     print(dn, attributes['telephoneNumber'])
    uid=mbrandt,ou=People,dc=harbour,dc=example [b'+49 40 5550 101']
    >>> ditkit.check(conf='slapd.conf')
    []
    >>> ditkit.load(conf='slapd.conf', input='missing.ldif')
    Traceback (most recent call last):
    ditkit.Error: missing.ldif: No such file or directory

Options are the fields of the structs in dit_load(3), dit_entry_scan(3), dit_export(3),
dit_modify(3), dit_diff(3) and dit_check(3), but for callbacks other than these two;
results are the numbers of the other structs there. Other threads of Python run meanwhile.

    str, bytes, a path    a text; str is UTF-8
    list of these         an array, and its number of elements
    int, bool             a number
    report=function       gets each report of the library, a line for people
    progress=function     gets the numbers of struct dit_progress some times a second

Errors: Error. An exception that a function of yours raises ends the work soon, and so
does Ctrl-C. It is raised again when the work has ended. Its __cause__ is then an Error if
nothing was changed, and None if all was done already.

Memory: what you get is Python's own copy. A function releases what the library allocated
before it returns; entries() when the generator ends, is closed, or nobody refers to it.
"""
import collections
import errno
import os
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Tuple

from ditkit._libditkit import ffi as _ffi

_lib = _ffi.dlopen('libditkit.so.1')
VERSION: str = _ffi.string(_lib.dit_version()).decode()
Numbers = Dict[str, int]
Attributes = Dict[str, List[bytes]]

# The macros DIT_..._OPTS_INIT assign these; in all of them database is -1.
_INITIAL: Dict[str, Dict[str, Any]] = {
    'entry_scan': {'wait_ms': 10000}, 'export': {'wrap': 78},
    'load': {'max_rejects': 2**64 - 1}, 'modify': {'max_rejects': 2**64 - 1}}


class Error(Exception):
    """A negative result: its code, the code's name ('DIT_E_BUSY', 'ENOENT'; '' for one of
    LMDB's), and the last reports that came before it."""

    def __init__(self, code: int, reports: List[str]) -> None:
        super().__init__(code, reports)  # which pickle uses
        self.code = code
        self.name: str = _ffi.typeof('enum dit_error').elements.get(
            code, errno.errorcode.get(-code, ''))
        self.reports = reports

    def __str__(self) -> str:
        words: str = _ffi.string(_lib.dit_strerror(self.code)).decode()
        return '\n'.join(self.reports) or words


class Finding(NamedTuple):
    """What is wrong, and where: see ditcheck(8)."""
    kind: str
    text: str
    file: str
    database: Optional[str]
    dn: Optional[str]
    attribute: Optional[str]


def _bytes(span: Any) -> bytes:
    return bytes(_ffi.buffer(span.data, span.len)) if span.len else b''


def _name(span: Any) -> str:
    return _bytes(span).decode(errors='surrogateescape')


def _text(pointer: Any) -> Any:
    return None if pointer == _ffi.NULL else _ffi.string(pointer).decode(errors='replace')


def _numbers(struct: Any) -> Numbers:
    return {name: getattr(struct, name) for name, field in _ffi.typeof(struct).item.fields
            if field.type.kind in ('primitive', 'enum')}


class _Options:
    """A struct of options, and the Python objects that it points to."""

    def __init__(self, kind: str, values: Dict[str, Any]) -> None:
        self.kept: List[Any] = []
        self.reports: collections.deque[str] = collections.deque(maxlen=100)
        self.failure: Optional[BaseException] = None
        self.struct = _ffi.new(f'struct dit_{kind}_opts *')
        self.struct.size = _ffi.sizeof(self.struct[0])
        self.fields = dict(_ffi.typeof(self.struct).item.fields)
        self.stop = self.struct.stop = self.keep(_ffi.new('sig_atomic_t *'))
        values = {'database': -1, **_INITIAL.get(kind, {}), **values}
        report = values.pop('report', None) or bool  # which takes anything
        progress = values.pop('progress', None) or bool

        def note_report(_: Any, told: Any) -> None:
            self.reports.append(_text(told.text))
            report(self.reports[-1])

        def note_progress(_: Any, now: Any) -> None:
            progress(_numbers(now))

        self.struct.report = self.callback('dit_report_fn', note_report)
        if 'progress' in self.fields:  # always, since Python looks for Ctrl-C there
            self.struct.progress = self.callback('dit_progress_fn', note_progress)
        for name, value in values.items():
            if name not in self.fields or name[:1] == 'n' and name[1:] in self.fields:
                raise TypeError(f'there is no option {name}')
            is_array = self.fields[name].type.cname.endswith((' * *', ']'))
            if value is not None and is_array != isinstance(value, (list, tuple)):
                raise TypeError(f'{name} takes {"a" if is_array else "no"} list')
            if is_array and value is not None:
                if 'n' + name in self.fields:
                    setattr(self.struct, 'n' + name, len(value))
                value = [self.pointer(one) for one in value]
                if self.fields[name].type.kind != 'array':
                    value = self.keep(_ffi.new('char *[]', value))
            setattr(self.struct, name, self.pointer(value))
        digests = values.get('digests') if kind == 'load' else None
        if digests is not None and len(digests) != (self.struct.ninputs or 1):
            raise TypeError('digests has another length than inputs')

    def pointer(self, value: Any) -> Any:
        if isinstance(value, str):
            value = value.encode(errors='surrogateescape')
        elif isinstance(value, os.PathLike):
            value = os.fsencode(value)
        if isinstance(value, bytes):
            if 0 in value:
                raise ValueError('a text with a null byte')
            return self.keep(_ffi.new('char[]', value))
        return _ffi.NULL if value is None else value

    def callback(self, kind: str, function: Any, failed: Any = None) -> Any:
        def raised(_: Any, exception: BaseException, __: Any) -> None:
            self.failure = self.failure or exception
            self.stop[0] = 1

        return self.keep(_ffi.callback(kind, function, failed, raised))

    def keep(self, value: Any) -> Any:
        self.kept.append(value)
        return value

    def expect(self, result: int) -> int:
        error = Error(result, list(self.reports)) if result < 0 else None
        if self.failure:
            raise self.failure from error
        if error:
            raise error
        return result

    def run(self, verb: str, *arguments: Any) -> Numbers:
        stats = _ffi.new(f'struct dit_{verb}_stats *')
        try:
            self.expect(getattr(_lib, 'dit_' + verb)(self.struct, *arguments, stats))
            return _numbers(stats)
        finally:
            if verb == 'load':
                _lib.dit_load_scratch_remove(stats)
            if verb != 'export':  # which allocates nothing
                getattr(_lib, f'dit_{verb}_stats_deinit')(stats)


def load(**options: Any) -> Numbers:
    """Load LDIF, all or nothing."""
    return _Options('load', options).run('load')


def modify(**options: Any) -> Numbers:
    """Make LDIF changes, all or none."""
    return _Options('modify', options).run('modify')


def export(**options: Any) -> Numbers:
    """Write a file of LDIF, or of JSON lines; it appears when it is complete."""
    return _Options('export', options).run('export')


def diff(write: Callable[[bytes], Any] = bool, **options: Any) -> Numbers:
    """Count what differs between two states; write gets the LDIF changes in pieces."""
    state = _Options('diff', options)

    def take(_: Any, data: Any, length: int) -> int:
        write(bytes(_ffi.buffer(data, length)))
        return 0

    return state.run('diff', state.callback('dit_diff_write_fn', take,
                                            _lib.DIT_E_STOPPED), _ffi.NULL)


def entries(**options: Any) -> Iterator[Tuple[str, Attributes]]:
    """The DN of each entry, and its attributes: lists of bytes by description. All are of
    the state that the database had when the first one was taken."""
    state = _Options('entry_scan', {**options, 'threads': 1})
    scan = _ffi.new('struct dit_entry_scan **')
    found = _ffi.new('const struct dit_entry_view **')
    try:
        state.expect(_lib.dit_entry_scan_open(scan, state.struct))
        while state.expect(_lib.dit_entry_scan_next(scan[0], 0, found)) > 0:
            entry = found[0]
            if entry.record_error:
                state.reports.append(_text(entry.reason))
            state.expect(entry.name_error or entry.record_error)
            if not entry.is_hole:
                attributes: Attributes = {}
                for attr in entry.attrs[0:entry.nattrs]:  # slapadd can store one twice
                    attributes.setdefault(_name(attr.name), []).extend(
                        _bytes(value) for value in attr.values[0:attr.nvalues])
                yield _name(entry.dn), attributes
    finally:
        _lib.dit_entry_scan_close(scan[0])


def check(**options: Any) -> List[Finding]:
    """What is wrong with a database: a list of findings, empty if all is well."""
    state = _Options('check', options)
    findings: List[Finding] = []

    def note(_: Any, finding: Any) -> None:
        if not finding.is_note:
            findings.append(Finding(*[_text(getattr(finding, name)) for name in
                                      Finding._fields]))

    state.struct.found = state.callback('dit_check_found_fn', note)
    state.run('check')
    return findings
