"""Addresses of the pages."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from accounting.web.views import (
    estimate,
    exchange,
    keys,
    months,
    overview,
    price_names,
    prices,
    repricing,
    requests,
    sessions,
    settings,
    signing_in,
    theme,
    welcome,
)

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("sample-data/load", overview.load_demo, name="demo.load"),
    path("sample-data/remove", overview.remove_demo, name="demo.remove"),
    path("sessions/", sessions.sessions, name="sessions"),
    path("sessions/one/", requests.session, name="sessions.one"),
    path("requests/<str:key>/", requests.event, name="sessions.request"),
    path("prices/", prices.prices, name="prices"),
    path("prices/add", prices.add, name="prices.add"),
    path("prices/credit-rate", prices.add_credit_rate, name="prices.credit"),
    path("prices/exchange-rate", exchange.add_exchange_rate, name="prices.exchange"),
    path("prices/alias", price_names.add_alias, name="prices.alias"),
    path("prices/history/", price_names.history, name="prices.history"),
    path("prices/reprice/", repricing.repricing, name="prices.reprice"),
    path("prices/reprice/<int:run_id>/", repricing.one_run, name="prices.reprice.one"),
    path("prices/reprice/<int:run_id>/apply", repricing.apply, name="prices.reprice.apply"),
    path("prices/reprice/<int:run_id>/undo", repricing.undo, name="prices.reprice.undo"),
    path("estimate/", estimate.estimate_page, name="estimate"),
    path("months/", months.months, name="months"),
    path("months/<str:month>/close", months.close, name="months.close"),
    path("months/<str:month>/open", months.reopen, name="months.open"),
    path("keys/", keys.keys, name="keys"),
    path("keys/<int:key_id>/revoke", keys.revoke, name="keys.revoke"),
    path("settings/", settings.settings, name="settings"),
    path("settings/preferences", settings.choose, name="settings.preferences"),
    path("theme", theme.change_theme, name="theme"),
    path("welcome/", welcome.welcome, name="welcome"),
    path("password/", signing_in.choose_password, name="choose-password"),
    path(
        "sign-in/",
        LoginView.as_view(template_name="sign_in/password.html", redirect_authenticated_user=True),
        name="sign-in",
    ),
    path("sign-in/<str:token>/", signing_in.sign_in_by_link, name="sign-in.link"),
    path("sign-out/", LogoutView.as_view(), name="sign-out"),
]
