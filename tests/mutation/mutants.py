# ruff: noqa: E501
"""Mutants of the program: what a test must notice. One line each: the file below
`core/toolplanner_core`, the text that stands there once, what becomes of it, and the tests (below
`tests/core`) of which one must fail. `make mutants` runs them; a quick test holds that each text
still stands once in its file.
"""

from typing import NamedTuple


class Mutant(NamedTuple):
    """One change that makes the program wrong.

    Attributes:
        file: below `core/toolplanner_core`; old: the text there; new: what becomes of it.
        tests: files below `tests/core`, one of which must fail.
    """

    file: str
    old: str
    new: str
    tests: str


_PAPER = "strategies/test_published_settings.py"
_TP = "strategies/test_tool_planner.py strategies/test_toolkit_choices.py"
_PLAN = "strategies/test_plan_parts.py"
_ASK = "prompts/test_questions.py"
_NET = "strategies/test_tool_graph.py strategies/test_toolnet.py"
_STAR = "strategies/test_toolchain_star.py"
_DFSDT = "strategies/test_dfsdt.py"
_ANY = "strategies/test_anytool.py"
_SEEK = "retrieval/test_hybrid.py retrieval/test_clauses.py retrieval/test_word_scores.py"
_KITS = "retrieval/test_toolkits.py"
_KMEANS = "clustering/test_kmeans.py"
_DBSCAN = "clustering/test_dbscan.py"
_SAID = "runs/judging/test_evidence.py runs/judging/test_honest_solved.py"
_POISONED = "runs/judging/test_poisoned_replies.py"
_VALUES = "runs/judging/test_answer_values.py runs/judging/test_six_languages.py"
_GATE = "runs/engine/test_gate.py"
_TAPE = "runs/replay/test_fork_and_replay.py runs/replay/test_differing.py"
_ONCE = "runs/stages/test_idempotency.py"
_COST = "runs/engine/test_cost.py runs/engine/test_day_budget.py runs/engine/test_gate.py"

_BASE = "strategies/test_baselines.py"
_CODED = "strategies/test_adaplanner_code.py"

