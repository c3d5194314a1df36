#!/usr/bin/python3
# SPDX-License-Identifier: BSD-2-Clause
"""Write ditkit/_libditkit.py, what cffi needs to call the library:

    declarations.py INCLUDE OUTPUT

It is made of the installed headers, those of INCLUDE/ditkit. So the module needs neither
headers nor a compiler when it runs.
"""
import re
import sys

import cffi

include, output = sys.argv[1:]
done = set()


def read_header(name):
    """A header and those that it includes, as cffi reads them: without comments, bodies
    of functions, and macros that are no numbers."""
    if name in done:
        return ''
    done.add(name)
    with open(f'{include}/ditkit/{name}.h', encoding='utf-8') as file:
        text = re.sub(r'/\*.*?\*/', '', file.read(), flags=re.S)
    parts = [read_header(other) for other in re.findall(r'#include <ditkit/(\w+)', text)]
    parts += re.findall(r'^#define DIT_\w+ +\d+$', text, flags=re.M)
    text = re.sub(r'^#(.*\\\n)*.*$', '', text, flags=re.M)
    text = re.sub(r'^DIT_OPTS\([^()]*\)|^static inline [^;{]*\{.*?^\}', '', text,
                  flags=re.M | re.S)
    return '\n'.join(parts + [text.replace('DIT_PUBLIC ', '')])


ffi = cffi.FFI()
ffi.cdef('typedef int sig_atomic_t, pid_t;' + ''.join(
    map(read_header, ('check', 'diff', 'export', 'load', 'modify', 'version'))))
ffi.set_source('ditkit._libditkit', None)
ffi.emit_python_code(output)
