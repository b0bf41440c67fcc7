import { z } from 'zod';
import { reasons } from '../errors.ts';
import type { AnyOperation } from '../operations/define.ts';
import { kebabCase, type Registry } from '../operations/registry.ts';

type Json = Record<string, unknown>;

const errorBody = z
  .object({
    success: z.literal(false),
    error: z.string(),
    name: z.string(),
    message: z.string(),
    code: z.int(),
    className: z.string(),
    data: z.object({ reason: z.enum(Object.keys(reasons) as [keyof typeof reasons]) }),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ description: 'What every failed call answers' });

const token = z.string().meta({ description: "The player's launcher token" });

/** The OpenAPI 3.1 document of every operation, over its dedicated path and by method dispatch. */
export function openApiDocument(registry: Registry, serverUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const operation of registry.operations) {
    const prefix = operation.service === 'admin' ? '/admin' : '/launcher';
    paths[`${prefix}/${kebabCase(operation.name)}`] = { post: dedicated(operation) };
    if (operation.getPath) paths[operation.getPath] = { get: byQuery(operation) };
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
        'Backend for games that run inside a launcher. Every operation has a path of its own and can also be ' +
        'called on `/launcher` with the header `X-Service-Method`, or over Socket.IO.',
    },
    servers: [{ url: serverUrl }],
    paths,
    components: { schemas: components(registry), securitySchemes },
  };
}

const securitySchemes = {
  adminToken: { type: 'http', scheme: 'bearer', description: "The administrators' token" },
  gameSecret: {
    type: 'http',
    scheme: 'bearer',
    description: 'The secret of the game; optional unless the game wants it',
  },
};

function dedicated(operation: AnyOperation): Json {
  return {
    operationId: operation.name,
    tags: [operation.service],
    summary: operation.summary,
    ...(operation.service === 'admin'
      ? { security: [{ adminToken: [] }] }
      : { parameters: signingHeaders, security: [...secretIsOptional(operation), { gameSecret: [] }] }),
    requestBody: jsonBody(reference(`${operation.name}Input`)),
    responses: responses(reference(`${operation.name}Output`)),
  };
}

function secretIsOptional({ auth }: AnyOperation): Json[] {
  return auth === 'game-secret' ? [] : [{}];
}

function byQuery(operation: AnyOperation): Json {
  return {
    operationId: `${operation.name}ByQuery`,
    tags: [operation.service],
    summary: operation.summary,
    parameters: queryParameters(operation),
    responses: responses(reference(`${operation.name}Output`)),
  };
}

function dispatch(registry: Registry, service: string): Json {
  const offered = offeredBy(registry, service);
  return {
    operationId: `${service}Dispatch`,
    tags: [service],
    summary: 'Carry out the operation that X-Service-Method names',
    parameters: [methodHeader(offered), ...signingHeaders],
    security: [{}, { gameSecret: [] }],
    requestBody: jsonBody({ anyOf: offered.map((one) => reference(dispatchSchemaName(one))) }),
    responses: responses({ anyOf: offered.map((one) => reference(`${one.name}Output`)) }),
  };
}

/** Nothing where a service has no operation that changes nothing. */
function dispatchedGet(registry: Registry, service: string): Json {
  const offered = offeredBy(registry, service).filter((one) => one.kind === 'read');
  if (offered.length === 0) return {};
  const get = {
    operationId: `${service}DispatchByQuery`,
    tags: [service],
    summary: 'Carry out an operation that changes nothing; its input is the query',
    parameters: [
      methodHeader(offered),
      {
        name: 'launcherJwt',
        in: 'query',
        schema: { type: 'string' },
        description: 'Or the header X-Launcher-Jwt',
      },
      { name: 'X-Launcher-Jwt', in: 'header', schema: { type: 'string' } },
    ],
    responses: responses({ anyOf: offered.map((one) => reference(`${one.name}Output`)) }),
  };
  return { get };
}

function offeredBy(registry: Registry, service: string): AnyOperation[] {
  return registry.operations.filter(
    (one) => one.service !== 'admin' && (service === 'launcher' || one.service === service),
  );
}

/** Every schema by name; records that several operations answer with stand once, under their own name. */
function components(registry: Registry): Json {
  const schemas: Json = {};
  const add = (name: string, schema: z.ZodType, io: 'input' | 'output') => {
    const { $schema, $defs, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
    Object.assign(schemas, JSON.parse(ownNames(JSON.stringify({ ...$defs, [name]: converted }), name)));
  };
  add('Error', errorBody, 'output');
  for (const operation of registry.operations) {
    add(`${operation.name}Input`, withToken(operation, operation.input), 'input');
    if (operation.dispatchInput) {
      add(dispatchSchemaName(operation), withToken(operation, operation.dispatchInput), 'input');
    }
    add(`${operation.name}Output`, operation.output, 'output');
  }
  return JSON.parse(JSON.stringify(schemas).replaceAll('"#/$defs/', '"#/components/schemas/'));
}

/** zod numbers the schemas it has to name itself, from 0 in each document; here they get their owner's name. */
function ownNames(json: string, owner: string): string {
  return json
    .replaceAll('"__schema', `"${owner}Part`)
    .replaceAll('"#/$defs/__schema', `"#/$defs/${owner}Part`);
}

/** The input as a caller sends it, with the token that authentication takes out of it. */
function withToken(operation: AnyOperation, schema: z.ZodObject): z.ZodObject {
  const takesToken = operation.auth === 'player' || operation.auth === 'session';
  return takesToken ? z.object({ launcherJwt: token, ...schema.shape }) : schema;
}

function dispatchSchemaName(operation: AnyOperation): string {
  return operation.dispatchInput ? `${operation.name}DispatchInput` : `${operation.name}Input`;
}

function queryParameters(operation: AnyOperation): Json[] {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' });
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }));
}

function methodHeader(operations: readonly AnyOperation[]): Json {
  const names = operations.flatMap((one) => [one.name, ...(one.aliases ?? [])]);
  return { name: 'X-Service-Method', in: 'header', required: true, schema: { type: 'string', enum: names } };
}

const signingHeaders: Json[] = [
  {
    name: 'X-Request-Nonce',
    in: 'header',
    schema: { type: 'string' },
    description: 'Random, new for every request',
  },
  {
    name: 'X-Request-Signature',
    in: 'header',
    schema: { type: 'string' },
    description:
      'hex MD5(nonce + hex MD5(game secret)) or, stronger, `sha256=` and ' +
      'hex HMAC-SHA256(game secret, timestamp + "." + nonce + "." + body)',
  },
  {
    name: 'X-Request-Timestamp',
    in: 'header',
    schema: { type: 'string' },
    description: 'Unix time in milliseconds or seconds, at most 5 minutes from now; signed by HMAC only',
  },
];

function jsonBody(schema: Json): Json {
  return { required: true, content: { 'application/json': { schema } } };
}

function responses(schema: Json): Json {
  const failure = { content: { 'application/json': { schema: reference('Error') } } };
  return {
    200: { description: 'Done', content: { 'application/json': { schema } } },
    400: { description: 'The request is wrong; `errors` says where', ...failure },
    401: { description: 'The caller may not do this', ...failure },
    429: { description: 'Too many calls; `Retry-After` says when to try again', ...failure },
    default: { description: 'Any other failure', ...failure },
  };
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}
