"""Round moments for the axis of the timeline."""

from typing import NamedTuple

_NS = 1_000_000_000
_LONG_STEPS_S = (10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200, 14400, 43200, 86400)


class Tick(NamedTuple):
    """A moment on the axis and its label."""

    at_ns: float
    label: str


def ticks(left_ns: float, ns_per_px: float, width_px: int, *, apart_px: int = 90) -> list[Tick]:
    """Round moments in view, at least `apart_px` apart."""
    step_ns = _step(ns_per_px * apart_px)
    first = max(0, int(left_ns // step_ns))
    last = int((left_ns + ns_per_px * width_px) // step_ns)
    return [Tick(i * step_ns, _label(i * step_ns, step_ns)) for i in range(first, last + 1)]


def _step(least_ns: float) -> float:
    """The smallest round step that is not below `least_ns`."""
    size = 1.0
    while size < 10 * _NS:
        for digit in (1, 2, 5):
            if digit * size >= least_ns and digit * size < 10 * _NS:
                return digit * size
        size *= 10
    return next((s * _NS for s in _LONG_STEPS_S if s * _NS >= least_ns), _LONG_STEPS_S[-1]) * 1.0


def _label(at_ns: float, step_ns: float) -> str:
    if at_ns == 0:
        return "0"
    if step_ns < 1_000:
        return f"{at_ns / 1e6:.4f} ms"
    if step_ns < 1_000_000:
        return f"{at_ns / 1e6:.3f}".rstrip("0").rstrip(".") + " ms"
    if at_ns < _NS:
        return f"{at_ns / 1e6:.0f} ms"
    if at_ns < 60 * _NS:
        return f"{at_ns / _NS:.3f}".rstrip("0").rstrip(".") + " s"
    minutes, seconds = divmod(at_ns / _NS, 60)
    rest = f"{seconds:.3f}".rstrip("0").rstrip(".")
    if minutes < 60:
        return f"{minutes:.0f} min" + (f" {rest} s" if rest != "0" else "")
    hours, minutes = divmod(minutes, 60)
    return f"{hours:.0f} h" + (f" {minutes:.0f} min" if minutes else "")
