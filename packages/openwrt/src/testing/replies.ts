import type { Cnf } from "./cnf.ts";
import { writeJson } from "./json/write.ts";
import type { CnfResponse } from "./response.ts";

export function json(status: number, value: unknown, cnf: Pick<Cnf, "quirks">): CnfResponse {
  return { status, contentType: "application/json", body: writeJson(value, { luci: cnf.quirks }) };
}

/** Response to a successful action or deletion. */
export const success: CnfResponse = { status: 200, contentType: "text/plain", body: '{"message":"success"}' };

/**
 * Returns an error response with the text that the REST modules use. The reference CNF also puts the message into the
 * status line, truncated and without escaping.
 */
export function refusal(status: number, message: string, cnf: Pick<Cnf, "quirks">): CnfResponse {
  const contentType = "text/plain";
  if (!cnf.quirks) return { status, contentType, body: JSON.stringify({ message }) };
  return { status, contentType, reason: message.slice(0, 63), body: `{"message":"${message}"}` };
}

const page = (title: string, text: string): string =>
  `<!DOCTYPE html>\n<html><head><title>${title} - LuCI</title></head><body><h2>${title}</h2><p>${text}</p></body></html>\n`;

export const loginPage: CnfResponse = {
  status: 403,
  contentType: "text/html",
  headers: { "X-LuCI-Login-Required": "yes" },
  body: page("Authorization Required", "Please enter your username and password."),
};

export const unknownPage: CnfResponse = {
  status: 404,
  contentType: "text/html",
  body: page("404 Not Found", "Sorry, the object you requested was not found."),
};

export const indexPage: CnfResponse = { status: 200, contentType: "text/html", body: page("CNF", "Status") };

/** Returns the web server's 404 page, for paths that do not belong to LuCI. */
export function notOnThisServer(path: string): CnfResponse {
  const shown = path.replace(/[<>&]/g, "");
  const body = `<h1>Not Found</h1>The requested URL ${shown} was not found on this server.`;
  return { status: 404, contentType: "text/html", body };
}

export const badRequest: CnfResponse = { status: 400, contentType: "text/html", body: "<h1>Bad Request</h1>" };
