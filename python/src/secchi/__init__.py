"""Run secchi and use its figures: a verdict, tables with units in their column names, and figures.

Columns are named as in the tables in Parquet and CSV. Names end in their unit: `_ns` (nanoseconds), `_bytes`, `_per_s`.
Counts and rates of operations have no suffix (`operations`, `iops`), shares from 0 to 1 end in `_share`.
"""

from secchi._program import find_program
from secchi._run import Run, SecchiError, document, load, run

__all__ = ["Run", "SecchiError", "document", "find_program", "load", "run"]
