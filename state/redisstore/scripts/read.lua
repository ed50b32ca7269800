-- Reads what the log has behind a frame: whose log it is, its newest frame, the entries.
local thread, ends, log = KEYS[1], KEYS[2], KEYS[3]
local now, keep, after, most = clock(arg()), count(), arg(), arg()
if not exists(thread, now) then return { '' } end
if not whole(2) then return { 'damaged' } end
trim(ends, log, now, keep)
local from = '-'
if after ~= '' then from = '(' .. after end
return { get(thread, 'born'), get(thread, 'last'), redis.call('XRANGE', log, from, '+', 'COUNT', most) }
