-- Adds frames to the log for the owner of a lease.
local thread, log = KEYS[1], KEYS[2]
local attempt, fence, rev, after = arg(), arg(), count(), arg()
if not held(thread, attempt, fence) then return { 'lost' } end
-- A thread that is older than what its owner has seen lost a commit: its run goes on from the last that is left.
if tonumber(get(thread, 'rev')) < rev then return { 'lost' } end
if redis.call('EXISTS', log) == 0 then return { 'lost' } end -- so does one whose log was evicted
local before = get(thread, 'last')
if less(before, after) then return { 'gap' } end
return { 'done', before, frames(thread, log), flags(thread) }
