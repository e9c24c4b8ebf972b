local lease = readLease(ref)
if not lease or lease.executing == 'none' then return false end
if lease.body ~= arg.body then return spent(lease) end
if lease.executing ~= 'done' then return inProgress(lease) end
local answer = executionAnswer(lease)
if answer then return { 'kind', 'replay', 'answer', answer } end
return spent(lease)
