local amount, expiresAt, gas, perDay, key, body, answerBy = unpack(ARGV, 4)
local known = readKey(key)
if known then
  if known.body ~= body then return { 'conflict' } end
  if known.answer then return { 'replay', known.answer } end
  if not known.isLost and now < tonumber(known.answerBy) then return { 'in-progress', known.answerBy } end
  if now < tonumber(known.untilMs) then return { 'lost', known.untilMs } end
  forgetKey(key, known)
end
if readLease() then return { 'begun' } end
if isFull() then return { 'full' } end
local day = ''
if gas ~= '' then
  local account = openAccount(gas)
  day = text(account.day)
  if tonumber(perDay) - account.held - account.settled < tonumber(amount) then
    return { 'over-budget', text(account.held), text(account.settled), day }
  end
end
addLease('asked', expiresAt, gas, day, amount)
if key ~= '' then
  redis.call('HSET', at('lease:' .. ref), 'reservationKey', key)
  addKey(key, body, answerBy, expiresAt)
end
return { 'begun' }
