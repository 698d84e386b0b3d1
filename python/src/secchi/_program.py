"""The program that the package contains."""

from __future__ import annotations

import shutil
import sys
import sysconfig
from pathlib import Path


def find_program() -> str:
    """Returns the path of the program `secchi`: that of this package, otherwise the first in PATH."""
    name = "secchi" + (sysconfig.get_config_var("EXE") or "")
    scripts = Path(sysconfig.get_path("scripts"))
    user = Path(sysconfig.get_path("scripts", scheme=sysconfig.get_preferred_scheme("user")))
    # `pip install --target` and `--prefix` put programs near the package.
    parents = Path(__file__).resolve().parents
    folders = [scripts, user, parents[1] / "bin", *(parent / scripts.name for parent in parents[3:5])]
    for folder in folders:
        if (folder / name).is_file():
            return str(folder / name)
    if path := shutil.which("secchi"):
        return path
    raise FileNotFoundError(f"the program {name} is neither in the environment of {sys.executable} nor in PATH")
