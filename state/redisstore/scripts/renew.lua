-- Makes a lease last from now on, or gives it up.
local thread = KEYS[1]
if not held(thread, arg(), arg()) then return { 'lost' } end
local now = clock(arg())
local ttl = arg()
if ttl == '' then
  redis.call('HSET', thread, 'attempt', '', 'until', now, 'owner', '')
  return { 'done', now, {} }
end
local till = shift(now, tonumber(ttl))
redis.call('HSET', thread, 'until', till)
local keep = arg()
for i = 1, 8 do redis.call('PEXPIRE', KEYS[i], keep) end
return { 'done', till, flags(thread) }