MUTANTS = (
    # Constants of the papers
    Mutant("prompts/question.py", "temperature: ClassVar[float] = 0.3", "temperature: ClassVar[float] = 0.9", _PAPER),
    Mutant("runs/engine/gate.py", "TURN_TEMPERATURE = 0.3", "TURN_TEMPERATURE = 0.9", _PAPER),
    Mutant("prompts/judge_answer.py", "temperature: ClassVar[float] = 0.0", "temperature: ClassVar[float] = 0.7", _PAPER),
    Mutant("strategies/tptu.py", 'option(5, "APIs offered', 'option(50, "APIs offered', _PAPER),
    Mutant("strategies/tptu.py", '0.8, "Cosine', '0.1, "Cosine', _PAPER),
    Mutant("strategies/atc.py", 'option(3, "Revised', 'option(9, "Revised', _PAPER),
    Mutant("strategies/toolnet.py", 'max_steps: int = option(8', 'max_steps: int = option(80', _PAPER),
    Mutant("strategies/toolnet.py", 'says="only the most recommended tool: 1",\n                value=1', 'says="only the most recommended tool: 1",\n                value=5', _PAPER),
    Mutant("strategies/toolnet.py", 'says="successors alone: 0 others",\n                value=0', 'says="successors alone: 0 others",\n                value=2', _PAPER),
    Mutant("strategies/anytool.py", "pool: int = option(64", "pool: int = option(6", _PAPER),
    Mutant("strategies/anytool.py", 'option(10, "API calls of one', 'option(100, "API calls of one', _PAPER),
    Mutant("strategies/anytool.py", '200_000, "Tokens', '20_000, "Tokens', _PAPER),
    Mutant("strategies/techniques/tree_search.py", "width: int = option(2", "width: int = option(3", _PAPER),
    Mutant("strategies/techniques/tree_search.py", "max_questions: int = option(200", "max_questions: int = option(20", _PAPER),
    Mutant("strategies/techniques/tree_search.py", "depth: int = option(12", "depth: int = option(6", _PAPER),
    Mutant("strategies/toolkits/options.py", '        9,\n', '        3,\n', _PAPER),
    Mutant("strategies/tool_planner.py", 'says="steps one after the other",\n                value=False', 'says="steps one after the other",\n                value=True', _PAPER),
    Mutant("strategies/tool_planner.py", 'says="whole texts",\n                value=None', 'says="whole texts",\n                value=100', _PAPER),
    Mutant("strategies/adaplanner.py", '6, "Plans at most', '60, "Plans at most', _PAPER),
    Mutant("strategies/toolchain_star.py", '5, "How often the next', '1, "How often the next', _PAPER),
    Mutant("clustering/dbscan.py", 'says="0.02, best of table 8",\n                value=0.02', 'says="0.02, best of table 8",\n                value=0.2', _PAPER),
    Mutant("clustering/kmeans.py", 'says="k-means++",\n                value=True', 'says="k-means++",\n                value=False', _PAPER),
    # Roles
    Mutant("prompts/judge_answer.py", "Role.JUDGING", "Role.ACTING", _PAPER),
    Mutant("prompts/adaplanner.py", "Role.PLANNING", "Role.ACTING", _PAPER),
    Mutant("prompts/reflexion.py", "Role.PLANNING", "Role.ACTING", _PAPER),
    Mutant("prompts/toolnet.py", "Role.JUDGING", "Role.ACTING", _PAPER),
    Mutant("prompts/dfsdt.py", "Role.JUDGING", "Role.ACTING", _PAPER),
    Mutant("prompts/tptu.py", "Role.PLANNING", "Role.ACTING", _PAPER),
    Mutant("prompts/anytool.py", "Role.JUDGING", "Role.ACTING", _PAPER),
    Mutant("prompts/make_plan.py", 'title: ClassVar[str] = "Make a plan"\n    role: ClassVar[Role] = Role.PLANNING', 'title: ClassVar[str] = "Make a plan"\n    role: ClassVar[Role] = Role.ACTING', _PAPER),
    # Tool-Planner
    Mutant("strategies/toolkits/steps.py", "MAX_MEMBERS = 9", "MAX_MEMBERS = 8", _PAPER),
    Mutant("strategies/toolkits/steps.py", "tried = [*first, *rest][: manner.max_members]", "tried = [*first, *rest]", _TP),
    Mutant("strategies/toolkits/steps.py", 'if manner.order == "random":', 'if manner.order == "similarity":', _TP),
    Mutant("strategies/toolkits/steps.py", 'if offered and manner.next_api == "model":', 'if offered and manner.next_api == "rank":', _TP),
    Mutant("strategies/toolkits/planning.py", "self._older.append(plan)", "pass", _TP),
    Mutant("strategies/toolkits/planning.py", "older=tuple(self._older),", "older=(),", _TP),
    Mutant("strategies/toolkits/planning.py", "self._exhausted.add(toolkit)", "pass", _TP),
    Mutant("strategies/toolkits/planning.py", "self._spent.add((toolkit, goal))", "pass", _TP),
    Mutant("strategies/toolkits/planning.py", "return ready if parallel else ready[:1]", "return ready", _PLAN + " " + _TP),
    Mutant("strategies/toolkits/planning.py", "        and step.number not in failed\n", "", _PLAN),
    Mutant("strategies/toolkits/planning.py", "        if step.number not in done\n", "        if True\n", _PLAN),
    Mutant("strategies/toolkits/planning.py", "return missing[new_ways:]", "return missing", _PLAN),
    Mutant("strategies/toolkits/planning.py", "                toolkit_text=self._limits.toolkit_text,\n", "", _TP),
    Mutant("strategies/toolkits/solver.py", "number <= self._options.max_replans", "number < self._options.max_replans", _TP),
    Mutant("prompts/make_plan.py", 'if toolkit not in rules.offered and old is None:', 'if toolkit not in rules.offered and old is not None:', _ASK),
    Mutant("prompts/make_plan.py", "if 1 <= need < number:", "if 1 <= need <= number:", _ASK),
    Mutant("prompts/make_plan.py", '"\\n".join(older)) if older else ""', '"") if older else ""', _ASK),
    Mutant("prompts/render.py", "OBSERVATION_LIMIT = 1024", "OBSERVATION_LIMIT = 100", _ASK + " " + _TP),
    Mutant("prompts/render.py", "TOOLKIT_TEXT = 100", "TOOLKIT_TEXT = 900", _PAPER),
    # ToolNet
    Mutant("strategies/techniques/tool_graph.py", "return self.alpha * score + 1 if score >= 0", "return self.alpha * score + 2 if score >= 0", _NET),
    Mutant("strategies/techniques/tool_graph.py", "exp(self.alpha * score)", "exp(-self.alpha * score)", _NET),
    Mutant("strategies/techniques/tool_graph.py", "return self.beta * static + (1 - self.beta) * dynamic", "return self.beta * dynamic + (1 - self.beta) * dynamic", _NET),
    Mutant("strategies/techniques/tool_graph.py", "counted.get(name, 0) / max(uses, 1)", "counted.get(name, 0)", _NET),
    Mutant("prompts/toolnet.py", '"1": 4, "10": 3', '"1": 0, "10": 0', _NET),
    Mutant("strategies/toolnet.py", "return sorted(found, key=lambda each: -each[1])", "return found", _NET),
    Mutant("strategies/toolnet.py", "if len(lengths) > self._limits.history:", "if False:", _NET),
    # ToolChain*
    Mutant("strategies/toolchain_star.py", "return (1 - known) ** alpha * (1 - share) ** (1 - alpha)", "return (1 - share) ** (1 - alpha)", _STAR),
    Mutant("strategies/toolchain_star.py", "return (1 - progress) ** beta * (1 - done", "return progress ** beta * (1 - done", _STAR),
    Mutant("strategies/toolchain_star.py", "(place + 1) / len(plan)", "place / len(plan)", _STAR),
    Mutant("strategies/toolchain_star.py", "shorter = min(len(way), len(plan))", "shorter = max(len(way), len(plan))", _STAR),
    Mutant("prompts/toolchain_star.py", "temperature: ClassVar[float] = 0.7", "temperature: ClassVar[float] = 0.0", _PAPER),
    # DFSDT, AnyTool, Reflexion, AdaPlanner
    Mutant("strategies/techniques/tree_search.py", "elif depth >= self._options.depth:", "elif depth > self._options.depth:", _DFSDT),
    Mutant("strategies/techniques/tree_search.py", "bool(each.content) + 2 * len(each.calls)", "bool(each.content) + len(each.calls)", _DFSDT),
    Mutant("strategies/techniques/tree_search.py", "self.why, back_to = child.gave_up, back_to.parent", "self.why = child.gave_up", _DFSDT),
    Mutant("strategies/techniques/tree_search.py", "talk.say(differ_text([child.turn for child in here.children]), is_hidden=True)", "pass", _DFSDT),
    Mutant("strategies/techniques/tree_search.py", "if self._asked >= self._options.max_questions:", "if self._asked > self._options.max_questions:", _DFSDT),
    Mutant("strategies/anytool.py", '_ORDER = ("tool", "category", "meta")', '_ORDER = ("meta", "category", "tool")', _ANY),
    Mutant("strategies/anytool.py", "if not agent.is_finished]", "if True]", _ANY),
    Mutant("strategies/anytool.py", "removed = await self._solver.drop_useless()", "removed: list[str] = []", _ANY),
    Mutant("strategies/anytool.py", "        5,\n", "        2,\n", _PAPER),
    Mutant("strategies/reflexion.py", "_KEPT = 3", "_KEPT = 1", "strategies/test_reflexion.py"),
    Mutant("strategies/adaplanner.py", "resumes = number <= self._options.resume_tries", "resumes = True", "strategies/test_adaplanner.py"),
    # Retrieval
    Mutant("retrieval/hybrid.py", "return (BM25_WEIGHT * bm25 + (1 - BM25_WEIGHT) * both)", "return (both)", _SEEK),
    Mutant("retrieval/hybrid.py", "MAX_CLAUSES = 8", "MAX_CLAUSES = 1", _SEEK),
    Mutant("retrieval/toolkits.py", "SECOND_WEIGHT * second", "0 * second", _KITS),
    Mutant("retrieval/toolkits.py", "TEXT_WEIGHT * own", "0 * own", _KITS),
    Mutant("retrieval/toolkits.py", "score=each.score + HEALTH_WEIGHT * share,", "score=each.score,", _KITS),
    # Clustering
    Mutant("clustering/kmeans.py", "return np.asarray(centres, dtype=np.float32)", "return np.asarray(points[:k], dtype=np.float32)", _KMEANS),
    Mutant("clustering/kmeans.py", "APIS_PER_TOOLKIT = 9", "APIS_PER_TOOLKIT = 90", _KMEANS),
    Mutant("clustering/kmeans.py", "half = (centres * centres).sum(axis=1) / 2", "half = 0 * (centres * centres).sum(axis=1)", _KMEANS),
    Mutant("clustering/dbscan.py", "least = 1 - eps - _ROUNDING", "least = 1 - eps / 2", _DBSCAN),
    Mutant("clustering/dbscan.py", ">= options.min_points", "> options.min_points", _DBSCAN),
    Mutant("clustering/dbscan.py", "labels[rows] = np.where(is_near, dense_labels[best], -1)", "labels[rows] = dense_labels[best]", _DBSCAN),
    # Evidence
    Mutant("runs/judging/evidence.py", "kept = self._altered if seen.origin == INJECTED else self._replies", "kept = self._replies", _POISONED),
    Mutant("runs/judging/evidence.py", "is_change = (seen.api or asked).risk is not Risk.READ", "is_change = True", _SAID),
    Mutant("runs/judging/answer_values.py", "0.005 * wanted * (not decimals) * (wanted > 99)", "0.5 * wanted", _VALUES),
    Mutant("runs/judging/answer_values.py", "is_count = number.is_integer() and 0 <= number <= counts", "is_count = True", _VALUES),
    # Gate and tape
    Mutant("runs/engine/gate.py", "return self.models.get(role, self.model)", "return self.model", "runs/engine/test_runner.py llm/test_sampling.py"),
    Mutant("runs/engine/gate.py", "if left <= 0:", "if left < 0:", _GATE),
    Mutant("runs/stages/budget.py", "self._used.model_calls >= limit", "self._used.model_calls > limit", _COST + " " + _TP),
    Mutant("runs/stages/budget.py", "max(self._used.api_calls, self._unsent) >= limit", "max(self._used.api_calls, self._unsent) > limit", _COST + " " + _TP),
    Mutant("runs/stages/idempotency.py", "if earlier.api.id == deed.api.id:", "if False:", _ONCE),
    Mutant("runs/log/tape.py", "return plain_body(recorded.event, ignored) == plain_body(event, ignored)", "return True", _TAPE),
    Mutant("runs/log/tape.py", "return 0 < record.seq <= self.end.seq", "return 0 < record.seq < self.end.seq", _TAPE),
    Mutant("llm/day_budget.py", "taken = spent.tokens + sum(each.tokens for each in held)", "taken = spent.tokens", "runs/engine/test_day_budget.py"),
    # Demonstrations, training sets and incomplete toolkits
    Mutant("retrieval/demonstrations.py", "score >= OWN_MEANING", "score > 2", "retrieval/test_demonstrations.py"),
    Mutant("strategies/tptu.py", 'tested=task.query if options.leave_own_out else ""', 'tested=""', "strategies/test_tptu.py"),
    Mutant("runs/export/demonstrations.py", "origins & {*MADE_UP, DEMO_WORLD}", "origins & {*MADE_UP}", "training/test_finetuning.py"),
    Mutant("prompts/paraphrase.py", "missing_values(self.query, [text], [text]) if text else []", "[]", "training/test_finetuning.py"),
    Mutant("runs/tree/unserved_needs.py", "len({*goals}) == 1", "True", "strategies/test_cluster_incomplete.py"),
    # Baselines, and plans in code
    Mutant("strategies/chain_of_thought.py", 'says="reasoning alone",\n                value="none"', 'says="reasoning alone",\n                value="planned"', _PAPER),
    Mutant("strategies/chain_of_thought.py", "most=self._options.most_calls", "most=99", _BASE),
    Mutant("strategies/chain_of_thought.py", "solved=True, needs_no_call=True", "solved=True", _BASE),
    Mutant("strategies/chain_of_thought.py", "failures=tuple(self._failures)", "failures=()", _BASE),
    Mutant("strategies/plain_agent.py", 'option(10, "API calls at most', 'option(100, "API calls at most', _PAPER),
    Mutant("strategies/plain_agent.py", "if known > len(found):", "if not found:", _BASE),
    Mutant("strategies/rag.py", 'option(50, "APIs retrieved', 'option(5, "APIs retrieved', _PAPER),
    Mutant("strategies/rag.py", "        return chosen\n\n\ndef", "        return found\n\n\ndef", _BASE),
    Mutant("prompts/rag.py", "[: self.most]", "", _BASE),
    Mutant("strategies/codeact.py", "option(10,", "option(100,", _PAPER),
    Mutant("strategies/codeact.py", "before=self._calls,", "before=(),", _BASE),
    Mutant("strategies/codeact.py", "removeprefix(self._printed)", "removeprefix(self._text)", _BASE),
    Mutant("strategies/codeact.py", "        if end.ok:\n", "        if True:\n", _BASE),
    Mutant("prompts/codeact.py", "if bool(code) == bool(answer):", "if not code and not answer:", _BASE),
    Mutant("strategies/techniques/program_calls.py", "            self._before.clear()\n", "", _CODED),
    Mutant("strategies/tot.py", "key=lambda each: -each.worth", "key=lambda each: each.worth", _BASE),
    Mutant("strategies/tot.py", "ThoughtValue.SURE: 20.0", "ThoughtValue.SURE: 1.0", _BASE),
    Mutant("strategies/tot.py", "return ranked[: self.options.breadth]", "return ranked", _BASE),
    Mutant("strategies/tot.py", "states[best].worth += 1.0", "states[best].worth = 1.0", _BASE),
    Mutant("strategies/tot.py", 'says="n_evaluate_sample 3",\n                value=3', 'says="n_evaluate_sample 3",\n                value=1', _PAPER),
    Mutant("strategies/adaplanner.py", 'says="solution functions with assertions",\n                value="code"', 'says="solution functions with assertions",\n                value="steps"', _PAPER),
    Mutant("strategies/techniques/code_plans.py", "before=kept", "before=()", _CODED),
    Mutant("strategies/techniques/code_plans.py", "not isinstance(call.outcome, HostFailure)", "True", _CODED),
    Mutant("strategies/techniques/code_plans.py", "number <= limits.resume_tries", "True", _CODED),
    Mutant("prompts/solution_code.py", "if not any(isinstance(node, ast.Assert) for node in nodes):", "if not nodes:", _CODED),
)  # fmt: skip
