"""Entering an exchange rate: what is in another currency is converted at once."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from accounting.domain.errors import DomainError
from accounting.models import Organization
from accounting.services import pricebooks
from accounting.web import formatting, refusals
from accounting.web.access import changes
from accounting.web.forms.exchange import ExchangeRateForm
from accounting.web.views.prices import Forms, price_page


@require_POST
@changes("prices")
def add_exchange_rate(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Say what a currency is worth from a day on; costs that were not converted yet are, at once."""
    form = ExchangeRateForm(request.POST)
    if form.is_valid():
        try:
            changed = pricebooks.add_fx_rate(
                form.row(organization.time_zone),
                organization=organization,
                by=pricebooks.Author(user=request.user.get_username()),
            )
        except DomainError as error:
            form.add_error(None, refusals.told(error))
        else:
            messages.success(request, _said(changed), extra_tags="good")
            return redirect("prices")
    return price_page(request, organization, Forms(exchange=form), status=422)


def _said(changed: pricebooks.PricesChanged) -> str:
    if changed.version is None:
        return _("This exchange rate was in the books already.")
    return ngettext(
        "The exchange rate is in the books; it filled in %(shown)s request.",
        "The exchange rate is in the books; it filled in %(shown)s requests.",
        changed.newly_priced,
    ) % {"shown": formatting.exact(changed.newly_priced)}
