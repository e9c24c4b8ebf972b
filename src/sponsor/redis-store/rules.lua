-- Shared by all steps. Records are hashes; shelves are sorted sets whose members carry their size in bytes. Numbers are doubles,
-- exact up to 2^53: `text` writes them whole, where Lua's own `..` would keep 14 digits.

-- A shelf is as old as its youngest entry, so it must outlive every key.
local shelfLifeMs = keyLifeMs + 60000
local function text(number) return string.format('%.0f', number) end
local function at(name) return prefix .. name end
local now = tonumber(ARGV[1])
local ref, caller = ARGV[2], ARGV[3]

local function read(name)
  local flat = redis.call('HGETALL', at(name))
  if #flat == 0 then return nil end
  local record = {}
  for index = 1, #flat, 2 do record[flat[index]] = flat[index + 1] end
  return record
end

-- Which run of which server this is. One that was started again, or that a failover put in the place of another, may have
-- lost what was written last, and with it that a lease is spent.
local function run()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end

-- Leases ---------------------------------------------------------------------------------------

local function dropLease(name)
  redis.call('DEL', at('lease:' .. name))
  redis.call('ZREM', at('leases:' .. caller), name)
end

local function dropLeaseAt(name, dropAt)
  redis.call('HSET', at('lease:' .. name), 'dropAt', text(dropAt))
  redis.call('PEXPIRE', at('lease:' .. name), text(math.max(1, dropAt - now)))
  redis.call('ZADD', at('leases:' .. caller), text(dropAt), name)
  redis.call('PEXPIRE', at('leases:' .. caller), shelfLifeMs)
end

local function readLease()
  local lease = read('lease:' .. ref)
  if lease and tonumber(lease.dropAt) <= now then
    dropLease(ref)
    return nil
  end
  return lease
end

local function moveLease(lease, from, to)
  redis.call('RENAME', at('lease:' .. from), at('lease:' .. to))
  redis.call('ZREM', at('leases:' .. caller), from)
  redis.call('ZADD', at('leases:' .. caller), lease.dropAt, to)
  for key in string.gmatch((lease.reservationKey or '') .. ' ' .. (lease.executionKey or ''), '%S+') do
    if redis.call('HGET', at('key:' .. key), 'lease') == from then
      redis.call('HSET', at('key:' .. key), 'lease', to)
    end
  end
  if lease.bytes and redis.call('ZREM', at('texts:' .. caller), from .. ':' .. lease.bytes) == 1 then
    redis.call('ZADD', at('texts:' .. caller), lease.keptAt, to .. ':' .. lease.bytes)
  end
  local due = redis.call('ZSCORE', at('overdue'), from .. ' ' .. caller)
  if due then
    redis.call('ZREM', at('overdue'), from .. ' ' .. caller)
    redis.call('ZADD', at('overdue'), due, to .. ' ' .. caller)
  end
end

-- Gives it the number that the sponsor has for it. Whatever had that before gets its name in exchange: a sponsor whose
-- numbers begin anew means the one that it gave last, and what is under way of the other has its end all the same.
local function renameLease(lease, name, plainRef)
  if name == '' or name == ref then return end
  local other = read('lease:' .. name)
  if other and tonumber(other.dropAt) <= now then
    dropLease(name)
    other = nil
  end
  if other then moveLease(other, name, 'moving') end
  moveLease(lease, ref, name)
  if other then
    moveLease(other, 'moving', ref)
    redis.call('HSET', at('lease:' .. ref), 'leaseId', plainRef)
  end
  redis.call('PEXPIRE', at('leases:' .. caller), shelfLifeMs)
  ref = name
end

local function spent(lease) return { lease.isRefused and 'refused' or 'spent', lease.digest } end

-- Looked for by whoever is left at that time, if nobody has written its end.
local function lookForAt(whenMs)
  redis.call('ZADD', at('overdue'), text(whenMs), ref .. ' ' .. caller)
  redis.call('PEXPIRE', at('overdue'), unresolvedLifeMs)
end

local function lookNoMore()
  redis.call('ZREM', at('overdue'), ref .. ' ' .. caller)
end

local function isFull()
  redis.call('ZREMRANGEBYSCORE', at('leases:' .. caller), '-inf', text(now))
  return redis.call('ZCARD', at('leases:' .. caller)) >= maxLeasesPerCaller
