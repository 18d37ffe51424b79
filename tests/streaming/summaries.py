"""What tests of summaries ask of them."""

from hypothesis import strategies as st

MISSES = st.tuples(*[st.sampled_from([0, 0, 1, 3])] * 2)
QUESTIONS = {
    "roc_auc": (),
    "average_precision": (),
    "maximum_f_measure": (2.0,),
    "precision_at_threshold": (0.25,),
    "recall_at_threshold": (0.25,),
    "f_measure_at_threshold": (0.25, 0.5),
    "recall_at_precision": (0.6,),
    "precision_at_recall": (0.6,),
}


def answers(summary):
    return {name: getattr(summary, name)(*arguments) for name, arguments in QUESTIONS.items()}
