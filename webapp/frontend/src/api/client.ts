/** One way to talk to the server: JSON in and out, problems as exceptions. */

export interface ProblemBody {
  title?: string;
  status?: number;
  detail?: string;
  errors?: Record<string, string>;
  decided_by?: string | null;
  decided_at?: string | null;
  decision?: string;
}

/** The server refused (RFC 9457), or could not be reached (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly body: ProblemBody,
  ) {
    super(body.detail || body.title || `HTTP ${status}`);
  }
}

type Query = Record<string, string | number | boolean | null | undefined>;

function cookie(name: string): string {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

async function csrf(): Promise<string> {
  if (!cookie("csrftoken")) await fetch("/api/csrf", { credentials: "same-origin" });
  return cookie("csrftoken");
}

export function queryString(query: Query): string {
  const kept = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const text = new URLSearchParams(kept.map(([key, value]) => [key, String(value)])).toString();
  return text && `?${text}`;
}

async function problemOf(response: Response): Promise<Problem> {
  const body: unknown = await response.json().catch(() => ({}));
  return new Problem(response.status, (typeof body === "object" && body !== null ? body : {}) as ProblemBody);
}

async function send<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
  const sent: Record<string, string> = { Accept: "application/json", ...headers };
  if (method !== "GET") sent["X-CSRFToken"] = await csrf();
  if (body !== undefined) sent["Content-Type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(`/api${path}`, {
      method,
      credentials: "same-origin",
      headers: sent,
      body: body === undefined ? null : JSON.stringify(body),
    });
  } catch {
    throw new Problem(0, { title: "unreachable" });
  }
  if (!response.ok) throw await problemOf(response);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

export const api = {
  get: <T>(path: string, query: Query = {}) => send<T>("GET", path + queryString(query)),
  post: <T>(path: string, body?: unknown, headers?: Record<string, string>) => send<T>("POST", path, body, headers),
  put: <T>(path: string, body: unknown) => send<T>("PUT", path, body),
  patch: <T>(path: string, body: unknown) => send<T>("PATCH", path, body),
  delete: <T>(path: string) => send<T>("DELETE", path),
};

/** Address of a stored picture. */
export const frameUrl = (hash: string): string => `/api/frames/${hash}.jpg`;
