# SPDX-License-Identifier: Apache-2.0
"""Instructions and their placeholders (chapter 02, 5.3)."""

import pytest
from kit import Scene, content, system_of

from adkref.agents import Agent, LlmAgent, SequentialAgent
from adkref.artifacts import Artifacts, InMemoryArtifactService
from adkref.content import Blob, Part
from adkref.contexts import Context, ReadonlyContext
from adkref.errors import AdkError, ProgrammingError
from adkref.flow.instructions import add_instructions, inject_state, is_state_name
from adkref.models import GenerateContentConfig, LlmRequest, ScriptedModel

STATE = {
    "x": "X",
    "_y1": "Y",
    "größe": "G",
    "x٣": "digit",
    "app:x": "AX",
    "user:x": "UX",
    "temp:x": "TX",
    "n": None,
    "empty": "",
    "t": True,
    "i": 12345678,
    "f": 12345678.0,
    "half": 0.5,
    "map": {"b": 1, "a": [True, None]},
    "list": ["a", {"k": 1.0}],
    "braces": "{x}",
}


def context(state=STATE, artifacts=None):
    """A context over a state."""
    return Context.promote(Scene(Agent("a"), state=state, artifacts=artifacts).ctx)


# --- placeholders (REQ-035 to REQ-041) ------------------------------------------------------------


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("", ""),
        ("plain", "plain"),
        ("{x}", "X"),
        ("a{x}b{_y1}c", "aXbYc"),
        ("{{x}}", "X"),
        ("{{{x}", "X"),
        ("{x}}}", "X"),
        ("{ x }", "X"),
        ("{\n\tx \n}", "X"),
        ("{{ x }}", "X"),
        ("{größe}", "G"),
        ("{x٣}", "digit"),
        ("{app:x}{user:x}{temp:x}", "AXUXTX"),
        # Values in their default text form.
        ("{n}|{empty}|{t}|{i}|{f}|{half}", "||true|12345678|1.2345678e+07|0.5"),
        ("{map} {list}", "map[a:[true <nil>] b:1] [a map[k:1]]"),
        # Optional ones.
        ("{x?}", "X"),
        ("{missing?}", ""),
        ("a{ missing? }b", "ab"),
        ("{app:missing?}", ""),
        # No names: they stay as they are.
        ("{}", "{}"),
        ("{ }", "{ }"),
        ("{?}", "{?}"),
        ("{{}}", "{{}}"),
        ("{x ?}", "{x ?}"),
        ("{x??}", "{x??}"),
        ("{1x}", "{1x}"),
        ("{x-y}", "{x-y}"),
        ("{x.y}", "{x.y}"),
        ("{x y}", "{x y}"),
        ("{ {'a': 1} }", "{ {'a': 1} }"),
        ('{"a": 1}', '{"a": 1}'),
        ("{other:x}", "{other:x}"),
        ("{app:}", "{app:}"),
        ("{:x}", "{:x}"),
        ("{app:user:x}", "{app:user:x}"),
        ("{app: x}", "{app: x}"),
        ("{App:x}", "{App:x}"),
        ("{x²}", "{x²}"),
        ("{-x}?", "{-x}?"),
        # No matches.
        ("{x", "{x"),
        ("x}", "x}"),
        ("}x{", "}x{"),
        # What is inserted is not scanned again.
        ("{braces}", "{x}"),
        ("{{braces}}{x}", "{x}X"),
    ],
)
def test_placeholders(template, text):
    """One or more braces around a name; everything else is copied (REQ-035 to REQ-041)."""
    assert inject_state(context(), template) == text


def test_evaluation_stops_at_the_first_error():
    """A missing key is an error with the session's text (REQ-039, REQ-040)."""
    with pytest.raises(AdkError) as caught:
        inject_state(context(), "{x} {gone} {artifact.f}")
    assert str(caught.value) == "state key does not exist"


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("x", True),
        ("_", True),
        ("a1", True),
        ("é", True),
        ("ǅ", True),
        ("ª", True),
        ("app:x", True),
        ("user:_1", True),
        ("temp:x", True),
        ("", False),
        ("1", False),
        ("a b", False),
        ("a\u0301", False),
        ("Ⅷ", False),
        ("x½", False),
        ("tmp:x", False),
        ("app:1", False),
        ("app::x", False),
    ],
)
def test_state_names(name, valid):
    """A letter or _, then letters, decimal digits, _; one of three prefixes (REQ-038)."""
    assert is_state_name(name) is valid


# --- artifacts (REQ-037) ----------------------------------------------------------------------------


def stored():
    """Artifacts with a text and a blob."""
    artifacts = Artifacts(InMemoryArtifactService(), "app", "user", "s")
    artifacts.save("f.txt", Part(text="first"))
    artifacts.save("f.txt", Part(text="{x}"))
    artifacts.save("blob", Part(inline_data=Blob("a/b", b"x")))
    return artifacts


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{artifact.f.txt}", "{x}"),
        ("{{ artifact.f.txt? }}", "{x}"),
        ("<{artifact.blob}>", "<>"),
        ("<{artifact.gone?}>", "<>"),
        ("{Artifact.f.txt}", "{Artifact.f.txt}"),
    ],
)
def test_artifacts(template, text):
    """The newest version's text, "" for another kind of part or an optional one (REQ-037)."""
    assert inject_state(context(artifacts=stored()), template) == text


