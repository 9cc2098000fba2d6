-- A host said 429 or 503 with Retry-After: stay away, and come back more slowly.
-- KEYS[1]  hash of the host (reserve.lua)
-- ARGV[1]  ms of Retry-After, -1 where it said none
-- ARGV[2]  gap in ms that we keep of our own
-- ARGV[3]  least gap to double, ms      ARGV[4]  largest gap, ms
-- ARGV[5]  longest wait that is honoured, ms; a longer one parks the host
-- ARGV[6]  how long ago, in ms, the answered request was sent: the gap doubles once a round trip,
--          so a request that was on the wire at the last doubling does not count again
-- ARGV[7]  such round trips in a row that park the host
-- ARGV[8]  lifetime of the key in ms
-- ARGV[9]  channel on which all processes hear of it: "WHO MS HOST"     ARGV[10] who says it     ARGV[11] the host
-- returns  {wait ms, gap ms as text, parked 0 or 1}
local t = redis.call('TIME')
local now = t[1] * 1000 + t[2] / 1000
local seen = redis.call('HMGET', KEYS[1], 'gap', 'until', 'held', 'strikes', 'parked')
local function number(i) return tonumber(seen[i] or 0) or 0 end
local gap, held, strikes, parked = number(1), number(3), number(4), number(5)
local cap, asked = tonumber(ARGV[5]), tonumber(ARGV[1])
if now - tonumber(ARGV[6]) >= held then
  gap = math.min(tonumber(ARGV[4]), 2 * math.max(tonumber(ARGV[3]), tonumber(ARGV[2]), gap))
  -- A gap that Crawl-delay or the user asked for may be larger than the largest of back-off.
  gap = math.max(gap, tonumber(ARGV[2]))
  strikes = strikes + 1
  redis.call('HSET', KEYS[1], 'gap', string.format('%.3f', gap), 'held', string.format('%.3f', now), 'strikes', strikes, 'clean', 0)
end
redis.call('HSET', KEYS[1], 'asked', asked < 0 and 0 or 1)
if asked < 0 then asked = gap end
if asked > cap or strikes >= tonumber(ARGV[7]) then
  parked = math.max(parked, now + math.min(math.max(asked, cap), tonumber(ARGV[8])))
  redis.call('HSET', KEYS[1], 'parked', string.format('%.3f', parked))
end
local wait_until = math.max(number(2), now + math.min(asked, tonumber(ARGV[8])))
redis.call('HSET', KEYS[1], 'until', string.format('%.3f', wait_until))
redis.call('PEXPIRE', KEYS[1], 2 * tonumber(ARGV[8]))
-- A user without the right to publish does all the rest.
redis.pcall('PUBLISH', ARGV[9], ARGV[10] .. ' ' .. math.ceil(wait_until - now) .. ' ' .. ARGV[11])
return {math.ceil(wait_until - now), string.format('%.3f', gap), parked > now and 1 or 0}
