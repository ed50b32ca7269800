-- Writes one step of a thread, as a whole, if the thread is what the step was computed from.
local thread, msgs, known, cuts, ints = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local log, ends, memo, tomb = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local now, keep, slot = clock(arg()), count(), arg()
local old, new = arg(), arg()

local tag = get(thread, 'tag')
if tag == new then return { 'done', get(thread, 'last'), get(thread, 'last') } end -- its reply was lost

local attempt, fence, after = arg(), arg(), arg() -- of a writer that holds a lease
if attempt ~= '' then
  if not held(thread, attempt, fence) then return { 'lost', '' } end
  if less(get(thread, 'last'), after) then return { 'gap', '' } end
end
if tag ~= old then return { 'conflict', '' } end
local results, fresh = arg(), arg() -- of a take, how many effects it knows of; the fence of a new attempt
if results ~= '' then
  if get(thread, 'until') > now then return { 'lost', '' } end
  if redis.call('HLEN', memo) ~= tonumber(results) then return { 'conflict', '' } end
end
if fresh ~= '' and tonumber(fresh) <= (tonumber(get(tomb, 'fence')) or 0) then return { 'conflict', '' } end

-- What is left of a thread that was evicted in part is nobody's.
if old == '' then redis.call('UNLINK', unpack(KEYS, 2, 8)) end
local word = arg()
if word ~= '' then tell(thread, slot, word) end
local seal = arg()
if seal ~= '' then redis.call('XADD', log, seal, 't', '', 'd', '', 'r', '', 'e', '') end

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
if arg() ~= '' then redis.call('DEL', memo) end

local before = get(thread, 'last')
local last = frames(thread, log)
local ended = arg() ~= ''
if ended and last ~= '' then
  local newest = redis.call('LINDEX', ends, -1)
  if not newest or string.sub(newest, 22) ~= last then redis.call('RPUSH', ends, now .. ' ' .. last) end
end
trim(now, keep)

local ttl, logs = arg(), arg()
for i = 1, 8 do redis.call('PEXPIRE', KEYS[i], ttl) end
if redis.call('HEXISTS', thread, 'live') == 0 then redis.call('PEXPIRE', log, logs) end
return { 'done', last, before }
