-- Keeps the sizes of a principal's threads with their sum, and answers with the sum and with the threads that have to be measured again:
-- their time has come. A thread without a size is to be measured soon, whatever becomes of whoever writes it now.
local sizes, due = KEYS[1], KEYS[2]
local now, soon, keep = ARGV[1], ARGV[2], ARGV[3]
if now == '' then
  local t = redis.call('TIME')
  now = string.format('%.0f', t[1] * 1000000 + t[2])
end
for i = 4, #ARGV, 3 do
  local member, size, at = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  if size == '' then
    redis.call('ZADD', due, 'LT', string.format('%.0f', now + soon), member)
  else
    local old = tonumber(redis.call('HGET', sizes, member) or 0)
    redis.call('HINCRBY', sizes, '', string.format('%.0f', size - old))
    if size == '0' then
      redis.call('HDEL', sizes, member)
      redis.call('ZREM', due, member)
    else
      redis.call('HSET', sizes, member, size)
      redis.call('ZADD', due, at, member)
    end
  end
end
if redis.call('HLEN', sizes) <= 1 and redis.call('ZCARD', due) == 0 then redis.call('DEL', sizes, due) end
redis.call('PEXPIRE', sizes, keep)
redis.call('PEXPIRE', due, keep)
return { redis.call('HGET', sizes, '') or '0', redis.call('ZRANGEBYSCORE', due, '-inf', now, 'LIMIT', 0, 16) }
