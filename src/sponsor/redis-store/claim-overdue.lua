-- Entries that have ended or were dropped count too, so that a claim takes a limited time.
local claimed = {}
for _, member in ipairs(redis.call('ZRANGEBYSCORE', at('overdue'), '-inf', text(now), 'LIMIT', 0, arg.most)) do
  ref, caller = string.match(member, '^(%S+) (%S+)$')
  local lease = readLease(ref)
  if lease and isOpen(lease) then
    scheduleLookupAt(now + math.max(minClaimPauseMs, (now - tonumber(lease.answerBy)) / 2))
    claimed[#claimed + 1] = { 'caller', lease.of, 'leaseId', lease.leaseId, 'digest', lease.digest, 'amount', lease.amount,
      'budget', lease.budget, 'requestId', lease.request }
  else
    cancelLookup()
  end
end
return claimed
