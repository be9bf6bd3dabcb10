import { existsSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { isRecord } from "@kubewright/apimachinery";
import { UsageError } from "../../command/errors.ts";
import { readText } from "../../project/files.ts";

/** Credentials for a registry. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** Refresh token that replaces the password. */
  readonly identityToken?: string | undefined;
}

/** The configuration written by `docker login`. */
export interface DockerConfig {
  /** Path of the configuration file, which may not exist. */
  readonly path: string;
  /** Returns the credentials for a host, or undefined if there are none. */
  credentials(host: string): Credentials | undefined;
  /** Returns the name of the credential helper for a host. Helpers are not supported and never run. */
  helper(host: string): string | undefined;
}

const maxBytes = 1024 * 1024;

/** Reads Docker's configuration file. @throws {UsageError} if the file exists but cannot be read */
export function readDockerConfig(env: Readonly<Record<string, string | undefined>>): DockerConfig {
  const path = join(env.DOCKER_CONFIG || join(env.HOME || homedir(), ".docker"), "config.json");
  const wrong = (problem: string): UsageError => new UsageError(`${path}: ${problem}`);
  let value: unknown = {};
  if (existsSync(path)) {
    if (statSync(path).size > maxBytes) throw wrong(`the file is larger than ${maxBytes} bytes`);
    try {
      value = JSON.parse(readText(path));
    } catch (error) {
      throw wrong(`cannot be read: ${error instanceof SyntaxError ? jsonProblem(error) : error}`);
    }
  }
  const { auths, credHelpers, credsStore } = isRecord(value) ? value : {};
  return {
    path,
    credentials(host) {
      const entry = keysOf(host)
        .map((key) => (isRecord(auths) && Object.hasOwn(auths, key) ? auths[key] : undefined))
        .find(isRecord);
      return entry && credentialsIn(entry, (problem) => wrong(`auths: ${JSON.stringify(host)}: ${problem}`));
    },
    helper(host) {
      const own = isRecord(credHelpers)
        ? keysOf(host)
            .map((key) => (Object.hasOwn(credHelpers, key) ? credHelpers[key] : undefined))
            .find((one) => one !== undefined)
        : undefined;
      const name = own ?? credsStore;
      return typeof name === "string" && name ? `docker-credential-${name}` : undefined;
    },
  };
}

/** Returns only the location of a syntax error, because the text around it may contain a password. */
function jsonProblem({ message }: SyntaxError): string {
  const [place = ""] = / \(line \d+ column \d+\)/.exec(message) ?? [];
  return `not valid JSON${place}`;
}

/** Returns the keys under which the configuration may contain a host. Docker Hub has special keys. */
const keysOf = (host: string): string[] =>
  /^(?:index\.|registry-1\.)?docker\.io$/.test(host)
    ? ["https://index.docker.io/v1/", "docker.io", "index.docker.io"]
    : [host, `https://${host}`, `http://${host}`, `https://${host}/v1/`, `https://${host}/v2/`];

function credentialsIn(
  { auth, username, password, identitytoken }: Readonly<Record<string, unknown>>,
  wrong: (problem: string) => UsageError,
): Credentials | undefined {
  const identityToken = typeof identitytoken === "string" && identitytoken ? identitytoken : undefined;
  const token = identityToken === undefined ? {} : { identityToken };
  if (typeof username === "string" && typeof password === "string") return { username, password, ...token };
  if (typeof auth === "string" && auth) {
    const text = Buffer.from(auth, "base64").toString("utf8");
    const colon = text.indexOf(":");
    if (colon < 1) throw wrong("auth: must be user:password in base64");
    return { username: text.slice(0, colon), password: text.slice(colon + 1).replace(/(?<!\0)\0+$/, ""), ...token };
  }
  return identityToken === undefined ? undefined : { username: "", password: "", ...token };
}
