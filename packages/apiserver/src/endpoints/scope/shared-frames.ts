import type { ReadonlyObject } from "../../registry/resource.ts";

/**
 * Maximum number of objects whose frames one generation of the cache contains. The cache has two generations; another limit applies to
 * their size in bytes.
 */
const keptObjects = 500;
const keptBytes = 8 * 1024 * 1024;

type Frames = Map<string, Buffer>;

/**
 * A cache for recently written frames (encoded watch events), because watches of the same resource write the same
 * frames at about the same time. All of a server's watches share one instance.
 */
export class SharedFrames {
  #recent = new Map<ReadonlyObject, Frames>();
  #older: Map<ReadonlyObject, Frames> = new Map();
  #bytes = 0;
  #lastJoined: { readonly frames: readonly Buffer[]; readonly joined: Buffer } | undefined;

  /** Returns the frame for an object in a certain form. Creates the frame if it is not cached. */
  frame(object: ReadonlyObject, form: string, make: () => Buffer): Buffer {
    const frames = this.#framesOf(object);
    let frame = frames.get(form);
    if (!frame) {
      frame = make();
      frames.set(form, frame);
      this.#bytes += frame.length;
    }
    return frame;
  }

  /** Joins several frames. Watchers that write the same sequence of frames share the result. */
  join(frames: readonly Buffer[]): Buffer {
    const [first] = frames;
    if (frames.length === 1 && first) return first;
    const last = this.#lastJoined;
    const isSame =
      last?.frames.length === frames.length && last.frames.every((frame, index) => frame === frames[index]);
    if (isSame && last) return last.joined;
    const joined = Buffer.concat(frames);
    this.#lastJoined = { frames, joined };
    return joined;
  }

  /** Drops all frames. Should be called when the last watch has ended. */
  clear(): void {
    this.#recent = new Map();
    this.#older = new Map();
    this.#bytes = 0;
    this.#lastJoined = undefined;
  }

  #framesOf(object: ReadonlyObject): Frames {
    const known = this.#recent.get(object);
    if (known) return known;
    const frames: Frames = this.#older.get(object) ?? new Map();
    if (this.#recent.size >= keptObjects || this.#bytes >= keptBytes) {
      this.#older = this.#recent;
      this.#recent = new Map();
      this.#bytes = 0;
    }
    this.#recent.set(object, frames);
    return frames;
  }
}
