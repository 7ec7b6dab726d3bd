# SPDX-License-Identifier: Apache-2.0
"""Odd ports: each has its verdict, none hangs or breaks the kit, and nothing of it is left."""

import contextlib
import os
import re
import shlex
import sys
import time
import uuid
from pathlib import Path

import pytest

from adkref.conformance.corpus import Case
from adkref.conformance.outcome import DIFFERENT, EQUAL, SKIPPED
from adkref.conformance.port import FAULTS, Limits
from adkref.conformance.trial.report import Asked, conclude
from adkref.conformance.trial.result import PORT_FAULT, SCENARIO_FAULT
from adkref.conformance.trial.run import Options, put

HERE = Path(__file__).parent
PROCESSES = Path("/proc")
MARK = "ADKREF_ODD_PORTS"

#: Long enough for a slow machine where the port answers, short where it does not.
PATIENT = Limits(start=60, case=30, stop=10)
HASTY = Limits(start=60, case=1, stop=10)

needs_processes = pytest.mark.skipif(
    not (PROCESSES / "self" / "environ").exists(), reason="looks for processes in /proc"
)


def case(number, **scenario):
    """Return a case that the miniature plays rightly."""
    spec = {
        "id": f"case-{number}",
        "session": {"app": "app", "user": "u", "id": "s"},
        "agent": {"kind": "custom", "name": "c"},
        "turns": [{"user": "hi"}],
        **scenario,
    }
    event = {
        "author": "user",
        "content": {"parts": [{"text": spec["turns"][0]["user"]}], "role": "user"},
        "invocationId": "inv-1",
    }
    trace = [
        {"at": "turn", "n": 1},
        {"at": "append", "event": event},
        {"at": "body", "agent": "c", "step": "start"},
        {"at": "body", "agent": "c", "step": "end"},
        {"at": "end"},
    ]
    return Case(
        id=spec["id"],
        file="odd.jsonl",
        line=number,
        scenario=spec,
        trace=trace,
        final={"events": 1, "state": {}},
        rules=("AGT-040", "RUN-046"),
    )


CASES = [case(number) for number in range(1, 5)]


@pytest.fixture
def trial(monkeypatch):
    """Put cases to an odd port, and see to it that no process is left."""
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)

    def run(name, limits=PATIENT, cases=CASES, **options):
        command = shlex.join([sys.executable, str(HERE / f"{name}.py")])
        return put(command, cases, Options(limits=limits, **options))

    yield run
    assert marked(mark) == []


def marked(mark):
    """Return the processes beside this one that carry the mark in their environment."""
    found = []
    wanted = f"{MARK}={mark}".encode()
    for entry in PROCESSES.glob("[0-9]*"):
        if int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found


def verdicts(run):
    """Return for each case its verdict, or for a port's fault the word for that."""
    return [result.fault or result.verdict for result in run.results]


class TestRightPorts:
    """What is unusual and allowed."""

    def test_the_miniature_is_right(self, trial):
        """Every case is equal, what it does not play is skipped, and nobody complains."""
        body = case(5, agent={"kind": "custom", "name": "c", "body": [{"yield": {}}]})
        run = trial("miniature", cases=[*CASES, body])
        assert [result.verdict for result in run.results] == [EQUAL] * 4 + [SKIPPED]
        assert run.results[4].reason == "bodies"
        assert run.warnings == []
        assert run.hello.name == "miniature 1"

    def test_a_slow_port_is_waited_for(self, trial):
        """A reply within the limit is as good as a quick one, also in pieces."""
        assert verdicts(trial("slow")) == [EQUAL] * 4

    def test_replies_may_come_out_of_order(self, trial):
        """A port that declares pipelining is sent several requests and answers as it likes."""
        cases = [case(number) for number in range(1, 12)]
        run = trial("out_of_order", cases=cases)
        assert verdicts(run) == [EQUAL] * 11
        assert run.hello.window > 1

    def test_a_port_that_knows_no_ids_still_works(self, trial):
        """The older form of the protocol names the scenario, and has no stop."""
        run = trial("knows_no_ids")
        assert verdicts(run) == [EQUAL] * 4
        assert run.warnings == []

    def test_complaints_are_read_and_mostly_forgotten(self, trial):
        """Megabytes on standard error keep neither the port nor the kit from their work."""
        assert verdicts(trial("complains")) == [EQUAL] * 4

    def test_several_processes_of_a_port_share_the_cases(self, trial):
        """With several jobs every case is played once, and results stand in their order."""
        cases = [case(number) for number in range(1, 30)]
        run = trial("miniature", cases=cases, jobs=3)
        assert verdicts(run) == [EQUAL] * 29
        assert [result.line for result in run.results] == list(range(1, 30))


