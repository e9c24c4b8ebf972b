local body = ARGV[4]
local lease = readLease()
if not lease or lease.executing == 'none' then return false end
if lease.body ~= body then return spent(lease) end
if lease.executing ~= 'done' then return { 'in-progress', lease.digest, lease.answerBy } end
local answer = executionAnswer(lease)
if answer then return { 'replay', answer } end
return spent(lease)
