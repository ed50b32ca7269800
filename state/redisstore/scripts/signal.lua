-- Tells the live attempt something, and notes it for admission.
local thread = KEYS[1]
local now, run, signal = clock(arg()), arg(), arg()
if not exists(thread, now) then return 'unknown' end
if redis.call('HEXISTS', thread, 'live') == 0 then return 'idle' end
if run ~= '0' and run ~= get(thread, 'origin') then return 'idle' end -- it came too late: another run is live
notify(thread, signal)
redis.call('HDEL', thread, 'hungup') -- a full Redis lets nobody write who has not removed something
if signal == 'stop' then
  redis.call('HSET', thread, 'stopped', '1')
elseif signal == 'untie' then
  redis.call('HSET', thread, 'tied', '')
elseif signal == 'hungup' then
  redis.call('HSET', thread, 'hungup', get(thread, 'tied'))
end
return 'live'