#: Ports that fail every case: the fault and what is said of it.
ALWAYS = [
    ("silent", HASTY, "silence", "no reply within 1 s"),
    ("half_line", HASTY, "partial", "began a line and did not end it: no reply within 1 s"),
    ("cut_line", PATIENT, "partial", "ended in the middle of a line: "),
    (
        "chatty",
        PATIENT,
        "garbage",
        'wrote a line that is not JSON: Expecting value at column 1: "',
    ),
    ("swaps_ids", PATIENT, "id", "answered with the id 101; expected 1"),
    ("closes_input", HASTY, "closed-input", "closed its standard input"),
    ("closes_output", PATIENT, "closed-output", "closed its standard output"),
    ("long_line", PATIENT, "long", "wrote a line of more than 64 MiB: "),
    ("bad_utf8", PATIENT, "utf8", "wrote a line that is no UTF-8 text: "),
    ("not_a_number", PATIENT, "garbage", "NaN is no number that a float64 can hold"),
    ("deep", PATIENT, "garbage", "wrote a line that is nested too deeply"),
    ("unknown_key", PATIENT, "message", "bad reply: $.trace[2].depth: unknown key 'depth'"),
    ("two_answers", PATIENT, "message", "bad reply: $: has trace and error; expected exactly one"),
    ("no_object", PATIENT, "message", "wrote a line that is no reply: "),
    ("floods", PATIENT, "twice", "answered the request 1 twice"),
]


