"""A log without its texts: no prompt and no answer left, everything else where it was."""

import io
import json
from dataclasses import replace

import pytest

from ingest.formats.base import Rejected, UnreadableError
from ingest.formats.catalogue import SAMPLES
from ingest.formats.cutting import Layout, cut, items_of, opened
from ingest.formats.redaction import redacted_csv, redacted_document, redacted_lines
from ingest.services.keeping import _redacted
from tests.formats.reading import OPTIONS, detected

SECRET = "Ada is ill"


@pytest.mark.parametrize(
    "record",
    [
        {"messages": [{"role": "user", "content": SECRET}]},
        {"message": {"id": "m", "content": [{"type": "text", "text": SECRET}]}},
        {"content": [{"type": "tool_use", "name": SECRET, "input": {"path": SECRET}}]},
        {"prompt": SECRET},
        {"prompt": [SECRET, SECRET]},
        {"toolUseResult": {"stdout": SECRET, "file": {"name": SECRET}}},
        {"attributes": [{"key": "gen_ai.prompt", "value": {"stringValue": SECRET}}]},
        {"attributes": {"gen_ai.prompt.0.content": SECRET, "input.value": SECRET}},
        {"attributes": {"llm.input_messages.0.message.content": SECRET}},
        {"request": json.dumps({"model": "m", "messages": [{"content": SECRET}]})},
        {"metadata": json.dumps({"inner": json.dumps({"content": SECRET})})},
        {"candidates": [{"content": {"parts": [{"text": SECRET}], "role": "model"}}]},
        {"delta": {"type": "text_delta", "text": SECRET}},
        {"system": SECRET, "instructions": SECRET, "output": SECRET, "title": SECRET},
        {"whatever": f"{SECRET} " * 30},
        {"whatever": f"one two three four five six seven eight {SECRET}"},
        {"content": {"a": SECRET, "content": f'quoted \\"{SECRET}\\" é'}},
    ],
)
def test_a_text_is_gone_wherever_it_stands(record):
    told = {"id": "r-1", **record, "usage": {"input_tokens": 12, "cost": 0.1000}}
    for text in (json.dumps(told), json.dumps(told, ensure_ascii=False, indent=1)):
        body = text.encode()
        found = redacted_document(body)
        assert SECRET.encode() not in found
        assert len(found) == len(body)
        assert found.count(b"\n") == body.count(b"\n")
        again = json.loads(found)
        assert (again["id"], again["usage"]) == (told["id"], told["usage"])


def test_names_numbers_and_moments_stay():
    told = {
        "model": "gpt-4o",
        "content": {"timestamp": "2026-03-02T10:00:00.5Z", "tokens": "12", "type": "text"},
        "value": "3.5",
        "prompt": 12,
        "output": {"tokens": 3},
    }
    assert json.loads(redacted_document(json.dumps(told).encode())) == told


@pytest.mark.parametrize(
    "line",
    [
        f'{{"id": "r", "prompt": "{SECRET}',
        f'{{"id": "r", {SECRET}}}',
        f'"id": "r", "prompt": "{SECRET}"}}}}}}',
        f'{SECRET}: "x',
        f'{{"a": "\\"}}, "prompt": "{SECRET}"',
    ],
)
def test_of_what_is_no_json_no_text_is_left_and_its_neighbours_stay(line):
    good = '{"id": "r-1", "usage": {"input_tokens": 1}}'
    found = redacted_lines(f"{good}\n{line}\n{good}".encode())
    first, second, third = found.split(b"\n")
    assert first == third == good.encode()
    assert SECRET.encode() not in second
    assert len(second) == len(line)


def test_a_stream_of_events_keeps_its_events():
    body = (
        'event: content_block_delta\ndata: {"delta": {"text": "' + SECRET + '"}}\n\n'
        'data: {"usage": {"input_tokens": 3}}\n\ndata: [DONE]\n'
    ).encode()
    found = redacted_lines(body)
    assert SECRET.encode() not in found
    assert b"event: content_block_delta\n" in found
    assert b'data: {"usage": {"input_tokens": 3}}\n' in found


def test_a_table_loses_the_cells_of_its_texts():
    header = ("id", "prompt", "input", "extra", "note")
    inner = '"{""usage"": {""n"": 1}, ""content"": ""' + SECRET + '""}"'
    body = f'r-1,{SECRET},12,{inner},"a ""quoted"" name"\nr-2,"{SECRET},\n{SECRET}",7,,x\n'.encode()
    found = redacted_csv(body, header)
    assert SECRET.encode() not in found
    assert len(found) == len(body)
    assert b'""usage"": {""n"": 1}' in found
    assert b'"a ""quoted"" name"' in found
    assert found.count(b",12,") == found.count(b",7,") == 1


def readable_samples():
    for path in sorted(SAMPLES.rglob("*")):
        name = path.relative_to(SAMPLES).as_posix()
        if not path.is_file() or path.suffix in {".toml", ".md"} or path.name == "EXPECTED.json":
            continue
        try:
            found = detected(path.read_bytes(), name)
        except UnreadableError:
            continue
        yield name, found


#: Records without any id are known by their text; these need it, or hold their counts in one.
KNOWN_BY_THEIR_TEXT = {
    "bedrock_converse/stream.jsonl",
    "cloudevents/events.jsonl",
    "codex_exec/run.jsonl",
    "gemini_api/bodies.jsonl",
    "gemini_api/chunks.json",
    "genai_perf/profile_export.json",
    "openai_chat/chunks_without_id.json",
    "openai_chat/vendors.jsonl",
}


@pytest.mark.parametrize(("name", "found"), [*readable_samples()])
def test_a_sample_without_its_texts_reads_as_it_did(name, found):
    pieces = list(cut(opened(io.BytesIO((SAMPLES / name).read_bytes())), found.layout))
    copies = [_redacted(piece, found.layout, frozenset()) for piece in pieces]
    if None in copies:
        assert name.endswith(".pb")
        return
    assert [len(copy) for copy in copies] == [len(piece.body) for piece in pieces]
    bare = [replace(piece, body=copy) for piece, copy in zip(pieces, copies, strict=True)]
    is_same = outcomes(found, pieces, name) == outcomes(found, bare, name)
    assert is_same is (name not in KNOWN_BY_THEIR_TEXT)


def outcomes(found, pieces, name):
    state = found.format.new_state()
    told = []
    for piece in pieces:
        told += found.format.read(items_of(piece, found.layout, name), OPTIONS, state)
    return [
        replace(one, reason="", field="", value="") if isinstance(one, Rejected) else one
        for one in told
    ]


def test_the_samples_are_of_every_layout():
    layouts = {found.layout for _, found in readable_samples()}
    assert layouts == set(Layout)
