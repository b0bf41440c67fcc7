import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { listScores } from '../../src/features/scores/queries.ts';
import { maxRequestsInFlight } from '../../src/transports/http/in-flight-requests.ts';
import { get } from '../support/http.ts';
import { type Exchange, end, exchange, type Step } from '../support/raw-http.ts';
import { startTestServer } from '../support/server.ts';

const adminToken = 'the-admin-token-of-this-suite';
const server = await startTestServer({ RATE_LIMIT_FACTOR: '1000', ADMIN_TOKEN: adminToken });
afterAll(server.close);
const { gameId, gameSecret } = await server.createGame();
const other = await server.createGame();
const player = await server.openSession(gameId);
const { launcherJwt } = player;

/** How long a response to a request sent in one piece may take; the slow ones have separate limits. */
const soonMs = 9_000;

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const setScore = JSON.stringify({ launcherJwt, score: 666 });
/** A request that would set a score, with other headers instead of `Content-Length`. */
const scoreRequest = (headers: readonly string[], body = setScore) =>
  lines('POST /launcher/set-user-score HTTP/1.1', 'Host: gantry.test', ...headers) + body;
const lengthOf = (body: string) => `Content-Length: ${Buffer.byteLength(body)}`;
const post = (path: string, body: string | Buffer, ...headers: string[]): Step[] => [
  lines(
    `POST ${path} HTTP/1.1`,
    'Host: gantry.test',
    'Connection: close',
    `Content-Length: ${body.length}`,
    ...headers,
  ),
  body,
];

/** Every response was an error, and the connection is closed. */
function isRefused({ statuses, closedAfterMs, received }: Exchange): void {
  expect(closedAfterMs, received.slice(0, 300)).not.toBeNull();
  for (const status of statuses) {
    expect(status, received.slice(0, 300)).toBeGreaterThanOrEqual(400);
    expect(status, received.slice(0, 300)).toBeLessThan(500);
  }
}

const scores = () => server.services.db.read(listScores, player, { limit: 250, skip: 0 });

afterEach(async () => {
  expect((await get(`${server.url}/healthz`)).status).toBe(200);
  expect(await scores()).toEqual([]); // nothing smuggled was executed
});

it('a well-formed request is executed, so the others are refused for the stated reason', async () => {
  const elsewhere = await server.openSession(gameId);
  const body = JSON.stringify({ launcherJwt: elsewhere.launcherJwt, score: 1 });
  const { statuses } = await exchange(server, [scoreRequest([lengthOf(body)], body)], { answers: 1 });
  expect(statuses).toEqual([200]);
});

