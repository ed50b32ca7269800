-- What all scripts share. Moments are nanoseconds in 20 digits, so that text compares as they do; durations are
-- microseconds, which a double holds exactly. KEYS[1] is the thread. One that a later version has written is left alone.
if tonumber(redis.call('HGET', KEYS[1], 'format') or 1) > FORMAT then return { 'later' } end

local at = 0
local function arg()
  at = at + 1
  return ARGV[at]
end

local function count()
  return tonumber(arg())
end

-- clock returns the moment given or, if it is empty, the server's.
local function clock(given)
  if given ~= '' then return given end
  local t = redis.call('TIME')
  return string.format('%011.0f%06.0f000', tonumber(t[1]), tonumber(t[2]))
end

-- shift adds a duration to a moment. The result lies between the first moment and state.Forever.
local function shift(moment, micros)
  local sum = math.max(0, tonumber(string.sub(moment, 1, 17)) + micros)
  if sum >= 2 ^ 33 * 1000000 then return '08589934592000000000' end
  return string.format('%017.0f', sum) .. string.sub(moment, 18)
end

-- parts splits the id of a frame.
local function parts(id)
  local dash = string.find(id, '-', 1, true)
  return tonumber(string.sub(id, 1, dash - 1)), tonumber(string.sub(id, dash + 1))
end

-- less compares places in the log; empty is before every frame.
local function less(a, b)
  if b == '' then return false end
  if a == '' then return true end
  local af, as = parts(a)
  local bf, bs = parts(b)
  return af < bf or af == bf and as < bs
end

local function get(key, field)
  return redis.call('HGET', key, field) or ''
end

-- exists tells whether there is a thread. One whose time is over is none; a live one has no deadline.
local function exists(thread, now)
  if redis.call('HEXISTS', thread, 'tag') == 0 then return false end
  local deadline = get(thread, 'deadline')
  return deadline == '' or deadline > now
end

-- floor is the highest fence that a thread, or one of its name that was before it, has had.
local function floor(thread)
  local fence, least = get(thread, 'fence'), get(thread, 'floor')
  if (tonumber(fence) or 0) > (tonumber(least) or 0) then return fence end
  return least ~= '' and least or '0'
end

-- held tells whether the attempt of this fence owns the thread.
local function held(thread, attempt, fence)
  return redis.call('HEXISTS', thread, 'live') == 1 and get(thread, 'attempt') == attempt and get(thread, 'fence') == fence
end

-- flags are what others have told the live attempt, for an owner whose subscription missed it.
local function flags(thread)
  return redis.call('HMGET', thread, 'stopped', 'tied', 'hungup')
end

-- notify tells the owner of the live attempt, wherever it is.
local function notify(thread, signal)
  local owner = get(thread, 'owner')
  if owner ~= '' then
    local slot = string.match(thread, '{([^}]*)}')
    redis.call('PUBLISH', owner, slot .. ' ' .. get(thread, 'fence') .. ' ' .. signal)
  end
end

-- grown tells the stores that follow the log, and the one that had the live attempt, that it has grown, but for the one of this name,
-- which has done it.
local function grown(thread, me, owner)
  local tag = string.match(thread, '{([^}]*)}')
  local channel = string.sub(thread, 1, string.find(thread, '{', 1, true) - 1) .. 'sig:'
  for name in string.gmatch(get(thread, 'readers'), '(%S+)@%d+@%d+') do
    if name ~= me then redis.call('PUBLISH', channel .. name, tag .. ' 0 grown') end
  end
  if owner ~= '' and owner ~= channel .. me then redis.call('PUBLISH', owner, tag .. ' 0 grown') end
end

-- decoded returns a list that is stored as JSON; nil if it is none.
local function decoded(text)
  local ok, list = pcall(cjson.decode, text)
  return ok and type(list) == 'table' and list or nil
end

-- wake tells every replica with a request that waits for the thread to look again, unless a run is live.
local function wake(thread)
  local queue = get(thread, 'queue')
  if queue == '' or redis.call('HEXISTS', thread, 'live') == 1 then return end
  local told = {}
  for _, place in ipairs(decoded(queue) or {}) do
    local owner = type(place) == 'table' and place.owner
    if type(owner) == 'string' and not told[owner] then
      told[owner] = true
      redis.call('PUBLISH', owner, string.match(thread, '{([^}]*)}') .. ' 0 wake')
    end
  end
