"""Verbs of API documentation and the nouns that name them: "verify email" is "email verification".

A verb before its object becomes a noun behind it, so that a name is always a thing. English only;
other languages keep the words that they use.
"""


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NOUNS = {
    "analysis": "analyze analyse analyzes analyzing analyzer analyser",
    "authentication": "authenticate authenticates authenticating",
    "authorization": "authorize authorise authorizes",
    "calculation": "calculate calculates calculating calculated compute computes computing",
    "calculator": "calculators",
    "cancellation": "cancel cancels cancelling canceling",
    "classification": "classify classifies classifying classifier",
    "comparison": "compare compares comparing",
    "compression": "compress compresses compressing compressor",
    "conversion": "convert converts converting converted",
    "converter": "converters",
    "decoding": "decode decodes decoded",
    "decryption": "decrypt decrypts decrypting decrypted",
    "detection": "detect detects detecting detected",
    "encoding": "encode encodes encoded",
    "encryption": "encrypt encrypts encrypting encrypted",
    "enrichment": "enrich enriches enriching enriched",
    "estimation": "estimating estimated",
    "evaluation": "evaluate evaluates evaluating",
    "extraction": "extract extracts extracting extracted scrape scrapes scraped",
    "generation": "generate generates generating generated",
    "generator": "generators",
    "geocoding": "geocode geocodes",
    "identification": "identify identifies identifying identified",
    "lookup": "lookups",
    "management": "manage manages managing managed",
    "moderation": "moderate moderates",
    "monitoring": "monitor monitors monitored",
    "optimization": "optimize optimizes optimise optimizing",
    "parsing": "parse parses parsed",
    "prediction": "predict predicts predicting predicted",
    "recognition": "recognize recognise recognizes recognizing",
    "recommendation": "recommend recommends recommending recommended",
    "registration": "register registers registering registered signup",
    "rotation": "rotate rotates rotated",
    "search": "searches searching searched",
    "shortening": "shorten shortens shortened",
    "simulation": "simulate simulates simulating",
    "solver": "solve solves solving",
    "suggestion": "suggest suggests suggesting suggested",
    "summary": "summarize summarizes summarise summarizing",
    "subscription": "subscribe subscribes subscribing subscribed",
    "tracking": "tracked",
    "transformation": "transform transforms transforming",
    "translation": "translate translates translating translated",
    "upload": "uploads uploading uploaded uploader",
    "download": "downloads downloading downloaded",
    "validation": "validate validates validating validated",
    "verification": "verify verifies verifying verified",
}

ACTION_OF = {verb: noun for noun, verbs in _NOUNS.items() for verb in verbs.split()}
"""Noun by word form, lower case."""

LEADING_VERBS = {
    word: noun
    for word, noun in ACTION_OF.items()
    if not word.endswith(("er", "ers", "or", "ors", "ups")) and word not in ("signup", "uploads")
} | {
    "search": "search",
    "upload": "upload",
    "download": "download",
    "monitor": "monitoring",
    "track": "tracking",
    "tracks": "tracking",
    "estimate": "estimation",
}
"""Words that, first in a phrase, are a verb with its object behind, with the noun of each."""

NOT_NOUNS = _set("""
    activate activated activates apply applicable archive assign attach authed block browse build
    buy cancelled cancel capture clear clone close collect combine compute configure confirm connect
    consume contain control copy count customise customize deploy detailed determine disable
    discover edit edits enrich exclude execute expand explore express extend filter flip fill
    force generate grab grant ignore improve increase indicate initiate install invite join kill
    launch learn leverage limited link log logged login-as make manage mark match measure merge
    modify move navigate normalize notify obtain open organize override own paid parse pause
    permit pick place play populate predict prevent prepare publish pull purge push quote rank rate
    reactivate rebuild recalculate refresh register reject release render rename reorder repeat
    replace reply represent rerun reschedule reset resize resolve restore resume retry reverse
    revoke save scan schedule scrape seamless search sell serve share shared show sign skip split
    sync synchronize tell terminate transfer trigger try turn unarchive unassign unblock unfollow
    uninstall unlike unlink unlock unmark unpublish unregister unregisters unsubscribe upgrade
    upsert
    verify visit vote watch write optimized optimize analyze automate streamline explores discovers
    hosted related cached built simplified automated sorted named listed posted authed embedded
    accessible convenient dynamic easy easier effective essential extensive fully innovative
    interested latest mandatory original perfect powered precise reliable responsible sophisticated
    suitable true unauthorized unofficial vast visible entire basically completely essentially
    currently primarily specifically directly automatically accurately efficiently
""")
"""Verbs and adjectives: a name may hold them beside a noun but never is one of them alone."""

NEVER_FIRST = _set("""
    activate archive assign attach browse buy cancel capture clone collect combine compute configure
    connect customize deploy determine disable disclose discover edit enrich exclude execute explore
    extend generate grab grant improve increase indicate initiate install invite join launch learn
    leverage make manage modify move notify open organize parse pause populate prepare publish pull
    reactivate rebuild refresh register reject render rename reorder replace reply represent reset
    resize resolve restore resume retry reverse revoke save sell share skip split sync synchronize
    terminate trigger unarchive unassign unblock unfollow uninstall unsubscribe upgrade upsert visit
    unlock unlink unregister starts ends contains
""")
"""Verbs that tell nothing about their object: a phrase that begins with one is not a name."""

COMMON_NOUNS = frozenset(
    """
    year month day hour minute today tomorrow yesterday app application website site web page
    company
    system program team member start end case type kind way people person thing lot number
    experience
    documentation project organization customer city country state area region location place
    business industry market product item order user account client admin group category language
    text file document image video audio message email url code link event date time string content
    title story topic comment tag note name address price value key word game team player
"""
)
"""Nouns that every catalogue uses: a name by themselves only if nothing better is found."""

OUTCOMES = {
    "create": "creation",
    "delete": "deletion",
    "remove": "removal",
    "update": "updates",
    "edit": "updates",
    "search": "search",
    "find": "search",
    "send": "sending",
    "upload": "upload",
    "download": "download",
    "list": "lists",
    "report": "reports",
    "verify": "verification",
    "validate": "validation",
    "convert": "conversion",
    "cancel": "cancellation",
}
"""What the first word of most names of a group adds to its name: "Project deletion"."""
