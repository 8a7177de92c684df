"""What a price belongs to: other names of models, and every price that one of them had."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import ngettext
from django.views.decorators.http import require_GET, require_POST

from accounting.domain.errors import DomainError
from accounting.models import Organization
from accounting.queries.price_history import price_history
from accounting.services import pricebooks
from accounting.web import refusals
from accounting.web.access import changes, for_member
from accounting.web.forms.price_names import AliasForm
from accounting.web.rate_words import conditions_of
from accounting.web.views.prices import Forms, price_page


@require_POST
@changes("prices")
def add_alias(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Say which listed model a name means; what had no price under it is priced at once."""
    form = AliasForm(organization.pk, request.POST)
    if form.is_valid():
        try:
            changed = pricebooks.add_alias(
                form.row(),
                organization=organization,
                by=pricebooks.Author(user=request.user.get_username()),
            )
        except DomainError as error:
            form.add_error(None, refusals.told(error))
        else:
            said = ngettext(
                "%(alias)s is priced as %(model)s; %(n)d request has a cost now.",
                "%(alias)s is priced as %(model)s; %(n)d requests have a cost now.",
                changed.newly_priced,
            )
            words = {
                "alias": form.cleaned_data["alias"],
                "model": form.cleaned_data["meant"],
                "n": changed.newly_priced,
            }
            messages.success(request, said % words, extra_tags="good")
            return redirect("prices")
    return price_page(request, organization, Forms(alias=form), status=422)


@require_GET
@for_member
def history(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Every price that ?provider= and ?model= had, with what replaced it."""
    provider, model = (
        request.GET.get(name, "").replace("\0", "")[:200] for name in ("provider", "model")
    )
    rows = price_history(organization.pk, provider, model)
    if not rows:
        raise Http404
    context = {
        "organization": organization,
        "provider": provider,
        "model": model,
        "now": timezone.now(),
        "rows": [(one, conditions_of(one.row)) for one in rows],
    }
    return render(request, "prices/history.html", context)
