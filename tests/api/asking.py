"""Asking REST in tests: a key's questions, and walking through all pages of an answer."""

from tests.factories import api_key

OCTOBER = {"from": "2026-10-01", "to": "2026-11-01"}


class Asker:
    """Asks with one key. headers: of every request."""

    def __init__(self, client, key):
        self.client = client
        self.headers = {"Authorization": f"Bearer {key}"}

    def __call__(self, path, **params):
        return self.client.get(f"/api/v1/{path}", params, headers=self.headers)

    def post(self, path, values, query=""):
        return self.client.post(
            f"/api/v1/{path}{query}", values, content_type="application/json", headers=self.headers
        )

    def october(self, path, **params):
        """What a question about October 2026 is answered with."""
        answer = self(path, **OCTOBER, **params)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def pages(self, path, **params):
        """Every page of an answer."""
        body, found = {"next": ""}, []
        while body["next"] is not None:
            answer = self(path, **params, **({"cursor": body["next"]} if body["next"] else {}))
            assert answer.status_code == 200, answer.content
            body = answer.json()
            found.append(body)
        return found


def asker(client, organization, **key):
    """Asks for an organization with a new key of it that may read."""
    return Asker(client, api_key(organization, **key))
