-- Reads what the log has behind a frame: whose log it is, its newest frame, the entries, whether there are more, the newest
-- frame that was trimmed. It stops before a limit in bytes, but not before the first entry; a few are read from the log at
-- once, so that not much more than that is. The log of a thread that is gone is nobody's, and stays for a while for those who have been reading it.
local thread, ends, log, old = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, keep, after, most, limit = clock(arg()), count(), arg(), count(), count()
local born, last, cut = '', '', ''
if exists(thread, now) then
  if not whole(2) then return { 'damaged' } end
  trim(thread, ends, log, old, now, keep)
  born, last, cut = get(thread, 'born'), get(thread, 'last'), get(thread, 'cut')
end

local entries, size, more = {}, 0, 1
local from = after ~= '' and '(' .. after or '-'
while more == 1 and #entries < most do
  local few = redis.call('XRANGE', log, from, '+', 'COUNT', 4)
  if #few < 4 then more = 0 end
  for _, entry in ipairs(few) do
    for _, value in ipairs(entry[2]) do size = size + #value end
    if size > limit and #entries > 0 then
      return { born, last, entries, 1, cut }
    end
    entries[#entries + 1] = entry
    from = '(' .. entry[1]
  end
end
return { born, last, entries, more, cut }
