import type { IncomingMessage, ServerResponse } from "node:http";
import { FakeClock } from "@kubewright/clock/testing";
import { expect, it } from "vitest";
import { Sessions } from "../security/sessions.ts";
import { type RoutesOptions, routes } from "./routes.ts";

it("prints too few addresses to make an earlier address invalid", async () => {
  const clock = new FakeClock();
  const sessions = new Sessions(clock);
  const first = sessions.newToken();
  const printed: string[] = [];
  const links = { newUrl: () => sessions.newToken(), print: (text: string) => printed.push(text), nextMs: 0 };
  const listening = { isLoopback: true, isSecure: false, port: 8090 };
  const handler = routes({ listening, hosts: [], sessions, clock, links } as unknown as RoutesOptions);
  const statuses: number[] = [];
  const response = {
    setTimeout: () => {},
    writeHead: (status: number) => ({ end: () => void statuses.push(status) }),
  } as unknown as ServerResponse;
  const request = { method: "POST", headers: { host: "127.0.0.1" } } as unknown as IncomingMessage;
  for (let seconds = 0; seconds < 599; seconds++) {
    await handler(request, response, new URL("http://127.0.0.1/debug/kubewright/v1/link"));
    await clock.advance(1_000);
  }
  expect([statuses.filter((status) => status === 200).length, printed.length, statuses.length]).toEqual([10, 10, 599]);
  expect(sessions.exchange(first)).toBeDefined();
});
