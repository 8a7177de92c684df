"""Tables and constraints of the books."""

from accounting.models.catalog import LlmModel, ModelAlias
from accounting.models.imports import Import, Rejection, Run
from accounting.models.ledger import UsageEvent
from accounting.models.prices import (
    CreditRate,
    FxRate,
    PriceBook,
    PriceVersion,
    Rate,
    RateMultiplier,
)
from accounting.models.rollups import LatencyHour, SessionTotal, UsageDayAttribute, UsageHour
from accounting.models.tenants import ApiKey, Membership, Organization, Project, SignInLink

__all__ = [
    "ApiKey",
    "CreditRate",
    "FxRate",
    "Import",
    "LatencyHour",
    "LlmModel",
    "Membership",
    "ModelAlias",
    "Organization",
    "PriceBook",
    "PriceVersion",
    "Project",
    "Rate",
    "RateMultiplier",
    "Rejection",
    "Run",
    "SessionTotal",
    "SignInLink",
    "UsageDayAttribute",
    "UsageEvent",
    "UsageHour",
]
