"""Inspects a program for macOS (Mach-O): its system, its libraries, and the origin of its undefined symbols."""

import struct
import sys
from collections import Counter

data = open(sys.argv[1], "rb").read()
magic, processor, _, kind, commands = struct.unpack_from("<IiiII", data)
if magic != 0xFEEDFACF:
    sys.exit("not a Mach-O of 64 bits")
LIBRARY, SYMBOLS, BUILT_FOR, SIGNED = {0xC, 0x80000018, 0x8000001F}, 2, 0x32, 0x1D
libraries, platform, oldest, signed, symbols = [], None, None, False, None
at = 32
for _ in range(commands):
    command, size = struct.unpack_from("<II", data, at)
    if command in LIBRARY:
        name = at + struct.unpack_from("<I", data, at + 8)[0]
        libraries.append(data[name : data.index(b"\0", name)].decode())
    elif command == SYMBOLS:
        symbols = struct.unpack_from("<IIII", data, at + 8)
    elif command == BUILT_FOR:
        platform, version = struct.unpack_from("<II", data, at + 8)
        oldest = f"{version >> 16}.{version >> 8 & 0xFF}"
    signed |= command == SIGNED
    at += size
table, count, texts, _ = symbols
lacking = Counter()
for entry in range(table, table + 16 * count, 16):
    _, what, _, about, value = struct.unpack_from("<IBBHQ", data, entry)
    # Undefined, external, and not part of the debug information.
    if what & 0xE0 == 0 and what & 0x0E == 0 and what & 1:
        number = about >> 8
        lacking[libraries[number - 1] if 1 <= number <= len(libraries) else f"number {number}"] += 1
processor = {0x0100000C: "arm64", 0x01000007: "x86_64"}.get(processor, hex(processor))
system = {1: "macOS"}.get(platform, f"platform {platform}")
print(f"{processor}, {system} {oldest} and later, {len(data)} bytes, {'signed ad hoc' if signed else 'not signed'}")
print("loads:", ", ".join(libraries))
print("lacks:", ", ".join(f"{n} symbols of {name}" for name, n in sorted(lacking.items())))
wrong = kind != 2 or system != "macOS" or any(not name.startswith("/usr/lib/libSystem") for name in lacking)
sys.exit("not a program for macOS that libSystem alone completes" if wrong else 0)
