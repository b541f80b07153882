"""Values that a text offers for a parameter, likeliest first. Called by `fill.py`.

One function per role; what is not in the text is not offered. Places and names are told apart by
the preposition before them, sides ("from", "to") likewise.
"""

from collections.abc import Callable
from typing import Any

from toolplanner_core.llm.offline.offer_amounts import (
    offer_age,
    offer_amount,
    offer_currency,
    offer_height,
    offer_limit,
    offer_page,
    offer_radius,
    offer_unit,
    offer_weight,
)
from toolplanner_core.llm.offline.offer_dates import (
    offer_date,
    offer_days,
    offer_month,
    offer_time,
    offer_year,
)
from toolplanner_core.llm.offline.offer_places import (
    offer_airport,
    offer_coordinates,
    offer_country,
    offer_latitude,
    offer_longitude,
    offer_place,
    offer_state,
    offer_timezone,
    offer_zip,
)
from toolplanner_core.llm.offline.offer_words import (
    offer_domain,
    offer_id,
    offer_ip,
    offer_language,
    offer_name,
    offer_phone,
    offer_query,
    offer_ticker,
    offer_tracking,
    offer_url,
)
from toolplanner_core.llm.offline.roles import Slot
from toolplanner_core.llm.offline.texts import Offer, Text, sided


def _simple(*kinds: str) -> Callable[[Slot, Any, Text], Offer]:
    def offer(slot: Slot, _schema: Any, text: Text) -> Offer:
        for mention in sided(text.of(*kinds), slot.side):
            yield mention.value

    return offer


ROLES: dict[str, Callable[[Slot, Any, Text], Offer]] = {
    "latitude": offer_latitude,
    "longitude": offer_longitude,
    "coordinates": offer_coordinates,
    "zip": offer_zip,
    "place": offer_place,
    "state": offer_state,
    "country": offer_country,
    "currency": offer_currency,
    "amount": offer_amount,
    "date": offer_date,
    "datetime": offer_date,
    "time": offer_time,
    "year": offer_year,
    "month": offer_month,
    "days": offer_days,
    "unit": offer_unit,
    "language": offer_language,
    "ticker": offer_ticker,
    "airport": offer_airport,
    "timezone": offer_timezone,
    "domain": offer_domain,
    "url": offer_url,
    "ip": offer_ip,
    "email": _simple("email"),
    "isbn": _simple("isbn"),
    "vin": _simple("vin"),
    "iban": _simple("iban"),
    "flight": _simple("flight"),
    "colour": _simple("colour"),
    "tracking": offer_tracking,
    "phone": offer_phone,
    "limit": offer_limit,
    "page": offer_page,
    "radius": offer_radius,
    "weight": offer_weight,
    "height": offer_height,
    "age": offer_age,
    "query": offer_query,
    "name": offer_name,
    "id": offer_id,
}
"""What a text offers, by role; "secret" has no entry: keys are never taken from a text."""