describe.concurrent('refused, with the connection closed, is a request with', () => {
  it.each<[string, Step[]]>([
    ['two lengths that differ', [scoreRequest([lengthOf(setScore), 'Content-Length: 3'])]],
    ['two lengths that differ, the shorter first', [scoreRequest(['Content-Length: 0', lengthOf(setScore)])]],
    ['two lengths that agree', [scoreRequest([lengthOf(setScore), lengthOf(setScore)])]],
    ['a list of lengths', [scoreRequest([`${lengthOf(setScore)}, ${Buffer.byteLength(setScore)}`])]],
    ['a signed length', [scoreRequest(['Content-Length: +5'])]],
    ['a negative length', [scoreRequest(['Content-Length: -5'])]],
    ['a hexadecimal length', [scoreRequest(['Content-Length: 0x10'])]],
    ['a length beyond every number', [scoreRequest([`Content-Length: ${'9'.repeat(40)}`])]],
    ['a length that is a word', [scoreRequest(['Content-Length: all'])]],
    ['a space before the colon', [scoreRequest(['Content-Length : 5'])]],
    [
      'a length and chunks',
      [
        scoreRequest(
          [lengthOf(setScore), 'Transfer-Encoding: chunked'],
          `0\r\n\r\n${scoreRequest([lengthOf(setScore)])}`,
        ),
      ],
    ],
    [
      'chunks and a length',
      [
        scoreRequest(
          ['Transfer-Encoding: chunked', 'Content-Length: 5'],
          `0\r\n\r\n${scoreRequest([lengthOf(setScore)])}`,
        ),
      ],
    ],
    ['an unknown encoding', [scoreRequest(['Transfer-Encoding: cow'], '0\r\n\r\n')]],
    ['chunks that are not last', [scoreRequest(['Transfer-Encoding: chunked, identity'], '0\r\n\r\n')]],
    ['chunks by another name', [scoreRequest(['Transfer-Encoding: xchunked'], '0\r\n\r\n')]],
    [
      'chunks said twice',
      [scoreRequest(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], '0\r\n\r\n')],
    ],
    ['chunks behind a control character', [scoreRequest(['Transfer-Encoding: \x0bchunked'], '0\r\n\r\n')]],
    ['chunks on a folded line', [scoreRequest(['Transfer-Encoding:', ' chunked', lengthOf(setScore)])]],
    ['a chunk of no size', [scoreRequest(['Transfer-Encoding: chunked'], '\r\n\r\n')]],
    [
      'a chunk with a non-numeric size',
      [scoreRequest(['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n')],
    ],
    ['a chunk of a negative size', [scoreRequest(['Transfer-Encoding: chunked'], '-2\r\n{}\r\n0\r\n\r\n')]],
    [
      'a chunk of a size beyond every number',
      [scoreRequest(['Transfer-Encoding: chunked'], `${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n`)],
    ],
    [
      'a chunk longer than it says',
      [scoreRequest(['Transfer-Encoding: chunked'], '2\r\n{"score":1}\r\n0\r\n\r\n')],
    ],
    ['a chunk whose line ends in LF', [scoreRequest(['Transfer-Encoding: chunked'], '2\n{}\n0\n\n')]],
    [
      'an endless line of chunk extensions',
      [scoreRequest(['Transfer-Encoding: chunked'], `2;${'a'.repeat(70_000)}\r\n{}\r\n0\r\n\r\n`)],
    ],
    [
      'too many trailers',
      [scoreRequest(['Transfer-Encoding: chunked'], `0\r\n${'a: b\r\n'.repeat(10_000)}\r\n`)],
    ],
    ['no Host', [lines('GET /healthz HTTP/1.1')]],
    ['a header without a colon', [lines('GET /healthz HTTP/1.1', 'Host: gantry.test', 'nothing')]],
    ['a NUL in a header', [lines('GET /healthz HTTP/1.1', 'Host: gantry.test', 'X-A: a\0b')]],
    ['a NUL in a header’s name', [lines('GET /healthz HTTP/1.1', 'Host: gantry.test', 'X\0A: b')]],
    ['a NUL in its first line', [lines('GET /health\0z HTTP/1.1', 'Host: gantry.test')]],
    [
      'a carriage return in a header',
      [lines('GET /healthz HTTP/1.1', 'Host: gantry.test', 'X-A: a\rX-B: b')],
    ],
    ['an empty header name', [lines('GET /healthz HTTP/1.1', 'Host: gantry.test', ': b')]],
    ['spaces before its first line', [lines(' GET /healthz HTTP/1.1', 'Host: gantry.test')]],
    [
      '10,000 header lines',
      [
        lines(
          'GET /healthz HTTP/1.1',
          'Host: gantry.test',
          ...Array.from({ length: 10_000 }, (_, index) => `X-${index}: a`),
        ),
      ],
    ],
    [
      'a header of 64 KB',
      [lines('GET /healthz HTTP/1.1', 'Host: gantry.test', `X-A: ${'a'.repeat(65_536)}`)],
    ],
    [
      'a header name of 64 KB',
      [lines('GET /healthz HTTP/1.1', 'Host: gantry.test', `${'a'.repeat(65_536)}: a`)],
    ],
    ['an address of 64 KB', [lines(`GET /${'a'.repeat(65_536)} HTTP/1.1`, 'Host: gantry.test')]],
    [
      'a header that never ends',
      Array.from({ length: 200 }, (_, index) => (index === 0 ? 'GET / HTTP/1.1\r\nX-A: ' : 'a'.repeat(1024))),
    ],
    ['an unknown method', [lines('SMUGGLE /healthz HTTP/1.1', 'Host: gantry.test')]],
    ['a method in lowercase', [lines('get /healthz HTTP/1.1', 'Host: gantry.test')]],
    ['a method of 10 KB', [lines(`${'A'.repeat(10_240)} /healthz HTTP/1.1`, 'Host: gantry.test')]],
    ['the version HTTP/3.7', [lines('GET /healthz HTTP/3.7', 'Host: gantry.test')]],
    ['the beginning of HTTP/2', ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n']],
    ['an invalid version', [lines('GET /healthz HTTP/one', 'Host: gantry.test')]],
    ['CONNECT', [lines('CONNECT gantry.test:443 HTTP/1.1', 'Host: gantry.test')]],
    [
      'a WebSocket with a wrong key',
      [
        lines(
          'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
          'Host: gantry.test',
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: short',
        ),
      ],
    ],
    [
      'a WebSocket of another version',
      [
        lines(
          'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
          'Host: gantry.test',
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 1',
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        ),
      ],
    ],
    ['the beginning of TLS', [Buffer.from('16030100f8010000f40303', 'hex'), randomBytes(240)]],
    ['noise', [randomBytes(4096)]],
  ])('%s', async (_what, steps) => {
    isRefused(await exchange(server, steps, { withinMs: soonMs }));
  });
});

describe.concurrent('refused is a request with', () => {
  const body = JSON.stringify({ launcherJwt, score: 667 });
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const methods = [
    'OPTIONS',
    'HEAD',
    'PUT',
    'DELETE',
    'PATCH',
    'TRACE',
    'PROPFIND',
    'M-SEARCH',
    'LINK',
    'QUERY',
  ];

  it.each<[string, Step[], number[]]>([
    [
      'two methods of a service',
      post('/launcher', body, 'X-Service-Method: setUserScore', 'X-Service-Method: getUserScore'),
      [405],
    ],
    [
      'the same method of a service twice',
      post('/launcher', body, 'X-Service-Method: setUserScore', 'X-Service-Method: setUserScore'),
      [405],
    ],
    [
      'two secrets, the wrong one first',
      post(
        '/launcher/set-user-score',
        body,
        `Authorization: Bearer ${other.gameSecret}`,
        `Authorization: Bearer ${gameSecret}`,
      ),
      [401],
    ],
    [
      'two secrets, the wrong one last',
      post(
        '/launcher/set-user-score',
        body,
        `Authorization: Bearer ${gameSecret}`,
        `Authorization: Bearer ${other.gameSecret}`,
      ),
      [401],
    ],
    [
      'two admin tokens',
      post('/admin/list-games', '{}', `Authorization: Bearer ${adminToken}`, 'Authorization: Bearer another'),
      [401],
    ],
    [
      'two request nonces',
      post(
        '/launcher/set-user-score',
        body,
        'X-Request-Nonce: 1',
        'X-Request-Nonce: 2',
        'X-Request-Signature: 3',
      ),
      [401],
    ],
    [
      'two tokens in headers',
      [
        lines(
          'GET /launcher HTTP/1.1',
          'Host: gantry.test',
          'Connection: close',
          'X-Service-Method: channelStatus',
          `X-Launcher-Jwt: ${launcherJwt}`,
          `X-Launcher-Jwt: ${launcherJwt}`,
        ),
      ],
      [401],
    ],
    [
      'bytes that are no UTF-8',
      post('/launcher/set-user-score', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
      [400],
    ],
    [
      'an overlong UTF-8 sequence',
      post('/launcher/set-user-score', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d])),
      [400],
    ],
    [
      'half a surrogate pair in UTF-8',
      post('/launcher/set-user-score', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d])),
      [400],
    ],
    ['NUL bytes around its JSON', post('/launcher/set-user-score', `\0${body}\0`), [400]],
    ['nothing but NUL bytes', post('/launcher/set-user-score', Buffer.alloc(1024)), [400]],
    ['arrays 200,000 deep', post('/launcher/set-user-score', deep), [400]],
    [
      'a body that says it is compressed and is not',
      post('/launcher/set-user-score', body, 'Content-Encoding: gzip'),
      [400],
    ],
    [
      'a body with an unknown compression',
      post('/launcher/set-user-score', body, 'Content-Encoding: cow'),
      [400],
    ],
    ['an unsupported expectation', post('/launcher/set-user-score', body, 'Expect: a miracle'), [417]],
    [
      'dots that climb out of the public folder',
      [lines('GET /../../package.json HTTP/1.1', 'Host: gantry.test', 'Connection: close')],
      [400, 403, 404],
    ],
    [
      'escaped dots that climb out of it',
      [lines('GET /%2e%2e/%2e%2e%2fpackage.json HTTP/1.1', 'Host: gantry.test', 'Connection: close')],
      [400, 403, 404],
    ],
    [
      'an invalid escape',
      [lines('GET /launcher/%zz HTTP/1.1', 'Host: gantry.test', 'Connection: close')],
      [400, 404],
    ],
    [
      'an escaped NUL',
      [lines('GET /index%00.html HTTP/1.1', 'Host: gantry.test', 'Connection: close')],
      [400, 404],
    ],
    [
      'another server’s address',
      [lines('GET http://elsewhere.test/launcher HTTP/1.1', 'Host: gantry.test', 'Connection: close')],
      [404, 405],
    ],
    [
      'an unknown polling session',
      [
        lines(
          'GET /socket.io/?EIO=4&transport=polling&sid=guess HTTP/1.1',
          'Host: gantry.test',
          'Connection: close',
        ),
      ],
      [400],
    ],
    [
      'an unknown transport',
      [lines('GET /socket.io/?EIO=4&transport=cow HTTP/1.1', 'Host: gantry.test', 'Connection: close')],
      [400],
    ],
  ])('%s', async (_what, steps, statuses) => {
    const result = await exchange(server, steps, { withinMs: soonMs });
    isRefused(result);
    expect(result.statuses).toHaveLength(1);
    expect(statuses).toContain(result.statuses[0]);
  });

  it.each(methods)('the method %s on an operation’s path', async (method) => {
    const request = lines(
      `${method} /launcher/set-user-score HTTP/1.1`,
      'Host: gantry.test',
      'Connection: close',
      'Content-Length: 0',
    );
    const { statuses, closedAfterMs } = await exchange(server, [request], { withinMs: soonMs });
    expect(closedAfterMs).not.toBeNull();
    expect(statuses).toHaveLength(1);
    if (method === 'OPTIONS')
      expect(statuses).toEqual([204]); // CORS preflight, which executes nothing
    else expect([400, 404, 405]).toContain(statuses[0]);
  });
});

