-- Reads the state as it was at a revision, and the tag. Without its second key it knows the present one only.
local thread, old = KEYS[1], KEYS[2]
local now, rev = clock(arg()), count()
if not exists(thread, now) then return { '' } end
if redis.call('HEXISTS', thread, 'damaged') == 1 then return { 'damaged' } end
if rev < 0 or rev >= tonumber(get(thread, 'staterev')) then return { 'done', get(thread, 'state'), get(thread, 'tag') } end
if not old then return { 'replaced' } end
-- Entries are numbered by the revision that replaced them.
local from = string.format('%.0f', rev + 1)
while true do
  local found = redis.call('XRANGE', old, from, '+', 'COUNT', 4)
  if #found == 0 then return { 'replaced' } end
  for _, e in ipairs(found) do
    local v = fields(e[2])
    if v.k == 'state' then
      if tonumber(v.f) > rev then return { 'replaced' } end
      return { 'done', v.v, get(thread, 'tag') }
    end
    from = '(' .. e[1]
  end
end
