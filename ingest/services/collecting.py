"""Reading and posting without the garbage collector, which would find nothing in them."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the collector off for the block, which is about one batch.

    Records refer to nothing that refers to them, so counting references frees them. The collector would
    walk a hundred thousand of them again and again: a tenth of an import's time.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
