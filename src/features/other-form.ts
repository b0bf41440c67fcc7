import type { z } from 'zod';
import type { AnyCost, AuthKind, Callers, Cost } from './operation.ts';

/**
 * The form in which basement.fun's clients call an operation, where it differs from ours; accepted by method dispatch
 * and on the socket. Taken from the schemas of its npm package, `@b3dotfun/basement-api`.
 */
interface OtherForm<
  Auth extends AuthKind,
  In extends z.ZodType<object>,
  Out extends z.ZodType,
  Needs extends object,
> {
  /** Used only for the caller's type. */
  auth: Auth;
  /** Whether an input, not validated yet, has this form. */
  isUsed(input: Readonly<Record<string, unknown>>): boolean;
  input: In;
  output: Out;
  cost?: Cost<z.output<In>>;
  handler(request: { input: z.output<In>; caller: Callers[Auth] }, services: Needs): Promise<z.input<Out>>;
}

/** A handler whose own types are forgotten; see `AnyOperation`. */
export interface AnyHandler {
  handler(request: { input: object; caller: Callers[AuthKind] }, services: object): Promise<unknown>;
}

/** A form whose types were checked by `defineOtherForm`. */
export interface AnyOtherForm extends AnyHandler {
  isUsed(input: Readonly<Record<string, unknown>>): boolean;
  input: z.ZodType<object>;
  output: z.ZodType;
  cost?: AnyCost;
}

export function defineOtherForm<
  const Auth extends AuthKind,
  In extends z.ZodType<object>,
  Out extends z.ZodType,
  Needs extends object,
>({ auth: _, ...form }: OtherForm<Auth, In, Out, Needs>): AnyOtherForm {
  return form;
}
