"""Metrics in Prometheus' text format, with a bound on the series of each."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

from accounting.domain.money import EXACT, plain
from accounting.queries.metrics import DIMENSIONS, Labels, Metric, Sample

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
#: A monitoring system pays for every series: beyond so many of one metric the last are 'other'.
MOST_SERIES = 200
OTHER = "other"
#: What is called 'other' first, and what else where that is not enough.
_FOLDS = (frozenset(DIMENSIONS), frozenset((*DIMENSIONS, "organization")))


def exposition(metrics: Iterable[Metric]) -> str:
    """The whole scrape; amounts digit for digit."""
    return "".join(line for metric in metrics for line in _lines(metric))


def bounded(samples: Sequence[Sample], most: int = MOST_SERIES) -> list[Sample]:
    """The first series by their labels and, where there are more than most, the sums of the others.

    By labels and not by value, for one that changes places would jump. The sum of all is the same.
    """
    if len(samples) <= most:
        return list(samples)
    ordered = sorted(samples, key=lambda one: one.labels)
    # So many are kept that the others, which take a series for each of their labels, fit too.
    rooms = [(most - len({_folded(one.labels, fold) for one in ordered}), fold) for fold in _FOLDS]
    kept, fold = next((room for room in rooms if room[0] > 0), (0, _FOLDS[-1]))
    sums: dict[Labels, Decimal] = {}
    for place, one in enumerate(ordered):
        labels = one.labels if place < kept else _folded(one.labels, fold)
        sums[labels] = EXACT.add(sums.get(labels, Decimal(0)), Decimal(one.value))
    return [Sample(labels=labels, value=value) for labels, value in sums.items()]


def _folded(labels: Labels, names: frozenset[str]) -> Labels:
    return tuple((name, OTHER if name in names else value) for name, value in labels)


def _lines(metric: Metric) -> Iterable[str]:
    yield f"# HELP {metric.name} {metric.meaning}\n# TYPE {metric.name} gauge\n"
    for sample in bounded(metric.samples):
        labels = ",".join(f'{name}="{_escaped(value)}"' for name, value in sample.labels)
        yield f"{metric.name}{{{labels}}} {plain(Decimal(sample.value))}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
