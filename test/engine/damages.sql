-- Each damage of one row, as superuser with triggers asleep, and what names it:
-- `-- check: what | run whose row it is | the row that is named | other checks that name what follows from it`

-- effect-key: ingredients | done | ^effect charge  |
UPDATE pawl.effect SET ingredients = replace(ingredients, '"generation":0', '"generation":1') WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- effect-key: another step | done | ^effect ship  | settlement
UPDATE pawl.effect SET step = 'ship' WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- request-hash: request | done | ^effect charge  |
UPDATE pawl.effect SET request = replace(request, 'done', 'gone') WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- effect-state: time of settling | done | ^effect charge  | receipt-row
UPDATE pawl.effect SET settled_at = NULL WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- effect-state: fence beyond the head | done | ^effect charge  |
UPDATE pawl.effect SET fence = 99 WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- effect-state: doubt of a settled row | done | ^effect charge  |
UPDATE pawl.effect SET doubt = 'query' WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- receipt-chain: result | done | ^receipt 2$ |
UPDATE pawl.receipt SET result = 'forged' WHERE run_id = $run AND receipt_no = 2;

-- receipt-chain: link | done | ^receipt 2$ |
UPDATE pawl.receipt SET previous = '0000000000000000000000000000000000000000000000000000000000000000' WHERE run_id = $run AND receipt_no = 2;

-- receipt-row: missing | done | ^effect ship  |
DELETE FROM pawl.receipt WHERE run_id = $run AND receipt_no = 3;

-- receipt-row: another number on the row | done | ^effect charge  |
UPDATE pawl.effect SET receipt_no = 1 WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- receipt-row: external id | done | ^effect charge  |
UPDATE pawl.effect SET external_id = 'other' WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- journal: gap | done | ^journal 2$ |
DELETE FROM pawl.journal WHERE run_id = $run AND revision = 2;

-- journal: last row missing | sleeps | ^journal 1$ |
DELETE FROM pawl.journal WHERE run_id = $run AND revision = 1;

-- journal: row beyond the head | sleeps | ^journal 7$ |
INSERT INTO pawl.journal SELECT (jsonb_populate_record(j, '{"revision": 7}')).* FROM pawl.journal j WHERE run_id = $run;

-- journal: fence beyond the head | done | ^journal 1$ |
UPDATE pawl.journal SET fence = 50 WHERE run_id = $run AND revision = 1;

-- state-hash: hash | done | ^journal \d$ |
UPDATE pawl.journal SET state_hash = '0000000000000000000000000000000000000000000000000000000000000000' WHERE run_id = $run AND revision = (SELECT revision FROM pawl.run_head h WHERE h.run_id = $run);

-- settlement: the same effect twice | done | ^journal \d$ |
UPDATE pawl.journal SET event_id = (SELECT effect_key || ':settled' FROM pawl.effect e WHERE e.run_id = $run AND e.step = 'reserve') WHERE run_id = $run AND event_id = (SELECT effect_key || ':settled' FROM pawl.effect e WHERE e.run_id = $run AND e.step = 'charge');

-- settlement: an effect that is not there | done | ^journal 2$ |
UPDATE pawl.journal SET event_id = '0000000000000000000000000000000000000000000000000000000000000000:settled' WHERE run_id = $run AND revision = 2;

-- settlement: success of what failed | undone | ^journal \d$ |
UPDATE pawl.journal SET detail = replace(detail, '"ok":false', '"ok":true') WHERE run_id = $run AND detail LIKE '%"ok":false%';

-- arrival: without an event | approved | ^journal \d$ | vote
DELETE FROM pawl.inbox WHERE run_id = $run AND source LIKE '%kai%' OR event_id LIKE '%kai%' OR payload LIKE '%kai%';

-- arrival: another answer | stopped | ^journal \d$ |
UPDATE pawl.inbox SET outcome = 'refused' WHERE run_id = $run AND payload LIKE '%terminate%';

-- inbox: payload | asks | ^inbox signal:shop n-1$ |
UPDATE pawl.inbox SET payload_hash = 'x' WHERE run_id = $run AND event_id = 'n-1';

-- inbox: consumed without an answer | asks | ^inbox signal:shop n-1$ |
UPDATE pawl.inbox SET consumed = true WHERE run_id = $run AND event_id = 'n-1';

-- inbox: consumed at a revision to come | stopped | ^inbox person:ana  |
UPDATE pawl.inbox SET consumed_revision = 99 WHERE run_id = $run AND consumed;

-- kept: kept by a run that ended | stopped | ^inbox person:ana  | arrival
UPDATE pawl.inbox SET outcome = 'kept', consumed = false, consumed_revision = NULL WHERE run_id = $run AND consumed;

