# SPDX-License-Identifier: Apache-2.0
"""The arithmetic of the benchmarks and what they print; never a timing."""

import importlib
import io
import json
import math
import sys
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner
from rich.console import Console

BENCH = Path(__file__).parents[2] / "bench"
sys.path.append(str(BENCH))
cases, figures, report, run = map(importlib.import_module, ("cases", "figures", "report", "run"))

Run, PER_EVENT, WHOLE_TURN = figures.Run, figures.PER_EVENT, figures.WHOLE_TURN


def flat(*seconds, events=5000):
    """Return runs of the flat case."""
    return [Run(events, one) for one in seconds]


RESULTS = report.Results(
    machine="a machine",
    versions={"Python": "3.11.7", "google-adk": "2.13.0"},
    wanted=3,
    cases={
        "flat": {
            "adkref": flat(0.04, 0.03, 0.05),
            "google-adk": flat(1.9, 1.8, 1.7),
            "bare": flat(0.02, 0.02, 0.03),
        },
        "turn": {"adkref": [Run(1, 0.011), Run(1, 0.013)], "google-adk": []},
    },
    growth={
        1000: [{"custom": 8.0, "llm": 900.0, "history": 800.0}],
        100: [
            {"custom": 7.0, "llm": 300.0, "history": 200.0},
            {"custom": 9.0, "llm": 340.0, "history": 210.0},
            {"custom": 8.0, "llm": 350.0, "history": 240.0},
        ],
    },
)


class TestFigures:
    """Runs to figures, figures to ratios."""

    @pytest.mark.parametrize(
        ("runs", "expected"),
        [
            ([Run(10, 3e-5)], 3.0),
            ([Run(10, 9e-5), Run(10, 1e-5), Run(10, 3e-5)], 3.0),
            ([Run(10, 1e-5), Run(10, 3e-5)], 2.0),
            # The median is one of the figures, not of the seconds.
            ([Run(1, 1e-6), Run(10, 2e-5), Run(100, 3e-4)], 2.0),
            ([], None),
        ],
    )
    def test_the_figure_is_the_median(self, runs, expected):
        """A case's figure is the median of its runs' times per event."""
        assert figures.figure(PER_EVENT, runs) == pytest.approx(expected)

    def test_a_whole_turn(self):
        """A turn is told in milliseconds, however many events it has."""
        assert figures.figure(WHOLE_TURN, [Run(1, 0.002), Run(9, 0.004)]) == pytest.approx(3.0)

    def test_without_events(self):
        """A run without events has a time per turn, but none per event."""
        assert math.isnan(PER_EVENT.of(Run(0, 1.0)))
        assert WHOLE_TURN.of(Run(0, 1.0)) == 1000.0

    def test_spread(self):
        """The spread is the least and the greatest figure."""
        assert figures.spread(WHOLE_TURN, [Run(1, 2.0), Run(1, 1.0), Run(1, 3.0)]) == (1e3, 3e3)
        assert figures.spread(WHOLE_TURN, []) is None

    @pytest.mark.parametrize(
        ("ours", "theirs", "expected"),
        [
            (6.0, 360.0, 1 / 60),
            (3.0, 2.0, 1.5),
            (None, 2.0, None),
            (2.0, None, None),
            (2.0, 0, None),
        ],
    )
    def test_ratio(self, ours, theirs, expected):
        """A ratio needs both figures."""
        assert figures.ratio(ours, theirs) == expected


class TestWords:
    """Figures as people read them."""

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (None, "–"),
            (0, "0"),
            (0.012345, "0.0123"),
            (0.5, "0.500"),
            (6.3, "6.30"),
            (10.7, "10.7"),
            (207.4, "207"),
            (2886.4, "2,886"),
        ],
    )
    def test_three_digits(self, value, text):
        """A figure has three significant digits, and all those before the point."""
        assert figures.spell(value) == text

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            (None, "–"),
            (1 / 60, "1/60"),
            (1 / 9.9, "1/9.9"),
            (1 / 9.97, "1/10"),
            (0.4, "1/2.5"),
            (1.0, "×1.0"),
            (13.4, "×13"),
            (1 / 1200, "1/1,200"),
        ],
    )
    def test_ratios(self, value, text):
        """A ratio below one is a fraction of one, another one a factor."""
        assert figures.spell_ratio(value) == text


