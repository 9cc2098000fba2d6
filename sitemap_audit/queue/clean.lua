-- A host gave clean answers, or failed: narrow the gap that back-off widened, or count the failure.
-- KEYS[1]  hash of the host (reserve.lua)
-- ARGV[1]  clean answers since the last call; 0: one failure (no connection, timeout)
-- ARGV[2]  gap in ms that we keep of our own: the widened gap never shrinks below it
-- ARGV[3]  clean answers after which the gap shrinks by a tenth
-- ARGV[4]  failures in a row from which the host counts as down
-- ARGV[5]  ms until a host that is down is tried again
-- ARGV[6]  lifetime of the key in ms
-- returns  {gap ms as text, failures in a row}
if tonumber(ARGV[1]) == 0 then
  local fails = redis.call('HINCRBY', KEYS[1], 'fails', 1)
  if fails >= tonumber(ARGV[4]) then
    local t = redis.call('TIME')
    redis.call('HSET', KEYS[1], 'down', string.format('%.3f', t[1] * 1000 + t[2] / 1000 + tonumber(ARGV[5])))
  end
  redis.call('PEXPIRE', KEYS[1], ARGV[6])
  return {redis.call('HGET', KEYS[1], 'gap') or '0', fails}
end
redis.call('HDEL', KEYS[1], 'strikes', 'fails', 'down')
local gap = tonumber(redis.call('HGET', KEYS[1], 'gap') or 0) or 0
if gap <= 0 then return {'0', 0} end
local clean = redis.call('HINCRBY', KEYS[1], 'clean', ARGV[1])
local after = tonumber(ARGV[3])
while clean >= after do
  clean = clean - after
  gap = gap * 0.9
end
redis.call('HSET', KEYS[1], 'clean', clean)
-- Below this the widening is over; the least gap of hold.lua would never be left by tenths alone.
if gap <= tonumber(ARGV[2]) or gap < 1 then
  redis.call('HDEL', KEYS[1], 'gap', 'clean')
  return {'0', 0}
end
redis.call('HSET', KEYS[1], 'gap', string.format('%.3f', gap))
redis.call('PEXPIRE', KEYS[1], ARGV[6])
return {string.format('%.3f', gap), 0}
