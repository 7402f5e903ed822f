import { describeLineageStore } from "../lineage-store.contract.ts";
import { createMemoryLineageStore } from "./memory-lineage-store.ts";

describeLineageStore("memory", createMemoryLineageStore);
