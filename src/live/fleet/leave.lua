if holder ~= me then return end
redis.call('DEL', lease)
announce('')
