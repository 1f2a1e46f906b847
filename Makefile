# What one does with Pando from a checkout. Each line calls a script in deploy/, which says what it needs and makes.
# ARGS goes through to the program behind: make test ARGS='--filter TokenTree', make acceptance ARGS='-k cascade'.

.DEFAULT_GOAL := help
.PHONY: help run test format bench bench-peers bench-inside bench-crawl bench-discovery migration-locks fuzz build release release-all release-check deb try-deb try-patroni sbom interop test-faults acceptance man psql stop reset clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS="$$(printf '\t')" read -r name text; do \
		printf '  make %-15s %s\n' "$$name" "$$text"; done

run: ## build and serve on http://localhost:8080 (PORT), with a database of its own and a demo
	@exec deploy/run.sh $(ARGS)

test: ## all tests: Swift, and Python clients against a real server
	@exec deploy/test.sh $(ARGS)

format: ## all Swift as .swift-format has it; make test checks it
	@exec deploy/format.sh

bench: ## measure the release build: the served program under wrk, with more tokens and replicas, on one core and on two
	@exec deploy/bench.sh outside growth cores $(ARGS)

bench-peers: ## beside other servers (Authlib, django-oauth-toolkit, Glewlwyd), under the same wrk in the same run
	@exec deploy/bench-peers.sh $(ARGS)

bench-inside: ## server and load in one process: the token tree, phones, approvals, signalling
	@exec deploy/bench.sh tree tiqr operations liquid $(ARGS)

bench-crawl: ## 10,000 local sites, 5 % of them bad: the crawler beside curl --parallel
	@exec deploy/bench.sh crawl $(ARGS)

bench-discovery: ## 100,000 services in the index: questions for three protocols beside bare answers
	@exec deploy/bench.sh discovery $(ARGS)

migration-locks: ## how long the newest migrations keep others waiting on tables of a million rows; ARGS='--rows 10000000'
	@exec deploy/migration-locks.py $(ARGS)

fuzz: ## look for inputs that break a parser, a minute each; ARGS='--seconds 600 --target jwt'
	@exec deploy/fuzz.sh $(ARGS)

build: ## debug build of every target
	@deploy/packages.sh
	@exec deploy/build.sh debug

release: ## release build of the binary: .build/release/pando
	@deploy/packages.sh
	@exec deploy/build.sh release

release-check: ## does the release build run: status, doctor, lists, serve with a token, against a fresh database
	@exec deploy/release-check.sh $(ARGS)

deb: ## a Debian package of the release build: .pando/release/pando_….deb
	@exec deploy/deb.sh $(ARGS)

try-deb: ## install it into a clean Debian, boot that with its own systemd, and run the three commands; wants root
	@exec deploy/try-deb.sh $(ARGS)

try-patroni: ## nodes of deploy/patroni on this machine: what a switchover and the end of the primary cost under load; wants patroni and etcd-server
	@exec deploy/patroni/try.py $(ARGS)

sbom: ## what is in the binary, as CycloneDX, and whether all licences are allowed
	@exec deploy/sbom.py $(ARGS)

release-all: ## binary, Debian package, bill, sources and their checksums: .pando/release/VERSION
	@exec deploy/release.sh $(ARGS)

interop: ## only the Python clients of Tests/Interop
	@exec deploy/interop.sh $(ARGS)

test-faults: ## kill, stop, fill, cut and flood server and PostgreSQL under load; a table of what was lost; ARGS='--runs 3'
	@exec deploy/test-faults.sh $(ARGS)

acceptance: ## scenarios of ../shared/clients/eduid (CLIENT) against a server started for them
	@exec deploy/acceptance.sh $(ARGS)

man: ## the manual pages, into PREFIX/share/man/man1 (/usr/local)
	@exec deploy/install-man.sh $(ARGS)

psql: ## SQL prompt in the database of make run
	@exec deploy/postgres.sh psql

stop: ## end what make run started, and every private PostgreSQL
	@exec deploy/stop.sh

reset: ## stop, and delete the private databases and their master key
	@exec deploy/stop.sh reset

clean: reset ## reset, and delete everything that was built: the next build takes minutes
	@rm -rf .build .venv .pando
