import { parentPort } from "node:worker_threads";
import { type SearchQuestion, searchLines } from "./search-lines.ts";

parentPort?.on("message", (question: SearchQuestion) => parentPort?.postMessage(searchLines(question)));
