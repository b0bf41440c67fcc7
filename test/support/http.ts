/** A response of the server, with its whole body. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

/** POSTs JSON; a string is sent unchanged. */
export async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  return read(
    await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    }),
  );
}

export async function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return read(await fetch(url, { headers }));
}

async function read(response: Response): Promise<Answer> {
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}