class TestFaults:
    """What a port does wrong while cases are put to it."""

    @needs_processes
    @pytest.mark.parametrize(("name", "limits", "fault", "text"), ALWAYS)
    def test_each_fault_has_a_word_and_a_sentence(self, trial, name, limits, fault, text):
        """Every case is the port's fault, told in a word, and the kit goes on to the next."""
        begun = time.monotonic()
        run = trial(name, limits, cases=CASES[:2])
        assert [result.verdict for result in run.results] == [PORT_FAULT] * 2
        assert verdicts(run) == [fault] * 2
        assert text in run.results[0].reason
        assert fault in FAULTS
        assert time.monotonic() - begun < 60

    @needs_processes
    def test_a_crash_is_that_of_its_case(self, trial):
        """The case at which it died is to blame; a new process plays the next ones."""
        run = trial("dies_mid_case")
        assert verdicts(run) == [EQUAL, "crash", EQUAL, EQUAL]
        assert run.results[1].reason == "the process died: signal SIGSEGV"
        assert run.results[1].stderr == ("about to fall",)

    @needs_processes
    def test_a_port_that_is_gone_after_its_reply(self, trial):
        """It is blamed on that case or the next, whichever comes first; at the end it is told."""
        run = trial("dies_after_reply")
        assert set(verdicts(run)) <= {"crash", EQUAL}
        crashes = [result.reason for result in run.results if result.fault]
        assert set(crashes) == {"the process died: exit code 4"}
        assert len(crashes) >= 1

    @needs_processes
    def test_a_second_answer_is_blamed_on_its_case(self, trial):
        """The case that was answered twice is at fault, though it was equal at first."""
        run = trial("answers_twice")
        assert verdicts(run) == [EQUAL, "twice", EQUAL, EQUAL]
        assert run.results[1].reason == "answered the request 2 twice"

    @needs_processes
    def test_a_second_answer_after_the_last_case_is_seen(self, trial):
        """Even what comes instead of an end is looked at."""
        assert verdicts(trial("answers_last_twice")) == [EQUAL, EQUAL, EQUAL, "twice"]

    @needs_processes
    def test_what_a_port_says_of_itself_is_told_apart(self, trial):
        """A panic, a timeout and a case that it cannot play are its own words."""
        assert verdicts(trial("panics")) == [EQUAL, "panic", EQUAL, EQUAL]
        run = trial("gives_up")
        assert verdicts(run) == [EQUAL, "timeout", "error", EQUAL]
        assert run.results[2].reason == "could not play it: bad scenario: I do not like it"

    @needs_processes
    def test_a_port_that_does_not_read_is_stuck(self, trial):
        """A request that does not fit into the pipe is written against a deadline."""
        long = case(1, turns=[{"user": "x" * 1_000_000}])
        run = trial("does_not_read", HASTY, cases=[long])
        assert verdicts(run) == ["stuck"]
        assert run.results[0].reason == "does not read its standard input"

    @needs_processes
    def test_a_port_must_stay_who_it_is(self, trial):
        """A process that declares another choice than the first is not played with."""
        run = trial("changes_its_mind")
        assert verdicts(run) == [EQUAL, "crash", "changed", "changed"]
        assert run.results[2].reason.startswith("says of its choices ")

    @needs_processes
    def test_a_port_that_only_costs_time_is_given_up(self, trial):
        """After several replies in a row that did not come, no more are waited for."""
        cases = [case(number) for number in range(1, 30)]
        begun = time.monotonic()
        run = trial("silent", Limits(start=60, case=0.2, stop=10), cases=cases)
        assert verdicts(run) == ["silence"] * 29
        assert run.results[-1].reason.startswith("given up after 8 replies in a row")
        assert time.monotonic() - begun < 60

    def test_a_wrong_trace_is_a_difference_and_no_fault(self, trial):
        """A valid reply that says something else is compared."""
        run = trial("forgets_the_end")
        assert verdicts(run) == [DIFFERENT] * 4
        assert run.results[0].difference.record == 5

    def test_a_wrong_scenario_is_not_put_to_the_port(self, trial):
        """It is the scenario's fault, with its place, and the port never hears of it."""
        run = trial("miniature", cases=[case(1, agnet={}), CASES[1]])
        assert [result.verdict for result in run.results] == [SCENARIO_FAULT, EQUAL]
        assert run.results[0].reason == (
            "bad scenario: $.agnet: unknown key 'agnet'; expected 'agent'"
        )


class TestStarts:
    """Ports that do not come as far as a case."""

    @needs_processes
    @pytest.mark.parametrize(
        ("name", "limits", "fault", "text"),
        [
            ("mute", Limits(start=1), "silence", "no reply to hello within 1 s"),
            ("dies_at_start", PATIENT, "crash", "the process died: exit code 1"),
            (
                "banner",
                PATIENT,
                "banner",
                'printed "Welcome to Miniature 1.0!" before its reply to hello; ',
            ),
            (
                "nameless",
                PATIENT,
                "hello",
                "bad reply to hello: $: the key 'implementation' is missing; expected a text",
            ),
            ("other_format", PATIENT, "format", "plays adk-scenario/9, and not adk-scenario/1"),
        ],
    )
    def test_the_run_ends_before_it_begins(self, trial, name, limits, fault, text):
        """The fault is told with a word and a sentence, and no case is counted."""
        run = trial(name, limits)
        assert run.fault.kind == fault
        assert run.fault.text.startswith(text)
        assert run.results == []

    def test_the_last_complaint_is_shown(self, trial):
        """What a port wrote on standard error before it died is part of the problem."""
        report = conclude(Asked(command="odd"), trial("dies_at_start"))
        (problem,) = report.problems
        assert problem.text.splitlines() == [
            "the port does not start: the process died: exit code 1",
            "  stderr: no licence for the flux compensator",
        ]
        assert report.exit_code == 1

    @pytest.mark.parametrize(
        ("command", "text"),
        [
            ("no-such-port-anywhere", "does not start: no-such-port-anywhere: No such file"),
            ("", "the command is empty"),
            ("'", "the command cannot be read: No closing quotation"),
        ],
    )
    def test_a_command_that_is_none(self, command, text):
        """It is told at once."""
        run = put(command, CASES, Options())
        assert run.fault.kind == "start"
        assert run.fault.text.startswith(text)


