# SPDX-License-Identifier: Apache-2.0
"""The examples run as their readers would run them, and print what they promise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"

EXPECTED = {
    "first_agent.py": """\
weather_agent calls get_weather{'city': 'Hangzhou'}
weather_agent got {'temperature': 26}
weather_agent says: It is 26 degrees in Hangzhou.
the model was asked 2 times
""",
    "custom_agent_ack.py": """\
agent:    before the yield of 'first' the session has []
consumer: got 'first'
agent:    after the yield of 'first' the session has ['first']
agent:    before the yield of 'half a w' the session has ['first']
consumer: got 'half a w' (partial)
agent:    after the yield of 'half a w' the session has ['first']
agent:    before the yield of 'second' the session has ['first']
consumer: got 'second'
agent:    after the yield of 'second' the session has ['first', 'second']
agent:    end of the body
consumer: a second run, stopped at its first event
agent:    before the yield of 'first' the session has []
""",
    "policy_plugin.py": """\
user: Tidy up, please.
  policy:  list_files may run with {}
  tool:    list_files runs
  result:  list_files -> {'result': ['notes.txt']}
  policy:  delete_file is refused, delete_approved is not set
  result:  delete_file -> {'error': 'delete_file requires approval'}
agent: I may not delete notes.txt yet.
user: I approve. Try again.
  policy:  delete_file may run with {'path': 'notes.txt'}
  tool:    delete_file runs on notes.txt
  result:  delete_file -> {'deleted': 'notes.txt'}
agent: notes.txt is gone.
""",
    "cache_plugin.py": """\
session one: Tokyo?
  before_model: not in the cache
  after_model:  kept
  the tool looks at Tokyo
  before_model: not in the cache
  after_model:  kept
  answer: Tokyo is sunny.
session two: Tokyo?
  before_model: found in the cache
  the tool looks at Tokyo
  before_model: found in the cache
  answer: Tokyo is sunny.
session three: Oslo?
  before_model: not in the cache
  after_model:  kept
  answer: Ask me about Tokyo.
3 model calls, 2 ids for two function calls
""",
}


@pytest.mark.parametrize("name", EXPECTED)
def test_example(name):
    """It ends well, writes nothing to standard error and prints exactly this."""
    # Development mode shows an unclosed generator or thread as a warning on standard error.
    result = subprocess.run(
        [sys.executable, "-X", "dev", EXAMPLES / name],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, EXPECTED[name], "")


@pytest.mark.parametrize("name", EXPECTED)
def test_example_is_short(name):
    """A reader sees an example on two screens."""
    assert len((EXAMPLES / name).read_text(encoding="utf-8").splitlines()) < 120
