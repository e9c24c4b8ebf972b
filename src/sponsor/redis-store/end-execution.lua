local lease = readLease(ref)
if lease and lease.isRefused and lease.digest ~= arg.digest and arg.outcome == 'executed' then
  redis.call('HDEL', at('lease:' .. ref), 'isRefused')
  setLease('digest', arg.digest)
  return 1
end
if not lease or lease.digest ~= arg.digest or not isOpen(lease) then return end
if arg.attempt ~= '' and lease.attempt ~= arg.attempt then return end
if arg.outcome == 'unknown' then
  setLease('executing', 'unsure')
  scheduleLookupAt(now + ownLookupMs)
  return 1
end
cancelLookup()
local isForeign = lease.reserving == 'foreign'
if arg.outcome == 'not-sent' or (arg.isOfNobody == '1' and isForeign) then
  -- Undo the begin of the execution.
  for _, key in ipairs(executionKeys(lease)) do
    local record = ownKey(key)
    if record then forgetKey(key, record) end
  end
  if isOfToday(lease) then expireHold(lease.gas, lease.expiresAt, lease.hold) end
  if isForeign then
    dropLease(ref)
    return 1
  end
  setLease('executing', 'none')
  dropLeaseAt(tonumber(lease.expiresAt) + lingerMs)
  return 1
end
setLease('executing', 'done')
if arg.isSpentElsewhere == '1' then setLease('digest', '')
elseif arg.outcome == 'refused' then setLease('isRefused', '1') end
releaseFixedHold(lease, tonumber(arg.gasUsed) or 0)
dropLeaseAt(math.max(tonumber(lease.expiresAt), now) + lingerMs)
if arg.hasAnswer == '1' then answerExecution(lease, arg.answer) end
return 1
