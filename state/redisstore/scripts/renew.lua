-- Makes a lease last from now on, or gives it up. The keys are those that have to last with it.
local thread = KEYS[1]
local attempt, fence, now, ttl = arg(), arg(), clock(arg()), arg()
if ttl == '' and get(thread, 'released') == attempt then return { 'done', get(thread, 'until'), {} } end -- its reply was lost
if not held(thread, attempt, fence) then return { 'lost' } end
if ttl == '' then
  redis.call('HDEL', thread, 'owner')
  redis.call('HSET', thread, 'released', attempt, 'attempt', '', 'until', now)
  return { 'done', now, {} }
end
local till, keep = shift(now, tonumber(ttl)), arg()
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, keep) end
redis.call('HSET', thread, 'until', till) -- not first: a full Redis would refuse it
return { 'done', till, flags(thread) }
