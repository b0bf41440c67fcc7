import {
  type AnyOperation,
  acceptsToken,
  kebabCase,
  type Registry,
  serviceDescriptions,
  type Topic,
} from '../../features/operation.ts';
import { describeOperation } from './describe-operation.ts';
import recorded from './examples.json' with { type: 'json' };
import { components, dispatchSchemaName, type Json, propertiesOf } from './schemas.ts';

interface Example {
  input: Json;
  output: unknown;
}

/** An example call and answer of each operation, recorded by `test/openapi/record-examples.ts`. */
const examples: Readonly<Record<string, Example>> = recorded;

/** The placeholder for a token in examples. */
const exampleToken = 'YOUR_LAUNCHER_JWT';

/**
 * The OpenAPI 3.1 document of every operation, by dedicated path and by method dispatch. `tags` are services, after which
 * generators name their classes; the extensions `x-topics` and `x-topic` are the topics of the manual.
 */
export function openApiDocument(registry: Registry, topics: readonly Topic[], serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  const topicOf = new Map(topics.flatMap(({ title, operations }) => operations.map((name) => [name, title])));
  for (const operation of registry.operations) {
    const prefix = operation.service === 'admin' ? '/admin' : '/launcher';
    const topic = { 'x-topic': topicOf.get(operation.name) };
    paths[`${prefix}/${kebabCase(operation.name)}`] = { post: { ...dedicated(operation), ...topic } };
    if (operation.getPath) paths[operation.getPath] = { get: { ...byQuery(operation), ...topic } };
  }
  for (const service of registry.services) {
    const get = dispatchedGet(registry, service);
    paths[`/${service}`] = { ...get, ...paths[`/${service}`], post: dispatch(registry, service) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Gantry',
      version: '1',
      description:
        'Backend for games that run inside a launcher. Every operation has a dedicated path and can also be ' +
        'called on `/launcher` with the header `X-Service-Method`, or over Socket.IO.',
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this server', url: serverUrl },
    },
    servers: [{ url: serverUrl }],
    tags: Object.entries(serviceDescriptions).map(([name, description]) => ({ name, description })),
    'x-topics': topics.map(({ title, page }) => ({ title, page })),
    paths,
    components: { schemas: components(registry), securitySchemes },
  };
}

const securitySchemes = {
  launcherJwt: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Launcher-Jwt',
    description:
      'The token of one player in one game, from signing in or `gantry token`. GET takes it as this header; POST takes ' +
      "it as the body's field `launcherJwt`, which this server's reference fills in automatically.",
  },
  adminToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'The admin token, printed by the first start, or the token of a named administrator, within the limits of their ' +
      'role.',
  },
  gameSecret: {
    type: 'http',
    scheme: 'bearer',
    description:
      "The secret of the game; optional unless the game requires it. With it and `wallet`, the game's server calls for " +
      'any player, without launcherJwt.',
  },
};

function dedicated(operation: AnyOperation): Json {
  return {
    operationId: operation.name,
    tags: [operation.service],
    summary: operation.summary,
    description: describeOperation(operation),
    ...(operation.service === 'admin'
      ? { security: [{ adminToken: [] }] }
      : {
          parameters: [...signingHeaders, ...keyHeader(operation)],
          security: securityOf(operation),
        }),
    requestBody: jsonBody(reference(`${operation.name}Input`), inputExample(operation)),
    responses: responses(reference(`${operation.name}Output`), examples[operation.name]?.output),
  };
}

/** A player's token is a field of the body, so `{}` stands for it too. */
function securityOf({ auth }: AnyOperation): Json[] {
  if (auth === 'public' || auth === 'player-or-anyone') return [];
  return auth === 'game-secret' ? [{ gameSecret: [] }] : [{}, { gameSecret: [] }];
}

function querySecurityOf({ auth }: AnyOperation): Json[] {
  if (auth === 'public') return [];
  return auth === 'player-or-anyone' ? [{}, { launcherJwt: [] }] : [{ launcherJwt: [] }];
}

function byQuery(operation: AnyOperation): Json {
  return {
    operationId: `${operation.name}ByQuery`,
    tags: [operation.service],
    summary: operation.summary,
    description: describeOperation(operation),
    security: querySecurityOf(operation),
    parameters: queryParameters(operation),
    responses: responses(reference(`${operation.name}Output`), examples[operation.name]?.output),
  };
}

