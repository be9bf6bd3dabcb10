import { once } from "node:events";
import type { IncomingMessage, RequestOptions } from "node:http";
import { timeoutSignal } from "@kubewright/clock";
import { CommandError } from "../command/errors.ts";

/** The console to check before its address is printed. */
export interface CheckedConsole {
  /** Origin of the console, such as `http://127.0.0.1:41234`. */
  readonly origin: string;
  readonly token: string;
  readonly signal: AbortSignal;
}

const path = "/debug/kubewright/v1/overview";
const patienceMs = 15_000;

/**
 * Checks that a console responds and accepts the token. Does not verify the console's certificate: the connection goes
 * through a tunnel, and the cluster determines where it ends.
 *
 * @returns the HTTP status of the response
 * @throws {CommandError} if nothing responds, or if the server that responds is not a console
 */
export async function checkConsole({ origin, token, signal }: CheckedConsole): Promise<200 | 401 | 403> {
  const { request } = origin.startsWith("https:") ? await import("node:https") : await import("node:http");
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    headers: { authorization: `Bearer ${token}` },
    agent: false,
    rejectUnauthorized: false,
    signal: AbortSignal.any([signal, timeoutSignal(patienceMs)]),
  };
  const asked = request(`${origin}${path}`, options).end();
  const [answer]: IncomingMessage[] = await once(asked, "response").catch((cause: unknown) => {
    signal.throwIfAborted();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new CommandError(
      `the console does not respond (${why}); check that the program calls addConsole and is running`,
      {
        cause,
      },
    );
  });
  answer?.destroy();
  const { statusCode } = answer ?? {};
  if (statusCode === 200 || statusCode === 401 || statusCode === 403) return statusCode;
  throw new CommandError(`the server does not appear to be a console: it responded with status ${statusCode}`);
}
