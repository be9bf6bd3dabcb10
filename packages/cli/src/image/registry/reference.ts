import { UsageError } from "../../command/errors.ts";
import { isDigest } from "../oci/descriptor.ts";

/** An image reference, such as `registry.example.com:5000/shop/operator:v1@sha256:…`. */
export interface Reference {
  /** Host, with its port if given. Undefined for references without a host, such as `shop:v1`. */
  readonly host?: string | undefined;
  readonly repository: string;
  readonly tag?: string | undefined;
  readonly digest?: string | undefined;
}

const part = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
const repositoryPattern = new RegExp(`^${part}(?:/${part})*$`);
const tagPattern = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;
const hostPattern = /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9a-fA-F:]+\])(?::\d{1,5})?$/;
const maxRepositoryLength = 255;

/**
 * Parses a reference as Docker does: the part before the first slash is the host if it contains a dot or a port, or is
 * `localhost`.
 *
 * @param flag flag name for messages
 * @throws {UsageError} if the reference is not valid; the message contains the rule and an example
 */
export function parseReference(text: string, flag: string): Reference {
  const wrong = (problem: string): UsageError => new UsageError(`${flag} ${JSON.stringify(text)}: ${problem}`);
  const [named = "", digest, ...more] = text.split("@");
  if (more.length > 0 || (digest !== undefined && !isDigest(digest)))
    throw wrong("@ must be followed by sha256: and 64 hexadecimal digits");
  const slash = named.indexOf("/");
  const first = named.slice(0, Math.max(slash, 0));
  const isHost = first === "localhost" || /[.:[]/.test(first);
  if (isHost && !hostPattern.test(first))
    throw wrong(`${JSON.stringify(first)} is not a host, such as "registry.example.com:5000"`);
  const rest = isHost ? named.slice(slash + 1) : named;
  const colon = rest.lastIndexOf(":");
  const [repository, tag] = colon < 0 ? [rest, undefined] : [rest.slice(0, colon), rest.slice(colon + 1)];
  if (tag !== undefined && !tagPattern.test(tag))
    throw wrong(
      `${JSON.stringify(tag)} is not a valid tag: use at most 128 letters, digits, "_", "." and "-", and start with neither "." nor "-", such as "v1.2.0"`,
    );
  if (!repositoryPattern.test(repository) || repository.length > maxRepositoryLength)
    throw wrong(
      `${JSON.stringify(repository)} is not a valid repository: use lower-case letters and digits, separated by ".", "_", "-" or "/", such as "shop/operator"`,
    );
  return {
    repository,
    ...(isHost ? { host: first } : {}),
    ...(tag === undefined ? {} : { tag }),
    ...(digest === undefined ? {} : { digest }),
  };
}

export const referenceText = ({ host, repository, tag, digest }: Reference): string =>
  `${host ? `${host}/` : ""}${repository}${tag ? `:${tag}` : ""}${digest ? `@${digest}` : ""}`;

/** Reports whether a host is this machine. Plain HTTP is allowed only for this machine. */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/.test(host);

/**
 * Returns the origin and path of a repository. Docker Hub's registry has a different host name than its references, and
 * official images there have the prefix `library`.
 */
export function addressOf({ host = "docker.io", repository }: Reference): {
  readonly origin: string;
  readonly repository: string;
} {
  const isHub = host === "docker.io" || host === "index.docker.io";
  const name = isHub ? "registry-1.docker.io" : host;
  return {
    origin: `${isLoopback(name) ? "http" : "https"}://${name}`,
    repository: isHub && !repository.includes("/") ? `library/${repository}` : repository,
  };
}
