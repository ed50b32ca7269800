-- Reads a thread, and the facts about it that a caller names. If the caller has the document of this tag it gets
-- only what changes without one.
local thread, known, ints, memo, log = KEYS[1], KEYS[3], KEYS[4], KEYS[6], KEYS[9]
local now, have, holds = clock(arg()), arg(), arg()

if not exists(thread, now) then return { now, floor(thread), {}, {}, {}, {}, 0 } end
if not whole(8) then return { 'damaged' } end

local same = get(thread, 'tag') == have
local names, values = {}, {}
for i = 1, count() do names[i] = arg() end
if same then names = { 'tag', 'last', 'live', 'attempt', 'until', 'tied', 'hungup', 'stopped', 'owner', 'read', 'queue' } end
for i, v in ipairs(redis.call('HMGET', thread, unpack(names))) do
  if v then
    values[#values + 1] = names[i]
    values[#values + 1] = v
  end
end

local places = {}
for _ = 1, count() do
  places[#places + 1] = get(known, arg())
end

local tokens = {}
local function token(id)
  tokens[#tokens + 1] = id
  tokens[#tokens + 1] = get(ints, id)
end
for _ = 1, count() do token(arg()) end
local open = get(thread, 'open')
if open ~= '' then
  local ids = decoded(open)
  if not ids then return { 'damaged' } end
  for _, id in ipairs(ids) do token(id) end
end

local results = {}
if not same then results = redis.call('HGETALL', memo) end
local found = 0
if holds ~= '' then
  found = #redis.call('XRANGE', log, holds, holds)
  local cut, packed = kept(thread)
  if found == 0 and not less(packed, holds) and less(cut, holds) then found = -1 end -- it is packed, if it is there
end
return { now, floor(thread), values, places, tokens, results, found }
