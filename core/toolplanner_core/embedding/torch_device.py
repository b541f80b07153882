"""Where torch computes: an option that embedding by `st:NAME` and training have in common.

Called in worker processes, since torch enters no other.
"""

from dataclasses import dataclass
from typing import Literal

from toolplanner_core.errors import EmbedderUnavailable
from toolplanner_core.jobs.progress import Report
from toolplanner_core.options.option import option

Device = Literal["auto", "cpu", "cuda", "mps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceOptions:
    """Where torch computes."""

    device: Device = option(
        "auto",
        "Where torch computes; auto: an NVIDIA GPU, else the GPU of a Mac, else the processor.",
        choices={
            "auto": "the fastest there is",
            "cpu": "processor",
            "cuda": "NVIDIA GPU (CUDA)",
            "mps": "GPU of a Mac (Metal)",
        },
    )


def torch_device(device: Device) -> str:
    """The name that torch has for the device to compute on: "cpu", "cuda" or "mps".

    Raises:
        EmbedderUnavailable: it is not on this machine.
    """
    return choose_device(device, _devices_here())


def usable_device(kept: str) -> str:
    """What a workspace keeps, if it is on this machine; else what "auto" takes here."""
    here = _devices_here()
    return kept if kept in here else choose_device("auto", here)


def choose_device(device: Device, here: frozenset[str]) -> str:
    """What is asked for, if it is `here`; for "auto" the first of cuda, mps and cpu that is.

    Raises:
        EmbedderUnavailable: what is asked for is not here.
    """
    if device == "auto":
        return next(name for name in ("cuda", "mps", "cpu") if name in here)
    if device not in here:
        raise EmbedderUnavailable(
            f"torch cannot compute on {device} here",
            why=f"on this machine it finds {' and '.join(sorted(here))} only",
            todo="Take auto or cpu; for cuda install a driver of NVIDIA and a torch built for it",
        )
    return device


def devices_in_worker(*, report: Report) -> tuple[str, str]:
    """What "auto" takes here, and the version of torch. In a worker process."""
    import torch

    report("Loading torch", 0, None, "models")
    return torch_device("auto"), str(torch.__version__)


def _devices_here() -> frozenset[str]:
    import torch

    found = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    return frozenset({"cpu", *(name for name, is_here in found.items() if is_here)})