class TestReport:
    """What is printed."""

    def test_rows(self):
        """A line has the figures, our ratio to google-adk, and the constants beside them."""
        rows = [report.row(case, runs) for case, runs in RESULTS.measured()]
        assert rows == [
            [
                "custom root, 5,000 events",
                "µs per event",
                "8.00",
                "360",
                "1/45",
                "4.00",
                "2.10",
                "6.3 (1/60)",
            ],
            [
                "one LLM turn after 5,000 stored events",
                "ms per turn",
                "12.0",
                "–",
                "–",
                "–",
                "10.7",
                "< 10.7 (1/46)",
            ],
        ]

    def test_tables(self):
        """Cases stand in the order of their table, growth in the order of the stored events."""
        out = io.StringIO()
        report.show(RESULTS, Console(file=out, width=200))
        lines = [line.rstrip() for line in out.getvalue().splitlines()]
        told = [" ".join(line.split()) for line in lines if line and "─" not in line]
        assert told == [
            "case unit adkref google-adk adkref/google-adk bare ADK-Go aim",
            "custom root, 5,000 events µs per event 8.00 360 1/45 4.00 2.10 6.3 (1/60)",
            "one LLM turn after 5,000 stored events ms per turn 12.0 – – – 10.7 < 10.7 (1/46)",
            (
                "adkref, stored events before the run unit custom root, per event "
                "LLM agent, per tool step of it building the history the rest"
            ),
            # The rest's median is of the runs' own rests: 100, 130, 110.
            "100 µs 8.00 340 210 110",
            "1,000 µs 8.00 900 800 100",
            *report.notes(RESULTS),
        ]

    def test_nothing_measured(self):
        """Without runs there are no tables."""
        assert report.tables(evolve(RESULTS, cases={}, growth={})) == []

    def test_notes(self):
        """Said are how it was measured, different numbers of events, and what failed."""
        odd = {"adkref": flat(1.0), "google-adk": flat(1.0, events=5001), "bare": []}
        results = evolve(RESULTS, cases={"flat": odd}, growth={}, failures=["turn on bare: no"])
        assert report.notes(results) == [
            (
                "Medians of 3 runs, each in a fresh process after a small warm-up; "
                "the sides take turns: adkref, google-adk, bare, adkref, …"
            ),
            "a machine; Python 3.11.7, google-adk 2.13.0.",
            (
                "ADK-Go and the aims are constants, not measured here: issue 3, 'What it must reach', "
                "ADK-Go as measured there on this kind of machine."
            ),
            (
                "custom root, 5,000 events: the sides yield different numbers of events: "
                "adkref 5,000, google-adk 5,001."
            ),
            "Failed: turn on bare: no",
        ]

    def test_the_note_on_growth(self):
        """What a step is stands below the table of growth only."""
        assert report.GROWTH_NOTE in report.notes(RESULTS)
        assert report.GROWTH_NOTE not in report.notes(evolve(RESULTS, growth={}))

    def test_json(self):
        """A program gets medians, spread and every run; a side without runs is left out."""
        found = json.loads(json.dumps(report.as_json(RESULTS)))
        first, second = found.pop("cases")
        assert first == {
            "case": "flat",
            "title": "custom root, 5,000 events",
            "unit": "µs per event",
            "sides": {
                side: {
                    "median": pytest.approx(middle),
                    "least": pytest.approx(least),
                    "greatest": pytest.approx(greatest),
                    "events": [5000, 5000, 5000],
                    "seconds": [one.seconds for one in RESULTS.cases["flat"][side]],
                }
                for side, least, middle, greatest in (
                    ("adkref", 6, 8, 10),
                    ("google-adk", 340, 360, 380),
                    ("bare", 4, 4, 6),
                )
            },
            "adkref/google-adk": pytest.approx(1 / 45),
            "adk_go": 2.1,
            "aim": "6.3 (1/60)",
        }
        assert list(second["sides"]) == ["adkref"]
        assert second["adkref/google-adk"] is None
        assert found == {
            "machine": "a machine",
            "versions": {"Python": "3.11.7", "google-adk": "2.13.0"},
            "runs": 3,
            "growth": [
                {"stored": 100, "unit": "µs per step", "custom": 8, "llm": 340, "history": 210}
                | {"rest": 110},
                {"stored": 1000, "unit": "µs per step", "custom": 8, "llm": 900, "history": 800}
                | {"rest": 100},
            ],
            "constants": report.ADK_GO_SOURCE,
            "failures": [],
        }


