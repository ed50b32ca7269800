-- Compares a thread with its log: the newest frame by either, and whether a live run has ended by the log. A trimmed log is not
-- compared. The type of a packed frame is not known.
local thread, log = KEYS[1], KEYS[2]
local last, newest, kind = get(thread, 'last'), '', ''
for _, entry in ipairs(redis.call('XREVRANGE', log, '+', '-', 'COUNT', 16)) do
  if entry[2][2] ~= '' then -- a marker is no frame
    newest, kind = entry[1], entry[2][2]
    break
  end
end
local _, packed = kept(thread)
if less(newest, packed) then newest, kind = packed, '' end
if redis.call('HEXISTS', thread, 'tag') == 0 or newest == '' then return { 'done' } end
local ended = redis.call('HEXISTS', thread, 'live') == 1 and (kind == 'RUN_FINISHED' or kind == 'RUN_ERROR') and
  not less(newest, get(thread, 'origin') .. '-0')
if newest == last and not ended then return { 'done' } end
return { 'differs', newest, last, redis.call('HEXISTS', thread, 'live') }
