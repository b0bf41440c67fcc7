import type { AnyOperation, ServiceName } from '../features/operation.ts';

/** Looks operations up by the names callers use. Only registered names are found, never `constructor`. */
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
        for (const name of namesOf(operation)) {
          this.#add(this.#byAdminPath, kebabCase(name), operation);
        }
        continue;
      }
      this.#services.add(operation.service);
      for (const service of new Set<ServiceName>([operation.service, 'launcher'])) {
        for (const name of namesOf(operation)) {
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

  /** The names of the services, which are also the dispatch paths. */
  get services(): ReadonlySet<string> {
    return this.#services;
  }

  /** The operations that a service offers by method dispatch, each with its names there. */
  offered(service: string): { operation: AnyOperation; names: string[] }[] {
    return this.operations.flatMap((operation) => {
      if (operation.service === 'admin') return [];
      const own = service === 'launcher' || operation.service === service;
      const additional = (operation.alsoOn ?? []).filter((one) => one.service === service);
      const names = [
        ...(own ? [operation.name, ...(operation.aliases ?? [])] : []),
        ...additional.map(({ name }) => name),
      ];
      return names.length === 0 ? [] : [{ operation, names }];
    });
  }

  /** The operation of a service by its method name, as used on the socket and in `X-Service-Method`. */
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
    if (map.has(key)) throw new Error(`two operations are named ${key}`);
    map.set(key, operation);
  }
}

/** All names of an operation, its own first. */
export function namesOf({ name, aliases = [], deprecatedNames = {} }: AnyOperation): string[] {
  return [name, ...aliases, ...Object.keys(deprecatedNames)];
}

/** `setUserScore` → `set-user-score` */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
