#!/usr/bin/env bash
# The Go tests in random order: with the race detector where goroutines meet, without it elsewhere. The nightly stage race has all with it.
# -count=1 because a result from a cache is no run. Other stages run internal/house (checks), interop/deploy (deploy) and
# TestTravellersBesideAttackers (bench). Three packages run at a time: two leave a quarter of two cores idle.
# shellcheck source=.ci/env.sh
source "$(dirname "${BASH_SOURCE[0]}")/../env.sh"

flags=(-vet=off -shuffle=on -count=1 -timeout=10m)
meet='/(agui/(run|client)|state(/.*)?|gateway(/(copilotkit|wire|internal/.*))?|groupchat(/(host|groupchattest|internal/.*|budget|script|surface|plan))?|model/(cache|internal/.*)|mcp|a2a|langgraph|telemetry(/.*)?)$'
# The longest packages come first, so that no core is idle at the end.
first=(./state/redisstore ./gateway ./state/filestore ./groupchat ./mcp ./interop/operations ./cmd/gateway ./internal/testrun)
mapfile -t all < <(go list "${first[@]}" ./... | grep -vE '/(internal/house|interop/deploy)$' | awk '!seen[$0]++')
mapfile -t racing < <(printf '%s\n' "${all[@]}" | grep -E "^github.com/agui-gateway/gateway$meet")
mapfile -t plain < <(printf '%s\n' "${all[@]}" | grep -vE "^github.com/agui-gateway/gateway$meet")
# These cost up to twenty times as much with the race detector: random teams and histories, long threads, large files, damaged bits.
# Here they run without it. The nightly stage race has all tests with it.
costly='^(TestRow50RandomTeams|TestRow108ATakeoverFromAnyCommitComesToTheSame|TestRow81RandomReplies|TestTheSchemaCacheIsBounded|TestChangesOfThePredictedAreBounded|TestWhatAPictureCosts|TestLinksInPlaceOfFiles|TestHostileInput|TestTheBooksAreAboutTheHeap|TestAPowerCutTakesNothingThatSomebodyWasTold|TestAFileWithAWrongBitIsRefusedOrHasAllItHad|TestTheFileStaysWithinItsLimit'
costly+='|TestAThreadWithoutEnd|TestPrefixesGrow|TestAnyHistoryIsWellFormed|TestRemoteFaultsAreContained|TestHistories|TestADamagedFileIsRefused|TestTheBooksAreWhatTheFileHas'
costly+='|TestApplyHasABudget|TestEveryLimitHasATestAtItsBoundary|TestAThreadWithoutEndMoves|TestAThreadWithoutEndIsTakenOver|TestALoopThatBranchesEnds)$'
failed=
without_race() {
  local failed=
  testrun go -p 1 -skip '^TestTravellersBesideAttackers$' "${flags[@]}" "${plain[@]}" || failed=yes
  testrun go -p 1 -run "$costly" "${flags[@]}" ./gateway ./groupchat ./state/document ./state/filestore ./state/memstore ./state/statetest/simstore || failed=yes
  [ -z "$failed" ]
}
without_race &
others=$!
CGO_ENABLED=1 testrun go -race -p 2 -skip "$costly" "${flags[@]}" "${racing[@]}" || failed=yes
wait "$others" || failed=yes
# Programs of other modules that use this one as a library: `./...` does not reach them.
for module in examples/*/go.mod; do
  (cd "$(dirname "$module")" && testrun go -vet=off -shuffle=on -count=1 -timeout=2m ./...) || failed=yes
done
[ -z "$failed" ]
