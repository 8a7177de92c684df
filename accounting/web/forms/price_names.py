"""The form that says which listed model a name in the logs means."""

from difflib import get_close_matches

from django import forms
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.domain.naming import provider_id
from accounting.models import Rate
from accounting.services.price_rows import AliasRow

SUGGESTIONS = 12


def priced_models(organization_id: int) -> list[str]:
    """Every model with a price in the organization's books or a list, as provider/model. One query."""
    rows = Rate.objects.filter(
        Q(book__organization_id=organization_id) | Q(book__organization_id=None),
        superseded_version=None,
        model__isnull=False,
    )
    names = rows.values_list("model__provider", "model__name").distinct()
    return sorted(f"{provider}/{model}" for provider, model in names)


class AliasForm(forms.Form):
    """A name as the logs have it, and the model whose prices hold for it."""

    alias = forms.CharField(label=gettext_lazy("Name in the logs"), max_length=200)
    provider = forms.CharField(label=gettext_lazy("Its provider"), max_length=64, required=False)
    meant = forms.CharField(
        label=gettext_lazy("Is the model"),
        max_length=300,
        help_text=gettext_lazy("as provider/model, one that has a price"),
        widget=forms.TextInput(attrs={"list": "priced-models", "autocomplete": "off"}),
    )

    def __init__(
        self, organization_id: int, data: object = None, *, initial: object = None
    ) -> None:
        # Other forms of the page have fields of the same names.
        super().__init__(data, initial=initial, auto_id="id_alias_%s")  # type: ignore[arg-type]
        self.organization_id = organization_id

    @property
    def suggestions(self) -> list[str]:
        """Priced models with names like the one to be named; for a person to choose, never taken."""
        name = str(self["alias"].value() or "")
        if not name:
            return []
        known = priced_models(self.organization_id)
        by_name: dict[str, list[str]] = {}
        for each in known:
            by_name.setdefault(each.partition("/")[2].lower(), []).append(each)
        close = get_close_matches(name.lower(), by_name, n=SUGGESTIONS, cutoff=0.4)
        return [each for found in close for each in by_name[found]][:SUGGESTIONS]

    def clean_meant(self) -> str:
        """The model, which must have a price."""
        meant: str = self.cleaned_data["meant"].strip()
        if meant not in priced_models(self.organization_id):
            raise forms.ValidationError(
                _("No model is listed as %(name)s. Write it as provider/model, as openai/gpt-5.")
                % {"name": meant}
            )
        return meant

    def row(self) -> AliasRow:
        """The alias."""
        provider, _slash, model = self.cleaned_data["meant"].partition("/")
        return AliasRow(
            provider=provider_id(self.cleaned_data["provider"]),
            alias=self.cleaned_data["alias"],
            model_provider=provider,
            model=model,
        )
