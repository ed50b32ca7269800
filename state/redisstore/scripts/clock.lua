-- Tells the time by the clock of the node that has a thread: its deadlines were set by that one.
local t = redis.call('TIME')
return string.format('%011.0f%06.0f000', tonumber(t[1]), tonumber(t[2]))
