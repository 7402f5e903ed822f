import { describeEventStore } from "../event-store.contract.ts";
import { createMemoryEventStore } from "./memory-event-store.ts";

describeEventStore("memory", async (options) => ({ store: createMemoryEventStore(options) }));
