-- Reads what the log has behind a frame: whose log it is, its newest frame, the entries.
local thread, log = KEYS[1], KEYS[6]
local now, keep, after, most = clock(arg()), count(), arg(), arg()
if expired(thread, now) then forget('') end
if redis.call('EXISTS', thread) == 0 then return { '' } end
trim(now, keep)
local from = '-'
if after ~= '' then from = '(' .. after end
return { get(thread, 'born'), get(thread, 'last'), redis.call('XRANGE', log, from, '+', 'COUNT', most) }
