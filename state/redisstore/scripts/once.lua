-- Records the result of an effect.
local thread, memo = KEYS[1], KEYS[8]
if not held(thread, arg(), arg()) then return { 'lost' } end
redis.call('HSET', memo, arg(), arg())
redis.call('PEXPIRE', memo, arg())
return { 'done', flags(thread) }
