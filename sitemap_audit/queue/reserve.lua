-- Reserve request slots of a host by GCRA on the server's clock.
-- KEYS[1]  hash of the host: last (ms of the last slot given), tat (ms of the next free slot, as it was then),
--          gap (ms, only while widened by back-off), until (ms: nothing before, Retry-After), parked (ms: not
--          worth asking before), strikes, fails, down (ms)
-- KEYS[2]  ms at which the server last came back from its log
-- ARGV[1]  gap in ms between two requests (0: no limit of ours)
-- ARGV[2]  slots wanted
-- ARGV[3]  how far ahead, in ms, a slot may lie
-- ARGV[4]  lifetime of the key in ms
-- ARGV[5]  failures in a row from which the host counts as down
-- ARGV[6]  ms between two tries of a host that is down
-- ARGV[7]  1: the server did not know this script, so it was started again (or its scripts were flushed)
-- returns  {slots, wait ms until the first, gap ms as text, state, dirty}; 0 slots: ask again once the first lies within ARGV[3]
--          state: 0 free, 1 the host asked us to wait, 2 down, 3 parked; dirty 1: report clean answers
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
-- The log may lack the last slots that were given: after a restart each host rests for one gap. In its
-- first life a server has given none.
local life = tonumber(redis.call('GET', KEYS[2]) or -1)
if ARGV[7] == '1' then
  life = life < 0 and 0 or now
  redis.call('SET', KEYS[2], string.format('%.3f', life))
end
local seen = redis.call('HMGET', KEYS[1], 'last', 'gap', 'until', 'parked', 'strikes', 'fails', 'down')
local function number(i) return tonumber(seen[i] or 0) or 0 end
local last, held, parked, strikes, fails, down = number(1), number(3), number(4), number(5), number(6), number(7)
local gap = math.max(tonumber(ARGV[1]), number(2))
local dirty = (number(2) > 0 or strikes > 0 or fails > 0) and 1 or 0
local as_text = string.format('%.3f', gap)
if parked > now then return {0, math.ceil(parked - now), as_text, 3, dirty} end
local wanted = tonumber(ARGV[2])
if fails >= tonumber(ARGV[5]) then
  if down > now then return {0, math.ceil(down - now), as_text, 2, dirty} end
  wanted = 1
end
-- By the gap as it is now, not as it was when the last slot was given: Crawl-delay and back-off widen it.
local free = math.max(last, life) + gap
local start = math.max(now, free, held)
local ahead = tonumber(ARGV[3])
if start > now + ahead then
  return {0, math.ceil(start - now), as_text, (held > now and held >= free) and 1 or 0, dirty}
end
local n = wanted
if gap > 0 then n = math.min(wanted, 1 + math.floor((now + ahead - start) / gap)) end
-- Without a gap too: the robots.txt that is fetched with this slot may ask for one.
redis.call('HSET', KEYS[1], 'last', string.format('%.3f', start + (n - 1) * gap), 'tat', string.format('%.3f', start + n * gap))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
if wanted == 1 and fails >= tonumber(ARGV[5]) then
  redis.call('HSET', KEYS[1], 'down', string.format('%.3f', now + tonumber(ARGV[6])))
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return {n, math.ceil(start - now), as_text, 0, dirty}
