# SPDX-License-Identifier: Apache-2.0

PORT_JAVA := conformance/ports/adk-java
MAVEN = mvn --quiet --batch-mode -Dstyle.color=never -f $(PORT_JAVA)/pom.xml

port-java: .ports/adk-java/.compiled
	@cat $(PORT_JAVA)/command

.ports/adk-java/.installed: $(PORT_JAVA)/pom.xml
	$(call need,javac,a JDK 17 or newer)
	$(call need,mvn,Maven)
	@mkdir -p $(@D)
	@rm -rf $(@D)/lib
	@echo 'adkref: installing what $< names into $(@D)/lib'
	@$(MAVEN) dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/$(@D)/lib >&2
	@touch $@

.ports/adk-java/.compiled: .ports/adk-java/.installed \
		$(wildcard $(PORT_JAVA)/src/main/java/adkref/port/*.java)
	@rm -rf $(@D)/classes
	@$(MAVEN) compile >&2
	@touch $@
