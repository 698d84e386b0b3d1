"""Prints who wrote what the program is made of, and under which terms: every crate that is linked, with its licence files."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def metadata():
    words = ["cargo", "metadata", "--format-version=1", "--locked", "--manifest-path", ROOT / "Cargo.toml"]
    # One target's crates alone, where it is named; else those of all.
    words += ["--filter-platform", sys.argv[1]] if len(sys.argv) > 1 else []
    return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)


def linked(data):
    """Packages reached from the program by ordinary dependencies: not what tests or builds use."""
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
    # The same text is told once, with all who use it.
    texts = {}
    for package in packages:
        for file in licence_files(Path(package["manifest_path"]).parent):
            text = "\n".join(line.rstrip() for line in file.read_text(errors="replace").strip().splitlines())
            texts.setdefault(text, []).append(f"{package['name']} {package['version']}")
    for text, users in texts.items():
        print(f"\n## {', '.join(dict.fromkeys(users))}\n\n```text\n{text}\n```")


main()
