"""Tables and constraints of the books."""

from accounting.models.aggregates import UsageAggregate
from accounting.models.catalog import LlmModel, ModelAlias
from accounting.models.imports import Import, Mapping, Rejection, Run
from accounting.models.ledger import UsageEvent
from accounting.models.prices import (
    CreditRate,
    FxRate,
    PriceBook,
    PriceVersion,
    Rate,
    RateMultiplier,
    VolumeTier,
)
from accounting.models.repricing import ClosedMonth, CostRevision, RepriceRun
from accounting.models.rollups import LatencyHour, SessionTotal, UsageDayAttribute, UsageHour
from accounting.models.tenants import ApiKey, Membership, Organization, Project, SignInLink

__all__ = [
    "ApiKey",
    "ClosedMonth",
    "CostRevision",
    "CreditRate",
    "FxRate",
    "Import",
    "LatencyHour",
    "LlmModel",
    "Mapping",
    "Membership",
    "ModelAlias",
    "Organization",
    "PriceBook",
    "PriceVersion",
    "Project",
    "Rate",
    "RateMultiplier",
    "Rejection",
    "RepriceRun",
    "Run",
    "SessionTotal",
    "SignInLink",
    "UsageAggregate",
    "UsageDayAttribute",
    "UsageEvent",
    "UsageHour",
    "VolumeTier",
]
