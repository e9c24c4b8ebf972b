-- Applies changes to records if those that the decision was based on are unchanged. The rules are in `store/decide.ts`.
--
-- ARGV[1] is the run of the server that was read, '-' if the decision does not depend on it. Each key has four arguments: what to
-- do and with what. A record is '<version> <value>'.

local function run()
  local server, replication = redis.pcall('INFO', 'server'), redis.pcall('INFO', 'replication')
  local id = type(server) == 'string' and string.match(server, 'run_id:(%w+)') or ''
  return id .. ':' .. (type(replication) == 'string' and string.match(replication, 'master_replid:(%w+)') or '')
end

if ARGV[1] ~= '-' and ARGV[1] ~= run() then return 0 end
for index, key in ipairs(KEYS) do
  local act, version = ARGV[4 * index - 2], ARGV[4 * index - 1]
  if act == 'is' and redis.call('GETRANGE', key, 0, #version - 1) ~= version then return 0 end
  if act == 'none' and redis.call('EXISTS', key) == 1 then return 0 end
end
for index, key in ipairs(KEYS) do
  local act, one, two, lifeMs = unpack(ARGV, 4 * index - 2, 4 * index + 1)
  if act == 'put' then redis.call('SET', key, one, 'PX', lifeMs)
  elseif act == 'delete' then redis.call('DEL', key)
  elseif act == 'remove' then redis.call('ZREM', key, one)
  elseif act == 'add' then
    redis.call('ZADD', key, two, one)
    redis.call('PEXPIRE', key, lifeMs)
  end
end
return 1
