local digest, expiresAt, mustBeKnown, gas, amount, key, keyBody, body, attempt, answerBy, of, leaseId, budget, request, needs =
  unpack(ARGV, 4)
local known = readKey(key)
if known then
  if known.body ~= keyBody then return { 'conflict' } end
  if known.answer then return { 'replay', known.answer } end
end
local lease = readLease()
if lease and lease.executing ~= 'none' then
  if lease.executing == 'done' or lease.body ~= body then return spent(lease) end
  if key ~= '' and not known then joinExecution(lease, key, keyBody, answerBy, expiresAt) end
  return { 'in-progress', lease.digest, lease.answerBy }
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
dropLeaseAt(ref, now + unresolvedLifeMs)
if known then forgetKey(key, known) end
if key ~= '' then addKey(key, keyBody, answerBy, expiresAt) end
local kept = needs == '1' and lease.reserving == 'reserved' and answerOf(lease, lease.reservationKey, 'reservationText')
return { 'begun', kept or nil }
