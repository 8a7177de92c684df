"""Every code that a reader gives, with its meaning: for docs/formats.md, the page and its tests."""

#: Why one record was rejected; its neighbours are read all the same.
REJECTIONS = {
    "ambiguous_body": "two kinds of answers fit one record; nobody guesses",
    "amount_out_of_range": "an amount that the books cannot hold",
    "bad_amount": "no amount of money, or a negative one",
    "bad_count": "no whole number from 0 to 999,999,999,999, or counts that contradict each other",
    "bad_csv": "a row that is no CSV",
    "bad_currency": "no currency code of 3 to 12 capital letters and digits",
    "bad_duration": "a duration that is no number of at least 0",
    "bad_period": "a period of a report that does not begin and end",
    "bad_tags": "tags that are neither a list nor a mapping of texts",
    "bad_temporality": "a metric that is neither a delta nor cumulative",
    "bad_text": "a name that is no text",
    "bad_time": "no moment from 2020 to 2099, or one that cannot be told",
    "bad_type": "a field of another type than it has in this format",
    "column_mismatch": "more or fewer cells than the header has",
    "contradiction": "two names of one field that differ",
    "duplicate_key": "a name that stands twice in one object",
    "inconsistent_lengths": "lists of a benchmark that have not one length",
    "invalid_unicode": "half a character",
    "invalid_utf8": "bytes that are not UTF-8",
    "line_too_long": "a record of more than 1 MiB",
    "missing_column": "a column that the mapping names and the row lacks",
    "missing_field": "a field without which the record means nothing",
    "not_a_number": "NaN, Infinity or another word in place of a number",
    "not_a_stream": "events of which none is an answer",
    "not_an_object": "JSON, but no object",
    "not_csv": "JSON in place of a row",
    "not_json": "no JSON, or JSON that was cut off",
    "not_protobuf": "no OTLP export in protobuf, or one that was cut off",
    "nul_character": "a text that holds a NUL character",
    "number_out_of_range": "a number larger than the books hold",
    "text_too_long": "a name of more than the characters that are kept",
    "too_deep": "objects and lists nested deeper than 64 levels",
    "too_many_digits": "an amount with more digits than money has",
    "too_many_fields": "more than 64 tags",
    "unclosed_quote": "a quote that is opened and never closed; it costs its own line alone",
    "unknown_body": "no answer of a known kind",
    "unknown_convention": "counts of which the source does not say what they include",
    "unknown_field": "a name that Tallybook's own format does not have",
    "unknown_status": "a status that the mapping does not name",
    "unknown_value": "a word that this field cannot be",
}
#: Why a whole file was refused.
REFUSALS = {
    "ambiguous_format": "more than one format fits; name the right one with --format",
    "bad_gzip": "the gzip data is damaged",
    "bad_header": "the header of a table is no CSV",
    "bad_zstd": "the zstd data is damaged",
    "binary_file": "no text",
    "decompressed_too_large": "it unpacks to more than 64 GiB",
    "document_too_large": "one document of more than 256 MiB",
    "duplicate_column": "two columns of one name",
    "empty_file": "nothing in it",
    "encoding_not_utf8": "UTF-16 or another encoding; save it as UTF-8",
    "line_ends_cr": "lines that end in CR alone",
    "nested_compression": "a packed file inside a packed file",
    "not_json": "JSON that is cut off or damaged",
    "not_this_format": "nothing at its beginning is a record of the format that was asked for",
    "too_deep": "nothing but objects and lists nested deeper than 500 levels",
    "trailing_garbage": "other bytes after the end of the packed ones",
    "truncated_gzip": "the gzip data was cut off",
    "truncated_zstd": "the zstd data was cut off",
    "unknown_format": "no known format",
    "wrong_layout": "never a file of the format that was asked for",
}
#: What is pointed out about a record that was counted all the same.
WARNINGS = {
    "disjoint_input": "its input leaves out the cached tokens, which were added",
    "in_future": (
        "it starts later than a day from now: see whether the clock of what wrote the log is right,"
        " and whether its times are in seconds or milliseconds; it counts on its own day, which"
        " range=all shows"
    ),
    "inconsistent_timing": "times that contradict each other",
    "inconsistent_total": "the total it reports is not the sum of what it lists",
    "likely_seconds": "times that look like seconds where milliseconds belong",
    "more_cached_than_input": "more tokens from the cache than were put in",
    "parts_left_out": "other parts of the record were not read",
    "uncertain_convention": "it does not say whether its input includes the cached tokens",
}
#: Why a well-formed record counts nothing.
SKIPS = {
    "connection_test": "the request with which LiteLLM tests a callback",
    "counted_by_its_record": "a total that repeats what the response's own record told",
    "counted_by_its_total": "a response's own record that repeats what the total told",
    "no_usage": "a record that reports no usage",
    "repeated_total": "a total that has not moved",
}
