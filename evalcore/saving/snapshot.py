"""The state of an object, apart from its class."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from evalcore.equality import equal_by_content
from evalcore.errors import EvaluationError, shown


@equal_by_content
class Snapshot(NamedTuple):
    """Hold the state of an object as plain facts and columns of numbers.

    >>> import numpy as np
    >>> snapshot = Snapshot("ConfusionMatrix", {"categories": ["a"]}, {"count": np.array([3])})
    >>> snapshot.fact("categories"), snapshot.column("count", np.int64)
    (['a'], array([3]))
    """

    kind: str
    """Name of the class."""
    facts: dict[str, Any]
    """JSON values: integers, floats, strings, Booleans, lists, mappings, None."""
    columns: dict[str, npt.NDArray[Any]]
    """Booleans, integers or floats of 1 to 8 bytes, shape (n,) each; lengths may differ."""

    def fact(self, name: str) -> Any:
        """Return a fact by its name.  O(1).

        Parameters
        ----------
        name : str
            Its key in `facts`.

        Raises
        ------
        EvaluationError
            If there is no such fact.

        Examples
        --------
        >>> Snapshot("ConfusionMatrix", {}, {}).fact("categories")
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: there is no 'categories'
        """
        if name not in self.facts:
            raise EvaluationError(f"there is no {name!r}")
        return self.facts[name]

    def count(self, name: str, maximum: int | None = None) -> int:
        """Return a fact that is a number of cases.  O(1).

        Parameters
        ----------
        name : str
            Its key in `facts`.
        maximum : int, optional
            The largest valid number.

        Raises
        ------
        EvaluationError
            If the fact is missing or invalid.

        Examples
        --------
        >>> Snapshot("ScoredPrecisionRecallEvaluation", {"misses": -1}, {}).count("misses")
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: misses must be an integer of at least 0, got -1 (int)
        """
        value = self.fact(name)
        if type(value) is not int or value < 0:
            raise EvaluationError(f"{name} must be an integer of at least 0, got {shown(value)}")
        if maximum is not None and value > maximum:
            raise EvaluationError(f"{name} must be at most {maximum}, got {value}")
        return value

    def column(self, name: str, *dtypes: npt.DTypeLike) -> npt.NDArray[Any]:
        """Return a column of one of several types.  O(1).

        Parameters
        ----------
        name : str
            Its key in `columns`.
        *dtypes : numpy.dtype
            The valid types.

        Raises
        ------
        EvaluationError
            If the column is missing or has another type.

        Examples
        --------
        >>> Snapshot("ConfusionMatrix", {}, {"count": np.array([0.5])}).column("count", np.int64)
        Traceback (most recent call last):
        evalcore.errors.EvaluationError: column 'count' must hold int64, got float64
        """
        if name not in self.columns:
            raise EvaluationError(f"there is no column {name!r}")
        values = self.columns[name]
        allowed = [np.dtype(dtype) for dtype in dtypes]
        if values.dtype not in allowed:
            raise EvaluationError(
                f"column {name!r} must hold {' or '.join(dtype.name for dtype in allowed)}, got {values.dtype}"
            )
        return values
