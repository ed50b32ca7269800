-- Tells the live attempt something, and notes it for admission.
local thread = KEYS[1]
local now, slot, run, word = clock(arg()), arg(), arg(), arg()
if not exists(thread, now) then return 'unknown' end
if redis.call('HEXISTS', thread, 'live') == 0 then return 'idle' end
if run ~= '0' and run ~= get(thread, 'origin') then return 'idle' end -- it came too late: another run is live
if word == 'stop' then
  redis.call('HSET', thread, 'stopped', '1')
elseif word == 'untie' then
  redis.call('HSET', thread, 'tied', '', 'hungup', '')
elseif word == 'hungup' then
  redis.call('HSET', thread, 'hungup', get(thread, 'tied'))
end
tell(thread, slot, word)
return 'live'
