# SPDX-License-Identifier: Apache-2.0
"""Makes tests/kit.py importable from every folder of tests."""