-- status: another end | done | ^head$ |
UPDATE pawl.run_head SET status = 'FAILED' WHERE run_id = $run;

-- status: RUNNING at rest | sleeps | ^head$ |
UPDATE pawl.run_head SET status = 'RUNNING' WHERE run_id = $run;

-- status: an end before the end | asks | ^head$ |
UPDATE pawl.run_head SET status = 'COMPLETED', ended_at = now() WHERE run_id = $run;

-- status: phase | sleeps | ^head$ |
UPDATE pawl.run_head SET phase = 'settling' WHERE run_id = $run;

-- status: ended without a time | done | ^head$ |
UPDATE pawl.run_head SET ended_at = NULL WHERE run_id = $run;

-- ended: an open effect | done | ^effect ship  | settlement
UPDATE pawl.effect SET state = 'AUTHORIZED', settled_at = NULL, receipt_no = NULL, external_id = NULL WHERE run_id = $run AND step = 'ship';

-- ended: an unknown that is not told | stopped | ^effect wire  |
UPDATE pawl.run_head SET failure = replace(failure, '"wire"', '"wired"') WHERE run_id = $run;

-- ended: what stands is not told | undone | ^head$ |
UPDATE pawl.run_head SET failure = replace(failure, '"standing":[]', '"standing":["charge"]') WHERE run_id = $run;

-- held: nobody can act | sleeps | ^head$ |
UPDATE pawl.run_head SET status = 'HELD' WHERE run_id = $run;

-- held: needs are not listed | asks | ^head$ |
UPDATE pawl.run_head SET needs = '[]' WHERE run_id = $run;

-- held: an incident of nothing | doubts | ^effect wire  |
UPDATE pawl.effect SET doubt = 'event' WHERE run_id = $run;

-- compensation: of what was not done | undone | ^effect undo of charge  | settlement
UPDATE pawl.effect SET state = 'FAILED' WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- compensation: of another effect | undone | ^effect undo of charge  | effect-key ended
UPDATE pawl.effect SET compensates = '0000000000000000000000000000000000000000000000000000000000000000' WHERE run_id = $run AND step = 'charge' AND compensates IS NOT NULL;

-- timer: of a run that ended | done | ^timer run:deadline$ |
INSERT INTO pawl.timer SELECT part, run_id, 'run:deadline', tenant, now() + interval '1 hour', 1, '{}', 'x' FROM pawl.run WHERE run_id = $run;

-- timer: of a step that is not active | sleeps | ^timer gone:wait$ |
INSERT INTO pawl.timer SELECT part, run_id, 'gone:wait', tenant, now() + interval '1 hour', 1, '{}', 'x' FROM pawl.run WHERE run_id = $run;

-- timer: of another generation | sleeps | ^timer pause:wait$ |
UPDATE pawl.timer SET generation = 7 WHERE run_id = $run AND name = 'pause:wait';

-- timer: of a generation that has fired | sleeps | ^timer pause:wait$ |
INSERT INTO pawl.inbox SELECT part, run_id, 'timer', 'pause:wait#1', tenant, payload, payload_hash, now(), 'applied', NULL, 'null', true, 1 FROM pawl.timer WHERE run_id = $run AND name = 'pause:wait';

-- timer-missing: of a wait | sleeps | ^timer pause:wait$ |
DELETE FROM pawl.timer WHERE run_id = $run AND name = 'pause:wait';

-- timer-missing: of an expiry | asks | ^timer decision:expires$ |
DELETE FROM pawl.timer WHERE run_id = $run AND name = 'decision:expires';

-- timer-missing: of a timeout | asks | ^timer decision:timeout$ |
DELETE FROM pawl.timer WHERE run_id = $run AND name = 'decision:timeout';

-- timer-missing: of a kept event | asks | ^timer keep: |
DELETE FROM pawl.timer WHERE run_id = $run AND name LIKE 'keep:%';

-- timer-missing: of the deadline | listens | ^timer run:deadline$ |
DELETE FROM pawl.timer WHERE run_id = $run AND name = 'run:deadline';

-- lease: none beside an owner | held | ^head$ | wake-up
DELETE FROM pawl.lease WHERE run_id = $run;

-- lease: without an owner | held | ^lease  |
UPDATE pawl.run_head SET owner = NULL WHERE run_id = $run;

-- lease: another fence | held | ^lease  |
UPDATE pawl.lease SET fence = fence + 1 WHERE run_id = $run;

-- lease: of a worker long gone | held | ^lease  |
UPDATE pawl.seat SET lease_until = now() - interval '10 minutes' WHERE (part, worker_id) IN (SELECT part, worker_id FROM pawl.lease WHERE run_id = $run);

-- wake-up: none for an effect to be sent | fresh | ^effect reserve  |
DELETE FROM pawl.ready WHERE run_id = $run;

