import { get } from '../../shared/api.js';
import { openApiAddress } from '../site.js';

/** @typedef {import('./schema.js').Schema} Schema */

/**
 * @typedef {object} Parameter
 * @property {string} name
 * @property {'query' | 'header'} in
 * @property {boolean} [required]
 * @property {Schema} schema
 * @property {string} [description]
 * @property {unknown} [example]
 */

/** @typedef {{ 'application/json': { schema: Schema, example?: any } }} JsonContent */

/**
 * An operation of the document, with its path and method.
 * @typedef {object} DescribedOperation
 * @property {string} path
 * @property {'get' | 'post'} method
 * @property {string} operationId
 * @property {string} summary
 * @property {string} description
 * @property {readonly string[]} tags its service
 * @property {string} [x-topic] missing for method dispatch
 * @property {readonly Record<string, unknown>[]} [security]
 * @property {readonly Parameter[]} [parameters]
 * @property {{ content: JsonContent }} [requestBody]
 * @property {Readonly<Record<string, { description: string, content: JsonContent }>>} responses
 */

/**
 * What the page shows of the OpenAPI document.
 * @typedef {object} ApiDocument
 * @property {readonly { title: string, page: string }[]} topics
 * @property {readonly DescribedOperation[]} operations
 * @property {import('./schema.js').Schemas} schemas
 * @property {Readonly<Record<string, { description: string }>>} credentials by the name of their scheme
 */

/** @returns {Promise<ApiDocument>} */
export async function loadDocument() {
  const { 'x-topics': topics, paths, components } = await get(openApiAddress);
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ ...operation, path, method })),
  );
  return { topics, operations, schemas: components.schemas, credentials: components.securitySchemes };
}

/** @param {string} title */
export function idOfTopic(title) {
  return title.toLowerCase().replaceAll(' ', '-');
}
