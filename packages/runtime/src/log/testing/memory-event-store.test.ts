import { type CreateStore, describeEventStore } from "../event-store.contract.ts";
import { describeSearch } from "../search/search.contract.ts";
import { describeUsers } from "../users.contract.ts";
import { createMemoryEventStore } from "./memory-event-store.ts";

const createStore: CreateStore = async (options) => ({ store: createMemoryEventStore(options) });

describeEventStore("memory", createStore);
describeSearch("memory", createStore);
describeUsers("memory", createStore);
