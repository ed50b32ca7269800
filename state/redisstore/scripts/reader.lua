-- Notes that the live run has a reader for so long from now on, and tells until when it has one.
local thread = KEYS[1]
local now, micros = clock(arg()), count()
if not exists(thread, now) then return 'unknown' end
if redis.call('HEXISTS', thread, 'live') == 0 then return 'idle' end
local till, known = shift(now, micros), get(thread, 'read')
if micros > 0 and till > known then
  redis.call('HDEL', thread, 'read') -- a full Redis lets nobody write who has not removed something
  redis.call('HSET', thread, 'read', till)
  known = till
end
return { 'live', now, known }
