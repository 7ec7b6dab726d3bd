# SPDX-License-Identifier: Apache-2.0
"""Memory: what was said in earlier sessions, found by its words."""

from adkref.memory.in_memory import InMemoryMemoryService
from adkref.memory.service import Memory, MemoryEntry, MemoryService

__all__ = ["InMemoryMemoryService", "Memory", "MemoryEntry", "MemoryService"]
