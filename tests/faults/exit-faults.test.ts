import { exitFaults } from "./exit-faults.ts";
import { playFaults } from "./play-faults.ts";

playFaults("An agent that does not end as it should", exitFaults);
