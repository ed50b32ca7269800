-- Removes what a deletion has left of a thread for those who read its log.
local thread, log, old = KEYS[1], KEYS[2], KEYS[3]
if exists(thread, clock(arg())) then return 'done' end
redis.call('UNLINK', log, old)
return 'done'
