-- Tells whether the log still has a frame. Without its fifth key it says of one that is packed only that.
local thread, ends, log, old, packs = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local now, keep, id = clock(arg()), count(), arg()
if not exists(thread, now) then return { '' } end
if not whole(2) then return { 'damaged' } end
trim(thread, ends, log, old, now, keep)
local entry = redis.call('XRANGE', log, id, id)[1]
if entry then return { entry[2][2] ~= '' and 'yes' or 'no' } end -- a marker is no frame
local cut, packed = kept(thread)
if less(packed, id) or not less(cut, id) then return { 'no' } end
if not packs then return { 'packed' } end
local i = packBehind(packs, id)
local first = packOf(packs, i)
local _, before = packOf(packs, i - 1)
return { (i > 0 and before == id or first and not less(id, first)) and 'yes' or 'no' }
