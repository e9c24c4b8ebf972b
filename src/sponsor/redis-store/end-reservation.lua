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
