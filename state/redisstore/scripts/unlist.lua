-- Takes an entry out of an index, unless it has been written since a moment: whoever begins a thread under the name of
-- one that is gone has listed it before.
local score = redis.call('ZSCORE', KEYS[1], ARGV[1])
if score and tonumber(score) <= tonumber(ARGV[2]) then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 'done'
