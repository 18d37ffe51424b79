"""What a report and a comparison share: JSON, CSV and data frames of their numbers."""

import os
from abc import abstractmethod
from typing import Any, overload

from evalcore.equality import content_hash
from evalcore.errors import EvaluationError
from evalcore.io.libraries import Framed
from evalcore.saving.files import written


class Exported(Framed):
    """A document of numbers, equal to another of the same numbers, that is written as JSON or CSV."""

    __hash__ = content_hash

    @abstractmethod
    def __getitem__(self, names: Any) -> Any:
        """Return what has these names; EvaluationError or TypeError if nothing, or several things, have them."""

    def __contains__(self, names: object) -> bool:
        try:
            self[names]
        except (EvaluationError, TypeError):
            return False
        return True

    @abstractmethod
    def _json(self) -> str:
        """Return the document as strict JSON.  O(numbers)."""

    @abstractmethod
    def _csv(self) -> str:
        """Return the rows of the data frame as CSV.  O(numbers)."""

    @overload
    def to_json(self, path: None = None) -> str: ...

    @overload
    def to_json(self, path: str | os.PathLike[str]) -> None: ...

    def to_json(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return `to_dict` as strict JSON, or write it to a file.  O(numbers).

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file, which is replaced as a whole.  By default the content is returned.

        Notes
        -----
        NaN is null, and infinities are "Infinity" and "-Infinity".
        The first entry is schema_version: within a version, entries keep their names and meanings, and others may be
        added.

        Examples
        --------
        >>> report = evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model")
        >>> "null" in report.to_json()
        True
        """
        return written(self._json(), path)

    @overload
    def to_csv(self, path: None = None) -> str: ...

    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> None: ...

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Return the rows of `to_pandas` as CSV, or write them to a file.  O(numbers).

        Parameters
        ----------
        path : str or os.PathLike, optional
            The file, which is replaced as a whole.  By default the content is returned.

        Notes
        -----
        Numbers are in full, and empty where there is none.

        Examples
        --------
        >>> print(evalcore.evaluate({"late": [1, 0], "model": [0.9, 0.1]}, label="late", score="model").to_csv()[:79])
        section,score,group,statistic,value,low,high,kind
        scores,model,,cases,2,,,exact
        """
        return written(self._csv(), path)