describe.concurrent('a body that is too large', () => {
  const megabyte = Buffer.alloc(1024 * 1024, 0x20);
  const start = (...headers: string[]) =>
    lines('POST /launcher/set-user-score HTTP/1.1', 'Host: gantry.test', ...headers);

  it('by its length is refused immediately, unread', async () => {
    const { statuses } = await exchange(server, [start('Content-Length: 1000000000'), '{"a":'], {
      answers: 1,
      withinMs: soonMs,
    });
    expect(statuses).toEqual([413]);
  });

  it('by its chunks is refused as soon as the limit is exceeded, though more follow', async () => {
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), megabyte, Buffer.from('\r\n')]);
    const { statuses } = await exchange(server, [start('Transfer-Encoding: chunked'), chunk, chunk, chunk], {
      answers: 1,
      withinMs: soonMs,
    });
    expect(statuses).toEqual([413]);
  });

  it('and has no end is aborted', async () => {
    const endless = [start('Content-Length: 1000000000'), ...Array.from({ length: 200 }, () => megabyte)];
    const { closedAfterMs, statuses } = await exchange(server, endless, { withinMs: soonMs });
    expect(closedAfterMs).not.toBeNull();
    expect(statuses.filter((status) => status !== 413)).toEqual([]);
  });

  it('once decompressed is refused', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, 0x20));
    const { statuses } = await exchange(
      server,
      post('/launcher/set-user-score', bomb, 'Content-Encoding: gzip'),
      { withinMs: soonMs },
    );
    expect(statuses).toEqual([413]);
  });

  it('on Socket.IO’s polling is refused', async () => {
    const opened = await get(`${server.url}/socket.io/?EIO=4&transport=polling`);
    const sid = /"sid":"([^"]+)"/.exec(String(opened.body))?.[1];
    const path = `/socket.io/?EIO=4&transport=polling&sid=${sid}`;
    const large = Buffer.alloc(3 * 1024 * 1024, 0x34);
    isRefused(await exchange(server, post(path, large, 'Content-Type: text/plain'), { withinMs: soonMs }));
  });
});