-- wake-up: late by a year | fresh | ^wake-up$ |
UPDATE pawl.ready SET due_at = due_at + interval '1 year' WHERE run_id = $run;

-- wake-up: none for an undecided event | listens | ^inbox signal:shop n-2$ |
INSERT INTO pawl.inbox (part, run_id, source, event_id, tenant, payload, payload_hash, received_at, detail, consumed) SELECT b.part, $run, b.source, 'n-2', b.tenant, b.payload, b.payload_hash, b.received_at, 'null', false FROM pawl.inbox b WHERE b.event_id = 'n-1';

-- approval: decided against its votes | asks | ^approval decision$ | wake-up held
UPDATE pawl.approval SET state = 'denied', decided_at = now() WHERE run_id = $run;

-- approval: decided without a time | approved | ^approval decision$ |
UPDATE pawl.approval SET decided_at = NULL WHERE run_id = $run;

-- approval: another subject | asks | ^approval decision$ |
UPDATE pawl.approval SET subject = replace(subject, 'asks', 'else') WHERE run_id = $run;

-- approval: an effect sent without it | approved | ^effect pay  | receipt-row
UPDATE pawl.effect SET approval_id = NULL WHERE run_id = $run;

-- vote: that no event brought | asks | ^vote decision mallory$ | approval
INSERT INTO pawl.vote SELECT part, run_id, approval_id, 'mallory', tenant, decision, subject_hash, roles, comment, at FROM pawl.vote WHERE run_id = $run;

-- vote: about another subject | approved | ^vote decision kai$ |
UPDATE pawl.vote SET subject_hash = 'x' WHERE run_id = $run AND principal = 'kai';

-- start-key: missing | sleeps | ^start key sleep sleeps$ |
DELETE FROM pawl.start_key WHERE run_id = $run;

-- start-key: of another run | sleeps | ^start key sleep sleeps$ |
UPDATE pawl.start_key SET request_hash = 'x' WHERE run_id = $run;

-- pin: not published | sleeps | ^version sleep@1$ |
DELETE FROM pawl.definition WHERE workflow = 'sleep';

-- pin: another digest | sleeps | ^version sleep@1$ |
UPDATE pawl.definition SET digest = 'x' WHERE workflow = 'sleep';

-- pin: another content | sleeps | ^version sleep@1$ |
UPDATE pawl.definition SET machine = replace(machine, 'pause', 'pawse') WHERE workflow = 'sleep';

-- snapshot: another revision | sleeps | ^head$ | journal
UPDATE pawl.run_head SET revision = revision + 1 WHERE run_id = $run;

-- snapshot: no JSON | sleeps | ^head$ |
UPDATE pawl.run_head SET snapshot = 'x', codec = 0 WHERE run_id = $run;

-- unreadable: a text that is no JSON | sleeps | ^run$ |
UPDATE pawl.journal SET delta = '{' WHERE run_id = $run;

-- unreadable: a snapshot packed otherwise | sleeps | ^run$ |
UPDATE pawl.run_head SET snapshot = 'x', codec = 1 WHERE run_id = $run;

-- stray: a timer | sleeps | ^timer gone:wait$ |
INSERT INTO pawl.timer SELECT 0, '01890000-0000-7000-8000-000000000000', 'gone:wait', 'default', now(), 1, '{}', 'x';

-- stray: a run without head | sleeps | ^run run$ |
DELETE FROM pawl.run_head WHERE run_id = $run;

-- stray: a wake-up | sleeps | ^ready wake-up$ |
INSERT INTO pawl.ready SELECT 0, '01890000-0000-7000-8000-000000000000', now(), 1;

-- lock: goes on without | guards | ^lock guard$ |
DELETE FROM pawl.lock_place WHERE run_id = $run;

-- lock: goes on, and only waits | guards | ^lock guard$ |
UPDATE pawl.lock_place SET slot = NULL, granted_at = NULL, seen_at = NULL WHERE run_id = $run;

-- stray: a place with a lock | sleeps | ^lock_place guard$ |
INSERT INTO pawl.lock_place (part, tenant, name, run_id, run_part, run_limit, started_at) SELECT 0, 'default', 'guard', '01890000-0000-7000-8000-000000000000', 0, 1, now();

-- outbox: missing | tells | ^message msg_ |
DELETE FROM pawl.outbox WHERE run_id = $run AND step = 'one';

-- outbox: of another step | tells | ^message msg_ |
UPDATE pawl.outbox SET step = 'two' WHERE run_id = $run AND step = 'one';

-- outbox: overtaken | tells | ^message msg_ |
UPDATE pawl.outbox SET state = 'delivered', settled_at = now() WHERE run_id = $run AND step = 'two';

