"""A rollup as a SELECT over signed ledger rows: what it counts by, what it adds up, and of which rows."""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollup:
    """One rollup table.

    keys: column -> expression over a signed ledger row `e`. joined: further sources of the
    expressions. sums: column -> addend. spans: column -> (aggregate, expression), the columns that
    differences cannot carry. only: which rows take part. inner: column -> expression, by which rows
    are summed before they are joined, where many share them. found_by: the keys that tell a row from all
    others, where not all of them are needed. reads: of what accounting.services.condensing
    makes of a batch: its sums, its latencies, or its events, where sums lack a column that is counted by.
    """

    table: str
    keys: dict[str, str]
    sums: dict[str, str]
    joined: str = ""
    spans: dict[str, tuple[str, str]]
    only: str = "TRUE"
    inner: dict[str, str] = field(default_factory=dict)
    found_by: tuple[str, ...] = ()
    reads: str = "sums"

    @property
    def counted(self) -> str:
        """The column that is 0 exactly when nothing is left of a row."""
        return next(iter(self.sums))

    def summed(self, source: str) -> str:
        """The SELECT of keys, sums and spans over signed rows named by source."""
        keys, sums = self.keys, {name: f"sign * ({value})" for name, value in self.sums.items()}
        if self.inner:
            source = self._summed_before(source, sums)
            keys = {name: name if name in self.inner else value for name, value in keys.items()}
            sums = {name: f"e.{name}" for name in sums}
        expressions = [f"{value} AS {name}" for name, value in keys.items()]
        expressions += [f"sum({value}) AS {name}" for name, value in sums.items()]
        expressions += [
            f"coalesce({how}({value}) FILTER (WHERE sign > 0), {how}({value})) AS {name}"
            for name, (how, value) in self.spans.items()
        ]
        return (
            f"SELECT {', '.join(expressions)} FROM {source} AS e {self.joined} "
            f"WHERE {self.only} GROUP BY {', '.join(str(n + 1) for n in range(len(self.keys)))}"
        )

    @property
    def condensed(self) -> "Rollup":
        """The same over rows that were summed already: each sum and span has a column of its name.

        An instant stands for all of its hour and day. Latencies are counted by bucket already.
        """
        found = self
        if self.reads == "latencies":
            keys = {**self.keys, "metric": "metric", "bucket": "bucket"}
            found = replace(self, keys=keys, joined="", only="TRUE")
        return replace(
            found,
            sums={name: name for name in self.sums},
            spans={
                name: (how, value if value == "occurred_at" else name)
                for name, (how, value) in self.spans.items()
            },
        )

    def _summed_before(self, source: str, sums: dict[str, str]) -> str:
        expressions = [f"{value} AS {name}" for name, value in self.inner.items()]
        expressions += [f"sum({value}) AS {name}" for name, value in sums.items()]
        return (
            f"(SELECT {', '.join(expressions)} FROM {source} AS e "
            f"GROUP BY {', '.join(str(n + 1) for n in range(len(self.inner)))})"
        )

    @property
    def columns(self) -> str:
        """Every column that `summed` fills, in its order."""
        return ", ".join((*self.keys, *self.sums, *self.spans))
