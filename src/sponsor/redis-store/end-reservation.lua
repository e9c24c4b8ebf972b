local lease = readLease(ref)
if not lease or lease.reserving ~= 'asked' then return end
local key = lease.reservationKey
if arg.outcome == 'lost' then
  setLease('reserving', 'lost')
  if ownKey(key) then redis.call('HSET', at('key:' .. key), 'isLost', '1') end
elseif arg.outcome == 'reserved' then
  setLease('reserving', 'reserved')
  renameLease(lease, arg.knownAs, arg.leaseId)
  if key then answerKey(key, arg.answer) else answerLease('reservationText', arg.answer) end
elseif lease.executing == 'none' then
  releaseExpiringHold(lease)
  local record = ownKey(key)
  if record then forgetKey(key, record) end
  dropLease(ref)
end
