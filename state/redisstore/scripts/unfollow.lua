-- Takes a store from those that are told when the log grows, unless it has come back since.
local thread, me, number = KEYS[1], arg(), count()
local others = ''
for name, its, since in string.gmatch(get(thread, 'readers'), '(%S+)@(%d+)@(%d+)') do
  if name ~= me or tonumber(its) > number then others = others .. name .. '@' .. its .. '@' .. since .. ' ' end
end
redis.call('HDEL', thread, 'readers')
if others ~= '' then redis.call('HSET', thread, 'readers', others) end
return 'done'
