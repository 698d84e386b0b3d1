#!/usr/bin/env python3
"""Builds a Python wheel from a release archive or a built program: wheel.py ARCHIVE|PROGRAM DIRECTORY

The wheel contains the program as it is, and the package of python/src. The platform in its name is that of the program:
the oldest C library whose functions it calls, musl for a static program, or Windows. The same archive and commit give
the same bytes. Prints the path of the wheel."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def files_of(source):
    """Returns the name of the program, and the files of a release archive by their paths; of a program, only itself."""
    if source.name.endswith(".tar.xz"):
        with tarfile.open(source) as archive:
            files = {entry.name.partition("/")[2]: archive.extractfile(entry).read() for entry in archive if entry.isfile()}
    elif source.name.endswith(".zip"):
        with zipfile.ZipFile(source) as archive:
            files = {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    else:
        files = {source.name: source.read_bytes()}
    program = next(name for name in ("secchi", "secchi.exe") if name in files)
    return program, files


def platform_of(program):
    """Returns the platform tag of a program."""
    if program.startswith(b"MZ"):
        return "win_amd64"
    machine = {62: "x86_64", 183: "aarch64"}[int.from_bytes(program[18:20], "little")]
    # Names of the C library's versions: they are only in programs that load it.
    versions = {int(minor) for minor in re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", program)}
    if not versions:
        return f"musllinux_1_1_{machine}"
    newest = max(versions)
    old = f".manylinux2014_{machine}" if newest <= 17 else ""
    return f"manylinux_2_{max(newest, 17)}_{machine}{old}"


def metadata(version):
    """Returns the text of METADATA: python/pyproject.toml, with the version and the address of the workspace."""
    project = python_project()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project['name']}",
        f"Version: {version}",
        f"Summary: {project['description']}",
        f"Keywords: {','.join(project['keywords'])}",
        f"License-Expression: {project['license']}",
        "License-File: LICENSE",
        f"Project-URL: Source, {workspace()['repository']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Classifier: {classifier}" for classifier in project["classifiers"]),
    ]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f"Requires-Dist: {need} ; extra == '{extra}'" for need in needs)]
    readme = (ROOT / "python" / project["readme"]).read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", readme])


def python_project():
    return tomllib.loads((ROOT / "python/pyproject.toml").read_text(encoding="utf-8"))["project"]


def workspace():
    return tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]


def contents(source):
    """Returns the name of the wheel and its files in order, RECORD last."""
    version = workspace()["version"]
    program, shipped = files_of(source)
    tag = f"py3-none-{platform_of(shipped[program])}"
    stem = f"{python_project()['name'].replace('-', '_')}-{version}"
    info, data = f"{stem}.dist-info", f"{stem}.data/scripts"
    files = {f"secchi/{file.name}": file.read_bytes() for file in (ROOT / "python/src/secchi").iterdir() if file.is_file()}
    files[f"{data}/{program}"] = shipped[program]
    files[f"{info}/METADATA"] = metadata(version).encode()
    tags = "".join(f"Tag: py3-none-{platform}\n" for platform in tag.removeprefix("py3-none-").split("."))
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: secchi\nRoot-Is-Purelib: false\n{tags}".encode()
    files[f"{info}/licenses/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    for name, place in (("THIRD-PARTY.md", "licenses"), ("sbom.cdx.json", "sboms")):
        if name in shipped:
            files[f"{info}/{place}/{name}"] = shipped[name]
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for name, content in sorted(files.items())
    )
    record_name = f"{info}/RECORD"
    return f"{stem}-{tag}.whl", [*sorted(files.items()), (record_name, f"{record}{record_name},,\n".encode())]


def main():
    source, out = Path(sys.argv[1]), Path(sys.argv[2])
    name, files = contents(source)
    epoch = os.environ.get("SOURCE_DATE_EPOCH") or subprocess.check_output(
        ["git", "-C", ROOT, "log", "-1", "--format=%ct"], text=True
    )
    moment = time.gmtime(int(epoch))[:6]
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out / name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path, content in files:
            entry = zipfile.ZipInfo(path, moment)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            wheel.writestr(entry, content)
    print(out / name)


if __name__ == "__main__":
    main()
