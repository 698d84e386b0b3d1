#!/usr/bin/env python3
"""Draws a random sample of texts, to be read by somebody who did not write them (STYLE.md).

    tests/style-sample.py [SEED]

Prints 60 doc comments of finished crates, 40 messages, 30 options of --help, 20 sections of the book and 20 changelog
entries. The goal is that at least 90 % read as plain English.
"""

import glob
import os
import random
import re
import sys

# Crates that are not being rebuilt, and whose comments have therefore had their last revision.
FINISHED = "bench db durable embed import job load messages monitor recording serve statistics store testkit".split()
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def files(pattern):
    paths = glob.glob(os.path.join(ROOT, pattern), recursive=True)
    return sorted(path for path in paths if "/target/" not in path)


def doc_comments():
    for path in [path for crate in FINISHED for path in files(f"{crate}/src/**/*.rs")]:
        block = []
        for number, line in enumerate(read(path).split("\n"), 1):
            text = line.strip()
            if text.startswith("///"):
                block.append(text[3:].strip())
            elif block:
                yield f"{os.path.relpath(path, ROOT)}:{number}", " ".join(block) + f"\n    -> {text[:90]}"
                block = []


def messages():
    for path in files("messages/catalogues/en/*.ftl"):
        for number, line in enumerate(read(path).split("\n"), 1):
            if re.match(r"[a-z][\w-]* = ", line):
                yield f"{os.path.relpath(path, ROOT)}:{number}", line


def options():
    page = read(os.path.join(ROOT, "book/src/reference/cli.md"))
    for match in re.finditer(r"\n( +-[^\n]*)\n((?: {10}[^\n]*\n)+)", page):
        yield "book/src/reference/cli.md", match.group(1).strip() + "\n    " + " ".join(match.group(2).split())


def sections():
    for path in files("book/src/start/*.md") + files("book/src/guides/*.md") + files("book/src/reference/doubts.md"):
        for section in re.split(r"(?m)^(?=##? )", read(path)):
            if len(section) > 200:
                yield os.path.relpath(path, ROOT), section[:900]


def entries():
    for entry in re.findall(r"(?m)^- .*(?:\n  .*)*", read(os.path.join(ROOT, "CHANGELOG.md"))):
        yield "CHANGELOG.md", entry


def main():
    random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else None)
    kinds = [
        ("doc comments", doc_comments, 60),
        ("messages", messages, 40),
        ("options", options, 30),
        ("sections of the book", sections, 20),
        ("changelog entries", entries, 20),
    ]
    for name, draw, count in kinds:
        texts = list({text: (place, text) for place, text in draw()}.values())
        print(f"\n== {name}: {count} of {len(texts)}\n")
        for place, text in random.sample(texts, min(count, len(texts))):
            print(f"{place}\n    {text}\n")


main()
