# SPDX-License-Identifier: Apache-2.0
"""Artifacts: named, versioned parts beside a session's events."""

from adkref.artifacts.in_memory import InMemoryArtifactService
from adkref.artifacts.service import Artifacts, ArtifactService, ArtifactVersion

__all__ = ["ArtifactService", "ArtifactVersion", "Artifacts", "InMemoryArtifactService"]
