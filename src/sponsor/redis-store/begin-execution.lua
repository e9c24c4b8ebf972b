local known = readKey(arg.key)
if known then
  if known.body ~= arg.keyBody then return { 'kind', 'conflict' } end
  if known.answer then return { 'kind', 'replay', 'answer', known.answer } end
end
local lease = readLease(ref)
if lease and lease.executing ~= 'none' then
  if lease.executing == 'done' or lease.body ~= arg.body then return spent(lease) end
  if arg.key ~= '' and not known then joinExecution(lease) end
  return inProgress(lease)
end
if arg.mustBeKnown == '1' and (not lease or lease.run ~= run()) then
  return { 'kind', now < tonumber(arg.expiresAtMs) and 'unknown' or 'expired' }
end
if now >= tonumber(lease and lease.expiresAt or arg.expiresAtMs) then return { 'kind', 'expired' } end
if not lease then
  if isFull() then return { 'kind', 'full' } end
  addLease('foreign', '')
  lease = read('lease:' .. ref)
end
setLease('executing', 'sent', 'digest', arg.digest, 'body', arg.body, 'attempt', arg.attempt, 'answerBy', arg.answerByMs,
  'executionKey', arg.key, 'of', arg.caller, 'leaseId', arg.leaseId, 'amount', arg.amount, 'budget', arg.budget,
  'request', arg.requestId)
scheduleLookupAt(tonumber(arg.answerByMs))
cancelHoldExpiry(lease)
dropLeaseAt(now + unresolvedLifeMs)
if arg.key ~= '' then addKey(arg.keyBody) end
local reservation = arg.needsReservation == '1' and reservationAnswer(lease)
if reservation then return { 'kind', 'begun', 'reservation', reservation } end
return { 'kind', 'begun' }