function dispatch(registry: Registry, service: string): Json {
  const offered = registry.offered(service);
  const [shown] = offered;
  return {
    operationId: `${service}Dispatch`,
    tags: [service],
    summary: 'Execute the operation named by X-Service-Method',
    description: "The body is the operation's input. Each operation is described at its own path.",
    parameters: [methodHeader(offered), ...signingHeaders, idempotencyKeyHeader],
    security: [{}, { gameSecret: [] }],
    requestBody: jsonBody(
      anyOf(offered.flatMap(({ operation }) => dispatchInputs(operation))),
      shown && inputExample(shown.operation),
    ),
    responses: responses(
      anyOf(offered.flatMap(({ operation }) => dispatchOutputs(operation))),
      shown && examples[shown.operation.name]?.output,
    ),
  };
}

/** Empty for a service without read operations. */
function dispatchedGet(registry: Registry, service: string): Json {
  const offered = registry.offered(service).filter(({ operation }) => operation.kind === 'read');
  if (offered.length === 0) return {};
  const get = {
    operationId: `${service}DispatchByQuery`,
    tags: [service],
    summary: 'Execute a read operation; its input is the query',
    description: 'For operations that only read. Each is described at its own path.',
    parameters: [
      methodHeader(offered),
      {
        name: 'launcherJwt',
        in: 'query',
        schema: { type: 'string' },
        description: 'Alternatively the header X-Launcher-Jwt',
      },
    ],
    security: [{}, { launcherJwt: [] }],
    responses: responses(anyOf(offered.flatMap(({ operation }) => dispatchOutputs(operation)))),
  };
  return { get };
}

/** The input as sent, with the token. */
function inputExample(operation: AnyOperation): Json | undefined {
  const example = examples[operation.name]?.input;
  if (!example) return undefined;
  return acceptsToken(operation) ? { launcherJwt: exampleToken, ...example } : example;
}

function keyHeader({ kind, isRepeatable }: AnyOperation): Json[] {
  return kind === 'write' && !isRepeatable ? [idempotencyKeyHeader] : [];
}

function queryParameters(operation: AnyOperation): Json[] {
  const { properties, required } = propertiesOf(operation.input);
  const example = examples[operation.name]?.input ?? {};
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema,
    ...(Object.hasOwn(example, name) && { example: example[name] }),
  }));
}

function dispatchInputs(operation: AnyOperation): Json[] {
  const own = reference(dispatchSchemaName(operation));
  return operation.otherForm ? [own, reference(`${operation.name}OtherInput`)] : [own];
}

function dispatchOutputs(operation: AnyOperation): Json[] {
  const own = reference(`${operation.name}Output`);
  return operation.otherForm ? [own, reference(`${operation.name}OtherOutput`)] : [own];
}

function methodHeader(offered: readonly { names: readonly string[] }[]): Json {
  const names = offered.flatMap((one) => one.names);
  return {
    name: 'X-Service-Method',
    in: 'header',
    required: true,
    schema: { type: 'string', enum: names },
    example: names[0],
  };
}

const idempotencyKeyHeader: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'For writes: unique for each. A write that is retried with the same key is executed once and gets the same response',
};

const signingHeaders: Json[] = [
  {
    name: 'X-Request-Nonce',
    in: 'header',
    schema: { type: 'string' },
    description: 'Random and unique per request',
  },
  {
    name: 'X-Request-Signature',
    in: 'header',
    schema: { type: 'string' },
    description:
      'Best: `v2=` and hex HMAC-SHA256(game secret, text), where the lines of text are `v2`, timestamp, nonce, method, ' +
      'path, query, X-Service-Method, X-Launcher-Jwt and hex SHA-256(body). For the body only: `sha256=` and ' +
      'hex HMAC-SHA256(game secret, timestamp + "." + nonce + "." + body). Weak: hex MD5(nonce + hex MD5(game secret))',
  },
  {
    name: 'X-Request-Timestamp',
    in: 'header',
    schema: { type: 'string' },
    description: 'Unix time in milliseconds or seconds, at most 5 minutes from now; signed by HMAC only',
  },
];

function jsonBody(schema: Json, example: unknown): Json {
  return { required: true, content: { 'application/json': { schema, example } } };
}

function responses(schema: Json, example?: unknown): Json {
  const failure = { content: { 'application/json': { schema: reference('Error') } } };
  return {
    200: { description: 'Success', content: { 'application/json': { schema, example } } },
    400: { description: 'Invalid request; `errors` lists the invalid fields', ...failure },
    401: { description: 'Not authenticated or not permitted', ...failure },
    403: { description: "Only the game's server may do this", ...failure },
    429: { description: 'Rate limited; `Retry-After` says when to retry', ...failure },
    default: { description: 'Any other error', ...failure },
  };
}

function anyOf(schemas: Json[]): Json {
  const [first, ...others] = schemas;
  return first && others.length === 0 ? first : { anyOf: schemas };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
