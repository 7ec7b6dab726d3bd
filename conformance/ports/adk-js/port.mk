# SPDX-License-Identifier: Apache-2.0

PORT_JS := conformance/ports/adk-js

port-js: .ports/adk-js/.installed
	@cat $(PORT_JS)/command

.ports/adk-js/.installed: $(PORT_JS)/package.json
	$(call need,node,Node.js 20 or newer)
	$(call need,npm,npm)
	@mkdir -p $(@D)
	@cp $< $(@D)/package.json
	@echo 'adkref: installing what $< names into $(@D)'
	@cd $(@D) && npm install --silent --no-audit --no-fund --no-package-lock
	@touch $@
