import { playFaults } from "./play-faults.ts";
import { startFaults } from "./start-faults.ts";

playFaults("An agent that does not start as it should", startFaults);
