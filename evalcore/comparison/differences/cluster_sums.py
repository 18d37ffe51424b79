"""Sums over clusters whose cases lie in any part of tables, in temporary files by a hash of the cluster."""

from collections.abc import Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from evalcore.comparison.differences.class_moments import PartClusters, PartGroups
from evalcore.comparison.pairing.joined_parts import parts_of_rows
from evalcore.inference.sampling_units import SamplingUnits
from evalcore.io.columns import column_arrays
from evalcore.optional import require
from evalcore.typing import FloatArray
from evalcore.validation.labels import encode_labels

_FAMILY, _GROUP, _CLUSTER = "family", "group", "cluster"


class ClusterSquares(NamedTuple):
    """What sums of influence values over clusters come to in each of g groups."""

    clusters: FloatArray
    """Number of clusters, (g,)."""
    squares: FloatArray
    """Sums of the squares of the sums over clusters, for each of m columns, (m, g)."""
    present: FloatArray
    """Number of clusters whose sums are not 0, (m, g)."""

    @property
    def variances(self) -> FloatArray:
        """The variances of estimates, as `SamplingUnits.variances`, (m, g).  O(m g)."""
        return self.squares * SamplingUnits(self.clusters).factors

    @property
    def freedom(self) -> FloatArray:
        """The degrees of freedom of Student's t, (g,).  O(g)."""
        return self.clusters - 1


class ClusterSums:
    """Adds up values over the cases of each cluster in each group of some families of groups.

    Memory for the clusters of a part or of a file; files: as many as there are parts, so that these are alike.
    """

    def __init__(self, files: Sequence[BinaryIO]) -> None:
        self._files = files
        self._writers: list[Any] = []

    def add(self, family: int, groups: PartGroups, clusters: PartClusters, values: Sequence[FloatArray]) -> None:
        """Add values of the cases of a part, m of (n,) each.  O(m n), O(n log n) for many clusters."""
        pa = require("pyarrow", "report")
        names, codes = clusters
        keys = codes if groups.rows is None else groups.rows * names.size + codes
        found, units = encode_labels(keys)
        columns = {
            _FAMILY: np.full(found.size, family, np.int64),
            _GROUP: (found // names.size).astype(np.int64, copy=False),
            _CLUSTER: names[found % names.size],
            **{str(index): np.bincount(units, each, found.size) for index, each in enumerate(values)},
        }
        batch = pa.record_batch({name: pa.array(column) for name, column in columns.items()})
        if not self._writers:
            self._writers = [pa.ipc.new_stream(pa.PythonFile(file, "w"), batch.schema) for file in self._files]
        places = parts_of_rows([batch.column(_CLUSTER)], [True], len(self._files))
        for place in np.unique(places).tolist():
            self._writers[place].write_batch(batch.take(pa.array(np.flatnonzero(places == place))))

    def squares(self, groups: Sequence[int]) -> list[ClusterSquares]:
        """Return what the sums of each family come to, after all parts; groups: number of those of each.  O(m u)."""
        found: list[ClusterSquares] = []
        for writer in self._writers:
            writer.close()
        for file in self._files if self._writers else ():
            of_file = self._of_file(file, groups)
            pairs = zip(found or of_file, of_file, strict=True)
            found = [ClusterSquares(*map(np.add, one, other)) for one, other in pairs] if found else of_file
        return found

    def _of_file(self, file: BinaryIO, groups: Sequence[int]) -> list[ClusterSquares]:
        file.seek(0)
        with require("pyarrow", "report").ipc.open_stream(file) as stream:
            columns = column_arrays(stream.read_all(), stream.schema.names)
        family, group, clusters = (columns.pop(name) for name in (_FAMILY, _GROUP, _CLUSTER))
        names, codes = encode_labels(clusters)
        first = np.cumsum([0, *groups])
        places, units = encode_labels((first[family] + group) * max(names.size, 1) + codes)
        cells = places // max(names.size, 1)
        sums = [np.bincount(units, each, places.size) for each in columns.values()]
        counts = np.bincount(cells, minlength=first[-1]).astype(np.float64)
        squares = np.array([np.bincount(cells, np.square(each), first[-1]) for each in sums])
        present = np.array([np.bincount(cells, each != 0, first[-1]) for each in sums])
        return [
            ClusterSquares(counts[start:stop], squares[:, start:stop], present[:, start:stop])
            for start, stop in zip(first[:-1].tolist(), first[1:].tolist(), strict=True)
        ]
