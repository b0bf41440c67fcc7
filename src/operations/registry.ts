import type { AnyOperation, ServiceName } from './define.ts';

/** Looks operations up by the names callers use. Only registered names are found: no `constructor`. */
export class Registry {
  readonly operations: readonly AnyOperation[];
  readonly #byMethod = new Map<string, AnyOperation>();
  readonly #byPath = new Map<string, AnyOperation>();
  readonly #byAdminPath = new Map<string, AnyOperation>();
  readonly #services = new Set<string>(['launcher']);

  constructor(list: readonly AnyOperation[]) {
    this.operations = list;
    for (const operation of list) {
      if (operation.service === 'admin') {
        this.#add(this.#byAdminPath, kebabCase(operation.name), operation);
        continue;
      }
      this.#services.add(operation.service);
      for (const service of new Set<ServiceName>([operation.service, 'launcher'])) {
        for (const name of [operation.name, ...(operation.aliases ?? [])]) {
          this.#add(this.#byMethod, `${service} ${name}`, operation);
        }
      }
      for (const { service, name } of operation.alsoOn ?? []) {
        this.#services.add(service);
        this.#add(this.#byMethod, `${service} ${name}`, operation);
      }
      this.#add(this.#byPath, kebabCase(operation.name), operation);
      if (operation.getPath) this.#add(this.#byMethod, `${operation.service} find`, operation);
    }
  }

  /** Names of the services, which are the dispatch paths too. */
  get services(): ReadonlySet<string> {
    return this.#services;
  }

  /** The operations a service offers by method dispatch, each with the names it has there. */
  offered(service: string): { operation: AnyOperation; names: string[] }[] {
    return this.operations.flatMap((operation) => {
      if (operation.service === 'admin') return [];
      const own = service === 'launcher' || operation.service === service;
      const further = (operation.alsoOn ?? []).filter((one) => one.service === service);
      const names = [
        ...(own ? [operation.name, ...(operation.aliases ?? [])] : []),
        ...further.map(({ name }) => name),
      ];
      return names.length === 0 ? [] : [{ operation, names }];
    });
  }

  /** The operation a service knows under a method name, as the socket and `X-Service-Method` give it. */
  method(service: string, name: string): AnyOperation | undefined {
    return this.#byMethod.get(`${service} ${name}`);
  }

  /** The operation of the administrators' path `/admin/<name>`. */
  adminPath(name: string): AnyOperation | undefined {
    return this.#byAdminPath.get(name);
  }

  /** The operation of the dedicated path `/launcher/<name>`. */
  path(name: string): AnyOperation | undefined {
    return this.#byPath.get(name);
  }

  #add(map: Map<string, AnyOperation>, key: string, operation: AnyOperation): void {
    if (map.has(key)) throw new Error(`two operations are called ${key}`);
    map.set(key, operation);
  }
}

/** `setUserScore` → `set-user-score` */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
