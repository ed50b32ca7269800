package redistest

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// compareScript compares each thread with its log: the newest frame by either, and whether a live run has ended by the
// log. A thread with a trimmed log is not compared. The type of a packed frame is not known.
var compareScript = redis.NewScript(`
local function parts(id) return tonumber(string.match(id, '^%d+')), tonumber(string.match(id, '%d+$')) end
local function less(a, b)
  if a == '' or b == '' then return a == '' and b ~= '' end
  local af, as = parts(a)
  local bf, bs = parts(b)
  return af < bf or af == bf and as < bs
end
local found = {}
local threads = redis.call('KEYS', ARGV[1] .. ':{*}:thread')
for _, thread in ipairs(threads) do
  local function get(field) return redis.call('HGET', thread, field) or '' end
  local last, newest, kind = get('last'), '', ''
  for _, entry in ipairs(redis.call('XREVRANGE', string.gsub(thread, 'thread$', 'ev'), '+', '-', 'COUNT', 16)) do
    if entry[2][2] ~= '' then -- a marker is no frame
      newest, kind = entry[1], entry[2][2]
      break
    end
  end
  if less(get('cut'), get('packed')) and less(newest, get('packed')) then newest, kind = get('packed'), '' end
  local live = redis.call('HEXISTS', thread, 'live') == 1
  local ended = live and (kind == 'RUN_FINISHED' or kind == 'RUN_ERROR') and not less(newest, get('origin') .. '-0')
  if get('tag') ~= '' and newest ~= '' and (newest ~= last or ended) then
    table.insert(found, thread .. ': the log ends with ' .. newest .. ', the thread with ' .. last)
  end
end
return { #threads, found }`)

// CompareLogs compares the threads in the Redis at an address with their logs. It returns the number of threads, and a
// sentence for each that disagrees with its log: the Redis has lost a part of one of them. The prefix is a pattern of
// Redis.
func CompareLogs(ctx context.Context, address, prefix string) (compared int64, wrong []string, err error) {
	client := redis.NewClient(&redis.Options{Addr: address})
	defer func() { _ = client.Close() }() // it was only read
	reply, err := compareScript.Eval(ctx, client, nil, prefix).Slice()
	if err != nil || len(reply) != 2 {
		return 0, nil, fmt.Errorf("compare logs: %w", err)
	}
	compared, _ = reply[0].(int64)
	list, _ := reply[1].([]any)
	for _, text := range list {
		wrong = append(wrong, fmt.Sprint(text))
	}
	return compared, wrong, nil
}
