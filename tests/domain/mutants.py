"""What the last `make mutate` found, against the survivors that docs/mutation.md explains.

A mutant is known by its function and its changed lines, not by mutmut's number, which moves with every
edit of the function.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from mutmut.mutation.diff_apply import get_diff_for_mutant
from mutmut.stats import status_by_exit_code

FOUND = Path("mutants/accounting/domain")
EXPLAINED = Path("docs/mutation.md")
#: What a run can say of a mutant. A time-out is no kill: the machine may only have been busy.
COLUMNS = ("killed", "survived", "no tests", "timeout", "not checked")
_NUMBER = re.compile(r"(?:x_|xǁ)(.*)__mutmut_\d+$")


def main() -> int:
    """Print the figures by module and what no test notices; 1 where the page does not explain it.

    Only a whole run can say that something the page explains is noticed by now.
    """
    page = EXPLAINED.read_text()
    totals, unexplained, seen = Counter(), [], set()
    print(row("module", COLUMNS))
    for module, mutants in modules():
        figures = Counter(mutants.values())
        totals += figures
        print(row(module, [figures[column] for column in COLUMNS]))
        for name, status in mutants.items():
            if status in {"killed", "not checked"}:
                continue
            line = shown(name)
            seen.add(line)
            if line not in page:
                unexplained.append(f"{module}, {status}: {line}")
    print(row("all", [totals[column] for column in COLUMNS]))
    explained = re.findall(r"^- (`.*` → `.*`)\.", page, re.MULTILINE)
    gone = [line for line in explained if line not in seen and not totals["not checked"]]
    print(*(f"not in {EXPLAINED}: {line}" for line in unexplained), sep="\n")
    print(*(f"noticed now, though {EXPLAINED} lists it: {line}" for line in gone), sep="\n")
    return bool(unexplained)


def modules() -> Iterator[tuple[str, dict[str, str]]]:
    """Each module with the status of its mutants by their names."""
    for path in sorted(FOUND.glob("*.meta")):
        codes = json.loads(path.read_text())["exit_code_by_key"]
        if codes:
            module = path.name.removesuffix(".py.meta")
            yield module, {name: status_by_exit_code[code] for name, code in codes.items()}


def shown(name: str) -> str:
    """A mutant on one line: its function, what stood there and what it was changed to."""
    function = _NUMBER.search(name)[1].replace("ǁ", ".")
    old, new = [], []
    for line in get_diff_for_mutant(name).splitlines():
        if line[:1] in "+-" and line[:3] not in {"+++", "---"}:
            (old if line[0] == "-" else new).append(line[1:].strip())
    return f"`{function}`: `{' '.join(old)}` → `{' '.join(new)}`"


def row(name: str, cells: object) -> str:
    """A line of the page's table."""
    return f"| {name} | " + " | ".join(str(cell) for cell in cells) + " |"


if __name__ == "__main__":
    sys.exit(main())