describe.concurrent('a request that is sent slowly', () => {
  const headersWithinMs = 10_000;
  /** With five seconds in which a refused one may still be sent. */
  const bodyWithinMs = 17_000;
  /** The server checks for slow ones once a second. */
  const slackMs = 3_000;
  function* drops(first: string, drop: string, everyMs: number): Generator<Step> {
    yield first;
    for (let at = 0; at < 60_000; at += everyMs) {
      yield everyMs;
      yield drop;
    }
  }

  it.each<[string, () => Iterable<Step>, number]>([
    ['nothing at all', () => [60_000], headersWithinMs],
    ['half of its first line', () => ['POST /launcher/set-us', 60_000], headersWithinMs],
    [
      'half of its headers',
      () => ['POST /launcher/set-user-score HTTP/1.1\r\nHost: gantry.test\r\n', 60_000],
      headersWithinMs,
    ],
    [
      'a header a second',
      () => drops('GET /healthz HTTP/1.1\r\nHost: gantry.test\r\n', 'X-A: b\r\n', 1_000),
      headersWithinMs,
    ],
    [
      'one character of a header per second',
      () => drops('GET /healthz HTTP/1.1\r\nX-A: ', 'a', 1_000),
      headersWithinMs,
    ],
    ['an empty line a second before it', () => drops('', '\r\n', 1_000), headersWithinMs],
    [
      'half of its body',
      () => [scoreRequest([lengthOf(setScore)], setScore.slice(0, 20)), 60_000],
      bodyWithinMs,
    ],
    [
      'a byte of its body a second',
      () => drops(scoreRequest(['Content-Length: 1000'], '{'), ' ', 1_000),
      bodyWithinMs,
    ],
    [
      'a chunk of its body a second',
      () => drops(scoreRequest(['Transfer-Encoding: chunked'], '1\r\n{\r\n'), '1\r\n \r\n', 1_000),
      bodyWithinMs,
    ],
    [
      'the rest of a refused body a byte a second',
      () => drops(scoreRequest(['Content-Length: 1000000000'], '{'), ' ', 1_000),
      bodyWithinMs,
    ],
    [
      'half of a WebSocket’s handshake',
      () => ['GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nUpgrade: websocket\r\n', 60_000],
      headersWithinMs,
    ],
  ])('%s, is aborted in time', async (_what, steps, limitMs) => {
    const result = await exchange(server, steps(), { withinMs: limitMs + slackMs });
    isRefused(result);
    expect(result.closedAfterMs).toBeLessThan(limitMs + slackMs);
  });

  it('a request cut short by its sender leaves nothing behind', async () => {
    const half = scoreRequest([lengthOf(setScore)], setScore.slice(0, -1));
    const results = await Promise.all(
      Array.from({ length: 50 }, () => exchange(server, [half, end], { withinMs: soonMs })),
    );
    for (const result of results) isRefused(result);
  });

  it('others are answered as usual while hundreds are pending', async () => {
    const waiting = Array.from({ length: 300 }, () =>
      exchange(server, ['POST /launcher HTTP/1.1\r\nHost: a\r\n', 60_000], {
        withinMs: headersWithinMs + slackMs,
      }),
    );
    const startedAt = performance.now();
    for (let call = 0; call < 20; call++) expect((await get(`${server.url}/healthz`)).status).toBe(200);
    expect(performance.now() - startedAt).toBeLessThan(soonMs);
    for (const result of await Promise.all(waiting)) isRefused(result);
  });
});

