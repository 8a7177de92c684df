"""Addresses of the pages."""

from django.contrib.auth.views import LoginView, LogoutView
from django.urls import path

from accounting.web.views import keys, overview, prices, sessions, signing_in, theme, welcome

urlpatterns = [
    path("", overview.overview, name="overview"),
    path("sample-data/load", overview.load_demo, name="demo.load"),
    path("sample-data/remove", overview.remove_demo, name="demo.remove"),
    path("sessions/", sessions.sessions, name="sessions"),
    path("prices/", prices.prices, name="prices"),
    path("prices/add", prices.add, name="prices.add"),
    path("prices/credit-rate", prices.add_credit_rate, name="prices.credit"),
    path("keys/", keys.keys, name="keys"),
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
