"""The names of measures that trec_eval and `evalcore.ranking` have for them, and what they mean."""

from collections.abc import Iterable

from evalcore.errors import EvaluationError, did_you_mean
from evalcore.evaluation.options import listing_option
from evalcore.ranking import parse
from evalcore.ranking.names import UnknownMeasureError, near_measures, split_names

RUN_ID, QUERIES = "runid", "num_q"
OF_ALL_QUERIES = {RUN_ID: "num_ret", QUERIES: "num_ret", "gm_map": "gm_map"}
"""Statistics that trec_eval prints for all queries only, and the measure of ours that each is computed from."""
OFFICIAL = (
    *(RUN_ID, QUERIES, "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank"),
    *("iprec_at_recall", "P"),
)
"""What trec_eval prints by default."""
_ALONE = *OF_ALL_QUERIES, "official"
_TREC_DEPTHS = ("5", "10", "15", "20", "30", "100", "200", "500", "1000")
_LEVELS = {
    "P": _TREC_DEPTHS,
    "recall": _TREC_DEPTHS,
    "ndcg_cut": _TREC_DEPTHS,
    "map_cut": _TREC_DEPTHS,
    "success": ("1", "5", "10"),
    "iprec_at_recall": tuple(f"{tenth / 10:.2f}" for tenth in range(11)),
}
"""By trec_eval's families of measures, the depths or recalls that are used if none is given."""
MEANINGS = {
    "official": "All that trec_eval prints by default.",
    "map": "Average precision: the mean of the precisions at the relevant documents.",
    "map_cut_K": "Average precision of the K best documents.",
    "gm_map": "Geometric mean of the average precisions, each at least 1e-5.",
    "P_K": "Precision: the fraction of the K best documents that is relevant.",
    "recall_K": "Fraction of the relevant documents that is among the K best.",
    "success_K": "1 if a relevant document is among the K best, else 0.",
    "recip_rank": "1 divided by the rank of the first relevant document.",
    "Rprec": "Precision among as many documents as are relevant.",
    "bpref": "How seldom documents judged irrelevant stand above relevant ones.",
    "ndcg": "Normalised discounted cumulative gain; the gain is the grade.",
    "ndcg_cut_K": "The same, of the K best documents.",
    "iprec_at_recall_X": "Largest precision at a recall of at least X.",
    "set_P": "Precision of all retrieved documents (SetP).",
    "set_recall": "Recall of all retrieved documents (SetR).",
    "set_F": "Harmonic mean of set_P and set_recall (SetF); SetF(beta=2) weights recall more.",
    "set_map": "Product of set_P and set_recall (SetAP).",
    "num_q": "Number of queries.",
    "num_ret": "Number of retrieved documents.",
    "num_rel": "Number of relevant documents.",
    "num_rel_ret": "Number of relevant documents that were retrieved.",
    "runid": "The name that the run gives itself; for --format trec.",
    "RR@K": "recip_rank, 0 if no relevant document is among the K best.",
    "nDCGexp@K": "nDCG with the gain 2**grade - 1; @K may be left out.",
    "RBP": "Rank-biased precision; takes grades as gains, RBP(rel=1) counts relevant documents.",
    "ERR@K": "Expected reciprocal rank; ERR(max_rel=3) if the largest grade is 3, not 4.",
    "Judged@K": "Fraction of the K best documents that is judged, with a grade of 0 or more.",
    "AUC": "Area under the ROC curve of the retrieved documents.",
    "maxF": "Largest F1 at any rank.",
}
"""What names mean; K stands for a depth, X for a recall."""
_WITHOUT_DEPTHS = [name for name in MEANINGS if not name.endswith(("K", "X"))]


def asked_names(measures: Iterable[str], relevance_level: int | None) -> dict[str, str]:
    """Return our names of measures, by the names that are asked for, each once.  O(measures).

    measures: texts with one name or several, of trec_eval or ours.  Raises EvaluationError for an unknown name.

    >>> asked_names(["P.10,5 map"], 2)
    {'P_5': 'P(rel=2)@5', 'P_10': 'P(rel=2)@10', 'map': 'AP(rel=2)'}
    """
    names = (name for text in measures for each in split_names(text) for name in _spelled_out(each))
    return {name: _name_of(name, relevance_level) for name in names}


def _name_of(measure: str, relevance_level: int | None) -> str:
    """Return our name of a measure, given by our name or trec_eval's."""
    try:
        return parse(OF_ALL_QUERIES.get(measure, measure), rel=relevance_level).name
    except UnknownMeasureError as error:
        near = did_you_mean(measure, _WITHOUT_DEPTHS) or near_measures(measure, _ALONE)
        raise EvaluationError(f"measure must be one of {listing_option(MEANINGS)}, got {measure!r}{near}") from error


def _spelled_out(measure: str) -> list[str]:
    """Return ``P_5`` and ``P_10`` for trec_eval's ``P.10,5``, and the name itself for any other."""
    if measure == "official":
        return [name for family in OFFICIAL for name in _spelled_out(family)]
    family, point, given = measure.partition(".")
    if family not in _LEVELS or not (point or measure == family):
        return [measure]
    levels = given.split(",") if point else _LEVELS[family]
    digits = 2 if family == "iprec_at_recall" else 0
    try:
        numbers = sorted(map(float if digits else int, levels))
    except ValueError:
        raise EvaluationError(f"measure must be written {family}.NUMBER,NUMBER, got {measure!r}") from None
    if not digits and numbers[0] < 1:
        raise EvaluationError(f"depths of measure {measure!r} must be at least 1, got {numbers[0]}")
    return [f"{family}_{number:.{digits}f}" for number in numbers]
