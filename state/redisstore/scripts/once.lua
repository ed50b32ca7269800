-- Records the result of an effect.
local thread, memo = KEYS[1], KEYS[2]
if not held(thread, arg(), arg()) then return { 'lost' } end
if not whole(2) then return { 'damaged' } end
redis.call('HSET', memo, arg(), arg())
return { 'done', flags(thread) }
