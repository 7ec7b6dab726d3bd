# SPDX-License-Identifier: Apache-2.0
"""``adkref test``: what is chosen, what is told, and how it ends."""

import json
import os
import shlex
import signal
import sys
import time
import uuid
from pathlib import Path

import pytest
from cli_cases import FINAL, TRACE, scenario

from adkref.conformance.schema import first_violation

TEMPLATE = Path(__file__).parents[2] / "conformance" / "templates" / "driver.py"


@pytest.fixture
def port():
    """The command of a port that plays what the cases here ask for."""
    return shlex.join([sys.executable, str(TEMPLATE)])


def good(identity, *rules):
    """Return a case that is equal."""
    return {"scenario": scenario(identity, rules=list(rules)), "trace": TRACE, "final": FINAL}


def wrong(identity, *rules):
    """Return a case that differs: its body should not end."""
    return good(identity, *rules) | {"trace": [*TRACE[:6], {"at": "end"}]}


class TestVerdict:
    """How it ends."""

    def test_all_equal(self, project, run, port):
        """Every case is equal: exit code 0, the level is reached."""
        project("agents.jsonl", good("a"), good("b"))
        code, out, err = run("test", "--port", port, "agents.jsonl")
        assert (code, err) == (0, "")
        assert out.splitlines()[0] == "template-python 0.1.0 (python)"
        assert out.splitlines()[-1] == (
            "template-python 0.1.0: 2 of 2 cases are equal; levels reached: core"
        )

    def test_a_difference_names_its_rule_first(self, project, run, port):
        """A failing case is told at once and in full: exit code 1."""
        project("agents.jsonl", good("a", "AGT-040"), wrong("b", "RUN-065", "AGT-047"))
        code, out, _ = run("test", "--port", port, "agents.jsonl")
        lines = out.splitlines()
        assert code == 1
        assert lines[1] == "AGT-047 b (different): record 7, $.at"
        assert lines[3] == "AGT-047 is most likely broken: 1 of 1 cases that show it fail"
        assert lines[4].startswith("  Every body item MUST be forwarded")
        assert lines[-1].endswith("1 of 2 cases are equal, 1 different")

    def test_the_port_does_not_start(self, project, run):
        """It is told why: exit code 1."""
        project("agents.jsonl", good("a"))
        code, out, _ = run("test", "--port", "no-such-port", "agents.jsonl")
        assert code == 1
        assert "the port does not start: does not start: no-such-port: No such file" in out

    @pytest.mark.parametrize(
        ("case", "reason"),
        [
            (good("a") | {"scenario": {"id": "a"}}, "bad scenario: $: the key 'agent' is missing"),
            (good("a") | {"trace": [5]}, "bad case: $.trace[0]: is no record"),
        ],
    )
    def test_a_bad_case_is_no_fault_of_the_port(self, project, run, port, case, reason):
        """It is the case's own: exit code 2."""
        project("agents.jsonl", case, good("b"))
        code, out, _ = run("test", "--port", port, "agents.jsonl")
        assert code == 2
        assert f"agents.jsonl:1: {reason}" in out
        assert "1 scenario fault" in out

    def test_what_was_skipped_shows_nothing(self, project, run, port):
        """A corpus of which nothing was played is no success: exit code 2."""
        project("agents.jsonl", good("a"))
        llm = scenario("b", agent={"kind": "llm", "name": "a"})
        project("flow.jsonl", {"scenario": llm, "trace": TRACE, "final": FINAL})
        code, out, _ = run("test", "--port", port, "agents.jsonl", "flow.jsonl")
        assert code == 2
        assert "nothing of flow.jsonl was played" in out
        assert "skipped, because they need what the port has not: llm 1" in out


