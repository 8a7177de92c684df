"""The book that a table's rates go into: found by its code, or made."""

from accounting.domain.errors import BadRateError
from accounting.models import Organization, PriceBook, Project
from accounting.services.price_files import BookRow


def book_for(row: BookRow, organization: Organization) -> tuple[PriceBook, bool]:
    """The organization's book with that code, made where there is none; whether it changed."""
    parent = _parent(row, organization) if row.parent else None
    book = PriceBook.objects.filter(organization=organization, code=row.code).first()
    if book is None:
        return _made(row, organization, parent), True
    if row.currency and row.currency != book.currency:
        raise BadRateError(
            f"book {row.code} is in {book.currency}, not {row.currency}: use another code"
        )
    if row.kind and row.kind != book.kind:
        raise BadRateError(f"book {row.code} is a {book.kind} book, not {row.kind}")
    if parent is not None and book.parent_id != parent.pk:
        _refuse_circle(book, parent)
        book.parent = parent
        book.save(update_fields=["parent"])
        return book, True
    return book, False


def _made(row: BookRow, organization: Organization, parent: PriceBook | None) -> PriceBook:
    kind = row.kind or PriceBook.Kind.ORGANIZATION
    if kind not in PriceBook.Kind.values:
        raise BadRateError(f"kind = {kind!r}, expected {', '.join(PriceBook.Kind.values)}")
    project = None
    if row.project:
        project = Project.objects.of(organization.pk).filter(slug=row.project).first()
        if project is None:
            raise BadRateError(f"there is no project {row.project!r}")
    return PriceBook.objects.create(
        organization=organization,
        project=project,
        parent=parent,
        code=row.code,
        name=row.name or row.code,
        currency=row.currency or organization.currency,
        kind=kind,
    )


def _parent(row: BookRow, organization: Organization) -> PriceBook:
    for owner in (organization, None):
        parent = PriceBook.objects.filter(organization=owner, code=row.parent).first()
        if parent is not None:
            return parent
    raise BadRateError(f"there is no book {row.parent!r} to be the parent of {row.code!r}")


def _refuse_circle(book: PriceBook, parent: PriceBook) -> None:
    above: PriceBook | None = parent
    while above is not None:
        if above.pk == book.pk:
            raise BadRateError(f"book {book.code} would be its own parent")
        above = above.parent
