"""What is refused of a question before anything is read: invalid or conflicting options, and columns in two roles."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from evalcore.errors import EvaluationError, EvaluationTypeError, check, did_you_mean, listed_names, refuse, shown
from evalcore.evaluation import measure_choice, options
from evalcore.evaluation.catalogue import MEASURES, catalogue_name, entry_of, measure_name
from evalcore.evaluation.options import CI_METHODS, COMPARED, PROPORTION_METHODS, option, text_option
from evalcore.evaluation.question import Question
from evalcore.evaluation.repeats import depth_of
from evalcore.evaluation.statistics.groups import SORTED
from evalcore.evaluation.thresholds import check_thresholds
from evalcore.evaluation.weighting import check_weighting
from evalcore.inference.intervals import checked_level
from evalcore.io.rows import checked_rows
from evalcore.validation.values import check_count, check_integer, check_number, check_open_fraction

_CHOICES = {"compare": COMPARED, "ci_method": CI_METHODS, "proportion_method": PROPORTION_METHODS}
"""Options of the intervals of reports, and what they may be."""
_NO_VALUES = "scores", "predicted", "classes", "prefix", "thresholds", "costs", "measures", "ci_method"
"""Fields that columns of values exclude."""
_OPTIONS = {
    "scores": "score",
    "classes": "score",
    "thresholds": "threshold",
    "targets": "threshold_for",
    "quantiles": "quantile",
}
"""What options are called, if not as their fields."""
_OF_VALUES = "lower_is_better", "quantiles", "words", "repeats", "judge"
"""Fields of columns of values alone."""
_NO_JUDGE = {
    "repeats": "people may have judged only some samples of an id; name the ids as clusters instead",
    "compare_groups": "the weight of the judge differs between groups; leave one of them out",
    "quantiles": "a judge corrects only means; leave one of them out",
}
_NO_FOLD = {
    "compare": "only a comparison tests models over folds",
    "compare_groups": "folds are not compared with each other",
    "min_cases": "every fold counts",
    "cluster": "folds take the place of clusters",
    "method": "the corrected t-test compares folds",
    "ci_method": "the corrected t-test compares folds",
}
"""Why options conflict with a judge, or with folds."""
_NAMED = "at_k", "by", "compare", "compare_groups", "ci_method", "show"


def _named(name: str) -> str:
    return option(_OPTIONS.get(name, name))


def _check_values(question: Question, *others: str) -> None:
    """Raise EvaluationError for invalid options, and for others, which values exclude.  O(values)."""
    values, words, lower = question.values, question.words, option("lower_is_better")
    defaults, both = Question._field_defaults, words is not None and question.positive is not None
    conflict = f"cannot be combined with {option('value')}"
    replaced = ", because columns of values take the place of labels and predictions"
    no_value = next((name for name in question.lower_is_better if name not in values), "")
    for name in others:
        called = "at_k" if name == "measures" and not question.measures.names else name
        why = measure_choice.instead_of_measures() if called == "measures" else replaced
        refuse({f"{_named(called)} {conflict}{why}": getattr(question, name) != defaults[name]})
    refuse({
        f"{option('positive')} and {option('words')} both say what words are worth; give only one of them": both,
        f"columns of values must be distinct, got {listed_names(values)}": _repeats(values),
        f"{lower} must name columns of values, got {no_value!r}{did_you_mean(no_value, values)}": no_value,
        f"{option('target_prevalence')} {conflict}{replaced}": question.weighting.target_prevalence,
    })  # fmt: skip
    for probability in question.quantiles:
        check_open_fraction(probability, option("quantile"))
    is_mapping = isinstance(words, Mapping | None)
    check(is_mapping, option("words"), "be a mapping of words to numbers", repr(words), EvaluationTypeError)
    for word, value in (words or {}).items():
        check(math.isfinite(check_number(value, f"{option('words')} of {word!r}")), option("words"), "be finite", value)


def _check_samples(question: Question) -> None:
    """Raise EvaluationError for options of values without any, repeated samples without ids, and unfit judges."""
    repeats, judge, value, defaults = *map(option, ("repeats", "judge", "value")), Question._field_defaults
    unused = next(
        (name for name in _OF_VALUES if getattr(question, name) != defaults[name] and not question.values), ""
    )
    depth_of(question.repeats)
    for name, given in {"label": question.label or question.values, "judge": question.judge != ""}.items():
        check(given, option(name), "be the name of a column", "''")
    refuse({
        f"{_named(unused)} needs {value}": unused,
        f"{repeats} needs {option('on')}, the columns that identify a case": question.repeats and not question.on,
        f"{judge} needs one column of {value}, that of people": question.judge and len(question.values) != 1,
        f"{judge} must be another column than {value}": question.judge in question.values,
        **{
            f"{_named(name)} cannot be combined with {judge}, because {why}": question.judge and getattr(question, name)
            for name, why in _NO_JUDGE.items()
        },
    })  # fmt: skip


def _check_folds(question: Question, *others: str) -> None:
    """Raise EvaluationError for groups, and for others, which folds exclude.  O(1)."""
    fold, defaults = question.fold, Question._field_defaults
    conflict = f"cannot be combined with {option('fold')}, because "
    refuse({
        **{
            f"{option(name)} {conflict}{_NO_FOLD[name]}": fold and getattr(question, name) != defaults[name]
            for name in others
        },
        f"{option('by')} {conflict}the folds are the groups": (
            fold and question.by not in (fold, (fold,))
        ),
    })  # fmt: skip


def check_question(question: Question) -> None:
    """Raise EvaluationError for invalid or conflicting options, and for columns in two roles.  O(1)."""
    if question.values:
        _check_values(question, "label", *_NO_VALUES, "targets", "compare", "show", "mistakes")
    _check_samples(question)
    _check_folds(question, "compare", "compare_groups", "min_cases")
    refuse({f"{option('on')} needs {option('repeats')}": question.on and question.repeats is None})
    if question.level is not None:
        checked_level(question.level, option("ci"))
    _check_rows(question, question.scores)
    for name, known in _CHOICES.items():
        given = getattr(question, name)
        check(given is None or given in known, option(name), f"be one of {', '.join(known)}", repr(given))
    of_classes, wants, weighting = question.of_classes, question.measures.wants, question.weighting
    of_groups, of_areas, of_clusters = question.compare_groups, question.ci_method, question.cluster
    depths, scores, shifted = question.measures.depths, question.scores, weighting.target_prevalence is not None
    at_threshold = f", or {option('threshold')} for those of decisions" if scores else ""
    kind = f"of {'rankings or losses' if scores else 'predicted classes'}"
    compared = f"{measure_choice.OF_GROUPS[bool(scores)][0]}{at_threshold}"
    at_k, by, compare, against, method, show = map(option, _NAMED)
    frequencies = text_option("weight_type", options.FREQUENCY)
    refuse({
        **{
            f"{option(name)} needs {option('ci')}, the level of the intervals": getattr(question, name)
            for name in (*_CHOICES, "compare_groups", "cluster") if question.level is None
        },
        f"{option('ci')} of repeated folds needs {option('cluster')}, the column of ids: each case has several rows": (
            question.fold[1:] and question.level is not None and of_clusters is None
        ),
        f"{at_k} needs scores, got predicted classes": depths and of_classes,
        f"{at_k} needs {frequencies}: {measure_choice.WHY_NO_RANKS}": depths and scores and weighting.of_samples,
        f"{against} needs a measure {kind}, like {compared}": of_groups and not question.compared_by,
        f"{against} takes no {option('target_prevalence')}": of_groups and shifted,
        f"columns of groups must be distinct, got {listed_names(question.by)}": _repeats(question.by),
        f"{show} needs {option('threshold')}, or predicted classes": (
            question.show and scores and not question.thresholds
        ),
        f"{option('mistakes')} needs {show}": question.mistakes is not None and not question.show,
        f"{compare} compares models by roc_auc; name this measure too": (
            question.compare not in (None, "none") and not wants("roc_auc")
        ),
        f"{method} chooses the interval of ROC AUCs, which need scores, got predicted classes": of_areas and of_classes,
        f"{method} needs scores of one label, or no {by}": of_areas and question.by and not scores,
        f"{method} chooses the interval of roc_auc; name this measure too": of_areas and not wants("roc_auc"),
        f"{option('score')} must not be the column of labels, got {question.label!r}": (
            not of_classes and not question.values and question.label in question.columns
        ),
        f"columns of scores must be distinct, got {listed_names(scores)}": _repeats(scores),
    })  # fmt: skip
    rule = f"be at most {options.MOST_LISTED}"
    check((question.mistakes or 1) <= options.MOST_LISTED, option("mistakes"), rule, question.mistakes)
    known_columns = {question.label, *question.predicted, of_clusters, *question.group_columns, *question.show}
    _check_text(question, known_columns.difference(scores), "labels, predictions, groups or clusters")


def _repeats(names: Collection[Any]) -> bool:
    return len(set(names)) < len(names)


def check_paired_question(question: Question, tables: int) -> None:
    """Raise EvaluationError for invalid or conflicting options; tables: their number.  O(options)."""
    if question.values:
        _check_values(question, "label", *_NO_VALUES, "old_score", "old_predicted", "method", "stratify")
        _check_ids(question, tables, question.values)
        measure_choice.check_margin_names(question.margin, question.values)
    else:
        _check_models(question, tables)
    _check_samples(question)
    _check_folds(question, "cluster", "min_cases", "method", "ci_method")
    named = map(measure_name, (*question.measures.names, *question.conditions)) if question.fold else ()
    alone = next((each.name for each in named if each.measure in measure_choice.RESAMPLED), "")
    why = "because only the bootstrap has its intervals"
    refuse({f"measure {alone!r} cannot be combined with {option('fold')}, {why}": alone})
    _check_rows(question, () if question.of_classes else question.scores)
    for group in (question.by, *question.groupings.values()):
        check(not _repeats(group), option("by"), "name distinct columns", listed_names(group))
    check_tests(question, options.METHODS_OF_CLASSES if question.of_classes else options.METHODS)
    if question.scores:
        possible = question.score_measures(probabilities=True)
        measure_choice.check_margin_names(question.margin, (measure.name for measure in possible))
    predicted = (*question.old_columns, *question.predicted) if question.of_classes else ()
    known = {*question.case_columns, *question.on, *predicted, *question.show} - {question.weighting.column}
    _check_text(question, known, "ids, labels, predictions, groups or clusters")


def _check_rows(question: Question, scores: tuple[str, ...]) -> None:
    """Raise EvaluationError for invalid thresholds, groups, conditions on rows and weights; scores: of one label."""
    check_thresholds(question.thresholds, question.targets)
    refuse({
        f"{option(name)} needs {option('by')}, which names the column of groups": (
            not question.by and getattr(question, name) not in (None, "")
        )
        for name in ("groups", "min_cases", "sort", "compare_groups")
    })  # fmt: skip
    _check_counts(question, "groups", "min_cases", "mistakes")
    sort = question.sort
    is_known = isinstance(sort, str) and (sort in SORTED or entry_of(catalogue_name(sort)) is not None)
    if sort is not None and not is_known:
        known, near = f"{', '.join(SORTED)} or the name of a statistic", did_you_mean(sort, [*SORTED, *MEASURES])
        raise EvaluationError(f"{option('sort')} must be {known}, got {sort!r}{near}")
    checked_rows(question.rows, option)
    judged = (question.label, *filter(None, [question.old_score, question.old_predicted]), *question.columns)
    cluster, of_itself = question.cluster, f"{option('cluster')} must be a column of its own"
    in_use = cluster in {*judged, question.weighting.column} - {None}
    refuse({f"{of_itself}, got {cluster!r}, which has another role": in_use})
    others = (*judged, *question.group_columns, *question.on)
    check_weighting(question.weighting, others, of_one_label=bool(scores))


def _check_counts(question: Question, *names: str) -> None:
    """Raise EvaluationError or EvaluationTypeError for options that are no whole numbers from 1 on.  O(names)."""
    for name in names:
        if (given := getattr(question, name)) is not None:
            check(check_integer(given, option(name)) >= 1, option(name), "be at least 1", given)


def _check_text(question: Question, known: Collection[str | None], what: str) -> None:
    refuse({f"{option('text')} must name columns of {what}, got {name!r}": name not in known for name in question.text})


def _check_models(question: Question, tables: int) -> None:
    """Raise EvaluationError unless columns of one kind are named, of the old model where that is needed.  O(models)."""
    given, label, score = question.columns, question.label, option("score")
    of_kinds = {
        "score": (question.scores or question.classes or None, question.old_score or question.old_classes),
        "predicted": (question.predicted or None, question.old_predicted),
        "prefix": (question.prefix, question.old_prefix),
    }
    kinds = [name for name, (new, _) in of_kinds.items() if new is not None] or ["score"]
    kind, others = kinds[0], [f"old_{name}" for name, (_, own) in of_kinds.items() if own and name != kinds[0]]
    of_old = [*question.old_columns, question.old_prefix] if tables == 1 else []
    columns = [each for each in (*given, question.prefix, *of_old) if each is not None]
    other_way = "; or give each model a table of its own" if tables == 1 else ""
    old = option(f"old_{kind}")
    got = "predicted classes" if question.of_classes else "scores of classes"
    of_one_label = {"positive": question.positive, "threshold": question.thresholds, "costs": question.costs}
    refuse({
        f"give only one of {' and '.join(map(option, kinds))}": len(kinds) > 1,
        f"compare needs either {score} or {option('predicted')}": question.of_runs,
        f"{option(''.join(others[:1]))} cannot be combined with {option(kind)}; give {old}": others,
        f"{old} must name the column of the old model{other_way}": (
            of_kinds[kind][1] is None and (tables == 1 or len(question.scores or question.predicted) > 1)
        ),
        f"columns of models must be distinct, got {listed_names(columns)}": _repeats(columns),
        f"{option(kind)} must not be the column of labels, got {label!r}": label in (*given, *question.old_columns),
        **{
            f"{option(name)} needs scores of one label, got {got}": given not in (None, ()) and not question.scores
            for name, given in of_one_label.items()
        },
    })  # fmt: skip
    _check_ids(question, tables, (label, *question.old_columns, *given))


def _check_ids(question: Question, tables: int, columns: tuple[str, ...]) -> None:
    """Raise EvaluationError for invalid ids, and what is allowed of them; columns: of labels and models."""
    on, ids, taken = question.on, option("on"), {*columns}.intersection(question.on)
    of_values, allow, kind = question.values, option("allow"), "values" if question.values else "labels or predictions"
    refuse({
        f"{ids} must name the column, or columns, that identify a case in both tables": tables > 1 and not on,
        f"{option('value')} compares tables, got one; give each system a table of its own": of_values and tables == 1,
        f"{allow} needs several tables, got one": tables == 1 and question.allow,
        f"{allow} must be {options.MISSING} beside {option('value')}": of_values and question.allow - {options.MISSING},
        f"{ids} must name distinct columns, got {listed_names(on)}": _repeats(on),
        f"{ids} must not name columns of {kind}, got {min(taken, default='')!r}": taken,
    })  # fmt: skip
    for word in sorted(question.allow):
        near = did_you_mean(word, options.ALLOWED) if "," not in word else "; give several as a list"
        rule = f"be one or more of {', '.join(options.ALLOWED)}"
        check(word in options.ALLOWED, option("allow"), rule, f"{word!r}{near}")


def check_tests(question: Question, methods: Sequence[str]) -> None:
    """Raise EvaluationError for invalid options of intervals, tests and lists; methods: those that there are.  O(1)."""
    for level, name in ((question.confidence, "ci"), (question.margin_level, "margin_level")):
        checked_level(0.95 if level is None else level, option(name))
    check(question.method in methods, option("method"), f"be one of {', '.join(methods)}", shown(question.method))
    resamples = option("resamples")
    check(check_integer(question.resamples, resamples) >= 1, resamples, "be at least 1", question.resamples)
    name, chosen, stratify = option("ci_method"), question.ci_method, option("stratify")
    by_resamples, resampled = text_option("method", options.BOOTSTRAP), question.method == options.BOOTSTRAP
    has_areas = question.scores or question.of_scored_classes
    refuse({
        f"{name} must be one of {', '.join(options.DIFFERENCE_METHODS)}, got {shown(chosen)}": (
            chosen not in (None, *options.DIFFERENCE_METHODS)
        ),
        f"{name} chooses the interval of ROC AUCs, which need scores": chosen and not has_areas,
        f"{name} chooses the analytic interval of ROC AUCs, got {by_resamples}": chosen and resampled,
        f"{stratify} needs {by_resamples}": question.stratify and not resampled,
        f"{option('margin_level')} needs {option('margin')}": question.margin is None and question.margin_level,
        f"{option('target_prevalence')} needs resamples that keep the cases of each class; add {stratify}": (
            resampled and not question.stratify and question.weighting.target_prevalence is not None
        ),
        f"scores of classes take {text_option('method', options.ANALYTIC)} alone; {option('predicted')} takes others": (
            question.of_scored_classes and question.method != options.ANALYTIC
        ),
    })  # fmt: skip
    check_count(question.seed, option("seed"))
    check_count(question.changed, option("changed"))
    measure_choice.check_margin(question.margin)
