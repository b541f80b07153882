"""What could run foreign text, or let somebody in, stands nowhere in the program but where said.

Rules "Programs", "Files from others", "MCP servers" and "Network" of design/security.md, over the
library, the window and what packs them.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
FOLDERS = ("core", "toolplanner_gui", "resources")

RUNS_TEXT = {"eval", "exec", "compile", "__import__"}
"""Built-in functions; a method of that name is another thing."""
UNSAFE_MODULES = {
    "pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib", "RestrictedPython",
    "telnetlib", "xmlrpc", "socketserver", "http.server", "wsgiref", "uvicorn", "code", "codeop",
    "tarfile",
}  # fmt: skip
"""Loading runs what is in the file, listening lets others in, `tarfile` makes links and devices."""
ATTRIBUTES = {
    "os.system", "os.popen", "os.execv", "os.execve", "os.execvp", "os.spawnv",
    "subprocess.getoutput", "subprocess.getstatusoutput",
    "asyncio.create_subprocess_shell", "builtins.eval",
    "builtins.exec", "yaml.load_all", "yaml.unsafe_load", "yaml.full_load", "yaml.Loader",
    "yaml.FullLoader", "yaml.UnsafeLoader", "yaml.CLoader", "pandas.read_pickle",
    "tempfile.mktemp", "ssl._create_unverified_context", "xml.etree", "shutil.unpack_archive",
}  # fmt: skip
LISTENS = {"bind", "listen", "start_server", "start_unix_server", "create_server", "serve_forever"}
SERVERS = {"QTcpServer", "QLocalServer", "QWebSocketServer", "QHttpServer", "HTTPServer"}

REASONS = {
    "core/toolplanner_core/jobs/worker.py: import of pickle": (
        "between two of our own processes, over a pipe that nobody else has"
    ),
    "core/toolplanner_core/sources/documents.py: yaml.load": (
        "with a loader made from yaml.SafeLoader, which the test below checks"
    ),
    "core/toolplanner_core/mcp_servers/oauth.py: listens by start_server": (
        "where the browser comes back to: once, loopback, a port by chance, state checked"
    ),
    "core/toolplanner_core/serving/faces/http.py: listens by create_server": (
        "the gateway, when a person starts it: loopback, each request with a token"
    ),
    "core/toolplanner_core/serving/faces/http.py: import of uvicorn": "the same",
    "core/toolplanner_core/serving/faces/streams.py: listens by start_server": (
        "the hub, while a person serves: loopback, a token before anything else is read"
    ),
    "toolplanner_gui/bridge/single_instance.py: QLocalServer": (
        "no port: a socket in this person's folder, for a second window on the same file"
    ),
    "toolplanner_gui/bridge/single_instance.py: listens by listen": "the same",
}
"""Where it is right after all, and why."""


def dotted(node: ast.expr) -> str:
    """`os.system` of the expression that says so, "" of others."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=value, attr=attr):
            return f"{before}.{attr}" if (before := dotted(value)) else attr
        case _:
            return ""


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((each.value for each in call.keywords if each.arg == name), None)


def is_literally(node: ast.expr | None, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def dangers_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and what stands there."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                found = [each.name for each in names]
            case ast.ImportFrom(module=str(module), names=names):
                found = [module, *(f"{module}.{each.name}" for each in names)]
            case ast.Call(func=ast.Name(id=name)) if name in RUNS_TEXT:
                yield node.lineno, f"calls {name}"
                continue
            case ast.Call():
                yield from ((node.lineno, what) for what in dangers_of_call(node))
                continue
            case ast.Attribute(attr=attr) if dotted(node) in ATTRIBUTES or attr in SERVERS:
                yield node.lineno, attr if attr in SERVERS else dotted(node)
                continue
            case ast.Name(id=name) if name in SERVERS:
                yield node.lineno, name
                continue
            case _:
                continue
        for name in found:
            if name in UNSAFE_MODULES:
                yield node.lineno, f"import of {name}"
            elif name in ATTRIBUTES:
                yield node.lineno, name


def dangers_of_call(call: ast.Call) -> Iterator[str]:
    name = dotted(call.func)
    last = name.rpartition(".")[2]
    if name == "yaml.load":
        yield name
    if last in LISTENS:
        yield f"listens by {last}"
    if (shell := keyword(call, "shell")) is not None and not is_literally(shell, False):
        yield "a shell"
    if (verify := keyword(call, "verify")) is not None and is_literally(verify, False):
        yield "certificates not checked"
    if name.endswith("np.load") and not is_literally(keyword(call, "allow_pickle"), False):
        yield "np.load that may unpickle"
    if name.endswith("torch.load") and not is_literally(keyword(call, "weights_only"), True):
        yield "torch.load that may unpickle"
    if last in ("extractall", "extract") and "regex" not in name:
        yield f"an archive by {last}"


def found_in(folders: tuple[str, ...]) -> set[str]:
    return {
        f"{path.relative_to(ROOT).as_posix()}: {what}"
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*.py"))
        for _, what in dangers_in(ast.parse(path.read_text(encoding="utf-8")))
    }


def test_source_when_read_then_nothing_runs_foreign_text_or_lets_anybody_in() -> None:
    found = found_in(FOLDERS)
    assert found - set(REASONS) == set(), "do it otherwise, or say in REASONS why it is safe"
    assert set(REASONS) - found == set(), "a reason for nothing: take it out"


@pytest.mark.parametrize(
    "text",
    [
        "eval(reply)",
        "x = [exec(text) for text in texts]",
        "code = compile(text, 'x', 'exec')",
        "import pickle",
        "from pickle import loads",
        "import http.server",
        "from http import server as s; s.HTTPServer",
        "os.system(command)",
        "from os import system",
        "subprocess.run(command, shell=True)",
        "subprocess.run(command, shell=is_easy)",
        "yaml.load(text, Loader=Loader)",
        "yaml.unsafe_load(text)",
        "from yaml import full_load",
        "np.load(file)",
        "np.load(file, allow_pickle=True)",
        "torch.load(file)",
        "server = await asyncio.start_server(answer, host, port)",
        "socket.socket().bind(('', 0))",
        "from uvicorn import Server",
        "QTcpServer(self)",
        "httpx.Client(verify=False)",
        "archive.extractall(folder)",
    ],
)
def test_danger_when_written_in_any_way_then_it_is_found(text: str) -> None:
    tree = ast.parse(text if "await" not in text else f"async def f():\n {text}")
    assert list(dangers_in(tree))


def test_harmless_words_when_read_then_nothing_is_found() -> None:
    text = "model.eval()\nre.compile(x)\nnp.load(f, allow_pickle=False)\nrun(c, shell=False)"
    assert not list(dangers_in(ast.parse(text)))


def test_yaml_loader_when_made_then_it_is_the_safe_one() -> None:
    import yaml

    from toolplanner_core.sources import documents

    made = documents._loader()  # pyright: ignore[reportPrivateUsage]
    assert issubclass(made, yaml.SafeLoader | yaml.CSafeLoader)
    assert not issubclass(made, yaml.FullLoader | yaml.UnsafeLoader)
    for tag in ("!!python/object/apply:os.getcwd []", "!!python/name:os.getcwd ''"):
        assert documents.parse_yaml(tag) in ([], "")
