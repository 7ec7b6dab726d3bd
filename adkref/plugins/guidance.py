# SPDX-License-Identifier: Apache-2.0
"""What a model is told after a tool has failed; literal texts of RAR-012 and RAR-013.

The insertions are ``tool``, ``details``, ``arguments``, ``count`` and ``maximum``.
"""

from __future__ import annotations

from typing import Final

#: RAR-012
REFLECTION: Final = """\
The call to tool `{tool}` failed.

**Error Details:**
```
{details}
```

**Tool Arguments Used:**
```json
{arguments}
```

**Reflection Guidance:**
This is retry attempt **{count} of {maximum}**. Analyze the error and the arguments you \
provided. Do not repeat the exact same call. Consider the following before your next attempt:

1.  **Invalid Parameters**: Does the error suggest that one or more arguments are incorrect, \
badly formatted, or missing? Review the tool's schema and your arguments.
2.  **State or Preconditions**: Did a previous step fail or not produce the necessary \
state/resource for this tool to succeed?
3.  **Alternative Approach**: Is this the right tool for the job? Could another tool or a \
different sequence of steps achieve the goal?
4.  **Simplify the Task**: Can you break the problem down into smaller, simpler steps?
5.  **Wrong Function Name**: Does the error indicates the tool is not found? Please check \
again and only use available tools.

Formulate a new plan based on your analysis and try a corrected or different approach."""

#: RAR-013: the 0 is meant, ADK-Go never passes the maximum to this text.
EXCEEDED: Final = """\
The tool `{tool}` has failed consecutively 0 times and the retry limit has been exceeded.

**Last Error:**
```
{details}
```

**Last Arguments Used:**
```json
{arguments}
```

**Final Instruction:**
**Do not attempt to use the `{tool}` tool again for this task.** You must now try a different \
approach. Acknowledge the failure and devise a new strategy, potentially using other available \
tools or informing the user that the task cannot be completed."""
