-- Makes a lease last from now on, or gives it up. The keys are those that have to last with it.
local thread = KEYS[1]
local attempt, fence, now, ttl = arg(), arg(), clock(arg()), arg()
if ttl == '' and get(thread, 'released') == attempt then return { 'done', get(thread, 'until'), {} } end -- its reply was lost
if not held(thread, attempt, fence) then return { 'lost' } end
if ttl == '' then
  redis.call('HSET', thread, 'released', attempt, 'attempt', '', 'until', now, 'owner', '')
  return { 'done', now, {} }
end
local till = shift(now, tonumber(ttl))
redis.call('HSET', thread, 'until', till)
local keep = arg()
for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, keep) end
return { 'done', till, flags(thread) }
