"""Figures of a run, drawn by matplotlib."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from secchi._run import Run

Rows = list[dict[str, Any]]


def draw(run: Run, table: str) -> Figure:
    try:
        import matplotlib
        from matplotlib import pyplot
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("Run.plot needs matplotlib: pip install 'secchi-storage[plot]'") from error
    fill, panels = _DRAWINGS[table]
    figure, axes = pyplot.subplots(1, panels, figsize=(5.5 * panels, 4.2), layout="constrained", squeeze=False)
    fill(run, *axes[0])
    figure.suptitle("\n".join(textwrap.wrap(run.verdict, 60 * panels)), fontsize="medium")
    for axis in axes[0]:
        axis.grid(alpha=0.3)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize="small")
    # A notebook would draw it a second time at the end of the cell.
    if "inline" in matplotlib.get_backend():
        pyplot.close(figure)
    return figure


def _draw_levels(run: Run, rates: Axes, latencies: Axes) -> None:
    rows = [row for row in _rows(run, "levels") if row["iops"] is not None]
    # Probes are single levels of workloads that have a ramp.
    rows = [row for row in rows if row["role"] != "probe"] or rows
    for number, (workload, levels) in enumerate(_grouped(rows, "workload")):
        levels.sort(key=lambda row: (row["in_flight"], row["held"]))
        colour = f"C{number}"
        ramp = [row for row in levels if not row["struck"] and not row["held"]]
        held = [row for row in levels if not row["struck"] and row["held"]]
        invalid = [row for row in levels if row["struck"]]
        _draw_rates(rates, ramp, color=colour, marker="o", label=workload)
        _draw_rates(rates, held, color=colour, marker="s", linestyle="none", label=f"{workload}, held")
        _draw_rates(rates, invalid, color="grey", marker="x", linestyle="none", label=f"{workload}, invalid")
        for name, line in (("mean", "-"), ("p99", "--")):
            column = f"{name}_ns"
            points = [(row["in_flight"], row[column] / 1e6) for row in ramp if row[column] is not None]
            if points:
                latencies.plot(*zip(*points, strict=True), line, color=colour, marker=".", label=f"{workload}, {name}")
    for axis in (rates, latencies):
        axis.set_xlabel("operations in flight")
        axis.set_xscale("log", base=2)
        axis.xaxis.set_major_formatter("{x:.0f}")
    rates.set_ylabel("operations per second, with 95 % intervals")
    rates.set_ylim(bottom=0)
    latencies.set_ylabel("latency (ms)")
    _scale_by_latency(latencies.set_yscale, latencies.yaxis)


def _draw_rates(axis: Axes, rows: Rows, **style: Any) -> None:
    if rows:
        low = [row["iops"] - row["iops_low"] if row["iops_low"] is not None else 0 for row in rows]
        high = [row["iops_high"] - row["iops"] if row["iops_high"] is not None else 0 for row in rows]
        axis.errorbar([row["in_flight"] for row in rows], [row["iops"] for row in rows], yerr=(low, high), capsize=3, **style)


def _draw_intervals(run: Run, axis: Axes) -> None:
    rows = [row for row in _rows(run, "intervals") if row["phase"] == "measure"]
    for label, series in _grouped(rows, "step", "workload", "operation"):
        axis.plot([row["start_ns"] / 1e9 for row in series], [row["iops"] for row in series], marker=".", label=label)
    axis.set_xlabel("time since the start of the run (s)")
    axis.set_ylabel("operations per second")
    axis.set_ylim(bottom=0)


def _draw_histogram(run: Run, axis: Axes) -> None:
    # One step of each workload: probes and ramps have several.
    best = {row["workload"]: row["step"] for row in _rows(run, "levels") if row["best"]}
    rows = [row for row in _rows(run, "histogram") if best.get(row["workload"], row["step"]) == row["step"]]
    for label, series in _grouped(rows, "workload", "operation", "latency"):
        # The last bucket is the maximum: no operation took longer.
        beyond = [(row["high_ns"] / 1e6, 100 * (1 - row["cumulative_share"])) for row in series[:-1]]
        if beyond:
            axis.step(*zip(*beyond, strict=True), where="post", label=label)
    axis.set_xlabel("latency (ms)")
    axis.set_ylabel("operations that took longer (%)")
    _scale_by_latency(axis.set_xscale, axis.xaxis)
    axis.set_yscale("log")
    axis.yaxis.set_major_formatter("{x:g}")


def _scale_by_latency(set_scale: Callable[[str], None], axis: Any) -> None:
    from matplotlib.ticker import LogLocator, NullFormatter

    set_scale("log")
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def _rows(run: Run, table: Any) -> Rows:
    columns = run.columns(table)
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def _grouped(rows: Rows, *names: str) -> Iterator[tuple[str, Rows]]:
    """Returns groups of rows with equal values, in their order, with a label."""

    def key(row: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(row[name] for name in names)

    order = {value: number for number, value in enumerate(dict.fromkeys(map(key, rows)))}
    for values, group in groupby(sorted(rows, key=lambda row: order[key(row)]), key):
        labelled = [f"step {value}" if name == "step" else str(value) for name, value in zip(names, values, strict=True)]
        yield ", ".join(labelled), list(group)


_DRAWINGS: dict[str, tuple[Callable[..., None], int]] = {
    "levels": (_draw_levels, 2),
    "intervals": (_draw_intervals, 1),
    "histogram": (_draw_histogram, 1),
}