end

-- whole tells whether the first n of KEYS are there: a thread has all of its parts unless Redis evicted one. Then nobody
-- may be shown what is left as if it were all, and what runs on it ends.
local function whole(n)
  local thread = KEYS[1]
  if redis.call('HEXISTS', thread, 'damaged') == 1 then return false end
  if redis.call('EXISTS', unpack(KEYS, 1, n)) == n then return true end
  notify(thread, 'lost')
  redis.call('HDEL', thread, 'live', 'attempt', 'until', 'tied', 'hungup', 'stopped', 'owner', 'released', 'origin', 'read')
  redis.call('HSET', thread, 'damaged', '1')
  grown(thread, '', '')
  return false
end

-- fields reads names and values that take turns.
local function fields(list)
  local t = {}
  for i = 1, #list, 2 do t[list[i]] = list[i + 1] end
  return t
end

-- push adds to a list whose first entry is none. shorten removes the oldest.
local function push(list, value) redis.call('RPUSH', list, value) end

local function shorten(list)
  redis.call('LPOP', list)
  local oldest = redis.call('LINDEX', list, 0)
  redis.call('LSET', list, 0, '')
  return oldest
end

-- kept returns the newest frame that was trimmed and the newest packed frame that was not; each is empty if there is none.
local function kept(thread)
  local cut, packed = get(thread, 'cut'), get(thread, 'packed')
  if less(cut, packed) then return cut, packed end
  return cut, ''
end

-- packOf returns the first frame of a pack, its last, and whose log it is; nil if there is no such pack. The packs are a list: of each
-- what it is, and what it has.
local function packOf(packs, i)
  local head = redis.call('LINDEX', packs, 2 * i)
  if head then return string.match(head, '^(%S+) (%S+) (%S+)$') end
end

-- packBehind returns which pack is the first that has something behind a frame, or how many there are.
local function packBehind(packs, id)
  local low, high = 0, redis.call('LLEN', packs) / 2
  while low < high do
    local middle = math.floor((low + high) / 2)
    local _, last = packOf(packs, middle)
    if less(id, last) then high = middle else low = middle + 1 end
  end
  return low
end

-- trimPacks lets go of packs that have nothing behind a frame.
local function trimPacks(packs, cut)
  if cut ~= '' then redis.call('LTRIM', packs, 2 * packBehind(packs, cut), -1) end
end

-- trim lets go of the log of runs that ended longer than keep ago or, if no time is given, of the oldest that is over;
-- with it goes what was replaced and only they show. It tells whether there was one. An entry of ends is the time, the
-- last frame and the last revision. Packs are trimmed by whoever uses them, see trimPacks.
local function trim(thread, ends, log, old, now, keep)
  local cutoff = now and shift(now, -keep)
  local last, rev
  while true do
    local e = redis.call('LINDEX', ends, 1)
    if not e or cutoff and string.sub(e, 1, 20) > cutoff then break end
    last, rev = string.match(e, '^%d+ (%S+) (%d+)$')
    shorten(ends)
    if not cutoff then break end
  end
  if not last then return false end
  local fence, seq = parts(last)
  redis.call('XTRIM', log, 'MINID', string.format('%.0f-%.0f', fence, seq + 1))
  -- The revision at which the next run begins is rev + 1.
  local newest = redis.call('XREVRANGE', old, string.format('%.0f', rev + 1), '-', 'COUNT', 1)[1]
  if newest then
    redis.call('XTRIM', old, 'MINID', string.format('%.0f', rev + 2))
    redis.call('HSET', thread, 'dropped', string.match(newest[1], '^%d+'))
  end
  redis.call('HSET', thread, 'trimmed', rev, 'cut', last)
  return true
end

-- frames adds the frames that follow in ARGV and are not in the log yet, and returns the newest frame of it.
local function frames(thread, log)
  local last = get(thread, 'last')
  local n, added = count(), false
  for _ = 1, n do
    local values = count()
    local id = ARGV[at + 1]
    if added or less(last, id) then -- they are in order
      redis.call('XADD', log, unpack(ARGV, at + 1, at + values))
      last, added = id, true
    end
    at = at + values
  end
  if added then redis.call('HSET', thread, 'last', last) end
  return last
end
