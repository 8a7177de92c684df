"""GET /api/v1/prices and /api/v1/credit-rates."""

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounting.api.documentation import ERRORS, PAGE_PARAMETERS, SHOWN_ZONE_PARAMETER
from accounting.api.fields import FIELDS, cut, fields_parameter, refuse_other_fields
from accounting.api.moments import (
    AS_OF,
    AS_OF_PARAMETER,
    AT,
    AT_PARAMETER,
    moment_in,
    version_in,
)
from accounting.api.pagination import CURSOR, LIMIT, page_of, text_in
from accounting.api.prices_schema import (
    CreditRatesAnswerSerializer,
    CreditRateSerializer,
    RateRowSerializer,
    RatesAnswerSerializer,
)
from accounting.api.units import CURRENCY, ONE_CURRENCY_PARAMETER, currency_in
from accounting.api.views.base import (
    BooksView,
    books_of,
    only_slug_of,
    parameters,
    refuse_others,
)
from accounting.api.zones import shown_zone
from accounting.queries.credit_rates import credit_rate_page
from accounting.queries.grammar import ZONE
from accounting.queries.price_list import RateFilter, rate_page
from accounting.queries.writing_prices import written_credit_rate, written_rate

BOOK, PROVIDER, MODEL, PART = "book", "provider", "model", "model~"
_NAMES = (AT, AS_OF, BOOK, PROVIDER, MODEL, PART, CURRENCY, ZONE, FIELDS, CURSOR, LIMIT)
_PARAMETERS = [
    AT_PARAMETER,
    AS_OF_PARAMETER,
    OpenApiParameter(BOOK, description="The code of a price book."),
    OpenApiParameter(PROVIDER),
    OpenApiParameter(MODEL, description="A model's whole name."),
    OpenApiParameter(PART, description="Any part of a model's name."),
    ONE_CURRENCY_PARAMETER,
    SHOWN_ZONE_PARAMETER,
]


class PricesView(BooksView):
    """Which prices hold, or held."""

    @extend_schema(
        operation_id="prices",
        parameters=[*_PARAMETERS, fields_parameter(RateRowSerializer), *PAGE_PARAMETERS],
        responses={200: RatesAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """The rates in force at a moment, own books first, as a price version knew them."""
        refuse_others(request, _NAMES)
        params = parameters(request)
        organization = books_of(request)
        zone, at = shown_zone(params, organization), moment_in(params)
        version = version_in(params, organization)
        refuse_other_fields(params, RateRowSerializer)
        only = only_slug_of(request)
        page = page_of("prices", organization.pk, params, only=only)
        asked = RateFilter(
            book=text_in(params, BOOK),
            provider=text_in(params, PROVIDER),
            model=text_in(params, MODEL),
            part=text_in(params, PART),
            currency=currency_in(params),
            only=only,
        )
        after = None
        if page.after is not None:  # pages of one list are of one moment and version
            at, version, *rest = page.after
            after = tuple(rest)
        found = rate_page(
            organization.pk,
            asked,
            at=at,
            version=version,
            limit=page.limit,
            after=after,
        )
        rows = [written_rate(one.row, zone) for one in found.rates]
        last = (at, version, *found.rates[-1].key) if found.rates else ()
        return Response(
            {
                "at": at.astimezone(zone).isoformat(),
                "price_version": version,
                "rows": cut(rows, params, RateRowSerializer),
                "next": page.next(last, has_more=found.has_more),
            }
        )


class CreditRatesView(BooksView):
    """What credits cost."""

    @extend_schema(
        operation_id="credit_rates",
        parameters=[
            AS_OF_PARAMETER,
            ONE_CURRENCY_PARAMETER,
            SHOWN_ZONE_PARAMETER,
            fields_parameter(CreditRateSerializer),
            *PAGE_PARAMETERS,
        ],
        responses={200: CreditRatesAnswerSerializer, **ERRORS},
    )
    def get(self, request: Request) -> Response:
        """Every dated rate, past and coming ones too, as a price version knew them."""
        refuse_others(request, (AS_OF, CURRENCY, ZONE, FIELDS, CURSOR, LIMIT))
        params = parameters(request)
        organization = books_of(request)
        zone = shown_zone(params, organization)
        version = version_in(params, organization)
        refuse_other_fields(params, CreditRateSerializer)
        page = page_of("credit-rates", organization.pk, params)
        after = None
        if page.after is not None:
            version, *rest = page.after
            after = tuple(rest)
        found = credit_rate_page(
            organization.pk,
            version=version,
            limit=page.limit,
            after=after,
            currency=currency_in(params),
        )
        rows = [written_credit_rate(rate, zone) for rate in found.rates]
        last = (version, *found.rates[-1].key) if found.rates else ()
        return Response(
            {
                "price_version": version,
                "rows": cut(rows, params, CreditRateSerializer),
                "next": page.next(last, has_more=found.has_more),
            }
        )
