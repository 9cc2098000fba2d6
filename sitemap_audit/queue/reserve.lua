-- Reserve request slots of a host by GCRA on the server's clock.
-- KEYS[1]  hash of the host: tat (ms of the next free slot), gap (ms, only while widened by back-off),
--          until (ms: nothing before, Retry-After), parked (ms: not worth asking before), strikes, fails, down (ms)
-- ARGV[1]  gap in ms between two requests (0: no limit of ours)
-- ARGV[2]  slots wanted
-- ARGV[3]  how far ahead, in ms, a slot may lie
-- ARGV[4]  lifetime of the key in ms
-- ARGV[5]  failures in a row from which the host counts as down
-- ARGV[6]  ms between two tries of a host that is down
-- returns  {slots, wait ms until the first, gap ms as text, state, dirty}; 0 slots: ask again once the first lies within ARGV[3]
--          state: 0 free, 1 the host asked us to wait, 2 down, 3 parked; dirty 1: report clean answers
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local seen = redis.call('HMGET', KEYS[1], 'tat', 'gap', 'until', 'parked', 'strikes', 'fails', 'down')
local function number(i) return tonumber(seen[i] or 0) or 0 end
local tat, held, parked, strikes, fails, down = number(1), number(3), number(4), number(5), number(6), number(7)
local gap = math.max(tonumber(ARGV[1]), number(2))
local dirty = (number(2) > 0 or strikes > 0 or fails > 0) and 1 or 0
local as_text = string.format('%.3f', gap)
if parked > now then return {0, math.ceil(parked - now), as_text, 3, dirty} end
local wanted = tonumber(ARGV[2])
if fails >= tonumber(ARGV[5]) then
  if down > now then return {0, math.ceil(down - now), as_text, 2, dirty} end
  wanted = 1
end
local start = math.max(now, tat, held)
local ahead = tonumber(ARGV[3])
if start > now + ahead then
  return {0, math.ceil(start - now), as_text, (held > now and held >= tat) and 1 or 0, dirty}
end
local n = wanted
if gap > 0 then
  n = math.min(wanted, 1 + math.floor((now + ahead - start) / gap))
  redis.call('HSET', KEYS[1], 'tat', string.format('%.3f', start + n * gap))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
if wanted == 1 and fails >= tonumber(ARGV[5]) then
  redis.call('HSET', KEYS[1], 'down', string.format('%.3f', now + tonumber(ARGV[6])))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return {n, math.ceil(start - now), as_text, 0, dirty}
