# SPDX-License-Identifier: Apache-2.0
"""Hand the build to setuptools; everything it needs to know stands in setup.cfg."""

from setuptools import setup

setup()