def test_a_missing_artifact():
    """The error names the file (REQ-037)."""
    with pytest.raises(AdkError) as caught:
        inject_state(context(artifacts=stored()), "{artifact.gone}")
    assert str(caught.value) == (
        "failed to load artifact gone: artifact not found: file does not exist"
    )


@pytest.mark.parametrize("template", ["{artifact.f}", "{artifact.f?}"])
def test_without_artifact_service(template):
    """An error, also when optional (REQ-037)."""
    with pytest.raises(AdkError, match=r"^artifact service is not initialized$"):
        inject_state(context(), template)


def test_misuse_of_the_artifacts_passes():
    """A service that panics is no missing artifact."""

    class Broken:
        """Artifacts that cannot be used."""

        def load(self, name):
            """Panic."""
            raise ProgrammingError("misuse")

    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        inject_state(context(artifacts=Broken()), "{artifact.f?}")


# --- where instructions come from (REQ-031 to REQ-034) --------------------------------------------------

IDENTITY = 'You are an agent. Your internal name is "a".'


def instructed(root=None, **options):
    """The system instruction that agent a shows its model, below *root*."""
    model = ScriptedModel(["x"])
    given = LlmAgent("a", model=model, **options)
    scene = Scene(root(given) if root is not None else given, state=STATE)
    got = scene.run(given)
    if not model.requests:
        return got
    assert len(got) == 1
    return system_of(model.requests[0])


def test_the_order_of_instructions():
    """Configured, global, own, identity (REQ-031)."""
    config = GenerateContentConfig(system_instruction=content("configured"))
    assert instructed(
        generate_content_config=config, global_instruction="global {x}", instruction="own {x}"
    ) == [f"configured\n\nglobal X\n\nown X\n\n{IDENTITY}"]
    assert config.system_instruction == content("configured")


def test_nothing_but_the_identity():
    """Without any instruction the identity is the first part (REQ-033, REQ-030)."""
    assert instructed() == [IDENTITY]


def test_the_global_instruction_is_the_roots():
    """Of an LLM root, and not of the agent itself (REQ-032)."""

    def below(given):
        middle = LlmAgent("m", sub_agents=[given], global_instruction="middle")
        return LlmAgent("r", sub_agents=[middle], global_instruction="root {x}")

    options = {
        "global_instruction": "own global",
        "instruction": "own",
        "disallow_transfer_to_parent": True,
        "disallow_transfer_to_peers": True,
    }
    assert instructed(below, **options) == [f"root X\n\nown\n\n{IDENTITY}"]
    # Another kind of root has none, so the agent's own counts.
    assert instructed(lambda given: SequentialAgent("r", sub_agents=[given]), **options) == [
        f"own global\n\nown\n\n{IDENTITY}"
    ]


def test_a_provider_is_taken_verbatim():
    """No templating, and an empty result is appended, too (REQ-033, REQ-030)."""
    seen = []

    def provider(ctx):
        seen.append((type(ctx), ctx.agent_name, ctx.readonly_state["x"]))
        return "{x}"

    assert instructed(instruction_provider=provider, instruction="not {gone}") == [
        f"{{x}}\n\n{IDENTITY}"
    ]
    assert seen == [(ReadonlyContext, "a", "X")]
    assert instructed(instruction_provider=lambda ctx: "") == ["", IDENTITY]
    assert instructed(
        global_instruction_provider=lambda ctx: "g", instruction_provider=lambda ctx: ""
    ) == [f"g\n\n\n\n{IDENTITY}"]


def test_a_template_that_became_empty_is_appended():
    """Only an empty template is nothing (REQ-033)."""
    assert instructed(instruction="{gone?}") == ["", IDENTITY]
    assert instructed(global_instruction="g", instruction="{gone?}") == [f"g\n\n\n\n{IDENTITY}"]


def boom(ctx):
    """A provider that fails."""
    raise ValueError("boom")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"global_instruction": "{gone}"},
            (
                "failed to append global instructions: failed to inject session state into global "
                "instruction: state key does not exist"
            ),
        ),
        (
            {"instruction": "{gone}"},
            (
                "failed to append instructions: failed to inject session state into instruction: "
                "state key does not exist"
            ),
        ),
        (
            {"global_instruction_provider": boom},
            (
                "failed to append global instructions: failed to evaluate global instruction "
                "provider: boom"
            ),
        ),
        # The word global is there for the agent's own provider, too.
        (
            {"instruction_provider": boom},
            "failed to append instructions: failed to evaluate global instruction provider: boom",
        ),
        (
            {"instruction": "{artifact.f}"},
            (
                "failed to append instructions: failed to inject session state into instruction: "
                "artifact service is not initialized"
            ),
        ),
    ],
)
def test_errors_end_the_step(options, text):
    """The literal texts (REQ-034)."""
    assert instructed(**options) == [text]


@pytest.mark.parametrize("given", [None, 5, b"x"])
def test_a_provider_returns_a_text(given):
    """Anything else is misuse."""
    with pytest.raises(ProgrammingError) as caught:
        instructed(instruction_provider=lambda ctx: given)
    assert str(caught.value) == (
        f"instruction provider returned {type(given).__name__}, expected str"
    )


def test_another_kind_of_agent_has_no_instructions():
    """The processor does nothing for it (REQ-002)."""
    request = LlmRequest()
    add_instructions(context(), request)
    assert request == LlmRequest()


def test_misuse_in_a_provider_passes():
    """A panic is no failed provider."""

    def misuse(ctx):
        raise ProgrammingError("misuse")

    with pytest.raises(ProgrammingError, match=r"^misuse$"):
        instructed(instruction_provider=misuse)
