-- Reads what the log has behind a frame: whose log it is, its newest frame, the entries, whether there are more, the newest
-- frame that was trimmed, whether the store is told, whether that frame is lost. It stops before a limit in bytes, but not before the first entry; a few are read from the log at
-- once, so that not much more than that is. What is packed comes first, and by itself; without its fifth key the script only says so. The log of a thread that is gone is nobody's, and stays for a while for those who have been reading it.
local thread, ends, log, old, packs = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, keep, after, most, limit = clock(arg()), count(), arg(), count(), count()
local me, number = arg(), count() -- of a store that follows the log
local born, last, told = '', '', 0

-- follow notes that a store is told when the log grows, and reports whether it is: there may be too many. Entries of stores that have not
-- been heard of for a day are dropped. Who has the live attempt is told without one.
local function follow()
  if get(thread, 'owner') == string.sub(thread, 1, string.find(thread, '{', 1, true) - 1) .. 'sig:' .. me then return 1 end
  local second, others, n = tonumber(string.sub(now, 1, 11)), '', 0
  for name, its, since in string.gmatch(get(thread, 'readers'), '(%S+)@(%d+)@(%d+)') do
    if name ~= me then
      if tonumber(since) > second - 86400 then others, n = others .. name .. '@' .. its .. '@' .. since .. ' ', n + 1 end
    elseif tonumber(its) >= number and tonumber(since) > second - 3600 then
      return 1
    end
  end
  if n >= 64 then return 0 end
  redis.call('HDEL', thread, 'readers') -- a full Redis lets nobody write who has not removed something
  redis.call('HSET', thread, 'readers', others .. string.format('%s@%.0f@%.0f', me, number, second))
  return 1
end

if exists(thread, now) then
  if not whole(2) then return { 'damaged' } end
  trim(thread, ends, log, old, now, keep)
  born, last = get(thread, 'born'), get(thread, 'last')
  if me ~= '' then told = follow() end
end
local cut, packed = kept(thread)
local at = after
if less(after, packed) then
  if not packs then return { 'packed' } end
  if redis.call('EXISTS', packs) == 0 then -- evicted
    redis.call('HDEL', thread, 'packed')
    redis.call('HSET', thread, 'cut', packed)
    cut, packs = packed, nil
  elseif less(at, cut) then
    at = cut
  end
else
  packs = nil
end

-- lost tells whether the log has lost the frame that the reader comes from, for good. Redis may lose its newest writes. The owner of the
-- live attempt appends its frames again, and behind its last one nothing can be missing; the place before a run is kept while it lives.
local function lost()
  if born == '' or after == '' or after == last or not less(cut, after) then return 0 end
  local fence = string.match(after, '^%d+')
  if after == packed or after == fence .. '-0' and get(thread, 'origin') == fence then return 0 end
  if packs then
    local i = packBehind(packs, after)
    local first = packOf(packs, i)
    local _, before = packOf(packs, i - 1)
    if i > 0 and before == after or first and (not less(after, first) or first == fence .. '-1' and after == fence .. '-0') then return 0 end
  elseif #redis.call('XRANGE', log, after, after) > 0 or
    less(last, after) and redis.call('HEXISTS', thread, 'live') == 1 and get(thread, 'fence') == fence then
    return 0
  end
  return 1
end
if lost() == 1 then return { born, last, {}, 0, cut, told, 1 } end

local entries, size, more = {}, 0, 1
if packs then
  for i = packBehind(packs, at), redis.call('LLEN', packs) / 2 - 1 do
    local first, newest, whose = packOf(packs, i)
    local value = redis.call('LINDEX', packs, 2 * i + 1)
    size = size + #value
    if #entries == 16 or size > limit and #entries > 0 then return { born, last, entries, 1, cut, told } end
    entries[#entries + 1] = { newest, { 'f', first, 'b', whose, 'v', value } }
  end
  return { born, last, entries, packed ~= last and 1 or 0, cut, told }
end

local from = at ~= '' and '(' .. at or '-'
while more == 1 and #entries < most do
  local few = redis.call('XRANGE', log, from, '+', 'COUNT', 4)
  if #few < 4 then more = 0 end
  for _, entry in ipairs(few) do
    for _, value in ipairs(entry[2]) do size = size + #value end
    if size > limit and #entries > 0 then
      return { born, last, entries, 1, cut, told }
    end
    entries[#entries + 1] = entry
    from = '(' .. entry[1]
  end
end
return { born, last, entries, more, cut, told }
