-- What all steps share: leases, gas budgets, and answers under idempotency keys. The store in memory decides the same.
--
-- Keys, each behind `prefix`:
--   lease:<lease>     hash    a reservation and its execution
--   leases:<caller>   zset    the caller's leases, by the time at which they may be dropped
--   overdue           zset    dispatched executions without an outcome, by the time at which any process may look for it
--   gas:<budget>      hash    what is held and settled today
--   holds:<budget>    zset    holds that expire, as `<lease>:<amount>`, by their expiry
--   key:<key>         hash    an idempotency key with its answer
--   keys:<caller>     zset    list of the caller's keys, as `<key>:<bytes>`, by age
--   texts:<caller>    zset    list of the leases with answers without a key, as `<lease>:<bytes>`, by age
--   bytes:<caller>    hash    bytes on each list
--
-- Numbers are doubles, exact up to 2^53. `text` writes them whole, where Lua's own `..` would keep 14 digits.

local now, ref, caller = tonumber(ARGV[1]), ARGV[2], ARGV[3]
-- The arguments of the step, by name. An absent value is ''.
local arg = {}
for index = 4, #ARGV, 2 do arg[ARGV[index]] = ARGV[index + 1] end

-- A list must outlive all its entries, so its expiry is that of its youngest entry.
local listLifeMs = keyLifeMs + 60000

local function text(number) return string.format('%.0f', number) end
local function at(name) return prefix .. name end
local function setLease(...) redis.call('HSET', at('lease:' .. ref), ...) end

local function read(name)
  local flat = redis.call('HGETALL', at(name))
  if #flat == 0 then return nil end
  local record = {}
  for index = 1, #flat, 2 do record[flat[index]] = flat[index + 1] end
  return record
end

-- Identifies the run of the Redis server. After a restart or a failover the last writes may be lost, including the fact that a
-- lease is spent.
local function run()
  local info = redis.pcall('INFO', 'server')
  return type(info) == 'string' and string.match(info, 'run_id:(%w+)') or ''
end

-- Leases ---------------------------------------------------------------------------------------

local function dropLease(name)
  redis.call('DEL', at('lease:' .. name))
  redis.call('ZREM', at('leases:' .. caller), name)
end

local function dropLeaseAt(dropAt)
  setLease('dropAt', text(dropAt))
  redis.call('PEXPIRE', at('lease:' .. ref), text(math.max(1, dropAt - now)))
  redis.call('ZADD', at('leases:' .. caller), text(dropAt), ref)
  redis.call('PEXPIRE', at('leases:' .. caller), listLifeMs)
end

local function readLease(name)
  local lease = read('lease:' .. name)
  if lease and tonumber(lease.dropAt) > now then return lease end
  if lease then dropLease(name) end
  return nil
end

local function moveLease(lease, from, to)
  redis.call('RENAME', at('lease:' .. from), at('lease:' .. to))
  redis.call('ZREM', at('leases:' .. caller), from)
  redis.call('ZADD', at('leases:' .. caller), lease.dropAt, to)
  for key in string.gmatch((lease.reservationKey or '') .. ' ' .. (lease.executionKey or ''), '%S+') do
    if redis.call('HGET', at('key:' .. key), 'lease') == from then redis.call('HSET', at('key:' .. key), 'lease', to) end
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

-- Stores the sponsor's number of a lease. A lease that had this number before gets the new lease's old name in exchange: a
-- sponsor that was reset assigns its numbers again and means the newer lease, and the execution of the older one must still
-- end.
local function renameLease(lease, name, leaseId)
  if name == '' or name == ref then return end
  local other = readLease(name)
  if other then moveLease(other, name, 'moving') end
  moveLease(lease, ref, name)
  if other then
    moveLease(other, 'moving', ref)
    setLease('leaseId', leaseId)
  end
  redis.call('PEXPIRE', at('leases:' .. caller), listLifeMs)
  ref = name
end

local function spent(lease) return { 'kind', lease.isRefused and 'refused' or 'spent', 'digest', lease.digest } end

local function inProgress(lease)
  return { 'kind', 'in-progress', 'digest', lease.digest, 'answerByMs', lease.answerBy }
end

local function isOpen(lease) return lease.executing == 'sent' or lease.executing == 'unsure' end