describe.concurrent('many requests on one connection', () => {
  it('are all answered, in order, up to the limit', async () => {
    const wanted = ['/healthz', '/nothing-here', '/activities'];
    const count = maxRequestsInFlight;
    const requests = Array.from({ length: count }, (_, index) =>
      lines(`GET ${wanted[index % 3]} HTTP/1.1`, 'Host: gantry.test'),
    );
    const { statuses } = await exchange(server, [requests.join('')], { answers: count, withinMs: soonMs });
    expect(statuses).toEqual(Array.from({ length: count }, (_, index) => [200, 404, 200][index % 3]));
  });

  it('end with the first that cannot be parsed', async () => {
    const good = lines('GET /healthz HTTP/1.1', 'Host: gantry.test');
    const bad = scoreRequest([lengthOf(setScore), 'Transfer-Encoding: chunked']);
    const { statuses, closedAfterMs } = await exchange(
      server,
      [good + bad + scoreRequest([lengthOf(setScore)])],
      { withinMs: soonMs },
    );
    expect(closedAfterMs).not.toBeNull();
    expect(statuses.filter((status) => status < 300)).toEqual([200]);
  });
});

/** A close frame arrived; a WebSocket waits for the reply to it before it closes the connection (RFC 6455). */
function saidGoodbye(received: string): boolean {
  const frames = received.slice(received.indexOf('\r\n\r\n'));
  return [...frames].some((byte, at) => byte === '\u0088' && frames.charCodeAt(at + 1) <= 0x7d);
}

