local lease = readLease()
if not lease or lease.reserving ~= 'reserved' then return false end
if lease.executing == 'none' and lease.run ~= run() then return false end
local answer = answerOf(lease, lease.reservationKey, 'reservationText')
if not answer then return false end
return { answer, lease.expiresAt, lease.executing, lease.digest or '' }
