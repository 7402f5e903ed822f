import { outputFaults } from "./output-faults.ts";
import { playFaults } from "./play-faults.ts";

playFaults("An agent that prints what it should not", outputFaults);