describe.concurrent('a WebSocket is closed that sends', () => {
  const handshake = lines(
    'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1',
    'Host: gantry.test',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  );
  const frame = (hex: string, payload: Buffer = Buffer.alloc(0)) =>
    Buffer.concat([Buffer.from(hex, 'hex'), payload]);
  /** A text frame, masked with zeros. */
  const text = (packet: string) =>
    frame(`81${(0x80 | Buffer.byteLength(packet)).toString(16)}00000000`, Buffer.from(packet));

  it.each<[string, Step[]]>([
    ['an unmasked frame', [frame('8102', Buffer.from('40'))]],
    ['a frame of 2^62 bytes', [frame('81ff400000000000000000000000')]],
    ['a frame of 3 MB', [frame('81ff000000000030000000000000'), Buffer.alloc(3 * 1024 * 1024, 0x34)]],
    ['a frame of an unknown kind', [frame('838000000000')]],
    ['a fragmented ping', [frame('098000000000')]],
    ['a ping of 126 bytes', [frame('89fe007e00000000', Buffer.alloc(126))]],
    ['text that is not UTF-8', [frame('818200000000', Buffer.from([0xff, 0xfe]))]],
    ['the end of a fragment that never began', [frame('808000000000')]],
    ['a packet of an unknown kind', [text('9')]],
    ['no packet at all', [text('40'), text('4zzz')]],
    ['a call before it has connected', [text('42["channelStatus","launcher",{}]')]],
    ['an event whose name is not a string', [text('40'), 200, text('42[{"a":1}]')]],
    ['an event that is not an array', [text('40'), 200, text('42{"0":"setUserScore"}')]],
    ['an event a client must not send', [text('40'), 200, text('42["disconnect"]')]],
    ['an unannounced attachment', [text('40'), 200, frame('828200000000', Buffer.from([1, 2]))]],
    ['a million attachments announced', [text('40'), 200, text('451000000-["a"]')]],
    ['noise', [randomBytes(2048)]],
  ])('%s', async (_what, steps) => {
    const { received, closedAfterMs } = await exchange(server, [handshake, 100, ...steps], {
      withinMs: soonMs,
    });
    expect(received).toContain('101 Switching Protocols');
    expect(closedAfterMs !== null || saidGoodbye(received)).toBe(true);
  });

  it.each([
    ['an event called error', '42["error",{"a":1}]'],
    ['an event without arguments', '42["setUserScore"]'],
    ['an event of numbers', '42[1,2,3]'],
    ['an unexpected acknowledgement', '43999["a"]'],
    ['a name of the prototype', '421["__proto__","constructor",{}]'],
  ])('it stays open when it sends %s, which has no effect', async (_what, packet) => {
    const { received, closedAfterMs } = await exchange(
      server,
      [handshake, 100, text('40'), 100, text(packet), 100, text('429["getActivities","launcher",{},{}]')],
      { withinMs: 1_500 },
    );
    expect(closedAfterMs).toBeNull();
    expect(received).toContain('439[null,{"success":true');
  });
});
