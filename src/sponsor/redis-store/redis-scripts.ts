import { lingerMs, minClaimPauseMs, ownLookMs, type StoreBounds, unresolvedLifeMs } from '../store/store-bounds.ts';
import { redisRules } from './redis-rules.ts';

const beginReservation = `
local amount, expiresAt, gas, perDay, key, body, answerBy = unpack(ARGV, 4)
local known = readKey(key)
if known then
  if known.body ~= body then return { 'conflict' } end
  if known.answer then return { 'replay', known.answer } end
  if not known.isLost and now < tonumber(known.answerBy) then return { 'in-progress', known.answerBy } end
  if now < tonumber(known.untilMs) then return { 'lost', known.untilMs } end
  forgetKey(key, known)
end
if readLease() then return { 'begun' } end
if isFull() then return { 'full' } end
local day = ''
if gas ~= '' then
  local account = openAccount(gas)
  day = text(account.day)
  if tonumber(perDay) - account.held - account.settled < tonumber(amount) then
    return { 'over-budget', text(account.held), text(account.settled), day }
  end
end
addLease('asked', expiresAt, gas, day, amount)
if key ~= '' then
  redis.call('HSET', at('lease:' .. ref), 'reservationKey', key)
  addKey(key, body, answerBy, expiresAt)
end
return { 'begun' }
`;

const endReservation = `
local outcome, answer, knownAs, leaseId = unpack(ARGV, 4)
local lease = readLease()
if not lease or lease.reserving ~= 'asked' then return end
local key = lease.reservationKey
if outcome == 'lost' then
  redis.call('HSET', at('lease:' .. ref), 'reserving', 'lost')
  if ownKey(key) then redis.call('HSET', at('key:' .. key), 'isLost', '1') end
elseif outcome == 'reserved' then
  redis.call('HSET', at('lease:' .. ref), 'reserving', 'reserved')
  renameLease(lease, knownAs, leaseId)
  if key then answerKey(key, answer) else answerLease('reservationText', answer) end
elseif lease.executing == 'none' then
  releaseExpiringHold(lease)
  local record = ownKey(key)
  if record then forgetKey(key, record) end
  dropLease(ref)
end
`;

const beginExecution = `
local digest, expiresAt, mustBeKnown, gas, amount, key, keyBody, body, attempt, answerBy, of, leaseId, budget, request, needs =
  unpack(ARGV, 4)
local known = readKey(key)
if known then
  if known.body ~= keyBody then return { 'conflict' } end
  if known.answer then return { 'replay', known.answer } end
end
local lease = readLease()
if lease and lease.executing ~= 'none' then
  if lease.executing ~= 'done' and lease.body == body then return { 'in-progress', lease.digest, lease.answerBy } end
  return spent(lease)
end
if mustBeKnown == '1' and (not lease or lease.run ~= run()) then
  return { now < tonumber(expiresAt) and 'unknown' or 'expired' }
end
if now >= tonumber(lease and lease.expiresAt or expiresAt) then return { 'expired' } end
if not lease then
  if isFull() then return { 'full' } end
  local day = gas ~= '' and text(openAccount(gas).day) or ''
  addLease('foreign', expiresAt, gas, day, amount)
  lease = read('lease:' .. ref)
end
redis.call('HSET', at('lease:' .. ref), 'executing', 'sent', 'digest', digest, 'body', body, 'attempt', attempt,
  'answerBy', answerBy, 'executionKey', key, 'of', of, 'leaseId', leaseId, 'amount', amount, 'budget', budget,
  'request', request)
lookForAt(tonumber(answerBy))
fixHold(lease)
dropLeaseAt(ref, now + ${unresolvedLifeMs})
if known then forgetKey(key, known) end
if key ~= '' then addKey(key, keyBody, answerBy, expiresAt) end
local kept = needs == '1' and lease.reserving == 'reserved' and answerOf(lease, lease.reservationKey, 'reservationText')
return { 'begun', kept or nil }
`;

