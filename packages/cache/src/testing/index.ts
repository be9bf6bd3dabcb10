export { EventChannel } from "./event-channel.ts";
export { FakeListWatch, type FakeListWatchOptions } from "./fake-list-watch.ts";
export { FakeListWatchClient } from "./fake-list-watch-client.ts";
