-- Writes one step of a thread, as a whole, if the thread is what the step was computed from. The log is given only if
-- the step touches it.
local thread, msgs, known, cuts = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local ints, ends, memo, log = KEYS[5], KEYS[6], KEYS[7], KEYS[8]
local now, keep = clock(arg()), count()
local old, new = arg(), arg()

local tag = get(thread, 'tag')
if tag == new then return { 'done', get(thread, 'last'), get(thread, 'last') } end -- its reply was lost

local attempt, fence, after = arg(), arg(), arg() -- of a writer that holds a lease
if attempt ~= '' then
  if not held(thread, attempt, fence) then return { 'lost', '' } end
  if log and redis.call('EXISTS', log) == 0 then return { 'lost', '' } end -- evicted, see append
  if less(get(thread, 'last'), after) then return { 'gap', '' } end
end
if not exists(thread, now) then tag = '' end
if tag ~= '' and not whole(7) then return { 'damaged' } end
if tag ~= old then return { 'conflict', '' } end
local results, fresh = arg(), arg() -- of a take, how many effects it knows of; the fence of a new attempt
if results ~= '' then
  if get(thread, 'until') > now then return { 'lost', '' } end
  if redis.call('HLEN', memo) - 1 ~= tonumber(results) then return { 'conflict', '' } end
end
local least = floor(thread)
if fresh ~= '' and tonumber(fresh) <= tonumber(least) then return { 'conflict', '' } end

-- A thread is made with all of its keys, each with an entry that stands for none, so that none of them is ever absent:
-- of a slot that moves to another node Redis serves no call that names an absent key. What is left of a thread that
-- expired, was deleted, or was evicted in part, is nobody's.
if old == '' then
  redis.call('UNLINK', unpack(KEYS))
  redis.call('HSET', thread, 'floor', least)
  for _, key in ipairs({ msgs, cuts, ends }) do redis.call('RPUSH', key, '') end
  for _, key in ipairs({ known, ints, memo }) do redis.call('HSET', key, '', '') end
end
local word = arg()
if word ~= '' then tell(thread, word) end
local seal = arg()
if seal ~= '' then
  if redis.call('EXISTS', log) == 0 then redis.call('HDEL', thread, 'last') end -- evicted: nothing was shown any more
  redis.call('XADD', log, seal, 't', '', 'd', '', 'r', '', 'e', '')
end

local born = arg() -- says whose thread this is, to readers that follow a log over a deletion
if fresh ~= '' then redis.call('XADD', log, fresh .. '-0', 't', '', 'd', born, 'r', '', 'e', '') end

redis.call('HSET', thread, 'tag', new)
for _ = 1, count() do
  local field = arg()
  redis.call('HSET', thread, field, arg())
end
for _ = 1, count() do redis.call('HDEL', thread, arg()) end

local cut = arg()
if cut ~= '' then
  redis.call('RPUSH', cuts, cut)
  for _ = 1, count() do
    local id = arg()
    local place = get(known, id)
    if place ~= '' then redis.call('HSET', known, id, 'L' .. string.sub(place, 2)) end
  end
end
for _ = 1, count() do
  local id, place = arg(), arg()
  redis.call('HSET', known, id, place)
  redis.call('RPUSH', msgs, arg())
end
for _ = 1, count() do
  local id = arg()
  redis.call('HSET', ints, id, arg())
end
if arg() ~= '' then
  for _, field in ipairs(redis.call('HKEYS', memo)) do
    if field ~= '' then redis.call('HDEL', memo, field) end
  end
end

local before = get(thread, 'last')
local last = frames(thread, log)
local ended = arg() ~= ''
if ended and last ~= '' then
  local newest = redis.call('LINDEX', ends, -1)
  if string.sub(newest, 22) ~= last then redis.call('RPUSH', ends, now .. ' ' .. last) end
end
if log then trim(ends, log, now, keep) end

local ttl, logs = arg(), arg()
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, ttl) end
if log and redis.call('HEXISTS', thread, 'live') == 0 then redis.call('PEXPIRE', log, logs) end
return { 'done', last, before }
