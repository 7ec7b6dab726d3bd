# SPDX-License-Identifier: Apache-2.0
"""Worker processes: answers, time limit, crashes, and nothing left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from adkref.conformance import workers
from adkref.conformance.faults import HarnessError
from adkref.conformance.workers import Answer


@pytest.fixture
def task(tmp_path, monkeypatch):
    """A function that workers import: it obeys what its argument asks for."""
    (tmp_path / "obey_adkref.py").write_text(
        textwrap.dedent("""
            import os, signal, sys, time

            def obey(order):
                match order:
                    case "loop":
                        while True:
                            pass
                    case "exit":
                        sys.exit(3)
                    case "segv":
                        print("about to fall", file=sys.stderr, flush=True)
                        os.kill(os.getpid(), signal.SIGSEGV)
                    case "raise":
                        raise ValueError("not\\ntoday")
                    case "set":
                        return {1}
                    case "print":
                        print("in between")
                        os.write(1, b"and below\\n")
                    case "read":
                        return sys.stdin.read()
                    case "pid":
                        time.sleep(0.02)
                        return os.getpid()
                return order
        """),
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    return "obey_adkref:obey"


def alive(pid):
    """Tell whether there is a process with that id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pids(task, count, **options):
    """Return the ids of the worker processes that answer *count* tasks."""
    return {answer.value for answer in workers.run(task, ["pid"] * count, **options)}


class TestAnswers:
    """What comes back."""

    def test_one_worker_answers_in_order(self, task):
        """One worker answers every task, in the order in which they were given."""
        orders = [1, "a", None, {"k": [True, 1.5, "é\n"]}, []] * 20
        assert list(workers.run(task, orders)) == [
            Answer(index, order) for index, order in enumerate(orders)
        ]

    def test_several_workers_answer_each_task_once(self, task):
        """Three workers answer every task exactly once, each with its own answer."""
        orders = list(range(200))
        answers = sorted(workers.run(task, orders, jobs=3), key=lambda answer: answer.index)
        assert answers == [Answer(index, index) for index in orders]

    def test_work_is_shared(self, task):
        """Both of two workers get some of the work."""
        assert len(pids(task, 40, jobs=2)) == 2

    def test_never_in_this_process(self, task):
        """One worker is a process of its own too."""
        found = pids(task, 3, jobs=1)
        assert len(found) == 1
        assert os.getpid() not in found

    def test_no_tasks(self, task):
        """Without tasks there are no answers."""
        assert list(workers.run(task, [], jobs=2)) == []

    def test_large_tasks(self, task):
        """Tasks and answers far larger than a pipe get through while both sides write."""
        orders = ["x" * 1_000_000] * 12
        assert [answer.value for answer in workers.run(task, orders)] == orders

    def test_output_of_a_task(self, task):
        """What a task prints does not get between the answers."""
        assert list(workers.run(task, ["print", "print"])) == [
            Answer(0, "print"),
            Answer(1, "print"),
        ]

    def test_input_of_a_task(self, task):
        """A task that reads standard input reads nothing, and not the next task."""
        assert list(workers.run(task, ["read", 1])) == [Answer(0, ""), Answer(1, 1)]


class TestTrouble:
    """Tasks that do not end well."""

    def test_endless_loop(self, task):
        """An endless loop is a timeout, and the tasks behind it are done all the same."""
        answers = list(workers.run(task, [1, "loop", 2, 3, "loop", 4], limit=1))
        assert answers == [
            Answer(0, 1),
            Answer(1, trouble="timeout"),
            Answer(2, 2),
            Answer(3, 3),
            Answer(4, trouble="timeout"),
            Answer(5, 4),
        ]

    def test_crash(self, task):
        """A worker that dies is told apart from a timeout, with how it ended."""
        assert list(workers.run(task, [1, "exit", "segv", 2])) == [
            Answer(0, 1),
            Answer(1, trouble="crash", text="exit code 3"),
            Answer(2, trouble="crash", text="signal SIGSEGV: about to fall"),
            Answer(3, 2),
        ]

    def test_exception(self, task):
        """A task that raises is an error with its text, and so is an answer that is no JSON."""
        assert list(workers.run(task, ["raise", "set", 1])) == [
            Answer(0, trouble="error", text="ValueError: not\ntoday"),
            Answer(
                1,
                trouble="error",
                text="TypeError: Object of type set is not JSON serializable",
            ),
            Answer(2, 1),
        ]

    def test_worker_that_does_not_start(self):
        """A worker that cannot even start is the kit's own failure, not the task's."""
        with pytest.raises(HarnessError, match=r"does not start: exit code 1: .*no_such_module"):
            list(workers.run("no_such_module:f", [1, 2], jobs=2))

    def test_tasks_that_fail_to_come(self, task):
        """An error in the iterator of tasks reaches the caller, and no process stays."""
        found = []

        def tasks():
            for _ in range(20):
                yield "pid"
            raise OSError("disk on fire")

        with pytest.raises(OSError, match="disk on fire"):
            found.extend(answer.value for answer in workers.run(task, tasks(), jobs=2))
        assert found
        assert not any(map(alive, found))

    def test_many_timeouts_at_the_edge(self, task):
        """Tasks whose time is up just when they answer are neither lost nor blamed twice."""
        answers = list(workers.run(task, ["pid"] * 20, jobs=2, limit=0.02))
        assert sorted(answer.index for answer in answers) == list(range(20))
        assert {answer.trouble for answer in answers} <= {"", "timeout"}


class TestNothingStays:
    """Processes and threads afterwards."""

    def test_after_the_last_answer(self, task):
        """When the answers are taken, the workers and their threads are gone."""
        found = pids(task, 20, jobs=2)
        assert not any(map(alive, found))
        assert not [t for t in threading.enumerate() if t.name == "adkref-worker"]

    def test_after_close(self, task):
        """When the caller closes the generator, workers in an endless loop are gone."""
        answers = workers.run(task, ["pid", "loop", "pid", "loop"], jobs=2)
        found = [next(answers).value, next(answers).value]
        answers.close()
        assert not any(map(alive, found))

    @pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
    def test_after_a_signal(self, task, how):
        """Ctrl-C and even kill leave no worker behind, though one is in an endless loop."""
        script = (
            "from adkref.conformance import workers\n"
            f"for answer in workers.run({task!r}, ['pid', 'pid'] + ['loop'] * 4, jobs=2):\n"
            "    print(answer.value, flush=True)\n"
        )
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        parent = subprocess.Popen(
            [sys.executable, "-c", script],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        with parent:
            found = [int(parent.stdout.readline()) for _ in range(2)]
            assert all(map(alive, found))
            parent.send_signal(how)
            parent.wait(timeout=5)
        until = time.monotonic() + 5
        while any(map(alive, found)) and time.monotonic() < until:
            time.sleep(0.02)
        assert not any(map(alive, found))
