"""Which codes are money: ISO 4217, and credit kinds where they are meant.

Source: ISO 4217 list one (currencies and funds) as SIX publishes it, and from list three the codes that
were withdrawn since 2020, when the books begin. Metals, bond units, XTS (tests) and XXX (none) are left out.
"""

from collections.abc import Collection

from accounting.domain.errors import DomainError

CURRENCIES = frozenset(
    """
    AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
    CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP
    GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR
    KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN
    MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD
    SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX
    USD USN UYI UYU UYW UZS VED VES VND VUV WST XAF XCD XCG XDR XOF XPF XSU XUA YER ZAR ZMW ZWG
    ANG BGN CUC HRK SLL ZWL
    """.split()  # noqa: SIM905  a list of two hundred would be read by nobody
)


class UnknownCurrencyError(DomainError):
    """A code is no currency, and no credit kind that may stand in its place."""

    code = "unknown_currency"


def checked_currency(code: str, kinds: Collection[str] = ()) -> str:
    """The code in capitals. kinds: the credit kinds that may stand in a currency's place.

    Raises UnknownCurrencyError for any other.
    """
    capitals = code.strip().upper()
    known = {kind.upper() for kind in kinds}
    if capitals in CURRENCIES or capitals in known:
        return capitals
    credits = f" or a credit kind ({', '.join(sorted(known))})" if known else ""
    raise UnknownCurrencyError(f"{code[:20]!r} is no currency: expected ISO 4217 as CNY{credits}")


def checked_kind(kind: str) -> str:
    """A credit kind. Raises UnknownCurrencyError for a currency's code: its credits would be money."""
    if kind.strip().upper() in CURRENCIES:
        raise UnknownCurrencyError(f"{kind[:20]!r} is a currency, expected a name of credits")
    return kind
