-- Tells how large a thread is: the bytes of everything but its messages and their places, which the document counts; the document;
-- and when it becomes smaller by itself, in microseconds. A log that is packed takes the key of the packs. A thread that is gone has no size.
local thread, ints, ends, memo, past = KEYS[1], KEYS[4], KEYS[5], KEYS[6], KEYS[7]
local runs, log, old, packs = KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local now, keep = clock(arg()), count()
if not exists(thread, now) then return { '0', '', '0' } end
if redis.call('EXISTS', ends, log, old) == 3 then trim(thread, ends, log, old, now, keep) end
local cut, packed = kept(thread)
if packed == '' then
  packs = nil
elseif packs then
  trimPacks(packs, cut)
else
  return { 'packed' }
end
local function usage(key, samples)
  return tonumber(redis.call('MEMORY', 'USAGE', key, 'SAMPLES', samples)) or 0
end
-- What has few elements, or few nodes, is looked at as a whole; of what can have many elements of one kind, a few.
local size = usage(thread, 0) + usage(past, 0) + usage(log, 0) + usage(old, 0) + (packs and usage(packs, 0) or 0) + usage(ints, 5) + usage(memo, 5) + usage(runs, 5)
local oldest, due = redis.call('LINDEX', ends, 1), get(thread, 'deadline')
if oldest then
  due = shift(string.sub(oldest, 1, 20), keep)
elseif due == '' then
  due = shift(now, 3600000000)
end
return { string.format('%.0f', size), get(thread, 'doc'), string.format('%.0f', tonumber(string.sub(due, 1, 17)) + 1) }
