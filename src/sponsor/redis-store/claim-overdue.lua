local claimed = {}
local due = redis.call('ZRANGEBYSCORE', at('overdue'), '-inf', text(now), 'LIMIT', 0, ARGV[4])
for _, member in ipairs(due) do
  ref, caller = string.match(member, '^(%S+) (%S+)$')
  local lease = readLease()
  if lease and (lease.executing == 'sent' or lease.executing == 'unsure') then
    lookForAt(now + math.max(minClaimPauseMs, (now - tonumber(lease.answerBy)) / 2))
    claimed[#claimed + 1] = { lease.of, lease.leaseId, lease.digest, lease.amount, lease.budget, lease.request }
  else
    lookNoMore()
  end
end
return claimed
