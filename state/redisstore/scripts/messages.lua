-- Reads a part of the conversation, from a slot on upwards or downwards. It stops before a limit in bytes, but not before
-- the first message; a few are read at once, so that not much more than that is.
local thread, msgs = KEYS[1], KEYS[2]
local now, slot, most, limit, down = clock(arg()), count(), count(), count(), arg() ~= ''
if not exists(thread, now) then return { '' } end
if not whole(2) then return { 'damaged' } end

local slots, found, size = tonumber(get(thread, 'slots')) or 0, {}, 0
local step = down and -1 or 1
local function answer(next)
  return { get(thread, 'tag'), get(thread, 'rev'), get(thread, 'dropped'), get(thread, 'trimmed'), found, next }
end
while slot >= 0 and slot < slots do
  local few = {}
  for i = 0, 3 do few[i + 1] = slot + i * step end
  for i, text in ipairs(redis.call('HMGET', msgs, unpack(few))) do
    if text then
      size = size + #text
      if #found > 0 and (size > limit or #found == most) then return answer(few[i]) end
      found[#found + 1] = text
    end
  end
  slot = slot + 4 * step
end
return answer(-1)
