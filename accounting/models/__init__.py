"""Tables and constraints of the books."""

from accounting.models.aggregates import UsageAggregate
from accounting.models.callers import UsageDayCaller
from accounting.models.catalog import LlmModel, ModelAlias
from accounting.models.cells import UsageDayCell
from accounting.models.histograms import AnswerDay, LatencyDay, LatencyHour
from accounting.models.imports import Import, Mapping, Rejection, Run
from accounting.models.ledger import UsageEvent
from accounting.models.overlaps import AggregateRevision, EventRevision, ImportOverlap
from accounting.models.prices import (
    CreditRate,
    FxRate,
    PriceBook,
    PriceVersion,
    Rate,
    RateMultiplier,
    VolumeTier,
)
from accounting.models.projections import StoredProjection
from accounting.models.repricing import ClosedMonth, CostRevision, PriceFilling, RepriceRun
from accounting.models.rollups import SessionTotal, UsageDay, UsageDayAttribute, UsageHour
from accounting.models.saved_views import SavedView
from accounting.models.session_uses import SessionUse, SessionWhole
from accounting.models.tenants import (
    ApiKey,
    AttributionRule,
    Membership,
    Organization,
    Project,
    SignInLink,
)

__all__ = [
    "AggregateRevision",
    "AnswerDay",
    "ApiKey",
    "AttributionRule",
    "ClosedMonth",
    "CostRevision",
    "CreditRate",
    "EventRevision",
    "FxRate",
    "Import",
    "ImportOverlap",
    "LatencyDay",
    "LatencyHour",
    "LlmModel",
    "Mapping",
    "Membership",
    "ModelAlias",
    "Organization",
    "PriceBook",
    "PriceFilling",
    "PriceVersion",
    "Project",
    "Rate",
    "RateMultiplier",
    "Rejection",
    "RepriceRun",
    "Run",
    "SavedView",
    "SessionTotal",
    "SessionUse",
    "SessionWhole",
    "SignInLink",
    "StoredProjection",
    "UsageAggregate",
    "UsageDay",
    "UsageDayAttribute",
    "UsageDayCaller",
    "UsageDayCell",
    "UsageEvent",
    "UsageHour",
    "VolumeTier",
]
