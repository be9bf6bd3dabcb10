import { isRecord } from "@kubewright/apimachinery";
import { CommandError } from "../../command/errors.ts";
import { type Blob, type BlobSource, maxDocumentBytes } from "../oci/blob-source.ts";
import { type Descriptor, descriptorOf, isIndexType, isManifestType, mediaTypes } from "../oci/descriptor.ts";
import type { DockerConfig } from "./docker-config.ts";
import { bytesOf, discard, type HttpCall, type HttpResponse, placeOf } from "./http-exchange.ts";
import { addressOf, type Reference } from "./reference.ts";
import { RegistryAccess } from "./registry-access.ts";

const maxRedirects = 5;
const maxErrorBytes = 64 * 1024;
const accepted = [mediaTypes.index, mediaTypes.manifest, mediaTypes.dockerIndex, mediaTypes.dockerManifest].join(", ");

/**
 * A repository in a registry, for pulls and pushes.
 *
 * @see OCI distribution-spec 1.1
 */
export class Registry implements BlobSource {
  readonly name: string;
  readonly #base: string;
  readonly #host: string;
  readonly #repository: string;
  readonly #reference: Reference;
  readonly #access: RegistryAccess;

  /** Creates the repository. @param readsFrom repositories in the same registry from which blobs may be mounted */
  constructor(
    reference: Reference & { readonly host: string },
    purpose: "pull" | "pull,push",
    { config, signal, readsFrom = [] }: RegistryOptions,
  ) {
    const { origin, repository } = addressOf(reference);
    this.name = `${reference.host}/${reference.repository}`;
    this.#host = reference.host;
    this.#repository = repository;
    this.#reference = reference;
    this.#base = `${origin}/v2/${repository}`;
    const scopes = [`repository:${repository}:${purpose}`, ...readsFrom.map((one) => `repository:${one}:pull`)];
    this.#access = new RegistryAccess({ host: reference.host, origin }, config, scopes, signal);
  }

  /** Returns the name from which another source's blobs can be mounted, or undefined if they cannot be mounted. */
  mountable(from: BlobSource): string | undefined {
    return from instanceof Registry && from.#host === this.#host ? from.#repository : undefined;
  }

  /** Fetches the manifest or index of the reference, and verifies it if the reference has a digest. */
  async root(): Promise<Descriptor> {
    const { tag = "latest", digest } = this.#reference;
    const { bytes, mediaType } = await this.#manifest(digest ?? tag);
    const found = descriptorOf(mediaType, bytes);
    if (digest !== undefined && found.digest !== digest)
      throw new CommandError(`${this.name}: ${digest}: the digest of the content is ${found.digest}`);
    return found;
  }

  async open({ digest, mediaType }: Descriptor): Promise<AsyncIterable<Uint8Array>> {
    const isManifest = isIndexType(mediaType) || isManifestType(mediaType);
    if (isManifest) return once((await this.#manifest(digest)).bytes);
    const answer = await this.#follow({ method: "GET", url: `${this.#base}/blobs/${digest}` });
    if (answer.status !== 200) throw await this.#unexpected(answer, `GET blob ${digest}`);
    return answer.body;
  }

  /** Uploads or mounts a blob, unless the repository already contains it. */
  async put({ descriptor, read }: Blob, mountFrom?: string): Promise<"there" | "mounted" | "uploaded"> {
    const { digest, size } = descriptor;
    const url = `${this.#base}/blobs/`;
    const known = await this.#follow({ method: "HEAD", url: url + digest });
    known.body.destroy();
    if (known.status === 200) return "there";
    const mount = mountFrom ? `?mount=${digest}&from=${encodeURIComponent(mountFrom)}` : "";
    const started = await this.#access.call({ method: "POST", url: `${url}uploads/${mount}`, body: empty });
    if (started.status === 201 && mount) {
      discard(started);
      return "mounted";
    }
    const { location } = started.headers;
    if (started.status !== 202 || !location) throw await this.#unexpected(started, `POST blob ${digest}`);
    discard(started);
    const place = placeOf(location, `${url}uploads/`, this.name);
    place.searchParams.set("digest", digest);
    const answer = await this.#access.call({
      method: "PUT",
      url: place.href,
      headers: { "content-type": "application/octet-stream" },
      body: { length: size, read },
    });
    if (answer.status !== 201) throw await this.#unexpected(answer, `PUT blob ${digest}`);
    discard(answer);
    return "uploaded";
  }

  /** Uploads a manifest or index. @param reference tag, or digest of `bytes` */
  async putManifest(reference: string, mediaType: string, bytes: Uint8Array): Promise<void> {
    const answer = await this.#access.call({
      method: "PUT",
      url: `${this.#base}/manifests/${reference}`,
      headers: { "content-type": mediaType },
      body: { length: bytes.length, read: () => once(bytes) },
    });
    if (answer.status !== 201) throw await this.#unexpected(answer, `PUT manifest ${reference}`);
    discard(answer);
  }

  async #manifest(reference: string): Promise<{ readonly bytes: Buffer; readonly mediaType: string }> {
    const answer = await this.#follow({
      method: "GET",
      url: `${this.#base}/manifests/${reference}`,
      headers: { accept: accepted },
    });
    if (answer.status !== 200) throw await this.#unexpected(answer, `GET manifest ${reference}`);
    const [mediaType = ""] = (answer.headers["content-type"] ?? "").split(";");
    const bytes = await bytesOf(answer, maxDocumentBytes, `${this.name}: manifest ${reference}`);
    return { bytes, mediaType: mediaType.trim() };
  }

  /** Sends a request and follows redirects, because registries often store blobs on other servers. */
  async #follow(call: HttpCall): Promise<HttpResponse> {
    let { url } = call;
    for (let hops = 0; hops <= maxRedirects; hops++) {
      const answer = await this.#access.call({ ...call, url });
      const { location } = answer.headers;
      if (answer.status < 300 || answer.status >= 400 || !location) return answer;
      answer.body.destroy();
      url = placeOf(location, url, this.name).href;
    }
    throw new CommandError(`${this.name}: too many redirects (more than ${maxRedirects})`);
  }

  async #unexpected(answer: HttpResponse, what: string): Promise<CommandError> {
    const bytes = await bytesOf(answer, maxErrorBytes, `${this.name}: ${what}: the response`);
    const errorMessage = errorText(bytes);
    return new CommandError(
      `${this.name}: ${what}: the registry responded with ${answer.status}${errorMessage ? `: ${errorMessage}` : ""}`,
    );
  }
}

export interface RegistryOptions {
  readonly config: DockerConfig;
  readonly signal: AbortSignal;
  readonly readsFrom?: readonly string[] | undefined;
}

const empty = { length: 0, read: () => nothing() };
async function* nothing(): AsyncGenerator<Uint8Array> {}
async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Formats the errors in a registry's response, such as `MANIFEST_UNKNOWN: manifest unknown`. */
function errorText(bytes: Buffer): string {
  try {
    const value: unknown = JSON.parse(bytes.toString("utf8"));
    const errors = isRecord(value) && Array.isArray(value.errors) ? value.errors.filter(isRecord) : [];
    return errors
      .map(({ code, message }) => `${String(code)}: ${String(message)}`)
      .join("; ")
      .slice(0, 500);
  } catch {
    return ""; // for example, an error page of a proxy
  }
}
