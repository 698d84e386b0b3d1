"""Prints the licences of the program: every linked crate with its licence files."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def metadata():
    words = ["cargo", "metadata", "--format-version=1", "--locked", "--manifest-path", ROOT / "Cargo.toml"]
    # Only the crates of one target if it is named, otherwise those of all targets.
    words += ["--filter-platform", sys.argv[1]] if len(sys.argv) > 1 else []
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def linked(data):
    """Returns the packages that the program depends on, without dependencies of tests and builds."""
    nodes = {node["id"]: node for node in data["resolve"]["nodes"]}
    program = next(p["id"] for p in data["packages"] if p["name"] == "secchi" and p["source"] is None)
    seen, todo = set(), [program]
    while todo:
        package = todo.pop()
        if package not in seen:
            seen.add(package)
            todo += [d["pkg"] for d in nodes[package]["deps"] if any(k["kind"] is None for k in d["dep_kinds"])]
    return seen


def licence_files(folder):
    names = ("licen", "copying", "notice", "unlicense")
    return sorted(f for f in folder.iterdir() if f.is_file() and f.name.lower().startswith(names))


def main():
    data = metadata()
    kept = linked(data)
    packages = sorted((p for p in data["packages"] if p["id"] in kept and p["source"]), key=lambda p: (p["name"], p["version"]))
    print("# What secchi is made of\n\nThe program links the crates below; SQLite, which libsqlite3-sys brings, is in the public domain.\n")
    for package in packages:
        print(f"- {package['name']} {package['version']}: {package['license'] or 'see its licence file'}")
    # Each text is printed once, with all crates that use it.
    texts = {}
    for package in packages:
        for file in licence_files(Path(package["manifest_path"]).parent):
            text = "\n".join(line.rstrip() for line in file.read_text(errors="replace").strip().splitlines())
            texts.setdefault(text, []).append(f"{package['name']} {package['version']}")
    for text, users in texts.items():
        print(f"\n## {', '.join(dict.fromkeys(users))}\n\n```text\n{text}\n```")


main()
