-- Reads a part of the conversation, from a slot on upwards or downwards. It stops before a limit in bytes, but not before
-- the first message; a few are read at once, so that not much more than that is. The names of the slots follow, as many as are looked at: to make
-- them here would take longer than to read them.
local thread, msgs = KEYS[1], KEYS[2]
local now, slot, most, limit, down = clock(arg()), count(), count(), count(), arg() ~= ''
if not exists(thread, now) then return { '' } end
if not whole(2) then return { 'damaged' } end

local slots, found, size = tonumber(get(thread, 'slots')) or 0, {}, 0
local direction, few = down and -1 or 1, 16
local function answer(next)
  return { get(thread, 'tag'), get(thread, 'rev'), get(thread, 'dropped'), get(thread, 'trimmed'), found, next }
end
while slot >= 0 and slot < slots and at < #ARGV do
  local names = math.min(few, #ARGV - at)
  for i, text in ipairs(redis.call('HMGET', msgs, unpack(ARGV, at + 1, at + names))) do
    if text then
      size = size + #text
      if #found > 0 and (size > limit or #found == most) then return answer(slot + (i - 1) * direction) end
      found[#found + 1] = text
    end
  end
  at, slot = at + names, slot + names * direction
end
return answer(slot < slots and slot or -1)
