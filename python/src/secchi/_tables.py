"""Tables of a run: columns as lists, and as DataFrames of pandas or Polars.

Columns have the names and units of the tables in Parquet and CSV. A missing value is `None` in lists and Polars,
and NaN in pandas.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas
    import polars

OPERATIONS = ("read", "write", "trim", "flush")

_LEVELS = {
    "workload": str,
    "stage": str,
    "role": str,
    "in_flight": int,
    "queue_depth": int,
    "threads": int,
    "held": bool,
    "best": bool,
    "binds": str,
    "struck": str,
    "engine": str,
    "mean_bytes": float,
    "operations": int,
    "errors": int,
    "measured_ns": int,
    "iops": float,
    "iops_low": float,
    "iops_high": float,
    "bytes_per_s": float,
    "mean_ns": float,
    "p50_ns": float,
    "p99_ns": float,
    "p99_low_ns": float,
    "p99_high_ns": float,
    "p999_ns": float,
    "max_ns": float,
    "flush_mean_ns": float,
    "flush_p99_ns": float,
    "mean_in_flight": float,
    "cpu_user_ns_per_operation": float,
    "cpu_system_ns_per_operation": float,
    "busiest_thread_share": float,
    "steadiness": str,
    "caveats": str,
    "step": int,
}
_INTERVALS = {
    "step": int,
    "workload": str,
    "stage": str,
    "queue_depth": int,
    "threads": int,
    "held": bool,
    "phase": str,
    "start_ns": int,
    "length_ns": int,
    "operation": str,
    "operations": int,
    "errors": int,
    "bytes": int,
    "iops": float,
    "bytes_per_s": float,
    "mean_ns": float,
    "max_ns": float,
    "mean_in_flight": float,
}
_HISTOGRAM = {
    "step": int,
    "workload": str,
    "stage": str,
    "operation": str,
    "latency": str,
    "low_ns": int,
    "high_ns": int,
    "count": int,
    "cumulative_share": float,
}
_JUDGEMENT: dict[str, type] = {"part": str, "subject": str, "outcome": str, "text": str, "evidence": str, "remedy": str}


class Table:
    """Rows with the types of their columns."""

    def __init__(self, types: dict[str, type], rows: Iterable[dict[str, Any]]) -> None:
        self.types = types
        self.rows = list(rows)

    def columns(self) -> dict[str, list[Any]]:
        return {name: [row[name] for row in self.rows] for name in self.types}

    def to_pandas(self) -> pandas.DataFrame:
        import pandas

        # Text keeps the type that pandas gives it: that depends on its version.
        return pandas.DataFrame(self.columns()).astype({name: kind for name, kind in self.types.items() if kind is not str})

    def to_polars(self) -> polars.DataFrame:
        import polars

        types = {str: polars.String, int: polars.Int64, float: polars.Float64, bool: polars.Boolean}
        return polars.DataFrame(self.columns(), schema={name: types[kind] for name, kind in self.types.items()})


def levels(document: dict[str, Any]) -> Table:
    return Table(_LEVELS, _level_rows(document))


def _level_rows(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for pattern in document["judgement"]["patterns"]:
        for number, level in enumerate(pattern["levels"]):
            best = number == pattern["best"]
            low, high = level["iops"]["ci"] or (None, None)
            p99_low, p99_high = level.get("p99_ci") or (None, None)
            flush = level["flush"] or {"mean": None, "p99": None}
            yield {
                "workload": pattern["label"],
                "stage": pattern["stage"],
                "role": pattern["role"],
                "in_flight": level["queue_depth"] * level["threads"],
                "queue_depth": level["queue_depth"],
                "threads": level["threads"],
                "held": level["hold"],
                "best": best,
                "binds": (", ".join(pattern["binding"]["names"]) or pattern["binding"]["kind"]) if best else None,
                "struck": level["struck"] or "",
                "engine": level["engine"],
                "mean_bytes": pattern["mean_size"],
                "operations": level["ops"],
                "errors": level["errors"],
                "measured_ns": level["time"],
                "iops": level["iops"]["value"],
                "iops_low": low,
                "iops_high": high,
                "bytes_per_s": level["bandwidth"],
                "mean_ns": level["mean"],
                "p50_ns": level["p50"],
                "p99_ns": level["p99"],
                "p99_low_ns": p99_low,
                "p99_high_ns": p99_high,
                "p999_ns": level["p999"],
                "max_ns": level["max"],
                "flush_mean_ns": flush["mean"],
                "flush_p99_ns": flush["p99"],
                "mean_in_flight": level["in_flight"],
                "cpu_user_ns_per_operation": level["cpu_user"],
                "cpu_system_ns_per_operation": level["cpu_system"],
                "busiest_thread_share": level["busiest_thread"],
                "steadiness": level["steadiness"]["regime"],
                "caveats": " ".join(level["caveats"]),
                "step": level["step"],
            }


def intervals(document: dict[str, Any]) -> Table:
    return Table(_INTERVALS, _interval_rows(document))


def _interval_rows(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for place, step in _steps(document):
        for interval in step["intervals"]:
            length = interval["length"]
            for operation, stats in zip(OPERATIONS, interval["per_op"], strict=True):
                tally, summary = stats["tally"], stats["latency"]["summary"]
                errors = sum(tally.get("errors", {}).values())
                if tally["ops"] + errors == 0:
                    continue
                yield {
                    **place,
                    "queue_depth": step["job"]["queue_depth"],
                    "threads": step["job"]["threads"],
                    "held": step["hold"],
                    "phase": interval["phase"],
                    "start_ns": interval["start"],
                    "length_ns": length,
                    "operation": operation,
                    "operations": tally["ops"],
                    "errors": errors,
                    "bytes": tally["bytes"],
                    "iops": tally["ops"] * 1e9 / length if length else None,
                    "bytes_per_s": tally["bytes"] * 1e9 / length if length else None,
                    # Halves are rounded up, as in Parquet; `round` would choose the even number.
                    "mean_ns": int(summary["sum"] / summary["count"] + 0.5) if summary["count"] else None,
                    "max_ns": summary["max"] if summary["count"] else None,
                    "mean_in_flight": interval["in_flight_ns"] / length if length else None,
                }


def histogram(document: dict[str, Any]) -> Table:
    return Table(_HISTOGRAM, _histogram_rows(document))


def _histogram_rows(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for place, step in _steps(document):
        for index, operation in enumerate(OPERATIONS):
            # From submission to completion and, for a paced load, from the due time to completion.
            for latency, name in (("latency", "service"), ("response", "response")):
                counts: dict[int, int] = {}
                # Completions of the drain are in no rate, but their latencies count.
                for interval in step["intervals"]:
                    buckets = interval["per_op"][index].get(latency, {}).get("buckets", [])
                    if interval["phase"] != "ramp":
                        for bucket, count in zip(buckets[::2], buckets[1::2], strict=True):
                            counts[bucket] = counts.get(bucket, 0) + count
                total, until_here = sum(counts.values()), 0
                for bucket, count in sorted(counts.items()):
                    until_here += count
                    start, end = _bounds(bucket)
                    yield {
                        **place,
                        "operation": operation,
                        "latency": name,
                        "low_ns": start,
                        "high_ns": end,
                        "count": count,
                        "cumulative_share": until_here / total,
                    }


def judgement(document: dict[str, Any]) -> Table:
    return Table(_JUDGEMENT, _judgement_rows(document["judgement"]))


def _judgement_rows(judgement: dict[str, Any]) -> Iterator[dict[str, Any]]:
    empty = {"evidence": None, "remedy": None}
    yield {**empty, "part": "verdict", "subject": None, "outcome": judgement["outcome"], "text": judgement["verdict"]}
    for line in judgement["answer"]["lines"]:
        yield {**empty, "part": "answer", "subject": line["subject"], "outcome": line["standing"], "text": line["text"]}
    for need in judgement["needs"]:
        measured = "; ".join(clause["measured"] for clause in need["clauses"])
        yield {
            "part": "need",
            "subject": need["text"],
            "outcome": need["outcome"],
            "text": need["why"] or None,
            "evidence": measured or None,
            "remedy": None,
        }
    findings = [("finding", finding, "; ".join(finding["evidence"])) for finding in judgement["findings"]]
    doubts = [("doubt", doubt, doubt["evidence"]) for doubt in judgement["caveats"]]
    for part, item, evidence in findings + doubts:
        yield {
            "part": part,
            "subject": item["id"],
            "outcome": item["severity"],
            "text": item["statement"],
            "evidence": evidence or None,
            "remedy": item["remedy"] or None,
        }


def _steps(document: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Returns each step with the columns that identify it."""
    stages = document["record"]["plan"]["stages"]
    labels = {pattern["stage"]: pattern["label"] for pattern in document["judgement"]["patterns"]}
    for number, step in enumerate(document["record"]["steps"]):
        stage = stages[step["stage"]]["name"]
        yield {"step": number, "workload": labels.get(stage), "stage": stage}, step


def _bounds(bucket: int) -> tuple[int, int]:
    """Returns the first latency of a bucket and the first above it, in nanoseconds ("The record of a run, as JSON")."""
    if bucket < 256:
        return bucket, bucket + 1
    shift = bucket // 128 - 1
    start = (bucket - 128 * shift) << shift
    return start, start + (1 << shift)


TABLES: dict[str, Callable[[dict[str, Any]], Table]] = {
    "levels": levels,
    "intervals": intervals,
    "histogram": histogram,
    "judgement": judgement,
}
