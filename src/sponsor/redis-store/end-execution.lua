local digest, outcome, detail, hasAnswer, answer, elsewhere, nobodys = unpack(ARGV, 4)
local lease = readLease()
if not lease or lease.digest ~= digest then return end
if outcome == 'refused' and detail ~= '' and lease.attempt ~= detail then return end
if lease.executing ~= 'sent' and lease.executing ~= 'unsure' then return end
if nobodys == '1' and lease.reserving == 'foreign' then outcome, detail = 'not-sent', lease.attempt end
if outcome == 'unknown' then
  redis.call('HSET', at('lease:' .. ref), 'executing', 'unsure')
  lookForAt(now + ownLookMs)
elseif outcome == 'not-sent' then
  if lease.attempt ~= detail then return end
  lookNoMore()
  for _, key in ipairs(executionKeys(lease)) do
    local record = ownKey(key)
    if record then forgetKey(key, record) end
  end
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
  dropLeaseAt(ref, tonumber(lease.expiresAt) + lingerMs)
else
  lookNoMore()
  redis.call('HSET', at('lease:' .. ref), 'executing', 'done')
  if elsewhere == '1' then redis.call('HSET', at('lease:' .. ref), 'digest', '')
  elseif outcome == 'refused' then redis.call('HSET', at('lease:' .. ref), 'isRefused', '1') end
  releaseFixedHold(lease, outcome == 'executed' and tonumber(detail) or 0)
  dropLeaseAt(ref, math.max(tonumber(lease.expiresAt), now) + lingerMs)
  if hasAnswer == '1' then answerExecution(lease, answer) end
end
return 1
