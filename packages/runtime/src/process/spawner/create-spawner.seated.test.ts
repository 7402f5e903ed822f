import { describeSpawner } from "./spawner.contract.ts";

describeSpawner("seated");
