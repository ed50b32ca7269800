-- Packs the frames of a run that is over, if they are the oldest of the log.
local thread, log, packs = KEYS[1], KEYS[2], KEYS[3]
local now, born, first, last, ttl = clock(arg()), arg(), arg(), arg(), arg()
if not exists(thread, now) or get(thread, 'born') ~= born then return { 'unknown' } end
local oldest
for _, entry in ipairs(redis.call('XRANGE', log, '-', '+', 'COUNT', 16)) do
  if entry[2][2] ~= '' then -- a marker is no frame
    oldest = entry[1]
    break
  end
end
if oldest ~= first then return { 'conflict' } end
-- A Redis that has lost the end of the run does not get it back from here: the thread does not know of it, and the run is repeated. So
-- each of the frames has to be in the log still.
if #redis.call('XRANGE', log, last, last) == 0 then return { 'conflict' } end

local cut, packed = kept(thread)
redis.call('HDEL', thread, 'packed') -- a full Redis lets nobody write who has not removed something
if packed == '' then redis.call('UNLINK', packs) end -- what is left there is of nobody
for _ = 1, count() do
  local from, to = arg(), arg()
  redis.call('RPUSH', packs, from .. ' ' .. to .. ' ' .. born, arg())
end
trimPacks(packs, cut)
local fence, seq = parts(last)
redis.call('XTRIM', log, 'MINID', string.format('%.0f-%.0f', fence, seq + 1))
redis.call('HSET', thread, 'packed', last)
redis.call('PEXPIRE', packs, ttl)
return { 'done' }
