local known = readKey(arg.key)
if known then
  if known.body ~= arg.body then return { 'kind', 'conflict' } end
  if known.answer then return { 'kind', 'replay', 'answer', known.answer } end
  if not known.isLost and now < tonumber(known.answerBy) then
    return { 'kind', 'in-progress', 'answerByMs', known.answerBy }
  end
  if now < tonumber(known.untilMs) then return { 'kind', 'lost', 'untilMs', known.untilMs } end
  forgetKey(arg.key, known)
end
if readLease(ref) then return { 'kind', 'begun' } end
if isFull() then return { 'kind', 'full' } end
local day = ''
if arg.gas ~= '' then
  local account = openAccount(arg.gas)
  day = account.day
  if tonumber(arg.perDay) - tonumber(account.held) - tonumber(account.settled) < tonumber(arg.amount) then
    return accountOf(account)
  end
end
addLease('asked', day)
if arg.key ~= '' then
  setLease('reservationKey', arg.key)
  addKey(arg.body)
end
return { 'kind', 'begun' }