const findExecution = `
local body = ARGV[4]
local lease = readLease()
if not lease or lease.executing == 'none' then return false end
if lease.body ~= body then return spent(lease) end
if lease.executing ~= 'done' then return { 'in-progress', lease.digest, lease.answerBy } end
local answer = answerOf(lease, lease.executionKey, 'executionText')
if answer then return { 'replay', answer } end
return spent(lease)
`;

const endExecution = `
local digest, outcome, detail, hasAnswer, answer, elsewhere, nobodys = unpack(ARGV, 4)
local lease = readLease()
if not lease or lease.digest ~= digest then return end
if outcome == 'refused' and detail ~= '' and lease.attempt ~= detail then return end
if lease.executing ~= 'sent' and lease.executing ~= 'unsure' then return end
if nobodys == '1' and lease.reserving == 'foreign' then outcome, detail = 'not-sent', lease.attempt end
if outcome == 'unknown' then
  redis.call('HSET', at('lease:' .. ref), 'executing', 'unsure')
  lookForAt(now + ${ownLookMs})
elseif outcome == 'not-sent' then
  if lease.attempt ~= detail then return end
  lookNoMore()
  local record = ownKey(lease.executionKey)
  if record then forgetKey(lease.executionKey, record) end
  if lease.reserving == 'foreign' or now >= tonumber(lease.expiresAt) then
    releaseFixedHold(lease, 0)
  elseif isOfToday(lease) then
    expireHold(lease.gas, lease.expiresAt, lease.hold)
  end
  if lease.reserving == 'foreign' then
    dropLease(ref)
    return 1
  end
  redis.call('HSET', at('lease:' .. ref), 'executing', 'none', 'digest', '', 'executionKey', '')
  dropLeaseAt(ref, tonumber(lease.expiresAt) + ${lingerMs})
else
  lookNoMore()
  redis.call('HSET', at('lease:' .. ref), 'executing', 'done')
  if elsewhere == '1' then redis.call('HSET', at('lease:' .. ref), 'digest', '')
  elseif outcome == 'refused' then redis.call('HSET', at('lease:' .. ref), 'isRefused', '1') end
  releaseFixedHold(lease, outcome == 'executed' and tonumber(detail) or 0)
  dropLeaseAt(ref, math.max(tonumber(lease.expiresAt), now) + ${lingerMs})
  if hasAnswer == '1' then
    if lease.executionKey ~= '' then answerKey(lease.executionKey, answer) else answerLease('executionText', answer) end
  end
end
return 1
`;

/** Those that are forgotten or have ended count among the most, so that a claim takes a bounded time. */
const claimOverdue = `
local claimed = {}
local due = redis.call('ZRANGEBYSCORE', at('overdue'), '-inf', text(now), 'LIMIT', 0, ARGV[4])
for _, member in ipairs(due) do
  ref, caller = string.match(member, '^(%S+) (%S+)$')
  local lease = readLease()
  if lease and (lease.executing == 'sent' or lease.executing == 'unsure') then
    lookForAt(now + math.max(${minClaimPauseMs}, (now - tonumber(lease.answerBy)) / 2))
    claimed[#claimed + 1] = { lease.of, lease.leaseId, lease.digest, lease.amount, lease.budget, lease.request }
  else
    lookNoMore()
  end
end
return claimed
`;

const findReservation = `
local lease = readLease()
if not lease or lease.reserving ~= 'reserved' then return false end
if lease.executing == 'none' and lease.run ~= run() then return false end
local answer = answerOf(lease, lease.reservationKey, 'reservationText')
if not answer then return false end
return { answer, lease.expiresAt, lease.executing, lease.digest or '' }
`;

const gasAllowance = `
local account = openAccount(ARGV[4])
return { text(account.held), text(account.settled), text(account.day) }
`;

const steps = {
  beginReservation,
  endReservation,
  beginExecution,
  findExecution,
  endExecution,
  claimOverdue,
  findReservation,
  gasAllowance,
};

export type RedisStep = keyof typeof steps;

/** One script for each step of a store: all of it happens, or nothing. */
export function redisScripts(bounds: StoreBounds): Readonly<Record<RedisStep, string>> {
  const entries = Object.entries(steps).map(([name, step]) => [name, redisRules(bounds) + step]);
  return Object.fromEntries(entries) as Record<RedisStep, string>;
}
