# SPDX-License-Identifier: Apache-2.0
"""The assumptions by name, in the order in which they are applied."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from adkref.conformance.assumptions import masks, rewrites
from adkref.conformance.assumptions.assumption import Assumption


def _by_name(*assumptions: Assumption) -> Mapping[str, Assumption]:
    return MappingProxyType({assumption.name: assumption for assumption in assumptions})


ASSUMPTIONS: Final = _by_name(
    # --- what a port lacks: the scenario does without it
    Assumption(
        "no-agent-error-callbacks",
        "Agents have no callbacks for errors of models and tools; only plugins have.",
        ("TOOL-026", "MDL-006"),
        scenario=rewrites.drop_agent_callbacks("on_model_error", "on_tool_error"),
    ),
    Assumption(
        "no-retry-and-reflect",
        "The built-in plugin that lets the model reflect on a failed call is not there.",
        ("RAR-001", "RAR-010"),
        scenario=rewrites.drop_builtins("retry_and_reflect"),
    ),
    Assumption(
        "no-function-call-modifier",
        "The built-in plugin that changes function calls is not there.",
        ("FCM-001", "FCM-008"),
        scenario=rewrites.drop_builtins("function_call_modifier"),
    ),
    Assumption(
        "no-modes",
        "Every agent is one to chat with.",
        ("LLM-024", "LLM-030", "NODE-041"),
        scenario=rewrites.drop_modes,
    ),
    Assumption(
        "sessions-exist",
        "Sessions are created before the run.",
        ("RUN-012",),
        scenario=rewrites.create_sessions,
    ),
    Assumption(
        "no-yielded-user-message",
        "The user's message is not yielded.",
        ("RUN-050",),
        scenario=rewrites.drop_turn_keys("yield_user_message"),
    ),
    Assumption(
        "no-changed-responses",
        "after_model changes no response in place.",
        ("MDL-008",),
        scenario=rewrites.drop_ops("mutate_text"),
    ),
    # --- masks: what both sides show is not compared
    Assumption(
        "errors-by-presence",
        "An error is compared by the place where it comes, not by its text.",
        ("AGT-033", "CB-010"),
        record=masks.errors_by_presence,
        final=masks.final_error_by_presence,
    ),
    Assumption(
        "tool-errors-by-presence",
        "An error that a tool answers with is compared by its place, not by its text.",
        ("TOOL-003", "TOOL-025"),
        record=masks.tool_errors_by_presence,
    ),
    Assumption(
        "instructions-unseen",
        "The texts of the system instruction are not compared.",
        ("REQ-031", "REQ-045"),
        record=masks.instructions_unseen,
    ),
    Assumption(
        "node-info-absent",
        "What a node runtime notes on an event is not compared.",
        ("NODE-072",),
        record=masks.drop_node_info,
    ),
    Assumption(
        "stopped-unseen",
        "Whether a body or a model's stream sees that it was stopped is not compared.",
        ("AGT-047", "FLOW-023"),
        record=masks.drop_stopped,
    ),
    Assumption(
        "artifact-versions-unseen",
        "The numbers of artifact versions are not compared.",
        ("ART-003",),
        record=masks.artifact_versions_unseen,
    ),
    Assumption(
        "late-ids-unseen",
        "Whether after_model sees generated ids of calls is not compared.",
        ("MDL-008", "FLOW-017"),
        record=masks.late_ids_unseen,
    ),
    Assumption(
        "sent-ids-unseen",
        "Whether generated ids of calls are sent to the model is not compared.",
        ("CNT-048",),
        record=masks.sent_ids_unseen,
    ),
    Assumption(
        "closing-content-unseen",
        "The user content that closes a request which ends otherwise is not compared.",
        ("CNT-060",),
        record=masks.closing_content_unseen,
    ),
    Assumption(
        "foreign-wording-unseen",
        "The words that tell of other agents are not compared.",
        ("CNT-020",),
        record=masks.foreign_wording_unseen,
    ),
    Assumption(
        "empty-contents-unseen",
        "Contents without parts in a request are not compared.",
        ("CNT-010",),
        record=masks.empty_contents_unseen,
    ),
    Assumption(
        "unanswered-calls-unseen",
        "Calls in a request that the history does not answer are not compared.",
        ("CNT-044",),
        record=masks.unanswered_calls_unseen,
    ),
    Assumption(
        "silent-answers-unseen",
        "What transfer_to_agent and exit_loop answer is not compared.",
        ("XFER-007",),
        record=masks.silent_answers_unseen,
    ),
    Assumption(
        "empty-args-unseen",
        "Arguments that are an empty object are the same as none.",
        ("TOOL-015",),
        record=masks.empty_args_unseen,
    ),
    # --- rewrites: the scenario avoids it
    Assumption(
        "authors-named",
        "Events of custom agents name their author.",
        ("AGT-051",),
        scenario=rewrites.name_authors,
    ),
    Assumption(
        "roles-given",
        "Contents have a role.",
        ("NODE-005",),
        scenario=rewrites.give_roles,
    ),
    Assumption(
        "messages-given",
        "Every turn has a message.",
        ("RUN-040",),
        scenario=rewrites.give_messages,
    ),
    Assumption(
        "no-temp-state",
        "No key of the state begins with temp:.",
        ("RUN-065", "SES-044", "SES-046"),
        scenario=rewrites.drop_temp_state,
    ),
    Assumption(
        "no-null-state",
        "No value of the state is null.",
        ("SES-061",),
        scenario=rewrites.drop_null_state,
    ),
    Assumption(
        "no-artifacts",
        "Nothing is saved as an artifact or loaded.",
        ("ART-001", "CB-025"),
        scenario=rewrites.drop_artifacts,
    ),
    Assumption(
        "no-bare-state-writes",
        "Every write to the state is carried by an event.",
        ("SES-061", "CB-015"),
        scenario=rewrites.drop_bare_writes,
    ),
    Assumption(
        "no-output-key",
        "Agents do not save their answers in the state.",
        ("OUT-010", "OUT-013"),
        scenario=rewrites.drop_output_key,
    ),
    Assumption(
        "no-schemas",
        "Agents have neither input nor output schemas.",
        ("REQ-050", "OUT-002", "TOOL-062"),
        scenario=rewrites.drop_schemas,
    ),
    Assumption(
        "plain-instructions",
        "Instructions have no places to fill in.",
        ("REQ-034", "REQ-035"),
        scenario=rewrites.plain_instructions,
    ),
    Assumption(
        "no-after-run",
        "Plugins have no after_run.",
        ("RUN-051",),
        scenario=rewrites.drop_hooks("after_run"),
    ),
    Assumption(
        "no-on-event",
        "Plugins have no on_event.",
        ("RUN-062", "RUN-066"),
        scenario=rewrites.drop_hooks("on_event"),
    ),
    Assumption(
        "on-event-looks-only",
        "on_event changes no event.",
        ("FLOW-021", "RUN-062"),
        scenario=rewrites.drop_ops("mutate_event", "replace_event"),
    ),
    Assumption(
        "no-plugin-agent-hooks",
        "Plugins have no before_agent and after_agent.",
        ("CB-002",),
        scenario=rewrites.drop_hooks("before_agent", "after_agent"),
    ),
    Assumption(
        "before-run-quiet",
        "before_run neither returns anything nor fails.",
        ("RUN-053", "RUN-054", "RUN-055"),
        scenario=rewrites.quiet_hook("before_run", "return", "raise"),
    ),
    Assumption(
        "after-model-quiet",
        "after_model returns nothing.",
        ("MDL-008",),
        scenario=rewrites.quiet_hook("after_model", "return"),
    ),
    Assumption(
        "stop-at-errors",
        "The consumer stops at the first error.",
        ("AGT-047", "SEQ-002", "RUN-060"),
        scenario=rewrites.stop_at_errors,
    ),
    Assumption(
        "no-flow-errors",
        "Nothing fails inside an LLM agent: models, tools, the hooks around them.",
        ("FLOW-002", "MDL-006", "MDL-007", "TOOL-022", "TOOL-026"),
        scenario=rewrites.drop_flow_errors,
    ),
    Assumption(
        "no-agent-errors",
        "Bodies, agent callbacks and the hooks of the run do not fail.",
        ("AGT-047", "CB-010", "RUN-060"),
        scenario=rewrites.drop_agent_errors,
    ),
    Assumption(
        "no-faults",
        "Every append succeeds.",
        ("RUN-064",),
        scenario=rewrites.drop_faults,
    ),
    Assumption(
        "no-end-invocation",
        "Nothing ends the invocation.",
        ("CTX-040",),
        scenario=rewrites.drop_ops("end_invocation"),
    ),
    Assumption(
        "no-set-args",
        "Nothing changes the arguments of a call.",
        ("TOOL-022",),
        scenario=rewrites.drop_ops("set_args"),
    ),
    Assumption(
        "no-thoughts",
        "No part is a thought.",
        ("FLOW-005", "FLOW-006"),
        scenario=rewrites.drop_thoughts,
    ),
    Assumption(
        "no-partials",
        "Models give whole responses only.",
        ("MDL-008",),
        scenario=rewrites.drop_partials,
    ),
    Assumption(
        "calls-come-last",
        "A model says nothing after a response with calls.",
        ("FLOW-023",),
        scenario=rewrites.end_at_calls,
    ),
    Assumption(
        "known-tools-only",
        "Models call only tools that their agent has.",
        ("TOOL-025",),
        scenario=rewrites.known_tools_only,
    ),
    Assumption(
        "reachable-transfers-only",
        "Models transfer only to agents in reach, and nothing else transfers.",
        ("XFER-008",),
        scenario=rewrites.reachable_transfers_only,
    ),
    Assumption(
        "any-arguments",
        "Tools take whatever arguments come.",
        ("TOOL-003",),
        scenario=rewrites.fit_arguments,
    ),
    Assumption(
        "tools-return",
        "Every tool returns something.",
        ("TOOL-021", "TOOL-040"),
        scenario=rewrites.return_something,
    ),
    Assumption(
        "no-long-running",
        "No tool runs long.",
        ("TOOL-040", "NODE-008"),
        scenario=rewrites.drop_long_running,
    ),
    Assumption(
        "no-confirmations",
        "No tool asks before it runs.",
        ("TOOL-004", "TOOL-100", "TOOL-101"),
        scenario=rewrites.drop_confirmations,
    ),
    Assumption(
        "no-agent-tools",
        "A plain tool stands in for every agent tool.",
        ("TOOL-060", "TOOL-062", "TOOL-063"),
        scenario=rewrites.drop_agent_tools,
    ),
    Assumption(
        "no-include-none",
        "Every agent sees the whole history.",
        ("CNT-030",),
        scenario=rewrites.drop_include_contents,
    ),
    Assumption(
        "no-scopes",
        "No event has an isolation scope.",
        ("NODE-080", "NODE-083", "CNT-012"),
        scenario=rewrites.drop_scopes,
    ),
    Assumption(
        "no-answers-to-old-calls",
        "No message answers a call of an earlier turn.",
        ("RUN-020", "RUN-021", "RUN-030"),
        scenario=rewrites.same_invocation_never,
    ),
    Assumption(
        "no-escalation",
        "Nothing escalates.",
        ("LOOP-003", "LOOP-032"),
        scenario=rewrites.drop_escalation,
    ),
    Assumption(
        "calm-lanes",
        "Nothing escalates below a parallel agent.",
        ("PAR-071",),
        scenario=rewrites.calm_lanes,
    ),
    Assumption(
        "quiet-lanes",
        "Nothing fails below a parallel agent.",
        ("PAR-041", "PAR-043"),
        scenario=rewrites.quiet_lanes,
    ),
    Assumption(
        "blind-lanes",
        "Nothing below a parallel agent reads the state or the history.",
        ("PAR-025",),
        scenario=rewrites.blind_lanes,
    ),
    Assumption(
        "leaf-lanes",
        "The lanes of a parallel agent are single agents.",
        ("SEQ-006", "PAR-003"),
        scenario=rewrites.leaf_lanes,
    ),
    Assumption(
        "take-all",
        "The consumer takes every item.",
        ("FLOW-024", "RUN-066"),
        scenario=rewrites.take_all,
    ),
)