class TestRunning:
    """Which runs are made, and what becomes of one that fails."""

    def test_the_sides_take_turns(self):
        """Runs alternate between the sides, and between the stored events."""
        assert list(run.plan(["flat", "growth"], ["a", "b"], 2)) == [
            *[("a", "flat"), ("b", "flat")] * 2,
            *[("growth", "100"), ("growth", "1000"), ("growth", "5000")] * 2,
        ]

    def test_a_run_is_a_process(self):
        """A run comes back as the events and seconds that its process printed."""
        found = run.measure("bare", "transfer")
        assert found == {"events": 41, "seconds": pytest.approx(found["seconds"])}

    def test_every_side_plays_every_case(self):
        """Ours and the bare side have a function for each line of the table."""
        names = {case.name for case in cases.CASES}
        for side in ("adkref", "bare"):
            assert set(importlib.import_module(cases.SIDES[side]).CASES) == names

    @pytest.mark.parametrize(
        ("program", "text"),
        [
            ("raise ValueError('bad')", "flat on bare: ValueError: bad"),
            ("raise SystemExit(3)", "flat on bare: exit status 3"),
            ("import time; time.sleep(9)", "flat on bare: gave up after 0.2 s"),
        ],
    )
    def test_a_failing_run(self, program, text, tmp_path, monkeypatch):
        """A failing run says which case failed, on which side and why."""
        path = tmp_path / "measure.py"
        path.write_text(program)
        monkeypatch.setattr(run, "MEASURE", path)
        monkeypatch.setattr(run, "LIMIT", 9 if "sleep" not in program else 0.2)
        with pytest.raises(run.Failed) as raised:
            run.measure("bare", "flat")
        assert str(raised.value) == text

    def test_failures_end_in_the_exit_status(self, monkeypatch):
        """Failures are told once each, figures are printed all the same, the status is 1."""

        def measure(side, case):
            if side == "bare":
                raise run.Failed("flat on bare: no")
            return (
                {"events": 5000, "seconds": 0.04}
                if case == "flat"
                else dict.fromkeys(("custom", "llm", "history"), 1.0)
            )

        monkeypatch.setattr(run, "measure", measure)
        monkeypatch.setattr(run, "version", lambda name: "2.13.0")
        arguments = ["--runs", "2", "--case", "growth", "--case", "flat", "--json"]
        result = CliRunner().invoke(run.main, arguments)
        found = json.loads(result.stdout)
        assert [case["case"] for case in found["cases"]] == ["flat"]
        assert {side: len(it["seconds"]) for side, it in found["cases"][0]["sides"].items()} == {
            "adkref": 2,
            "google-adk": 2,
        }
        assert [line["stored"] for line in found["growth"]] == [100, 1000, 5000]
        assert found["failures"] == ["flat on bare: no"]
        assert result.exit_code == 1

    def test_without_google_adk(self, monkeypatch):
        """Where google-adk is missing, the other sides are measured, and it is said."""

        def missing(name):
            raise run.PackageNotFoundError(name)

        monkeypatch.setattr(run, "version", missing)
        monkeypatch.setattr(run, "measure", lambda side, case: {"events": 1, "seconds": 1.0})
        result = CliRunner().invoke(run.main, ["--runs", "1", "--case", "turn"])
        assert (
            "Failed: google-adk is not installed here; `make bench` installs it" in result.stdout
        )
        assert " ".join(result.stdout.split()).count("ms per turn 1,000 – – 1,000") == 1
        assert result.exit_code == 1

    @pytest.mark.parametrize("arguments", [["--case", "none"], ["--runs", "0"], ["more"]])
    def test_bad_input(self, arguments):
        """An unknown case, no runs or a stray argument end with status 2 and nothing measured."""
        assert CliRunner().invoke(run.main, arguments).exit_code == 2
