-- Notes the version that uses the store, unless a later one is noted, and answers with what is noted now. What is not a record
-- of a version stays what it is. The record lasts as long as a thread does.
local ours, major, minor, keep = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
local noted = redis.call('GET', KEYS[1])
local m, n = string.match(noted or '', '^agui%-gateway threads (%d+)%.(%d+)$')
m, n = tonumber(m), tonumber(n)
if not noted or m and (m < major or m == major and n < minor) then
  redis.call('SET', KEYS[1], ours, 'PX', keep)
  return ours
end
if m then redis.call('PEXPIRE', KEYS[1], keep, 'GT') end
return noted
