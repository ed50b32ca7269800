-- Replaces who waits for a thread, if that is what the caller has read, and answers with who waits now. With a tag the
-- thread, too, must be what it was.
local thread = KEYS[1]
local now, tag, old, new, free = clock(arg()), arg(), arg(), arg(), arg()
if not exists(thread, now) then return { 'unknown' } end
local status = 'conflict'
if get(thread, 'queue') == old and (tag == '' or get(thread, 'tag') == tag) then
  status = 'done'
  redis.call('HDEL', thread, 'queue') -- a full Redis lets nobody write who has not removed something
  if new ~= '' then redis.call('HSET', thread, 'queue', new) end
  if free ~= '' then wake(thread) end
end
return { status, now, get(thread, 'queue'), redis.call('HEXISTS', thread, 'live') }
