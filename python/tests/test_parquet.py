"""Parquet tables of `secchi report`: DuckDB, pandas and Polars read the same rows, with the figures of the document."""

import subprocess

import duckdb
import pandas
import polars
import pytest
import secchi

TABLES = ["levels", "intervals", "histograms", "series"]


@pytest.fixture(scope="module")
def tables(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet") / "tables"
    words = ["report", run.id, "--format", "parquet", "-o", str(folder)]
    subprocess.run([secchi.find_program(), *words], check=True, capture_output=True)
    return folder


@pytest.mark.parametrize("table", TABLES)
def test_all_readers_return_the_same_rows(tables, table):
    file = tables / f"{table}.parquet"
    rows = polars.read_parquet(file).rows()
    assert rows
    assert duckdb.sql(f"SELECT * FROM '{file}'").fetchall() == rows
    frame = pandas.read_parquet(file)
    assert list(frame.columns) == polars.read_parquet_schema(file).names()
    assert [tuple(None if pandas.isna(value) else value for value in row) for row in frame.itertuples(index=False)] == rows


def test_figures_are_those_of_the_run(run, tables):
    def total(table, column):
        return duckdb.sql(f"SELECT sum({column})::BIGINT FROM '{tables / table}.parquet'").fetchall()[0][0]

    # Columns with the same name have the same values.
    known = {
        "levels": {"workload", "in_flight", "held", "iops_low", "bytes_per_s", "p99_ns", "max_ns", "caveats", "struck"},
        "intervals": {"step", "phase", "start_ns", "length_ns", "operation", "operations", "bytes", "mean_ns", "max_ns"},
    }
    for table, names in known.items():
        rows, columns = polars.read_parquet(tables / f"{table}.parquet"), run.columns(table)
        shared = columns.keys() & set(rows.columns)
        assert shared >= names
        assert {name: rows[name].to_list() for name in shared} == {name: columns[name] for name in shared}, table
    assert total("intervals", "operations") == sum(run.columns("intervals")["operations"])
    assert total("histograms", '"count"') == sum(run.columns("histogram")["count"])
    points = [len(series["points"]) for series in run.document["record"]["series"]]
    assert len(polars.read_parquet(tables / "series.parquet")) == sum(points)