end

-- Budgets --------------------------------------------------------------------------------------

local function amountOf(member) return tonumber(string.match(member, ':(%d+)$')) end

local function openAccount(gas)
  local account, holds = at('gas:' .. gas), at('holds:' .. gas)
  local day = math.floor(now / dayMs)
  local kept = tonumber(redis.call('HGET', account, 'day') or '-1')
  if kept < day then
    redis.call('DEL', account, holds)
    redis.call('HSET', account, 'day', text(day), 'held', '0', 'settled', '0')
    redis.call('PEXPIRE', account, 2 * dayMs)
  end
  local expired = redis.call('ZRANGEBYSCORE', holds, '-inf', text(now))
  for _, member in ipairs(expired) do redis.call('HINCRBY', account, 'held', text(0 - amountOf(member))) end
  redis.call('ZREMRANGEBYSCORE', holds, '-inf', text(now))
  local found = redis.call('HMGET', account, 'held', 'settled', 'day')
  return { held = tonumber(found[1]), settled = tonumber(found[2]), day = tonumber(found[3]) }
end

-- A hold of an earlier day changes nothing any more.
local function isOfToday(lease)
  return lease.gas ~= '' and redis.call('HGET', at('gas:' .. lease.gas), 'day') == lease.day
end

local function expireHold(gas, expiresAt, hold)
  redis.call('ZADD', at('holds:' .. gas), expiresAt, hold)
  redis.call('PEXPIRE', at('holds:' .. gas), 2 * dayMs)
end

-- From now on it does not expire. One that has, by the clock of another, is taken again: its gas is being spent.
local function fixHold(lease)
  if isOfToday(lease) and redis.call('ZREM', at('holds:' .. lease.gas), lease.hold) == 0 then
    redis.call('HINCRBY', at('gas:' .. lease.gas), 'held', text(amountOf(lease.hold)))
  end
end

local function releaseFixedHold(lease, settled)
  if not isOfToday(lease) then return end
  local amount = amountOf(lease.hold)
  redis.call('HINCRBY', at('gas:' .. lease.gas), 'held', text(0 - amount))
  redis.call('HINCRBY', at('gas:' .. lease.gas), 'settled', text(math.min(settled, amount)))
end

local function releaseExpiringHold(lease)
  if isOfToday(lease) and redis.call('ZREM', at('holds:' .. lease.gas), lease.hold) == 1 then
    redis.call('HINCRBY', at('gas:' .. lease.gas), 'held', text(0 - amountOf(lease.hold)))
  end
end

local function addLease(reserving, expiresAt, gas, day, amount)
  local hold = gas ~= '' and (ref .. ':' .. amount) or ''
  redis.call('HSET', at('lease:' .. ref), 'reserving', reserving, 'executing', 'none', 'expiresAt', expiresAt,
    'gas', gas, 'day', day, 'hold', hold, 'run', run())
  dropLeaseAt(ref, tonumber(expiresAt) + lingerMs)
  if gas ~= '' then
    redis.call('HINCRBY', at('gas:' .. gas), 'held', amount)
    expireHold(gas, expiresAt, hold)
  end
end

-- What is kept: keys with their answers, and answers without a key ------------------------------

local function forget(shelf, member)
  local name, bytes = string.match(member, '^(.*):(%d+)$')
  redis.call('ZREM', at(shelf .. ':' .. caller), member)
  if redis.call('EXISTS', at(shelf .. ':' .. caller)) == 0 then redis.call('HDEL', at('bytes:' .. caller), shelf)
  else redis.call('HINCRBY', at('bytes:' .. caller), shelf, text(0 - tonumber(bytes))) end
  if shelf == 'keys' then redis.call('DEL', at('key:' .. name))
  else redis.call('HDEL', at('lease:' .. name), 'reservationText', 'executionText', 'bytes') end
end

local function sweepShelf(shelf, life)
  local old = redis.call('ZRANGEBYSCORE', at(shelf .. ':' .. caller), '-inf', text(now - life))
  for _, member in ipairs(old) do forget(shelf, member) end
end