@needs_processes
class TestEnds:
    """Ports that do not know how to go."""

    def test_children_are_ended_and_told_of(self, trial):
        """All cases are equal, and the processes that were left are gone."""
        run = trial("leaves_child")
        assert verdicts(run) == [EQUAL] * 4
        assert run.warnings == ["the port left 4 processes behind, which the kit ended"]

    def test_a_child_of_another_group_is_found(self, trial):
        """Also one that holds the port's output open."""
        run = trial("leaves_daemon")
        assert verdicts(run) == [EQUAL] * 4
        assert run.warnings == ["the port left 1 process behind, which the kit ended"]

    def test_a_port_that_does_not_stop_is_killed(self, trial):
        """It has some seconds after stop, and no more."""
        run = trial("does_not_stop", Limits(start=60, case=30, stop=1))
        assert verdicts(run) == [EQUAL] * 4
        assert run.warnings == ["the port did not end within 1 s after stop and was killed"]


class TestVacuousRuns:
    """What proves nothing is no success."""

    def test_nothing_was_played(self, trial):
        """A port that skips everything has shown nothing."""
        report = conclude(Asked(command="odd"), trial("skips_all"))
        assert [problem.text for problem in report.problems] == ["none of 4 cases was played"]
        assert report.exit_code == 2

    def test_no_case(self, trial):
        """Neither has one that was asked for nothing."""
        report = conclude(Asked(command="odd"), trial("miniature", cases=[]))
        assert [problem.text for problem in report.problems] == [
            "no case was chosen, so nothing is shown"
        ]
        assert report.exit_code == 2

    def test_no_record(self, trial):
        """Traces without a record are no traces, even if they are all that is asked for."""
        empty = [
            Case(
                id="e",
                file="f",
                line=1,
                scenario=CASES[0].scenario,
                trace=[],
                final=CASES[0].final,
            )
        ]
        report = conclude(Asked(command="odd"), trial("empty_traces", cases=empty))
        assert [result.verdict for result in report.results] == [EQUAL]
        assert [problem.text for problem in report.problems] == [
            "no trace has a record, so nothing was compared"
        ]

    def test_what_was_asked_for(self, trial):
        """A level, a rule or a case that was asked for must have been played."""
        asked = Asked(
            command="odd", levels=("core", "flow"), rules=("AGT", "RUN-001"), cases=("x",)
        )
        report = conclude(asked, trial("miniature"))
        assert [problem.text for problem in report.problems] == [
            "no case of the level flow was played",
            "no case that shows RUN-001 was played",
            "there is no case x",
        ]


@pytest.mark.parametrize("file", sorted(HERE.glob("[!t]*.py")), ids=lambda file: file.stem)
def test_an_odd_port_is_small(file):
    """A port that is wrong in one way can be read at a glance, and says in which."""
    text = file.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= {"miniature": 60, "fuzzed": 110}.get(file.stem, 40)
    assert re.search('"""(Wrong in (one|the) way|Right)', text) or file.stem == "miniature"