class TestChoice:
    """What is put to the port."""

    @pytest.mark.parametrize(
        ("options", "count"),
        [
            (("--level", "core"), 2),
            (("--level", "core", "--level", "runner"), 3),
            (("--rule", "AGT-040"), 1),
            (("--rule", "run"), 2),
            (("--case", "b"), 1),
            (("--case", "[ab]"), 2),
            (("--level", "core", "--rule", "RUN-065"), 1),
        ],
    )
    def test_levels_rules_and_cases(self, project, run, port, options, count):
        """Several of a kind widen the choice, several kinds narrow it."""
        project("agents.jsonl", good("a", "AGT-040"), good("b", "RUN-065"))
        project("runner.jsonl", good("c", "RUN-001"))
        code, out, _ = run("test", "--port", port, *options, "agents.jsonl", "runner.jsonl")
        assert code == 0
        assert f"{count} of {count} cases are equal" in out

    def test_nothing_is_chosen(self, project, run, port):
        """A choice that no case fits is no success: exit code 2."""
        project("agents.jsonl", good("a", "AGT-040"))
        code, out, _ = run("test", "--port", port, "--rule", "PLG-001", "agents.jsonl")
        assert code == 2
        assert "no case was chosen, so nothing is shown" in out


class TestBaseline:
    """Failures that are known."""

    HEAD = "schema_version: 1.0.0\nimplementation: template-python\n"

    def test_a_known_failure_is_no_failure(self, project, run, port):
        """It is counted apart, and is not told of while others are played: exit code 0."""
        project("agents.jsonl", good("a"), wrong("b"))
        Path("base.yaml").write_text(
            self.HEAD + "entries:\n- {case: b, reason: the end is missing}\n", encoding="utf-8"
        )
        code, out, _ = run("test", "--port", port, "--baseline", "base.yaml", "agents.jsonl")
        assert code == 0
        assert "b (different)" not in out
        assert out.splitlines()[-1].endswith("1 of 2 cases are equal, 1 known")

    def test_a_stale_entry_fails_with_its_line(self, project, run, port):
        """What does not fail any more has to leave the baseline: exit code 1."""
        project("agents.jsonl", good("a"), good("b"))
        Path("base.yaml").write_text(
            self.HEAD + "entries:\n- {case: b, reason: the end is missing}\n", encoding="utf-8"
        )
        code, out, _ = run("test", "--port", port, "--baseline", "base.yaml", "agents.jsonl")
        assert code == 1
        assert "base.yaml:4: stale: case b does not fail any more" in out

    def test_an_entry_about_other_corpora(self, project, run, port):
        """It is a warning where corpora are named, and stale where all are played."""
        project("conformance/cases/agents.jsonl", good("a"))
        Path("base.yaml").write_text(
            self.HEAD + "entries:\n- {case: b, reason: x}\n- {case: c, reason: y}\n",
            encoding="utf-8",
        )
        asked = ("test", "--port", port, "--baseline", "base.yaml")
        code, out, _ = run(*asked, "conformance/cases")
        assert code == 0
        assert (
            "warning: 2 entries speak of no case of these corpora, the first at base.yaml:4" in out
        )
        assert "stale" not in out
        code, out, _ = run(*asked)
        assert code == 1
        assert "base.yaml:5: stale: case c speaks of no case of these corpora" in out
        code, out, _ = run(*asked, "--case", "a")
        assert (code, "warning" in out) == (0, False)

    def test_an_assumption_that_changes_nothing(self, project, run, port):
        """In a run of all corpora it is stale, with its line; what has something to do is not."""
        spec = scenario("b", turns=[{"user": "hi", "yield_user_message": False}])
        project("conformance/cases/agents.jsonl", good("a"), good("b") | {"scenario": spec})
        Path("base.yaml").write_text(
            self.HEAD + "assumptions:\n- no-modes\n- no-yielded-user-message\n", encoding="utf-8"
        )
        asked = ("test", "--port", port, "--baseline", "base.yaml")
        code, out, _ = run(*asked)
        told = "base.yaml:4: stale: assumption no-modes changes nothing of any case that is equal"
        assert (code, told in out, "no-yielded" in out) == (1, True, False)
        code, out, _ = run(*asked, "conformance/cases")
        assert (code, "stale" in out) == (0, False)

    def test_a_disputed_rule_fails_nothing(self, project, run, port):
        """What points at it is told apart, with where it is talked about: exit code 0."""
        case = wrong("b", "RUN-065", "AGT-047")
        project("conformance/cases/agents.jsonl", good("a", "AGT-040"), case)
        assert run("test", "--port", port)[0] == 1
        Path("conformance/rules").mkdir(exist_ok=True)
        Path("conformance/rules/manifest.yaml").write_text(
            "reasons: {}\ntests: {}\nexcluded: {}\n"
            "disputed: {AGT-047: {about: it says too much, since: 2026-12-01, link: 'https://x/1'}}\n",
            encoding="utf-8",
        )
        files = [
            f"--report={form}=report.{form}" for form in ("json", "junit", "markdown", "html")
        ]
        code, out, _ = run("test", "--port", port, *files)
        assert code == 0
        words = "AGT-047 is disputed since 2026-12-01: it says too much"
        assert f"b: {words} (https://x/1)" in out
        assert "most likely broken" not in out
        assert out.splitlines()[-1] == (
            "template-python 0.1.0: 1 of 2 cases are equal, 1 disputed; levels reached: core"
        )
        report = json.loads(Path("report.json").read_text(encoding="utf-8"))
        assert first_violation("report", report) is None
        assert report["total"]["disputed"] == 1
        assert report["cases"][0]["known"] == {
            "reason": words,
            "link": "https://x/1",
            "place": "rules/manifest.yaml",
        }
        for form in ("junit", "markdown", "html"):
            assert words in Path(f"report.{form}").read_text(encoding="utf-8")

    def test_a_baseline_of_another_port(self, project, run, port):
        """It excuses nothing: exit code 1."""
        project("agents.jsonl", good("a"))
        Path("base.yaml").write_text(
            "schema_version: 1.0.0\nimplementation: adk-x\n", encoding="utf-8"
        )
        code, out, _ = run("test", "--port", port, "--baseline", "base.yaml", "agents.jsonl")
        assert code == 1
        assert "base.yaml: the baseline is that of adk-x, and the port is template-python" in out

    def test_a_bad_baseline_is_bad_input(self, project, run, port):
        """It is told with its place: exit code 2."""
        project("agents.jsonl", good("a"))
        Path("base.yaml").write_text(self.HEAD + "entries: [{case: a}]\n", encoding="utf-8")
        code, _, err = run("test", "--port", port, "--baseline", "base.yaml", "agents.jsonl")
        assert code == 2
        assert err.startswith("adkref: base.yaml:3: $.entries[0]: the key 'reason' is missing")


