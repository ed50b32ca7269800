-- Tells whether the log still has a frame.
local thread, ends, log, old = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, keep, id = clock(arg()), count(), arg()
if not exists(thread, now) then return { '' } end
if not whole(2) then return { 'damaged' } end
trim(thread, ends, log, old, now, keep)
local entry = redis.call('XRANGE', log, id, id)[1]
return { entry and entry[2][2] ~= '' and 'yes' or 'no' } -- a marker is no frame
