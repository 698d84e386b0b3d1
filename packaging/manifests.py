#!/usr/bin/env python3
"""Generates the files of package managers from packaging/manifests: manifests.py DIRECTORY

DIRECTORY contains the release: the archives of all targets and of the source, and SHA256SUMS. The files are written to
DIRECTORY/manifests, and the packages for npm are ready to be published. The only address is that of the workspace in
Cargo.toml: a release is expected at REPOSITORY/releases/download/vVERSION/FILE."""

import base64
import gzip
import io
import json
import os
import re
import shutil
import sys
import tarfile
import time
import tomllib
from pathlib import Path

from wheel import files_of

ROOT = Path(__file__).resolve().parent.parent
TEMPLATES = ROOT / "packaging/manifests"
# Targets of packaging/dist by npm's names. The static programs run on every Linux.
NODE = {"linux-x64": "x86_64-linux-static", "linux-arm64": "aarch64-linux-static", "win32-x64": "x86_64-windows"}


def file_of(target, version):
    """Returns the name of the archive of a target of packaging/dist; `source` is the archive of the source."""
    if target == "source":
        return f"secchi-{version}.tar.xz"
    return f"secchi-{version}-{target}.{'zip' if target.endswith('windows') else 'tar.xz'}"


class Release:
    """Values of the placeholders in templates: @version@, @url:TARGET@, @sha256:TARGET@ and others."""

    def __init__(self, directory):
        manifest = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))
        workspace = manifest["workspace"]["package"]
        self.version, repository = workspace["version"], workspace["repository"]
        sums = dict(reversed(line.split()) for line in (directory / "SHA256SUMS").read_text().splitlines())
        self.sums = {name.removeprefix("*").removeprefix("./"): digest for name, digest in sums.items()}
        self.address = f"{repository}/releases/download/v{self.version}"
        moment = time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))
        self.values = {
            "version": self.version,
            "repository": repository,
            "owner": repository.split("/")[-2],
            "description": manifest["package"]["description"],
            "rpm-date": time.strftime("%a %b %d %Y", moment),
        }

    def fill(self, text, **more):
        """Replaces the placeholders of a template. An unknown one is an error."""
        return re.sub(r"@([a-zA-Z0-9]+:[\w-]+|[a-z]+(?:-[a-z]+)*)@", lambda match: self.value(match[1], more), text)

    def value(self, name, more):
        kind, _, target = name.partition(":")
        if not target:
            return {**self.values, **more}[name]
        file = file_of(target, self.version)
        digest = self.sums[file]
        return {
            "url": f"{self.address}/{file}",
            "sha256": digest,
            "SHA256": digest.upper(),
            "sri": f"sha256-{base64.b64encode(bytes.fromhex(digest)).decode()}",
        }[kind]


def pack(path, files):
    """Writes a package for npm: a compressed archive whose files are below `package`."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in sorted(files.items()):
            entry = tarfile.TarInfo(f"package/{name}")
            entry.size, entry.mtime = len(content), int(os.environ["SOURCE_DATE_EPOCH"])
            entry.mode = 0o755 if Path(name).name.startswith("secchi") else 0o644
            archive.addfile(entry, io.BytesIO(content))
    path.write_bytes(gzip.compress(packed.getvalue(), 9, mtime=0))


def main():
    directory = Path(sys.argv[1])
    release = Release(directory)
    out = directory / "manifests"
    shutil.rmtree(out, ignore_errors=True)
    for template in sorted(path for path in TEMPLATES.rglob("*") if path.is_file()):
        place = template.relative_to(TEMPLATES)
        if place.parts[0] == "npm":
            continue
        name = f"{release.values['owner']}.{place.name}" if place.parts[0] == "winget" else place.name
        (out / place.parent).mkdir(parents=True, exist_ok=True)
        (out / place.parent / name).write_text(release.fill(template.read_text(encoding="utf-8")), encoding="utf-8")

    npm = out / "npm"
    npm.mkdir()
    shared = {name: (ROOT / name).read_bytes() for name in ("LICENSE", "README.md")}
    main = release.fill((TEMPLATES / "npm/secchi/package.json").read_text(encoding="utf-8"))
    script = (TEMPLATES / "npm/secchi/bin/secchi.js").read_bytes()
    pack(npm / f"secchi-{release.version}.tgz", {**shared, "package.json": main.encode(), "bin/secchi.js": script})
    listed = {name.removeprefix("@secchi/") for name in json.loads(main)["optionalDependencies"]}
    if listed != set(NODE):
        sys.exit(f"npm/secchi/package.json names the platforms {sorted(listed)}, not {sorted(NODE)}")
    for platform, target in NODE.items():
        system, _, processor = platform.partition("-")
        words = {"node-platform": platform, "node-os": system, "node-cpu": processor}
        package = release.fill((TEMPLATES / "npm/platform/package.json").read_text(encoding="utf-8"), **words)
        program, shipped = files_of(directory / file_of(target, release.version))
        files = {name: shipped[name] for name in (program, "LICENSE", "THIRD-PARTY.md") if name in shipped}
        pack(npm / f"secchi-{platform}-{release.version}.tgz", {**files, "package.json": package.encode()})


main()
