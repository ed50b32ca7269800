-- Removes what a deletion has left of a thread for those who read its log.
local thread, log, old, packs = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
if exists(thread, clock(arg())) then return 'done' end
redis.call('UNLINK', log, old, packs)
return 'done'
