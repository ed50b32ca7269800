-- Forgets a thread. Whoever runs it is told to stop.
local thread, tomb = KEYS[1], KEYS[9]
local now, slot, by = clock(arg()), arg(), arg()
if get(tomb, 'by') == by then return 'done' end -- its reply was lost
if redis.call('EXISTS', thread) == 0 then return 'unknown' end
if expired(thread, now) then
  forget('')
  return 'unknown'
end
tell(thread, slot, 'stop')
forget(by)
return 'done'
