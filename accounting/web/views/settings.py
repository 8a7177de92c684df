"""Settings: what readers choose for themselves."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from accounting.models import Organization
from accounting.web.access import for_member
from accounting.web.forms.preferences import PreferencesForm
from accounting.web.preferences import chosen, keep


@require_GET
@for_member
def settings(request: HttpRequest, organization: Organization) -> HttpResponse:
    """Everything that can be set."""
    context = {
        "organization": organization,
        "preferences": PreferencesForm(initial=chosen(request)),
    }
    return render(request, "settings/page.html", context)


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Keep what was chosen in the reader's browser and go back; a choice that is none is refused."""
    form = PreferencesForm(request.POST)
    if not form.is_valid():
        said = " ".join(str(error) for errors in form.errors.values() for error in errors)
        messages.error(request, said, extra_tags="danger")
        return redirect("settings")
    back = request.POST.get("next", "")
    is_safe = url_has_allowed_host_and_scheme(back, allowed_hosts={request.get_host()})
    answer = redirect(back if is_safe else "settings")
    sent = {name: form.cleaned_data[name] for name in form.fields if name in request.POST}
    for name, value in sent.items():
        keep(answer, name, value)
    if not is_safe:
        # In the language that was chosen just now: the next page is written in it.
        with translation.override(sent.get("language") or translation.get_language()):
            messages.success(request, _("Your choice is kept in this browser."), extra_tags="good")
    return answer
