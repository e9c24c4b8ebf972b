local after, entry, maxEntries = ARGV[2], ARGV[3], ARGV[4]
if holder ~= me or newest() ~= after then return nil end
local first, number = string.match(after, '^(%d+)-(%d+)$')
local id = first .. '-' .. string.format('%.0f', number + 1)
announce('')
redis.call('XADD', news, 'MAXLEN', maxEntries, id, 'behind', after, 'entry', entry)
redis.call('PEXPIRE', news, keptMs)
return id
