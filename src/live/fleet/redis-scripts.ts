/**
 * All that a step reads or writes is in one slot of a cluster, so that one look can be sent for many queries at once. A step is
 * some microseconds, and there is one for each event and second.
 */
export const redisPrefix = 'ledger-gateway:{live}:';

/** How long a lead lasts that is not renewed, in milliseconds: who is killed is replaced after it. */
const leaseMs = 3_000;
/** What nobody reads any more goes after so many milliseconds. */
const keptMs = 60_000;
/** Entries of one query, however short. */
const maxEntries = 4_096;
/** Entries of one answer; a query's entries are at most some hundred kilobytes each. */
const entriesAtOnce = 32;

/**
 * Of a query: a hash with its newest entry and what was asked, its lease, the stream of its entries. Numbers are doubles, exact up
 * to 2^53; Lua's own `..` would cut them to 14 digits, so `text` writes them.
 */
const rules = `
local state, lease, news = KEYS[1], KEYS[2], KEYS[3]
local me, channel = ARGV[1], ARGV[2]
local function text(number) return string.format('%.0f', number) end
local function ring(why) redis.call('PUBLISH', channel, why) end
local function leads() return redis.call('GET', lease) == me end
local function leadsBy(token) return leads() and redis.call('HGET', state, 'token') == token end
local function keep()
  redis.call('PEXPIRE', state, ${keptMs})
  redis.call('PEXPIRE', news, ${keptMs})
end
local function add(token, number, behind, entry, front)
  local id = token .. '-' .. text(number)
  -- First, though it is heard last: where it is not allowed nothing is added, of which nobody would hear.
  ring('told')
  -- Redis may have thrown the entries away and nothing else: what they took would be counted for ever.
  if redis.call('EXISTS', news) == 0 then redis.call('HDEL', state, 'bytes') end
  redis.call('XADD', news, id, 'behind', behind, 'entry', entry)
  redis.call('HSET', state, 'token', token, 'number', text(number), 'tail', id, 'front', front)
  redis.call('HINCRBY', state, 'bytes', #entry)
  keep()
  return id
end
`;

const look = `
local behind, token = ARGV[3], ARGV[4]
local leader = redis.call('GET', lease)
-- Who could not add what it read holds nobody up: its lease ends by itself.
if token ~= '' and leadsBy(token) then
  redis.call('PEXPIRE', lease, ${leaseMs})
  keep()
end
local known = redis.call('HMGET', state, 'tail', 'front', 'asked', 'caught')
local entries = {}
if behind ~= '' and known[1] then
  local read = redis.call('XREAD', 'COUNT', ${entriesAtOnce}, 'STREAMS', news, behind)
  if read then entries = read[1][2] end
end
local role = 'nobody'
if leader then role = leader == me and 'me' or 'other' end
return { role, known[1] or '', known[2] or '', known[3] or '0', known[4] or '0', entries }
`;

const lead = `
local entry, front, first = ARGV[3], ARGV[4], ARGV[5]
local leader = redis.call('GET', lease)
if leader and leader ~= me then return nil end
local known = redis.call('HMGET', state, 'tail', 'token', 'asked')
-- Without it nobody can say what the entries are that are left.
if not known[1] then
  redis.call('DEL', news)
  redis.call('HDEL', state, 'bytes')
end
-- By the clock, so that it is greater than those before it even if they are forgotten.
local time = redis.call('TIME')
local token = text(math.max(tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000), tonumber(known[2] or '0') + 1))
-- Numbers begin anywhere: after everything was forgotten no entry has the id of another, whatever the clock says.
local id = add(token, tonumber(first), known[1] or '', entry, front)
-- Last: nobody has a lease who may not add.
redis.call('SET', lease, me, 'PX', ${leaseMs})
return { token, id, known[3] or '0' }
`;

const add = `
local token, behind, entry, front, most = ARGV[3], ARGV[4], ARGV[5], ARGV[6], tonumber(ARGV[7])
local known = redis.call('HMGET', state, 'tail', 'number')
if not leadsBy(token) or known[1] ~= behind then return nil end
local id = add(token, tonumber(known[2]) + 1, behind, entry, front)
local bytes = tonumber(redis.call('HGET', state, 'bytes'))
local length = redis.call('XLEN', news)
while length > 1 and (bytes > most or length > ${maxEntries}) do
  local oldest = redis.call('XRANGE', news, '-', '+', 'COUNT', 1)[1]
  redis.call('XDEL', news, oldest[1])
  bytes = bytes - #oldest[2][4]
  length = length - 1
end
redis.call('HSET', state, 'bytes', text(bytes))
return id
`;

const ask = `
local asked = redis.call('HINCRBY', state, 'asked', 1)
keep()
ring('asked')
return asked
`;

const answer = `
if not leadsBy(ARGV[3]) then return end
redis.call('HSET', state, 'caught', ARGV[4])
ring('told')
`;

const leave = `
if not leads() then return end
redis.call('DEL', lease)
ring('left')
`;

const scripts = { look, lead, add, ask, answer, leave };

export type RedisStep = keyof typeof scripts;

export const redisScripts = Object.entries(scripts).map(([step, lua]) => ({ step, lua: rules + lua }));