-- From this time on, any process may look for the outcome of the execution.
local function scheduleLookupAt(whenMs)
  redis.call('ZADD', at('overdue'), text(whenMs), ref .. ' ' .. caller)
  redis.call('PEXPIRE', at('overdue'), unresolvedLifeMs)
end

local function cancelLookup() redis.call('ZREM', at('overdue'), ref .. ' ' .. caller) end

local function isFull()
  redis.call('ZREMRANGEBYSCORE', at('leases:' .. caller), '-inf', text(now))
  return redis.call('ZCARD', at('leases:' .. caller)) >= maxLeasesPerCaller
end

-- Budgets --------------------------------------------------------------------------------------

local function amountOf(hold) return tonumber(string.match(hold, ':(%d+)$')) end

-- Begins a new day, and releases expired holds.
local function openAccount(gas)
  local account, holds = at('gas:' .. gas), at('holds:' .. gas)
  local day = math.floor(now / dayMs)
  if tonumber(redis.call('HGET', account, 'day') or '-1') < day then
    redis.call('DEL', account, holds)
    redis.call('HSET', account, 'day', text(day), 'held', '0', 'settled', '0')
    redis.call('PEXPIRE', account, 2 * dayMs)
  end
  for _, hold in ipairs(redis.call('ZRANGEBYSCORE', holds, '-inf', text(now))) do
    redis.call('HINCRBY', account, 'held', text(0 - amountOf(hold)))
  end
  redis.call('ZREMRANGEBYSCORE', holds, '-inf', text(now))
  return read('gas:' .. gas)
end

local function accountOf(account)
  return { 'held', account.held, 'settled', account.settled, 'day', account.day }
end

-- Holds of earlier days no longer count.
local function isOfToday(lease)
  return lease.gas ~= '' and redis.call('HGET', at('gas:' .. lease.gas), 'day') == lease.day
end

local function expireHold(gas, expiresAt, hold)
  redis.call('ZADD', at('holds:' .. gas), expiresAt, hold)
  redis.call('PEXPIRE', at('holds:' .. gas), 2 * dayMs)
end

-- Cancels the expiry. A hold that has expired by another instance's clock is restored, since its gas is being spent.
local function cancelHoldExpiry(lease)
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
  if redis.call('ZREM', at('holds:' .. lease.gas), lease.hold) == 1 then
    redis.call('HINCRBY', at('gas:' .. lease.gas), 'held', text(0 - amountOf(lease.hold)))
  end
end

local function addLease(reserving, day)
  local gas, amount, expiresAt = arg.gas or '', arg.amount, arg.expiresAtMs
  local hold = gas ~= '' and (ref .. ':' .. amount) or ''
  setLease('reserving', reserving, 'executing', 'none', 'expiresAt', expiresAt, 'gas', gas, 'day', day, 'hold', hold,
    'run', run())
  dropLeaseAt(tonumber(expiresAt) + lingerMs)
  if gas ~= '' then
    redis.call('HINCRBY', at('gas:' .. gas), 'held', amount)
    expireHold(gas, expiresAt, hold)
  end
end

-- Answers: under keys, and without a key --------------------------------------------------------

local function forget(list, member)
  local name, bytes = string.match(member, '^(.*):(%d+)$')
  local record = at((list == 'keys' and 'key:' or 'lease:') .. name)
  local keptAt = redis.call('ZSCORE', at(list .. ':' .. caller), member)
  redis.call('ZREM', at(list .. ':' .. caller), member)
  if redis.call('EXISTS', at(list .. ':' .. caller)) == 0 then redis.call('HDEL', at('bytes:' .. caller), list)
  else redis.call('HINCRBY', at('bytes:' .. caller), list, text(0 - tonumber(bytes))) end
  -- The entry of an expired record must not remove the answer of a younger record with the same name.
  if tonumber(keptAt) ~= tonumber(redis.call('HGET', record, 'keptAt')) then return end
  if list == 'keys' then redis.call('DEL', record)
  else redis.call('HDEL', record, 'reservationText', 'executionText', 'bytes') end
end

