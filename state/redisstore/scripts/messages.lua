-- Reads every message a thread ever had, and which of them left.
local thread, msgs, cuts = KEYS[1], KEYS[2], KEYS[4]
if expired(thread, clock(arg())) then forget('') end
return { get(thread, 'rev'), redis.call('LRANGE', msgs, 0, -1), redis.call('LRANGE', cuts, 0, -1) }
