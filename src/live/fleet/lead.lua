local opening, number = ARGV[2], ARGV[3]
if holder and holder ~= me then return nil end
local behind = newest()
-- Greater than the entries before it. Its second half is random: no two processes name different entries alike, even if Redis
-- has lost the newest ones or all, and whatever its clock says.
local time = redis.call('TIME')
local first = math.max(time[1] * 1000 + math.floor(time[2] / 1000), tonumber(string.match(behind, '^%d+') or '0') + 1)
local id = string.format('%.0f', first) .. '-' .. number
-- Before the first write: Redis undoes nothing if a permission to publish is missing.
announce('')
redis.call('DEL', news)
redis.call('XADD', news, id, 'behind', behind, 'entry', opening)
redis.call('PEXPIRE', news, keptMs)
redis.call('SET', lease, me, 'PX', leaseMs)
return id
