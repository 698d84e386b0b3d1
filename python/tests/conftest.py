"""A short run on this machine, shared by all tests."""

import pytest
import secchi


@pytest.fixture(scope="session", autouse=True)
def store(tmp_path_factory):
    """Keeps the runs of the tests out of the user's store."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(folder))
        yield folder / "secchi"


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    directory = tmp_path_factory.mktemp("target")
    words = ["--size", "64m", "--patterns", "randread", "--bs", "8k", "--max-depth", "2", "--need", "8k randread: p99<=1ns"]
    return secchi.run(["qualify", directory, *words])
