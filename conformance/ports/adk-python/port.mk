# SPDX-License-Identifier: Apache-2.0
# google-adk brings some dozens of packages with bounds of their own, so it lives apart.

PORT_PYTHON := conformance/ports/adk-python

port-python: .ports/adk-python/.installed
	@cat $(PORT_PYTHON)/command

.ports/adk-python/.installed: $(PORT_PYTHON)/requirements.txt
	@mkdir -p $(@D)
	$(call make-venv,$(@D)/venv)
	@echo 'adkref: installing $(PORT_PYTHON)/requirements.txt into $(@D)/venv'
	@$(@D)/venv/bin/python $(PIP_INSTALL) -r $<
	@touch $@
