-- Forgets a thread. Whoever runs it is told to stop, who reads it is given the end of its log, and who waits for it is
-- told to look again. A log that is packed takes the key of the packs. Its fence stays for a while, the least a new thread of its name may start from.
local thread, log, old, packs = KEYS[1], KEYS[9], KEYS[10], KEYS[11]
local now, by, ending, dead = clock(arg()), arg(), arg(), arg()
if get(thread, 'by') == by then return { 'done', '', now } end -- its reply was lost
if not exists(thread, now) then return { 'unknown' } end
local _, packed = kept(thread)
if packed ~= '' and not packs then return { 'packed' } end
local fence = get(thread, 'fence')
local live = redis.call('HEXISTS', thread, 'live') == 1
notify(thread, 'stop')
grown(thread, '', get(thread, 'owner')) -- readers beside the run do not wait for its end
-- The key does not go: in a slot that moves to another node it could not be made again here. A field goes first, because
-- a full Redis lets nobody write who has not removed something.
redis.call('HDEL', thread, 'tag', 'live')
wake(thread)
if live then
  local last, id = get(thread, 'last'), fence .. '-1'
  if less(fence .. '-0', last) then
    local _, seq = parts(last)
    id = fence .. '-' .. string.format('%.0f', seq + 1)
  end
  local type = '{"type":"RUN_ERROR"'
  local at = string.format(',"timestamp":%.0f', tonumber(string.sub(now, 1, 14)))
  redis.call('XADD', log, id, 't', 'RUN_ERROR', 'd', type .. at .. string.sub(ending, #type + 1), 'r', '', 'e', '')
end
redis.call('HSET', thread, 'by', by, 'floor', floor(thread))
local stay = { by = true, floor = true, packed = true, cut = true, trimmed = true } -- the last three are the log's
for _, field in ipairs(redis.call('HKEYS', thread)) do
  if not stay[field] then redis.call('HDEL', thread, field) end
end
redis.call('UNLINK', old, unpack(KEYS, 2, 8))
redis.call('PEXPIRE', log, dead)
if packs then redis.call('PEXPIRE', packs, dead) end
-- A clock may go back, but not by more than an hour. The mark of this call stays for who sends it again.
local passed = tonumber(string.sub(now, 1, 14)) - tonumber(floor(thread))
redis.call('PEXPIRE', thread, string.format('%.0f', math.max(60000, 3600000 - passed)))
return { 'done', fence, now }
