local lease = readLease(ref)
if not lease then return false end
local isActive = lease.executing == 'none'
if isActive and lease.run ~= run() then return false end
local answer = reservationAnswer(lease)
return answer and { 'answer', answer, 'state', isActive and 'active' or 'consumed' }
