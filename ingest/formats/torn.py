"""What ends the reading of a JSON text that may be cut off or damaged."""

import ijson

#: The parser's own errors, half a character, an exponent that no number bears, and deep nesting.
TORN = (ijson.JSONError, ValueError, ArithmeticError, RecursionError)