local function makeRoom(shelf, maxItems, maxBytes)
  local name = at(shelf .. ':' .. caller)
  while redis.call('ZCARD', name) > maxItems
    or tonumber(redis.call('HGET', at('bytes:' .. caller), shelf) or '0') > maxBytes do
    local oldest = redis.call('ZRANGE', name, 0, 0)
    if #oldest == 0 then
      redis.call('HDEL', at('bytes:' .. caller), shelf)
      return
    end
    forget(shelf, oldest[1])
  end
end

local function shelve(shelf, member, score, bytes)
  redis.call('ZADD', at(shelf .. ':' .. caller), score, member)
  redis.call('PEXPIRE', at(shelf .. ':' .. caller), shelfLifeMs)
  redis.call('HINCRBY', at('bytes:' .. caller), shelf, bytes)
  redis.call('PEXPIRE', at('bytes:' .. caller), shelfLifeMs)
end

local function readKey(key)
  if key == '' then return nil end
  sweepShelf('keys', keyLifeMs)
  return read('key:' .. key)
end

local function forgetKey(key, record) forget('keys', key .. ':' .. record.bytes) end

local function addKey(key, body, answerBy, untilMs)
  redis.call('HSET', at('key:' .. key), 'body', body, 'lease', ref, 'answerBy', answerBy, 'untilMs', untilMs,
    'bytes', '0', 'keptAt', text(now))
  redis.call('PEXPIRE', at('key:' .. key), keyLifeMs)
  shelve('keys', key .. ':0', text(now), 0)
  makeRoom('keys', maxKeysPerCaller, maxAnswerBytesPerCaller)
end

-- The record of the key, if it is still this lease's: it may have been forgotten, and have a successor.
local function ownKey(key)
  local record = key and key ~= '' and read('key:' .. key)
  local isOwn = record and record.lease == ref and now < tonumber(record.keptAt) + keyLifeMs
  return isOwn and record or nil
end

local function answerKey(key, answer)
  local record = ownKey(key)
  if not record or #answer > maxAnswerBytes then return end
  redis.call('ZREM', at('keys:' .. caller), key .. ':' .. record.bytes)
  redis.call('HSET', at('key:' .. key), 'answer', answer, 'bytes', #answer)
  shelve('keys', key .. ':' .. #answer, record.keptAt, #answer - tonumber(record.bytes))
  makeRoom('keys', maxKeysPerCaller, maxAnswerBytesPerCaller)
end

local function answerLease(field, answer)
  if #answer > maxAnswerBytes then return end
  sweepShelf('texts', textLifeMs)
  local found = redis.call('HMGET', at('lease:' .. ref), 'bytes', 'keptAt')
  local bytes, keptAt = tonumber(found[1] or '0'), found[1] and found[2] or text(now)
  if found[1] then redis.call('ZREM', at('texts:' .. caller), ref .. ':' .. found[1]) end
  redis.call('HSET', at('lease:' .. ref), field, answer, 'bytes', bytes + #answer, 'keptAt', keptAt)
  shelve('texts', ref .. ':' .. text(bytes + #answer), keptAt, #answer)
  makeRoom('texts', maxLeasesPerCaller, maxAnswerBytesPerCaller)
end

local function answerOf(lease, key, field)
  if key and key ~= '' then
    local record = ownKey(key)
    return record and record.answer
  end
  return lease[field] and now < tonumber(lease.keptAt) + textLifeMs and lease[field]
end

-- The keys under which an execution was asked for: its own, and those of twins that joined it, separated by spaces.
local function executionKeys(lease)
  local keys = {}
  for key in string.gmatch(lease.executionKey or '', '%S+') do keys[#keys + 1] = key end
  return keys
end

-- From now on the answer is kept under this key too.
local function joinExecution(lease, key, body, answerBy, untilMs)
  local keys = executionKeys(lease)
  if #keys >= maxKeysPerExecution then return end
  addKey(key, body, answerBy, untilMs)
  keys[#keys + 1] = key
  redis.call('HSET', at('lease:' .. ref), 'executionKey', table.concat(keys, ' '))
end

local function answerExecution(lease, answer)
  local keys = executionKeys(lease)
  for _, key in ipairs(keys) do answerKey(key, answer) end
  if #keys == 0 then answerLease('executionText', answer) end
end

local function executionAnswer(lease)
  local keys = executionKeys(lease)
  for _, key in ipairs(keys) do
    local answer = answerOf(lease, key)
    if answer then return answer end
  end
  return #keys == 0 and answerOf(lease, '', 'executionText')
end
