-- Reads a part of the versions of messages that were replaced, from a revision on, within the limits of messages.
local thread, old = KEYS[1], KEYS[2]
local now, from, most, limit = clock(arg()), arg(), count(), count()
if not exists(thread, now) then return { '' } end
if redis.call('HEXISTS', thread, 'damaged') == 1 then return { 'damaged' } end

local found, size = {}, 0
while true do
  local few = redis.call('XRANGE', old, from, '+', 'COUNT', 4)
  if #few == 0 then return { get(thread, 'tag'), found, '' } end
  for _, e in ipairs(few) do
    local v = fields(e[2])
    if v.k == 'message' then
      size = size + #v.v
      if #found > 0 and (size > limit or #found == most) then return { get(thread, 'tag'), found, from } end
      found[#found + 1] = v.v
    end
    from = '(' .. e[1]
  end
end
