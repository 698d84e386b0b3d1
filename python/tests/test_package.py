"""The installed package: the program, runs, tables and figures."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pandas
import polars
import pytest
import secchi
from secchi import documents

UNITS = ("_ns", "_ns_per_operation", "_bytes", "_bytes_per_s", "_share")
TABLES = ["levels", "intervals", "histogram", "judgement"]


def test_the_program_of_the_environment_is_used():
    program = Path(secchi.find_program())
    assert program.is_relative_to(sys.prefix), program
    version = subprocess.run([sys.executable, "-m", "secchi", "--version"], check=True, capture_output=True, text=True).stdout
    assert version == subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout
    wrong = subprocess.run([sys.executable, "-m", "secchi", "no-such-command"], capture_output=True)
    assert wrong.returncode == 64


def test_a_run_is_stored_and_can_be_loaded(run, store):
    for loaded in (secchi.load("last"), secchi.load(run.id, store=store)):
        assert loaded.id == run.id
        assert loaded.verdict == run.verdict
        assert loaded.columns("levels") == run.columns("levels")
    assert run.state == "complete"


def test_a_need_that_is_not_met_is_a_result(run):
    assert run.outcome in ("fail", "undecided")
    assert run.exit_code == {"fail": 1, "undecided": 2}[run.outcome]
    needs = [row for row in run.judgement.to_dict("records") if row["part"] == "need"]
    assert [(need["subject"], need["outcome"]) for need in needs] == [("8k randread: p99<=1ns", run.outcome)]


@pytest.mark.parametrize("command", ["ping -c 5 -i 0 {}", "fio --name=a --size=1m --rw=read --directory={}"])
def test_commands_with_the_output_of_another_tool_return_their_run(command, tmp_path):
    run = secchi.run([word.format(tmp_path) for word in command.split()])
    assert sum(run.columns("intervals")["operations"]) > 0
    assert run.columns("levels")["operations"] == [sum(run.columns("histogram")["count"])]


def test_errors_have_the_sentence_and_the_exit_code(tmp_path):
    for words in (["qualify", tmp_path / "none"], ["ping", "-c", "1", tmp_path / "none"], ["show", "no-such-run"]):
        with pytest.raises(secchi.SecchiError, match=r"no-such-run|none") as caught:
            secchi.run(words)
        assert caught.value.exit_code in (2, 4, 64)
    with pytest.raises(ValueError, match=r"foreign.*secchi\.document"):
        secchi.run(["judge", _fio_output(tmp_path)])
    assert "foreign" in secchi.document(["judge", _fio_output(tmp_path)])


def _fio_output(folder):
    file = folder / "fio.json"
    job = {"name": "a", "size": "1m", "rw": "read", "directory": folder, "output-format": "json", "output": file}
    if not file.exists():
        words = [f"--{name}={value}" for name, value in job.items()]
        subprocess.run([secchi.find_program(), "fio", *words], check=True, capture_output=True)
    return file


@pytest.mark.parametrize("table", TABLES)
def test_pandas_and_polars_have_the_same_columns_and_values(run, table):
    columns = run.columns(table)
    frames = {name: getattr(secchi.Run(run.document, frames=name), table) for name in ("pandas", "polars")}
    assert isinstance(frames["pandas"], pandas.DataFrame)
    assert isinstance(frames["polars"], polars.DataFrame)
    assert isinstance(getattr(run, table), pandas.DataFrame)
    assert list(frames["pandas"].columns) == list(columns) == frames["polars"].columns
    assert frames["polars"].to_dict(as_series=False) == columns
    present = frames["pandas"].astype(object).where(frames["pandas"].notna(), None).to_dict("list")
    assert present == columns


@pytest.mark.parametrize("table", TABLES)
def test_fractions_have_their_unit_in_the_name_and_empty_tables_have_types(run, table):
    document = json.loads(json.dumps(run.document))
    document["record"]["steps"] = []
    document["judgement"].update(patterns=[], needs=[], findings=[], caveats=[])
    full, empty = (getattr(secchi.Run(each, frames="polars"), table) for each in (run.document, document))
    assert full.schema == empty.schema
    for name, of in full.schema.items():
        if of == polars.Float64 and name not in ("iops", "iops_low", "iops_high", "bytes_per_s", "mean_in_flight"):
            assert name.endswith(UNITS), name


def test_the_figures_are_those_of_the_document(run):
    row = run.levels.iloc[-1]
    level = run.document["judgement"]["patterns"][-1]["levels"][-1]
    assert row["mean_ns"] == level["mean"]
    assert row["iops"] == level["iops"]["value"]
    assert row["bytes_per_s"] == pytest.approx(row["iops"] * row["mean_bytes"], rel=0.01)
    assert row["in_flight"] == level["queue_depth"] * level["threads"]


def test_percentiles_lie_in_the_buckets_of_the_histogram(run):
    histogram = run.histogram
    checked = 0
    for pattern in run.document["judgement"]["patterns"]:
        for level in pattern["levels"]:
            # A level may consist of several steps, or of the end of one.
            if level["p50"] is None or len(level["kept"]) > 1:
                continue
            step = histogram[histogram["step"] == level["step"]]
            # Operations that complete in the drain have a latency, and are in no rate.
            if not 0 <= step["count"].sum() - level["ops"] <= level["queue_depth"] * level["threads"]:
                continue
            reached = step[step["cumulative_share"] >= 0.5].iloc[0]
            assert reached["low_ns"] <= level["p50"] <= reached["high_ns"], level["step"]
            checked += 1
    assert checked > 0


def test_a_percentile_without_enough_samples_is_missing(run):
    document = json.loads(json.dumps(run.document))
    level = document["judgement"]["patterns"][0]["levels"][0]
    level.update(p999=None, p999_reason="too_few_samples", flush={"mean": 2000, "p99": None, "p99_reason": "too_few_samples"})
    row = secchi.Run(document).levels.iloc[0]
    assert pandas.isna(row["p999_ns"])
    assert row["flush_mean_ns"] == 2000
    assert pandas.isna(row["flush_p99_ns"])


def test_figures_are_drawn_and_invalid_levels_are_marked(run, tmp_path):
    document = json.loads(json.dumps(run.document))
    levels = [level for pattern in document["judgement"]["patterns"] for level in pattern["levels"]]
    for struck in (None, "other processes used the CPU"):
        for level in levels:
            level["struck"] = struck
        labels = secchi.Run(document).plot().axes[0].get_legend_handles_labels()[1]
        assert {label.endswith(", invalid") for label in labels} == {struck is not None}
    for table in ("levels", "intervals", "histogram"):
        run.plot(table).savefig(tmp_path / f"{table}.png")
        assert (tmp_path / f"{table}.png").stat().st_size > 5000


def test_the_types_list_the_fields_of_a_run(run):
    for part, kind in ((run.document, documents.RunDocument), (run.document["judgement"], documents.Judgement)):
        assert kind.__required_keys__ <= set(part) <= set(kind.__annotations__)
    level = run.document["judgement"]["patterns"][0]["levels"][0]
    assert documents.LevelFigures.__required_keys__ <= set(level) <= set(documents.LevelFigures.__annotations__)


def test_the_module_needs_no_other_package():
    code = """
import sys
for name in ("pandas", "polars", "matplotlib", "numpy"):
    sys.modules[name] = None
import secchi
run = secchi.load("last")
print(run.columns("levels")["workload"][0])
for get in (lambda: run.levels, run.plot):
    try:
        get()
    except ModuleNotFoundError as error:
        print(error)
"""
    lines = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.splitlines()
    assert len(lines) == 3
    assert "pip install 'secchi-storage[pandas]'" in lines[1]
    assert "pip install 'secchi-storage[plot]'" in lines[2]


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_an_interrupted_call_leaves_no_test_file(tmp_path):
    code = f"""
import secchi, signal
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 1.5)
try:
    secchi.run(["qualify", {str(tmp_path)!r}, "--size", "64m", "--patterns", "randread", "--bs", "8k"])
except KeyboardInterrupt:
    print("interrupted")
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_every_module_parses_on_the_oldest_python():
    for file in Path(secchi.__file__).parent.glob("*.py"):
        ast.parse(file.read_text(encoding="utf-8"), feature_version=(3, 11))
