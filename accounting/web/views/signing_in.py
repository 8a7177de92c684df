"""Coming in and going out: the one-time link, the password, and choosing one."""

from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounting.services import tenants

#: Session key: whoever came by a printed link may set a password without knowing the old one.
BY_LINK = "signed_in_by_link"
BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@login_not_required
@require_http_methods(["GET", "POST"])
def sign_in_by_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in with a printed link; a GET only asks, so a preview or a prefetch does not burn it."""
    if request.method == "GET":
        return render(request, "sign_in/link.html")
    user = tenants.use_sign_in_link(token)
    if user is None:
        return render(request, "sign_in/link.html", {"refused": True}, status=410)
    login(request, user, backend=BACKEND)
    request.session[BY_LINK] = True
    return redirect("overview" if user.has_usable_password() else "choose-password")


@never_cache
@require_http_methods(["GET", "POST"])
def choose_password(request: HttpRequest) -> HttpResponse:
    """Set the signed-in person's password; the session they are in stays."""
    user = request.user
    assert isinstance(user, User)  # noqa: S101  LoginRequiredMiddleware let nobody else in
    asks_old = user.has_usable_password() and not request.session.get(BY_LINK)
    form = (PasswordChangeForm if asks_old else SetPasswordForm)(user, request.POST or None)
    if form.is_valid():
        form.save()
        update_session_auth_hash(request, user)
        messages.success(request, _("Your password is set."), extra_tags="good")
        return redirect("overview")
    return render(request, "sign_in/choose_password.html", {"form": form})
