-- Adds frames to the log for the owner of a lease. It is called for every few events of every run, so it asks for all that it has to
-- know at once, and does without the prelude. A frame is the number of its id and fields, which come as they are stored.
local thread, log = KEYS[1], KEYS[2]
local attempt, fence, rev, after, me, n = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local is = redis.call('HMGET', thread, 'format', 'attempt', 'fence', 'rev', 'last', 'stopped', 'tied', 'hungup',
  'readers', 'owner')
if tonumber(is[1] or 1) > FORMAT then return { 'later' } end
if is[2] ~= attempt or is[3] ~= fence then return { 'lost' } end -- there is an attempt as long as a run is live
-- A thread that is older than what its owner has seen lost a commit: its run goes on from the last that is left.
if tonumber(is[4] or 0) < tonumber(rev) then return { 'lost' } end
local before = is[5] or ''

-- less compares places in the log; empty is before every frame.
local function less(a, b)
  if a == b or b == '' then return false end
  if a == '' then return true end
  local af, as = string.match(a, '(%d+)-(%d+)')
  local bf, bs = string.match(b, '(%d+)-(%d+)')
  af, bf = tonumber(af), tonumber(bf)
  return af < bf or af == bf and tonumber(as) < tonumber(bs)
end
if less(before, after) then return { 'gap' } end

local last, at, added = before, 7, false
for _ = 1, n do
  local values = ARGV[at]
  local id = ARGV[at + 1]
  if added then
    redis.call('XADD', log, unpack(ARGV, at + 1, at + values))
    last = id
  elseif less(before, id) then -- the frames before it are there already
    -- A log that was evicted is not made anew: the run goes on from its last commit, with a log of its own.
    if not redis.call('XADD', log, 'NOMKSTREAM', unpack(ARGV, at + 1, at + values)) then return { 'lost' } end
    last, added = id, true
  end
  at = at + 1 + values
end
if added then
  redis.call('HSET', thread, 'last', last)
  local tag = string.match(thread, '{([^}]*)}') -- the rest is grown
  local channel = string.sub(thread, 1, string.find(thread, '{', 1, true) - 1) .. 'sig:'
  if is[9] then
    for name in string.gmatch(is[9], '(%S+)@%d+@%d+') do
      if name ~= me then redis.call('PUBLISH', channel .. name, tag .. ' 0 grown') end
    end
  end
  if is[10] and is[10] ~= channel .. me then redis.call('PUBLISH', is[10], tag .. ' 0 grown') end
elseif redis.call('EXISTS', log) == 0 then
  return { 'lost' }
end
return { 'done', before, is[6], is[7], is[8] }
