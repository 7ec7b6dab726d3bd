# SPDX-License-Identifier: Apache-2.0
"""The rules: what the chapters say, what shows each of them, and what shows none.

``extract`` reads the chapters, ``registry`` holds what was read, ``manifest`` joins each rule
with its cases and tests or with the reason why it has none, ``coverage`` plays the cases.
"""