class TestReports:
    """Files beside the terminal."""

    def test_each_form_is_written(self, project, run, port):
        """One run writes as many reports as are asked for."""
        project("agents.jsonl", good("a"), wrong("b", "AGT-047"))
        forms = {"json": "r.json", "ndjson": "r.ndjson", "junit": "r.xml", "markdown": "r.md"}
        forms["html"] = "deep/r.html"
        options = [f"--report={form}={file}" for form, file in forms.items()]
        code, _, _ = run("test", "--port", port, *options, "agents.jsonl")
        assert code == 1
        report = json.loads(Path("r.json").read_text(encoding="utf-8"))
        assert first_violation("report", report) is None
        assert report["exit_code"] == 1
        assert report["port"]["hello"]["implementation"] == "template-python"
        assert len(Path("r.ndjson").read_text(encoding="utf-8").splitlines()) == 4
        page = Path("deep/r.html").read_text(encoding="utf-8")
        assert 'class="missing first"' in page or 'class="extra first"' in page

    @pytest.mark.parametrize("value", ["pdf=r.pdf", "json", "json="])
    def test_a_form_that_is_none(self, project, run, port, value):
        """It is bad usage: exit code 2."""
        project("agents.jsonl", good("a"))
        code, _, err = run("test", "--port", port, "--report", value, "agents.jsonl")
        assert code == 2
        assert f"'{value}' is no FORMAT=FILE" in err


