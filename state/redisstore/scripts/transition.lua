-- Writes one transition of a thread, as a whole, if the thread is what the transition was computed from. The log and what goes with
-- it are given only if the transition touches them.
local thread, msgs, known, ints = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local ends, memo, past, runs, log, old = KEYS[5], KEYS[6], KEYS[7], KEYS[8], KEYS[9], KEYS[10]
local now, keep = clock(arg()), count()
local base, new, me = arg(), arg(), arg()

local tag = get(thread, 'tag')
if tag == new then return { 'done', get(thread, 'last'), get(thread, 'last') } end -- its reply was lost

local attempt, fence, after = arg(), arg(), arg() -- of a writer that holds a lease
if attempt ~= '' then
  if not held(thread, attempt, fence) then return { 'lost', '' } end
  if log and redis.call('EXISTS', log) == 0 then return { 'lost', '' } end -- evicted, see append
  if less(get(thread, 'last'), after) then return { 'gap', '' } end
end
if not exists(thread, now) then tag = '' end
if tag ~= '' and not whole(8) then return { 'damaged' } end
if tag ~= base then return { 'conflict', '' } end
local results, new_fence = arg(), arg() -- of a take, how many effects it knows of; the fence of a new attempt
if results ~= '' then
  if get(thread, 'until') > now then return { 'lost', '' } end
  if redis.call('HLEN', memo) - 1 ~= tonumber(results) then return { 'conflict', '' } end
end
local waited, waits = arg(), arg() -- who waits, before and after; a dash: whoever it is, and they stay
if tag ~= '' and waited ~= '-' and get(thread, 'queue') ~= waited then return { 'conflict', '' } end
local least = floor(thread)
if new_fence ~= '' and tonumber(new_fence) <= tonumber(least) then return { 'conflict', '' } end

-- A thread is made with all of its keys, each with an entry that stands for none, so that none of them is ever absent:
-- of a slot that moves to another node Redis serves no call that names an absent key. What is left of a thread that
-- expired or was deleted, or whose hash Redis evicted without its other keys, is discarded.
if base == '' then
  grown(thread, '', '') -- those who still follow it learn that it is gone
  redis.call('UNLINK', unpack(KEYS))
  redis.call('HSET', thread, 'floor', least)
  for _, key in ipairs({ ends, past, runs }) do redis.call('RPUSH', key, '') end
  for _, key in ipairs({ msgs, known, ints, memo }) do redis.call('HSET', key, '', '') end
end
local signal = arg()
if signal ~= '' then notify(thread, signal) end
local seal = arg()
if seal ~= '' then
  if redis.call('EXISTS', log) == 0 then redis.call('HDEL', thread, 'last') end -- evicted: nothing was shown any more
  redis.call('XADD', log, seal, 't', '', 'd', '')
end

local born = arg() -- says whose thread this is, to readers that follow a log over a deletion
if new_fence ~= '' then
  redis.call('XADD', log, new_fence .. '-0', 't', '', 'd', born)
  if redis.call('EXISTS', old) == 0 then
    redis.call('XADD', old, '0-1', 'k', '')
    redis.call('XTRIM', old, 'MAXLEN', 0)
  end
end

local owner = get(thread, 'owner') -- until now
redis.call('HSET', thread, 'tag', new)
for _ = 1, count() do
  local field = arg()
  redis.call('HSET', thread, field, arg())
end
for _ = 1, count() do redis.call('HDEL', thread, arg()) end

if waits ~= '-' then
  redis.call('HDEL', thread, 'queue')
  if waits ~= '' then redis.call('HSET', thread, 'queue', waits) end
end

-- What is replaced stays as long as frames of the log name a revision that had it.
local rev, shown, most = arg(), count(), count()
local named = shown > (tonumber(get(thread, 'trimmed')) or 0)
local replaced = 0
local function replace(kind, from, value)
  if not named or from > shown then
    if kind == 'message' then redis.call('HSET', thread, 'dropped', rev) end
    return
  end
  local pushed = tonumber(get(thread, 'pushed')) or 0
  replaced = replaced + 1
  redis.call('XADD', old, rev .. '-' .. replaced, 'k', kind, 'f', from, 'b', pushed, 'v', value)
  redis.call('HINCRBY', thread, 'pushed', #value)
end
if arg() ~= '' then
  local state, from = arg(), count()
  replace('state', from, get(thread, 'state'))
  redis.call('HSET', thread, 'state', state)
end

local marks, bytes = count(), count()
for _ = 1, count() do
  local mark = arg()
  push(past, mark)
  local size = redis.call('HINCRBY', thread, 'pastsize', #mark)
  while redis.call('LLEN', past) - 1 > marks or redis.call('LLEN', past) > 3 and size > bytes do
    size = redis.call('HINCRBY', thread, 'pastsize', -#shorten(past))
  end
end
local run = arg()
if run ~= '' then
  push(runs, run)
  if redis.call('LLEN', runs) - 1 > count() then shorten(runs) end
end

-- take keeps the version of a message that the transition takes out of its slot, if there is one.
local function take(id)
  local place = get(known, id)
  local slot, added = string.match(place, '^%-%d+ (%d+) (%d+)')
  if slot then replace('message', tonumber(added), redis.call('HGET', msgs, slot)) end
  return place, slot
end
for _ = 1, count() do
  local id = arg()
  local place, slot = take(id)
  redis.call('HDEL', msgs, slot)
  redis.call('HSET', known, id, 'L' .. string.sub(place, 2))
end
for _ = 1, count() do
  local id, place, slot = arg(), arg(), arg()
  take(id)
  redis.call('HSET', msgs, slot, arg())
  redis.call('HSET', known, id, place)
end
for _ = 1, count() do
  local id = arg()
  redis.call('HSET', ints, id, arg())
end
for _ = 1, count() do redis.call('HDEL', ints, arg()) end
if arg() ~= '' then
  for _, field in ipairs(redis.call('HKEYS', memo)) do
    if field ~= '' then redis.call('HDEL', memo, field) end
  end
end

local before = get(thread, 'last')
local last = frames(thread, log)
local ended = arg() ~= ''
if ended and last == '' then
  redis.call('HSET', thread, 'trimmed', rev) -- no frame names anything
elseif ended then
  local at, newest = string.match(redis.call('LINDEX', ends, -1), '^(%d+) (%S+)')
  if newest == last then
    redis.call('LSET', ends, -1, at .. ' ' .. last .. ' ' .. rev)
  else
    push(ends, now .. ' ' .. last .. ' ' .. rev)
  end
end
if log then trim(thread, ends, log, old, now, keep) end
while replaced > 0 do
  local first = redis.call('XRANGE', old, '-', '+', 'COUNT', 1)[1]
  if not first or tonumber(get(thread, 'pushed')) - fields(first[2]).b <= most then break end
  if not trim(thread, ends, log, old) then break end
end

local ttl, logs = arg(), arg()
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ttl) end
if log and redis.call('HEXISTS', thread, 'live') == 0 then
  redis.call('PEXPIRE', log, logs)
  redis.call('PEXPIRE', old, logs)
end
if last ~= before or seal ~= '' then grown(thread, me, owner) end
wake(thread)
return { 'done', last, before }
