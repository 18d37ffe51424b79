"""Libraries of tables, imported when something of them is asked for, and results as their data frames."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from evalcore.optional import Library, require

pa = Library("pyarrow", "report")
pa_csv = Library("pyarrow.csv", "report")
pa_json = Library("pyarrow.json", "report")
pc = Library("pyarrow.compute", "report")
pq = Library("pyarrow.parquet", "report")
dataset = Library("pyarrow.dataset", "report")
fs = Library("pyarrow.fs", "report")
duckdb = Library("duckdb", "sql")


class Framed(ABC):
    """A result whose columns become a data frame of pandas or polars, or a table of pyarrow."""

    @abstractmethod
    def _columns(self) -> Mapping[str, Any]:
        """Return the columns by their names, of equal length."""

    def to_pandas(self) -> Any:
        """Return a pandas data frame; the class says which columns it has.

        Raises
        ------
        MissingLibraryError
            If pandas is missing.

        Notes
        -----
        O(numbers).

        Examples
        --------
        >>> columns = {"late": [1, 0, 1, 0], "base": [0.9, 0.2, 0.4, 0.6], "forest": [0.7, 0.3, 0.8, 0.1]}
        >>> evalcore.evaluate(columns, label="late", score="base").to_pandas().shape[1]
        8
        >>> report = evalcore.compare(columns, label="late", score="forest", old_score="base")
        >>> report.to_pandas().measure.tolist()
        ['roc_auc', 'average_precision', 'log_loss', 'brier_score']
        """
        return require("pandas").DataFrame(dict(self._columns()))

    def to_polars(self) -> Any:
        """Return the rows of `to_pandas` as a polars data frame.

        Raises
        ------
        MissingLibraryError
            If polars is missing.

        Examples
        --------
        >>> evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_polars().shape[1]
        8
        """
        return require("polars").DataFrame(dict(self._columns()))

    def to_arrow(self) -> Any:
        """Return the rows of `to_pandas` as a pyarrow table.

        Raises
        ------
        MissingLibraryError
            If pyarrow is missing.

        Examples
        --------
        >>> evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_arrow().shape[1]
        8
        """
        return require("pyarrow", "report").table(dict(self._columns()))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the table of `to_arrow` to whatever reads Arrow, such as polars and DuckDB."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)
