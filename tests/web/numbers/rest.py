"""REST as the walk asks it: the question of a page's own address, all pages of the answer."""

from django.http import QueryDict
from django.test import Client

#: What of an address says how its page draws, pages or orders: no part of the question.
OF_THE_PAGE = ("chart", "show", "order", "page", "after", "before", "search", "id", "run", "key")
_CUT = ("group", "sub", "bucket", "metric", "compare", "weekday")


class Rest:
    """The answers to one reader. own: the organization's currency."""

    def __init__(self, client: Client, own: str) -> None:
        self.client = client
        self.own = own

    def ask(self, name: str, query: str = "", **params: object) -> dict:
        """One whole answer; params stand in for those of the query, None takes one out."""
        asked = QueryDict(query, mutable=True)
        for gone in OF_THE_PAGE:
            asked.pop(gone, None)
        for key, value in params.items():
            asked.pop(key, None)
            if value is not None:
                asked.setlist(key, value if isinstance(value, list) else [str(value)])
        answer = self._get(name, asked)
        cursor = answer.get("next")
        while cursor:
            asked["cursor"] = cursor
            more = self._get(name, asked)
            answer["rows"] += more["rows"]
            cursor = more["next"]
        return answer

    def usage(self, query: str, **params: object) -> dict:
        """Usage without a cut, unless the params say one."""
        whole: dict[str, object] = dict.fromkeys(("group", "sub", "bucket"))
        return self.ask("usage", query, **{**whole, **params}, limit=1000)

    def latency(self, query: str, **params: object) -> dict:
        """Latencies without a cut, unless the params say one."""
        whole: dict[str, object] = dict.fromkeys(_CUT)
        return self.ask("latency", query, **{**whole, **params})

    def uncut(self, name: str, query: str, **params: object) -> dict:
        """Another question about the filter's usage, which knows of no cut."""
        return self.ask(name, query, **{**dict.fromkeys(_CUT), **params})

    def before(self, query: str, **params: object) -> dict | None:
        """The two sides of the comparison; None where the address wants none."""
        if QueryDict(query).get("compare") == "none":
            return None
        whole = dict.fromkeys(("group", "sub", "bucket", "metric"))
        return self.ask("change", query, **{**whole, **params})

    def _get(self, name: str, asked: QueryDict) -> dict:
        answer = self.client.get(f"/api/v1/{name}?{asked.urlencode()}")
        assert answer.status_code == 200, (name, asked.urlencode(), answer.content)
        return answer.json()
