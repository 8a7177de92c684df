"""The form that makes an API key."""

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounting.models import ApiKey, Project

SCOPE_CHOICES = (
    ("ingest", gettext_lazy("send usage")),
    ("read", gettext_lazy("read usage and prices")),
)


class KeyForm(forms.Form):
    """A name, a project that usage sent with the key belongs to, and what the key may do."""

    name = forms.CharField(label=gettext_lazy("Name"), max_length=200, strip=True)
    project = forms.ModelChoiceField(
        label=gettext_lazy("Project"), queryset=Project.objects.none(), empty_label=None
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("May"),
        choices=SCOPE_CHOICES,
        initial=["ingest"],
        widget=forms.CheckboxSelectMultiple,
    )
    is_limited = forms.BooleanField(
        label=gettext_lazy("only this project"),
        help_text=gettext_lazy("It reads and is charged to no other project."),
        required=False,
    )

    def __init__(self, organization_id: int, data: object = None) -> None:
        super().__init__(data)  # type: ignore[arg-type]
        self.organization_id = organization_id
        projects = Project.objects.of(organization_id).filter(archived_at=None).order_by("name")
        choice = self.fields["project"]
        assert isinstance(choice, forms.ModelChoiceField)  # noqa: S101
        choice.queryset = projects
        choice.initial = projects.filter(slug="default").first() or projects.first()

    def clean_name(self) -> str:
        """The name, unless another key has it."""
        name: str = self.cleaned_data["name"]
        if ApiKey.objects.of(self.organization_id).filter(name=name).exists():
            raise forms.ValidationError(_("There is a key of this name already; choose another."))
        return name
