-- Makes a lease last from now on, or gives it up. The keys are those that have to last with it; they last much longer, so that it is enough to
-- see to them once an hour. Nobody sees to the last of them without the others.
local thread = KEYS[1]
local attempt, fence, now, ttl = arg(), arg(), clock(arg()), arg()
if ttl == '' and get(thread, 'released') == attempt then return { 'done', get(thread, 'until'), {} } end -- its reply was lost
if not held(thread, attempt, fence) then return { 'lost' } end
if ttl == '' then
  redis.call('HDEL', thread, 'owner')
  redis.call('HSET', thread, 'released', attempt, 'attempt', '', 'until', now)
  return { 'done', now, {} }
end
local till, keep = shift(now, tonumber(ttl)), count()
redis.call('PEXPIRE', thread, keep)
if redis.call('PTTL', KEYS[#KEYS]) < keep - 3600000 then
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, keep) end
end
redis.call('HSET', thread, 'until', till) -- not first: a full Redis would refuse it
return { 'done', till, flags(thread) }