local function sweepList(list, lifeMs)
  local old = redis.call('ZRANGEBYSCORE', at(list .. ':' .. caller), '-inf', text(now - lifeMs))
  for _, member in ipairs(old) do forget(list, member) end
end

-- Evicts the caller's oldest entries for younger ones.
local function makeRoom(list, maxItems)
  local name = at(list .. ':' .. caller)
  while redis.call('ZCARD', name) > maxItems
    or tonumber(redis.call('HGET', at('bytes:' .. caller), list) or '0') > maxAnswerBytesPerCaller do
    local oldest = redis.call('ZRANGE', name, 0, 0)
    if #oldest == 0 then
      redis.call('HDEL', at('bytes:' .. caller), list)
      return
    end
    forget(list, oldest[1])
  end
end

local function addToList(list, member, keptAt, bytes)
  -- An expired record with this name and size may have left the same entry.
  if redis.call('ZADD', at(list .. ':' .. caller), keptAt, member) == 0 then
    bytes = bytes - tonumber(string.match(member, '%d+$'))
  end
  redis.call('PEXPIRE', at(list .. ':' .. caller), listLifeMs)
  redis.call('HINCRBY', at('bytes:' .. caller), list, text(bytes))
  redis.call('PEXPIRE', at('bytes:' .. caller), listLifeMs)
end

local function readKey(key)
  if key == '' then return nil end
  sweepList('keys', keyLifeMs)
  return read('key:' .. key)
end

local function forgetKey(key, record) forget('keys', key .. ':' .. record.bytes) end

-- Stores the key of this step, for this lease.
local function addKey(body)
  local key = arg.key
  redis.call('HSET', at('key:' .. key), 'body', body, 'lease', ref, 'answerBy', arg.answerByMs, 'untilMs', arg.expiresAtMs,
    'bytes', '0', 'keptAt', text(now))
  redis.call('PEXPIRE', at('key:' .. key), keyLifeMs)
  addToList('keys', key .. ':0', text(now), 0)
  makeRoom('keys', maxKeysPerCaller)
end

-- The record of a key, if it still belongs to this lease: the key may have been evicted and reused.
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
  addToList('keys', key .. ':' .. #answer, record.keptAt, #answer - tonumber(record.bytes))
  makeRoom('keys', maxKeysPerCaller)
end

local function answerLease(field, answer)
  if #answer > maxAnswerBytes then return end
  sweepList('texts', textLifeMs)
  local found = redis.call('HMGET', at('lease:' .. ref), 'bytes', 'keptAt')
  local bytes, keptAt = tonumber(found[1] or '0'), found[1] and found[2] or text(now)
  if found[1] then redis.call('ZREM', at('texts:' .. caller), ref .. ':' .. found[1]) end
  setLease(field, answer, 'bytes', bytes + #answer, 'keptAt', keptAt)
  addToList('texts', ref .. ':' .. text(bytes + #answer), keptAt, #answer)
  makeRoom('texts', maxLeasesPerCaller)
end

local function textOf(lease, field)
  return lease[field] and now < tonumber(lease.keptAt) + textLifeMs and lease[field]
end

local function reservationAnswer(lease)
  if not lease.reservationKey then return textOf(lease, 'reservationText') end
  local record = ownKey(lease.reservationKey)
  return record and record.answer
end

-- The keys of an execution: its own, and those of twins that joined it, separated by spaces.
local function executionKeys(lease)
  local keys = {}
  for key in string.gmatch(lease.executionKey or '', '%S+') do keys[#keys + 1] = key end
  return keys
end

-- Stores the answer of the execution under the key of this step too.
local function joinExecution(lease)
  local keys = executionKeys(lease)
  if #keys >= maxKeysPerExecution then return end
  addKey(arg.keyBody)
  keys[#keys + 1] = arg.key
  setLease('executionKey', table.concat(keys, ' '))
end

local function answerExecution(lease, answer)
  local keys = executionKeys(lease)
  for _, key in ipairs(keys) do answerKey(key, answer) end
  if #keys == 0 then answerLease('executionText', answer) end
end

local function executionAnswer(lease)
  local keys = executionKeys(lease)
  for _, key in ipairs(keys) do
    local record = ownKey(key)
    if record and record.answer then return record.answer end
  end
  return #keys == 0 and textOf(lease, 'executionText')
end