-- stray: a message | sleeps | ^outbox m$ |
INSERT INTO pawl.outbox (part, run_id, revision, ordinal, tenant, message_id, topic, outward, frames, body, at, due_at) SELECT 0, '01890000-0000-7000-8000-000000000000', 1, 0, 'default', 'm', 'event', true, '[]', '{}', now(), now();

-- share: of another key | sleeps | ^share a |
INSERT INTO pawl.shared_effect SELECT 0, 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'default', 1, 'confirmed', $run, '{"kind":"forward","tenant":"default","reach":"global","address":[],"object":"o-48","intent":"y","generation":0}', 'h', NULL, '[]';

-- share: forsaken by its owner | sleeps | ^share 78052dd1 |
INSERT INTO pawl.shared_effect SELECT 0, '78052dd1e647ea8ad9739d536cea6fabbb893c9c1dcc1b313ed8603b92823f93', 'default', 1, 'open', $run, '{"kind":"forward","tenant":"default","reach":"global","address":[],"object":"o-48","intent":"y","generation":0}', 'h', NULL, json_build_array(json_build_object('runId', $run, 'word', 'owner'))::text;

-- share: its owner is no user | sleeps | ^share 78052dd1 |
INSERT INTO pawl.shared_effect SELECT 0, '78052dd1e647ea8ad9739d536cea6fabbb893c9c1dcc1b313ed8603b92823f93', 'default', 1, 'open', $run, '{"kind":"forward","tenant":"default","reach":"global","address":[],"object":"o-48","intent":"y","generation":0}', 'h', NULL, '[]';

-- effect-origin: action | done | ^effect charge  |
UPDATE pawl.effect SET action = 'shop.other' WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- settlement: another output | done | ^effect charge  |
UPDATE pawl.effect SET output = '{"forged":1}' WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- receipt-row: another time of settling | done | ^effect charge  |
UPDATE pawl.effect SET settled_at = settled_at + interval '1 day' WHERE run_id = $run AND step = 'charge' AND compensates IS NULL;

-- effect-state: first sent after it was in doubt | doubts | ^effect wire  |
UPDATE pawl.effect SET first_requested_at = first_requested_at + interval '3 days' WHERE run_id = $run;

-- audit: another actor | stopped | ^act 1$ |
UPDATE pawl.audit SET actor = 'mallory' WHERE run_id = $run;

-- audit: an order without its act | stopped | ^inbox person:ana  |
DELETE FROM pawl.audit WHERE run_id = $run;

-- timer: another time | sleeps | ^timer pause:wait$ |
UPDATE pawl.timer SET due_at = due_at + interval '300 days' WHERE run_id = $run AND name = 'pause:wait';

-- timer: another hash | sleeps | ^timer pause:wait$ |
UPDATE pawl.timer SET payload_hash = 'x' WHERE run_id = $run AND name = 'pause:wait';

-- approval: asked of others | asks | ^approval decision$ |
UPDATE pawl.approval SET asked_of = '["user:mallory"]' WHERE run_id = $run;

-- approval: authorizes nothing | asks | ^approval decision$ |
UPDATE pawl.approval SET authorizes = '[]' WHERE run_id = $run;

-- approval: another time to answer in | asks | ^approval decision$ |
UPDATE pawl.approval SET expires_at = expires_at + interval '300 days' WHERE run_id = $run;

-- ended: another output | done | ^head$ |
UPDATE pawl.run_head SET output = '{"forged":1}' WHERE run_id = $run;

-- ended: another failure | undone | ^head$ |
UPDATE pawl.run_head SET failure = replace(failure, '"code":"', '"code":"forged-') WHERE run_id = $run;

-- status: another time of end | done | ^head$ |
UPDATE pawl.run_head SET ended_at = ended_at + interval '9 days' WHERE run_id = $run;

-- outbox: told nobody | tells | ^message msg_ |
UPDATE pawl.outbox SET outward = false WHERE run_id = $run AND step = 'one';

-- outbox: another body | tells | ^message msg_ |
UPDATE pawl.outbox SET body = '{}' WHERE run_id = $run AND step = 'one';

-- lock: a place with another | guards | ^lock guard$ |
UPDATE pawl.lock_place SET name = 'other' WHERE run_id = $run;

-- lock: another one of the run | guards | ^lock zzz$ |
UPDATE pawl.run SET lock_name = 'zzz' WHERE run_id = $run;

-- pin: no machine | sleeps | ^version sleep@1$ |
UPDATE pawl.definition SET machine = replace(machine, '"definition"', '"definitionz"') WHERE workflow = 'sleep';

-- pruned: a run that goes on | sleeps | ^head |
UPDATE pawl.run_head SET pruned_at = now() WHERE run_id = $run;
