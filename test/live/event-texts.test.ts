import { expect, test } from 'vitest';
import { eventTexts } from '../../src/transports/live/push.ts';

test('events sent together carry their own name, stream, epoch and seq', () => {
  const event = { name: 'scores created', record: '{"a":"é"}', stream: 'player:a', epoch: 'first', seq: 1 };
  const events = [
    event,
    { ...event, seq: 2 },
    { ...event, seq: 3, name: 'scores "patched"' },
    { ...event, stream: 'player:"b"', seq: 1 },
    { ...event, stream: 'player:"b"', epoch: 'second', seq: 2 },
    { ...event, seq: 4 },
  ];
  for (const isLate of [false, true]) {
    expect(eventTexts(events, isLate).map((text) => JSON.parse(text))).toEqual(
      events.map(({ name, record, stream, epoch, seq }) => [
        name,
        JSON.parse(record),
        { stream, epoch, seq, ...(isLate && { late: true }) },
      ]),
    );
  }
  expect(eventTexts([])).toEqual([]);
});
