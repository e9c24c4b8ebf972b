local lease = readLease(ref)
if not lease then return false end
local isActive = lease.executing == 'none'
if isActive and lease.run ~= run() then return false end
local answer = reservationAnswer(lease)
if not answer then return false end
local found = { 'answer', answer, 'expiresAtMs', lease.expiresAt, 'state', isActive and 'active' or 'consumed' }
if not isActive then
  found[#found + 1] = 'digest'
  found[#found + 1] = lease.digest
end
return found