class TestErrors:
    """Errors by text or by kind."""

    def test_a_port_with_prose_of_its_own(self, project, run, port):
        """By text it differs; by kind, with its texts in the baseline, it is equal."""
        user_missing = scenario("a", session={"app": "app", "user": "", "id": "s"})
        text = 'app_name and user_id are required, got app_name: "app", user_id: ""'
        project(
            "agents.jsonl",
            {"scenario": user_missing, "trace": [{"at": "construct_error", "error": text}]},
        )
        Path("port.py").write_text(
            "import json, sys\n"
            "for line in sys.stdin:\n"
            "    request = json.loads(line)\n"
            "    trace = [{'at': 'construct_error', 'error': 'Wer bist du?'}]\n"
            "    print(json.dumps({'implementation': 'ich'} if request['cmd'] == 'hello' else\n"
            "        {'trace': trace} if request['cmd'] == 'run' else {'error': '?'}), flush=True)\n",
            encoding="utf-8",
        )
        Path("base.yaml").write_text(
            "schema_version: 1.0.0\nimplementation: ich\n"
            "kinds: {session.keys_missing: ['Wer bist du?']}\n",
            encoding="utf-8",
        )
        command = shlex.join([sys.executable, "port.py"])
        options = ("test", "--port", command, "--baseline", "base.yaml", "agents.jsonl")
        assert run(*options)[0] == 1
        assert run(*options, "--errors", "kind")[0] == 0


def test_the_reference_is_a_port_like_any_other(project, run):
    """``adkref driver`` plays the cases, with several processes as well."""
    project("agents.jsonl", *(good(f"a{number}") for number in range(9)))
    command = shlex.join([sys.executable, "-m", "adkref", "driver", "--jobs", "2"])
    code, out, _ = run("test", "--port", command, "--jobs", "2", "agents.jsonl")
    assert code == 0
    assert "9 of 9 cases are equal" in out


def test_a_choice_for_no_rule_is_noticed(project, run):
    """What a port declares to have chosen must be a rule's business."""
    project("agents.jsonl", good("a"))
    text = TEMPLATE.read_text(encoding="utf-8")
    choices = '"choices": {"RUN-055": "dropped", "RUN-999": "x"},'
    Path("port.py").write_text(text.replace('"choices": {},', choices), encoding="utf-8")
    command = shlex.join([sys.executable, "port.py"])
    code, out, _ = run("test", "--port", command, "agents.jsonl")
    assert code == 0
    assert "warning: the port declares a choice for RUN-999, which is no rule" in out
    assert "RUN-055" not in out


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_an_interrupted_run_leaves_nothing_behind(project, spawn, port):
    """Ctrl-C ends the kit, its judges and the port: exit code 130."""
    project("agents.jsonl", *(good(f"a{number}") for number in range(3000)))
    mark = uuid.uuid4().hex
    environment = {**os.environ, "ADKREF_INTERRUPTED": mark}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    with spawn("test", "--jobs", "2", "--port", port, "agents.jsonl", env=environment) as kit:
        assert kit.stdout.readline() == "template-python 0.1.0 (python)\n"
        time.sleep(0.5)
        kit.send_signal(signal.SIGINT)
        _, err = kit.communicate(timeout=60)
    assert (kit.returncode, err.strip()) == (130, "adkref: interrupted")
    assert marked(mark) == []


def marked(mark):
    """Return the processes that carry the mark in their environment, after a moment's grace."""
    end = time.monotonic() + 5
    while True:
        found = [pid for pid in Path("/proc").glob("[0-9]*") if mark.encode() in environ(pid)]
        if not found or time.monotonic() > end:
            return found
        time.sleep(0.1)


def environ(process):
    """Return a process's environment; one that is gone has none."""
    try:
        return (process / "environ").read_bytes()
    except OSError:
        return b""


def test_schema_prints_one_or_lists_all(run):
    """Without a name the schemas are listed; a name that is none is bad input."""
    code, out, _ = run("schema")
    assert code == 0
    assert "hello-reply" in out
    code, out, _ = run("schema", "stop-request")
    assert json.loads(out)["properties"]["cmd"] == {"const": "stop"}
    code, _, err = run("schema", "run-repli")
    assert (code, err) == (2, "adkref: there is no schema 'run-repli'; expected run-reply\n")
