-- Reads every message a thread ever had, and which of them left. Both lists begin with an entry that is none.
local thread, msgs, cuts = KEYS[1], KEYS[2], KEYS[3]
if not exists(thread, clock(arg())) then return { '' } end
if not whole(3) then return { 'damaged' } end
return { get(thread, 'rev'), redis.call('LRANGE', msgs, 1, -1), redis.call('LRANGE', cuts, 1, -1) }
