import type { ReadPod } from "./informer-subject.ts";

const metadataKey = Buffer.from('"metadata":');
const managedKey = Buffer.from(',"managedFields":[');
const specKey = Buffer.from('},"spec":');

/**
 * A Pod with parsed metadata, without its `managedFields`. All other fields are kept as text until they are read. Relies on the format
 * of the feed. It shows the minimum cost of such reading, and is not meant to be copied.
 */
export class HeldPod implements ReadPod {
  readonly metadata: ReadPod["metadata"];
  readonly #text: string;
  #body: Pick<ReadPod, "spec" | "status"> | undefined;

  constructor(event: Buffer) {
    const start = event.indexOf(metadataKey) + metadataKey.length;
    const managed = event.indexOf(managedKey, start);
    const spec = event.indexOf(specKey, Math.max(start, managed));
    this.metadata = JSON.parse(
      `${event.toString("utf8", start, managed < 0 ? spec : managed)}}`,
    ) as ReadPod["metadata"];
    this.#text = event.toString("latin1", spec + 2, event.length - 1);
  }

  get spec(): ReadPod["spec"] {
    return this.#read().spec;
  }

  get status(): ReadPod["status"] {
    return this.#read().status;
  }

  #read(): Pick<ReadPod, "spec" | "status"> {
    this.#body ??= JSON.parse(`{${this.#text}`) as Pick<ReadPod, "spec" | "status">;
    return this.#body;
  }
}
