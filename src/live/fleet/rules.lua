-- Shared by all steps. The lease is a string, the id of the process that holds it; entries are a stream whose key is also the
-- name of the channel that announces changes.
local lease, news = KEYS[1], KEYS[2]
local me = ARGV[1]
local holder = redis.call('GET', lease)

local function announce(ask) redis.call('PUBLISH', news, ask) end

local function newest()
  local found = redis.call('XREVRANGE', news, '+', '-', 'COUNT', 1)[1]
  return found and found[1] or ''
end
