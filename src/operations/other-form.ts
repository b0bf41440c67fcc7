import type { z } from 'zod';
import type { AuthKind, Callers } from '../auth/authenticator.ts';

/**
 * The form in which clients of basement.fun call an operation, where it differs from ours; taken by method dispatch and on
 * the socket. The source is the schemas of its npm package, `@b3dotfun/basement-api`.
 */
interface OtherForm<
  Auth extends AuthKind,
  In extends z.ZodType,
  Out extends z.ZodType,
  Needs extends object,
> {
  /** Only for the type of the caller. */
  auth: Auth;
  /** Whether an input, of which nothing is known yet, is of this form. */
  isUsed(input: Readonly<Record<string, unknown>>): boolean;
  input: In;
  output: Out;
  handler(request: { input: z.output<In>; caller: Callers[Auth] }, services: Needs): Promise<z.input<Out>>;
}

/** One whose types have been checked where it was defined. */
export interface AnyOtherForm {
  isUsed(input: Readonly<Record<string, unknown>>): boolean;
  input: z.ZodType;
  output: z.ZodType;
  handler(request: { input: never; caller: never }, services: never): Promise<unknown>;
}

export function defineOtherForm<
  const Auth extends AuthKind,
  In extends z.ZodType,
  Out extends z.ZodType,
  Needs extends object,
>({ auth: _, ...form }: OtherForm<Auth, In, Out, Needs>): AnyOtherForm {
  return form;
}
