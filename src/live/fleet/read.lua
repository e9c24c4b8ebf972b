local after, renew = ARGV[2], ARGV[3]
if renew == '1' and holder == me then
  redis.call('PEXPIRE', lease, leaseMs)
  redis.call('PEXPIRE', news, keptMs)
end
local leader = 'nobody'
if holder then leader = holder == me and 'me' or 'other' end
local entries = {}
if after == '' then
  entries = redis.call('XREVRANGE', news, '+', '-', 'COUNT', 1)
else
  local read = redis.call('XREAD', 'COUNT', maxEntriesRead, 'STREAMS', news, after)
  if read then entries = read[1][2] end
end
return { leader, newest(), entries }
